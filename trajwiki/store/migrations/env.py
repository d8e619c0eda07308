"""Alembic's entry: runs the migrations on the connection that `upgrade` was given."""

from alembic import context

from trajwiki.store.tables import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection, target_metadata=metadata, transactional_ddl=True, transaction_per_migration=False
)
context.run_migrations()
