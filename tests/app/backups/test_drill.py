"""Restore drill: a sandbox is backed up at work, restored on another server, and continues.

The other server has smaller transaction ids, which nothing depends on.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from landbridge.ledger.house_accounts import house_balances
from landbridge.platform.db.embedded.server import EmbeddedPostgres
from landbridge.platform.db.migrate import migrate
from landbridge.platform.db.pool import Database
from tests.app.backups.world import World, check_deliveries, make_world, opened, run
from tests.conftest import new_database
from tests.developers.webhooks.worker_steps import Receiver, receiving
from tests.platform.db.embedded_servers import serving, short_directory
from tests.reporting.rollups.test_sums import compare, is_folded

pytestmark = [pytest.mark.long]

# The source has used as many transaction ids as no new server does meanwhile, each in a transaction
# of its own.
_USE_IDS = """
do $$
begin
    for number in 1..100000 loop
        perform pg_current_xact_id();
        commit;
    end loop;
end
$$
"""
_NEXT_ID = "select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as id"


@dataclass
class Source:
    """Backed-up installation, and its state at that time."""

    world: World
    seen: dict[str, Any]
    receiver: Receiver
    backup: Path
    next_id: int


@pytest.fixture(scope="module")
async def source() -> AsyncIterator[Source]:
    """Back up an installation while it serves, and remove its server."""
    with short_directory() as folder:
        async with receiving() as receiver:
            home, backup = folder / "source", folder / "one.backup"
            with serving(home) as server:
                database = await Database.connect(server.dsn, name="tests", size_max=1)
                await migrate(database)
                await database.single(lambda tx: tx.execute(_USE_IDS))
                next_id = (await database.rows(_NEXT_ID))[0]["id"]
                await database.close()
                async with opened(server.dsn) as org:
                    world = await make_world(org, receiver)
                    state = await world.seen()
                    code, output = await asyncio.to_thread(run, "backup", str(backup), folder=home)
                    assert code == 0, output
                    assert "whole and verified" in output
            yield Source(world, state, receiver, backup, next_id)


@asynccontextmanager
async def _embedded(backup: Path) -> AsyncGenerator[str]:
    """Return a new data directory."""
    with short_directory() as folder:
        home = folder / "new"
        code, output = await asyncio.to_thread(run, "restore", str(backup), folder=home)
        assert code == 0, output
        assert "The master key opens it." in output
        assert "every asset sums to zero" in output
        server = await asyncio.to_thread(EmbeddedPostgres.start, home, print_line=print)
        try:
            yield server.dsn
        finally:
            server.stop()


@asynccontextmanager
async def _own(backup: Path, server_dsn: str) -> AsyncGenerator[str]:
    """Yield an empty database on a PostgreSQL that we can't stop; in CI also version 15."""
    async with new_database(server_dsn, is_migrated=False) as dsn:
        code, output = await asyncio.to_thread(run, "restore", str(backup), database_url=dsn)
        assert code == 0, output
        yield dsn


@pytest.mark.parametrize("kind", ["embedded", "own"])
async def test_restored_sandbox_is_equal_and_continues(
    source: Source, server_dsn: str, kind: str
) -> None:
    target = _embedded(source.backup) if kind == "embedded" else _own(source.backup, server_dsn)
    receiver, before = source.receiver, list(source.receiver.received)
    assert [each.id for each in before] == source.world.delivered
    async with target as dsn, opened(dsn, source.world.org) as org:
        world = replace(source.world, org=org)
        if kind == "embedded":
            assert (await org.container.database.rows(_NEXT_ID))[0]["id"] < source.next_id
        assert await world.seen() == source.seen
        await compare(org)
        # Undelivered events are delivered now, and delivered ones are not repeated.
        await check_deliveries(world, receiver)
        await world.go_on()
        await world.prove()
        await check_deliveries(world, receiver)
        while not await is_folded(org):
            pass
        await compare(org)
        events = await world.events()
        assert events[: len(source.seen["events"])] == source.seen["events"]
        assert len(events) > len(source.seen["events"])
        assert await world.events(cursor=world.cursor) == events[12:]
        assert await house_balances(org.container.database, org.org_id) != source.seen["house"]
    receiver.received[:] = before
