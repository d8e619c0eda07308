"""Every error a caller can meet.

TrajwikiError
├── UsageError            the call was wrong: fix the call            (exit code 2)
│   ├── InvalidMessage    a message that cannot be stored as given
│   ├── InvalidRun        a run of an agent that cannot be stored as given
│   ├── UnreadableInput   a file that is not what it was taken for
│   ├── UnknownSpace      no space of that name
│   └── UnknownItem       no claim, page, trajectory or answer of that name
└── EnvironmentFailure    the call was right: its surroundings failed (exit code 3)
├── StoreUnavailable  the database cannot be opened, read or written
├── CorruptStore      the database is damaged, or is not ours
├── SchemaMismatch    the database was made by a newer version
├── EmbedderMismatch  vectors of another embedding model are stored
├── MissingExtra      the command needs an optional dependency
├── ModelFailure      a chat model could not be asked (models/failures.py: EndpointUnavailable, EndpointRefused,
│                     RequestRefused, BudgetSpent)
└── ConcurrentWrite   another writer kept winning; nothing was written
"""


class TrajwikiError(Exception):
    """Something went wrong."""

    exit_code = 3


class UsageError(TrajwikiError):
    """The call was wrong."""

    exit_code = 2


class InvalidMessage(UsageError):
    """The message cannot be stored as given."""


class InvalidRun(UsageError):
    """The run cannot be stored as given."""


class UnreadableInput(UsageError):
    """The input is not what it was taken for."""


class UnknownSpace(UsageError):
    """There is no space of that name."""


class UnknownItem(UsageError):
    """There is nothing of that name in the space."""


class EnvironmentFailure(TrajwikiError):
    """The surroundings failed."""


class StoreUnavailable(EnvironmentFailure):
    """The database cannot be opened, read or written."""


class CorruptStore(EnvironmentFailure):
    """The database is damaged, or is not a trajwiki database."""


class SchemaMismatch(EnvironmentFailure):
    """The database was made by a newer version of trajwiki."""


class EmbedderMismatch(EnvironmentFailure):
    """The stored vectors come from another embedding model."""


class MissingExtra(EnvironmentFailure):
    """The command needs an optional dependency."""


class ConcurrentWrite(EnvironmentFailure):
    """Other writers kept changing the space; nothing was written."""
