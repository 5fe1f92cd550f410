"""Runtime of the commands: reads the settings, opens the database, runs one function."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeVar
from uuid import UUID

import click

from landbridge.app import settings
from landbridge.app.container import Container, open_container
from landbridge.app.settings import Settings
from landbridge.platform.cli_context import CommandContext, CommandRunner, CommandTarget
from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.db.embedded.datadir import has_database
from landbridge.platform.db.embedded.server import borrow
from landbridge.platform.db.migrate import migrate, migrations, pending
from landbridge.platform.db.pool import Database

S = TypeVar("S")
T = TypeVar("T")


class NoDatabase(LandbridgeError):
    """The data directory holds no database."""


def read_settings(*, needs_database: bool = False, **overrides: object) -> Settings:
    """Read the settings; options of the command line override them."""
    overridden = {name: value for name, value in overrides.items() if value is not None}
    return settings.read(os.environ, needs_database=needs_database, **overridden)


def print_line(line: str) -> None:
    """Print a line immediately."""
    click.echo(line)
    sys.stdout.flush()


def read_settings_with_database(**overrides: object) -> tuple[Settings, str]:
    """Read the settings and the URL of the database, for processes that bring none."""
    chosen = read_settings(needs_database=True, **overrides)
    assert chosen.database_url is not None
    return chosen, chosen.database_url


@contextmanager
def open_dsn(chosen: Settings, *, may_make: bool = False) -> Generator[str]:
    """Yield the database: the configured one, the running one, or one started for this command.

    A missing database is created only with `may_make`; otherwise a typo would create one.
    """
    if chosen.database_url is not None:
        yield chosen.database_url
        return
    if not may_make and not has_database(chosen.folder):
        raise NoDatabase(
            f"There is no database in {chosen.folder}: `landbridge serve` makes one, and "
            f"--data-dir or {settings.PREFIX}DATA_DIR says where it is."
        )
    with borrow(chosen.folder, print_line=lambda line: click.echo(line, err=True)) as dsn:
        yield dsn


@asynccontextmanager
async def patient(dsn: str, *, name: str) -> AsyncGenerator[Database]:
    """Open one connection without a statement timeout, named `landbridge <name>`."""
    database = await Database.connect(dsn, name=name, size_max=1, is_patient=True)
    try:
        yield database
    finally:
        await database.close()


def run_in_container(
    data_dir: str | None,
    run: Callable[[Container], Awaitable[T]],
    *,
    may_make: bool = False,
    writes: bool = True,
) -> T:
    """Run one function against the database, which is migrated if it is empty.

    A function that does not write takes no clock node, of which there is a limited number.
    """
    chosen = read_settings(data_dir=data_dir)

    async def work(dsn: str) -> T:
        database = await Database.connect(dsn, name="cli", size_max=1, is_patient=True)
        try:
            if len(await pending(database)) == len(migrations()):
                await migrate(database)
        finally:
            await database.close()
        async with open_container(chosen, dsn, name="cli", writes=writes) as container:
            return await run(container)

    with open_dsn(chosen, may_make=may_make) as dsn:
        return asyncio.run(work(dsn))


async def chosen_org(container: Container, org: UUID | None) -> UUID:
    """Return the organisation of a command: the first one, unless an option names another."""
    orgs = await container.orgs.all()
    if org is None and orgs:
        return orgs[0].id
    if org is None or org not in {each.id for each in orgs}:
        raise click.UsageError("There is no such organisation; see `landbridge orgs list`.")
    return org


def run_command(verbs: Callable[[Container], S]) -> CommandRunner[S]:
    """Return a runner that gives a command the services it needs and its organisation."""

    def run_at(
        target: CommandTarget, run: Callable[[CommandContext[S]], Awaitable[T]], *, writes: bool
    ) -> T:
        async def work(container: Container) -> T:
            org_id = await chosen_org(container, target.org)
            offset = await container.orgs.clock_offset(org_id)
            context = CommandContext(
                verbs=verbs(container), org_id=org_id, clock=container.clock, clock_offset=offset
            )
            return await run(context)

        return run_in_container(target.data_dir, work, writes=writes)

    return run_at
