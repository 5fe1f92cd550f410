"""What the commands share: settings, the database, one verb in the house."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import TypeVar
from uuid import UUID

import click
import msgspec

from landbridge import settings
from landbridge.core.errors import LandbridgeError
from landbridge.db.embedded.datadir import has_database
from landbridge.db.embedded.server import borrow
from landbridge.db.migrate import migrate, migrations, pending
from landbridge.db.pool import Database
from landbridge.desk import AtDesk, Desk
from landbridge.settings import Settings
from landbridge.wiring import House, open_house

S = TypeVar("S")
T = TypeVar("T")


class NoDatabase(LandbridgeError):
    """There is no database where the command looked for one."""


def read_settings(**overrides: object) -> Settings:
    """The settings, with what the command line says instead."""
    given = {name: value for name, value in overrides.items() if value is not None}
    return settings.check(msgspec.structs.replace(settings.read(os.environ), **given))


def say(line: str) -> None:
    """Print a line at once."""
    click.echo(line)
    sys.stdout.flush()


def database_url(chosen: Settings) -> str:
    """The database that is set, for processes that bring none."""
    if chosen.database_url is None:
        raise settings.SettingsInvalid(
            "Set LANDBRIDGE_DATABASE_URL, or use `landbridge serve`, which brings a database."
        )
    return chosen.database_url


@contextmanager
def open_dsn(chosen: Settings, *, may_make: bool = False) -> Generator[str]:
    """The database: the one that is set, the one that runs, or one started for this command.

    One that is not there yet is made only if `may_make`: else a slip of the pen would make one.
    """
    if chosen.database_url is not None:
        yield chosen.database_url
        return
    if not may_make and not has_database(chosen.folder):
        raise NoDatabase(
            f"There is no database in {chosen.folder}: `landbridge serve` makes one, and "
            f"--data-dir or {settings.PREFIX}DATA_DIR says where it is."
        )
    with borrow(chosen.folder, say=lambda line: click.echo(line, err=True)) as dsn:
        yield dsn


def in_house(
    data_dir: str | None,
    run: Callable[[House], Awaitable[T]],
    *,
    may_make: bool = False,
    writes: bool = True,
) -> T:
    """Run one verb against the database, migrated if it was empty.

    One that does not write needs no lane of the clock, which long-running processes are short of.
    """
    chosen = read_settings(data_dir=data_dir)

    async def work(dsn: str) -> T:
        database = await Database.connect(dsn, name="cli", size_max=1, is_patient=True)
        try:
            if len(await pending(database)) == len(migrations()):
                await migrate(database)
        finally:
            await database.close()
        async with open_house(chosen, dsn, name="cli", writes=writes) as house:
            return await run(house)

    with open_dsn(chosen, may_make=may_make) as dsn:
        return asyncio.run(work(dsn))


async def chosen_org(house: House, org: UUID | None) -> UUID:
    """The organisation that a command is about: the first one, unless it names another."""
    everyone = await house.orgs.all()
    if org is None and everyone:
        return everyone[0].id
    if org is None or org not in {each.id for each in everyone}:
        raise click.UsageError("There is no such organisation; see `landbridge orgs list`.")
    return org


def at_desk(verbs: Callable[[House], S]) -> AtDesk[S]:
    """Runs verbs of the house for the organisation that a command is about."""

    def run_at(
        data_dir: str | None,
        org: UUID | None,
        run: Callable[[Desk[S]], Awaitable[T]],
        *,
        writes: bool,
    ) -> T:
        async def work(house: House) -> T:
            org_id = await chosen_org(house, org)
            offset = await house.orgs.clock_offset(org_id)
            desk = Desk(verbs=verbs(house), org_id=org_id, clock=house.clock, clock_offset=offset)
            return await run(desk)

        return in_house(data_dir, work, writes=writes)

    return run_at
