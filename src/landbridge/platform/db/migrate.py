"""Migrations: numbered SQL files, applied in order, forward only.

Guarantees:
- All pending files run in one transaction under one lock, so two processes that start at once apply
  each file once.
- A file that has changed since it was applied is refused.
- A database that is newer than this code is refused and left untouched.

A process of the previous version may still run while a migration is applied, and for some seconds
after it (schema_watch.py). So a migration only adds to the schema: see docs/internals/testing.md.
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import ClassVar

import asyncpg

from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.db.pool import Database, Tx

# Number of this lock among the database's advisory locks; any fixed number would do. The lock
# belongs to the transaction, so that it works behind a pooler in transaction mode.
_LOCK = 0x1A4D

_TABLE = """
create table if not exists migrations (
    number integer not null,
    name text not null,
    digest text not null,
    applied_at timestamptz not null,
    constraint migrations_pkey primary key (number)
)
"""

_APPLIED = "select number, name, digest from migrations order by number"
_NEWEST = "select number, name from migrations where number > $1 order by number desc limit 1"
_RECORD = (
    "insert into migrations (number, name, digest, applied_at)"
    " values ($1, $2, $3, statement_timestamp())"
)


class MigrationRejected(LandbridgeError):
    """The database does not fit this code."""


class DevelopmentSchema(MigrationRejected):
    """The database was migrated by a development version before 0.1.0."""


class SchemaNewer(MigrationRejected):
    """The database was migrated by a newer version."""

    # Exit code of the process; a service manager can be configured not to restart on it.
    exit_code: ClassVar[int] = 3


@dataclass(frozen=True, slots=True)
class Migration:
    """Migration file: `0003_ledger.sql` has the number 3 and the name `ledger`."""

    number: int
    name: str
    sql: str

    @property
    def digest(self) -> str:
        """Return a digest that detects a change after the file was applied."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def migrations() -> list[Migration]:
    """Return all migrations of this version, in order."""
    folder = resources.files("landbridge.platform.db") / "migrations"
    found = [
        Migration(int(name[:4]), name[5:-4], file.read_text(encoding="utf-8"))
        for file in folder.iterdir()
        if (name := file.name).endswith(".sql")
    ]
    return sorted(found, key=lambda each: each.number)


async def migrate(database: Database) -> list[Migration]:
    """Apply all pending migrations; return them."""
    try:
        return await database.transact(_apply)
    except asyncpg.RaiseError as error:
        # The migration checked the rows and explains why it can't be applied.
        raise MigrationRejected(f"The database can't be brought up: {error}.") from error


async def pending(database: Database) -> list[Migration]:
    """Return the pending migrations; raises `MigrationRejected` as `migrate` would."""
    exists = await database.rows("select to_regclass('migrations') is not null as yes")
    applied = await database.rows(_APPLIED) if exists[0]["yes"] else []
    return _missing({row["number"]: (row["name"], row["digest"]) for row in applied})


async def check_schema(database: Database) -> None:
    """Raise `SchemaNewer` if a newer version has migrated the database.

    Costs one cheap statement.
    """
    if newest := await database.rows(_NEWEST, _latest_number()):
        (row,) = newest
        raise SchemaNewer(
            f"A newer version has migrated the database: it has migration {row['number']} "
            f"({row['name']}), this version knows {_latest_number()}. This process finishes "
            "what is under way and ends. Start the newer version."
        )


@cache
def _latest_number() -> int:
    """Return the number of this version's last migration."""
    return migrations()[-1].number


async def _apply(tx: Tx) -> list[Migration]:
    # Wait for another process that is migrating, however long that takes.
    await tx.execute("set local lock_timeout = 0")
    await tx.execute("select pg_advisory_xact_lock($1)", _LOCK)
    await tx.execute("set local lock_timeout = '10s'")
    await tx.execute(_TABLE)
    applied = {row["number"]: (row["name"], row["digest"]) for row in await tx.fetch(_APPLIED)}
    missing = _missing(applied)
    for each in missing:
        await tx.execute(each.sql)
        await tx.execute(_RECORD, each.number, each.name, each.digest)
    return missing


def _missing(applied: dict[int, tuple[str, str]]) -> list[Migration]:
    own = {each.number: each for each in migrations()}
    # Before 0.1.0 the first migrations had other names, and were rewritten since.
    if 1 in applied and applied[1][0] != own[1].name:
        raise DevelopmentSchema(
            "This database was created by a development version before 0.1.0 and cannot be "
            "upgraded. Start with an empty database."
        )
    if newer := sorted(applied.keys() - own.keys()):
        name = applied[newer[-1]][0]
        raise SchemaNewer(
            f"The database is newer than this code: it has migration {newer[-1]} ({name}), "
            f"this version knows {max(own)}. Install the version that made it, or a newer one."
        )
    for number, (name, digest) in applied.items():
        if own[number].digest != digest:
            raise MigrationRejected(
                f"Migration {number} ({name}) was changed after it was applied to this database. "
                "Migrations are never edited; write a new one."
            )
    return [own[number] for number in sorted(own.keys() - applied.keys())]
