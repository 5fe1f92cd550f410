"""Database functions that lock and then write, so that a batch is one round trip.

Their bodies are in `statements.py`, and migration 0079 creates them. A changed body needs a new
migration and a new version in `VERSION`: processes of the previous version may still run, and call
the function they know.
"""

import re
from dataclasses import dataclass
from typing import Final

from landbridge.ledger.statements import (
    ADVANCE_ARGUMENTS,
    ADVANCE_BODY,
    CREATE_ARGUMENTS,
    CREATE_BODY,
    SETTINGS,
)
from landbridge.platform.changes import placing
from landbridge.platform.db.migrate import MigrationRejected
from landbridge.platform.db.pool import Database

VERSION: Final = 3
# Those of the previous version; the next one drops them.
PREVIOUS: Final = ("lock_and_create_2", "lock_and_advance_2")
_ARGUMENT = re.compile(r"\b(\w+) (\w+(?:\[\])?)")
_SOURCE: Final = "select prosrc from pg_proc where proname = $1"


@dataclass(frozen=True, slots=True)
class LockingFunction:
    """A function that takes locks, and returns the outcome of each item."""

    name: str
    arguments: str
    body: str

    @property
    def types(self) -> list[str]:
        """Types of the arguments."""
        return [kind for _, kind in _ARGUMENT.findall(self.arguments)]

    @property
    def definition(self) -> str:
        """Statement that creates the function, as in the migration."""
        settings = " ".join(f"set {each} = off" for each in SETTINGS)
        return (
            f"create function {self.name}({self.arguments}) returns text[]\n"
            f"language plpgsql volatile\n{settings}\nas $function${self.body}$function$;\n"
        )

    @property
    def call(self) -> str:
        """Statement that calls the function; its arguments are texts (`platform/db/arrays.py`)."""
        arguments = ", ".join(f"${n}::text::{kind}" for n, kind in enumerate(self.types, start=1))
        return f"select {self.name}({arguments})"


LOCK_AND_CREATE: Final = LockingFunction(
    f"lock_and_create_{VERSION}", CREATE_ARGUMENTS, CREATE_BODY
)
LOCK_AND_ADVANCE: Final = LockingFunction(
    f"lock_and_advance_{VERSION}", ADVANCE_ARGUMENTS, ADVANCE_BODY
)


async def check_functions(database: Database) -> None:
    """Raise `MigrationRejected` unless the database's functions are those of this version."""
    bodies = {each.name: each.body for each in (LOCK_AND_CREATE, LOCK_AND_ADVANCE)}
    for name, body in (bodies | {placing.NAME: placing.BODY}).items():
        rows = await database.rows(_SOURCE, name)
        if [row["prosrc"] for row in rows] != [body]:
            raise MigrationRejected(f"The database's function {name} is not that of this version.")
