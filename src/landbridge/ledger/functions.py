"""Database functions that lock and then write, so that a batch is one round trip.

`lock_and_create` and `lock_and_advance` run `LOCK` and then `CREATE` or `ADVANCE`. In a volatile
function each statement has a snapshot of its own, so the second one sees what the first waited for.
The functions are generated from these statements; migration 0078 creates them. A changed statement
needs a new migration and a new version in `VERSION`: processes of the previous version may still
run, and call the function they know.
"""

import re
from dataclasses import dataclass
from typing import Final

from landbridge.ledger.statements import ADVANCE, CREATE, LOCK
from landbridge.platform.changes import placing
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.migrate import MigrationRejected
from landbridge.platform.db.pool import Database

VERSION: Final = 2
_ARGUMENT = re.compile(r"\$(\d+)(?:::(\w+(?:\[\])?))?")
_SOURCE: Final = "select prosrc from pg_proc where proname = $1"


@dataclass(frozen=True, slots=True)
class LockingFunction:
    """A function that runs `LOCK` and then `statement`, whose arguments come first."""

    name: str
    statement: str

    @property
    def types(self) -> list[str]:
        """Types of the arguments: those of the statement, then those of `LOCK`."""
        return _types(self.statement) + _types(LOCK)

    @property
    def body(self) -> str:
        """Body in PL/pgSQL. The rows of `LOCK` are counted, so that all of them are locked."""
        shift = len(_types(self.statement))
        lock = _ARGUMENT.sub(lambda found: _shifted(found, shift), LOCK.strip())
        return (
            f"\nbegin\nperform count(*) from (\n{lock}\n) as locked;\n"
            f"return query\n{self.statement.strip()};\nend\n"
        )

    @property
    def definition(self) -> str:
        """Statement that creates the function, as in the migration."""
        types = ", ".join(self.types)
        return (
            f"create function {self.name}({types}) returns setof text\n"
            f"language plpgsql volatile as $function${self.body}$function$;\n"
        )

    @property
    def call(self) -> str:
        """Statement that calls the function."""
        arguments = ", ".join(f"${number}" for number in range(1, len(self.types) + 1))
        return f"select outcome from {self.name}({arguments}) as outcome"  # noqa: S608  constants


LOCK_AND_CREATE: Final = LockingFunction(f"lock_and_create_{VERSION}", CREATE)
LOCK_AND_ADVANCE: Final = LockingFunction(f"lock_and_advance_{VERSION}", ADVANCE)


async def check_functions(database: Database) -> None:
    """Raise `MigrationRejected` unless the database's functions are those of these statements."""
    bodies = {each.name: each.body for each in (LOCK_AND_CREATE, LOCK_AND_ADVANCE)}
    for name, body in (bodies | {placing.NAME: placing.BODY}).items():
        rows = await database.rows(_SOURCE, name)
        if [row["prosrc"] for row in rows] != [body]:
            raise MigrationRejected(f"The database's function {name} is not that of this version.")


def _types(statement: str) -> list[str]:
    """Return the types of a statement's arguments, in order; each is cast at its first use."""
    types: dict[int, str] = {}
    for found in _ARGUMENT.finditer(statement):
        if found[2]:
            types.setdefault(int(found[1]), found[2])
    if sorted(types) != list(range(1, len(types) + 1)):
        raise InvariantBroken("each argument of a statement is cast once")
    return [types[number] for number in sorted(types)]


def _shifted(found: "re.Match[str]", shift: int) -> str:
    kind = f"::{found[2]}" if found[2] else ""
    return f"${int(found[1]) + shift}{kind}"
