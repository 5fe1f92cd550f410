"""Migrations: numbered SQL files, applied in order, forward only.

Guarantees: all pending files run in one transaction under one lock, so two processes that start
at once apply each file once; a file that was applied and has changed since is refused; a database
that is newer than this code is refused and left untouched.

A process of the version before may still run while a migration is applied, and for some seconds
after it (schema_watch.py). So a migration adds to the schema only: see docs/internals/testing.md.
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import ClassVar

import asyncpg

from landbridge.core.errors import LandbridgeError
from landbridge.db.pool import Database, Tx

# Any fixed number does; it names this lock among the advisory locks of the database. The lock is
# the transaction's own, so a pooler in transaction mode is no obstacle.
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


class MigrationRefused(LandbridgeError):
    """The database does not fit this code."""


class SchemaNewer(MigrationRefused):
    """A newer version has migrated the database."""

    # Of the process; a service manager may be told not to start it again.
    exit_code: ClassVar[int] = 3


@dataclass(frozen=True, slots=True)
class Migration:
    """One file: `0003_ledger.sql` has the number 3 and the name `ledger`."""

    number: int
    name: str
    sql: str

    @property
    def digest(self) -> str:
        """Tells whether a file was changed after it was applied."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def migrations() -> list[Migration]:
    """All files of this version, in order."""
    folder = resources.files("landbridge.db") / "migrations"
    found = [
        Migration(int(name[:4]), name[5:-4], file.read_text(encoding="utf-8"))
        for file in folder.iterdir()
        if (name := file.name).endswith(".sql")
    ]
    return sorted(found, key=lambda each: each.number)


async def migrate(database: Database) -> list[Migration]:
    """Bring the database up to this code; answers what was applied."""
    try:
        return await database.transact(_apply)
    except asyncpg.RaiseError as error:
        # A migration that looked at the rows and says why it can't go on.
        raise MigrationRefused(f"The database can't be brought up: {error}.") from error


async def pending(database: Database) -> list[Migration]:
    """What `migrate` would apply; raises `MigrationRefused` as it would."""
    exists = await database.rows("select to_regclass('migrations') is not null as yes")
    applied = await database.rows(_APPLIED) if exists[0]["yes"] else []
    return _missing({row["number"]: (row["name"], row["digest"]) for row in applied})


async def check_schema(database: Database) -> None:
    """Raise `SchemaNewer` if a newer version has migrated the database; one cheap statement."""
    if newest := await database.rows(_NEWEST, _known()):
        (row,) = newest
        raise SchemaNewer(
            f"A newer version has migrated the database: it has migration {row['number']} "
            f"({row['name']}), this version knows {_known()}. This process finishes what is under "
            "way and ends. Start the newer version."
        )


@cache
def _known() -> int:
    """The number of this version's last migration."""
    return migrations()[-1].number


async def _apply(tx: Tx) -> list[Migration]:
    # However long the migration of another process takes, this one waits for it.
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
    ours = {each.number: each for each in migrations()}
    if newer := sorted(applied.keys() - ours.keys()):
        name = applied[newer[-1]][0]
        raise SchemaNewer(
            f"The database is newer than this code: it has migration {newer[-1]} ({name}), "
            f"this version knows {max(ours)}. Install the version that made it, or a newer one."
        )
    for number, (name, digest) in applied.items():
        if ours[number].digest != digest:
            raise MigrationRefused(
                f"Migration {number} ({name}) was changed after it was applied to this database. "
                "Migrations are never edited; write a new one."
            )
    return [ours[number] for number in sorted(ours.keys() - applied.keys())]
