"""The database: tables, migrations, records to rows and back. Nothing else speaks SQL."""
