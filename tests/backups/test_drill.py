"""The restore drill: a sandbox is backed up at work, restored on another server, and goes on."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from landbridge.db import transaction_ids
from landbridge.db.embedded.server import EmbeddedPostgres
from landbridge.db.migrate import migrate
from landbridge.db.pool import Database
from landbridge.ledger.house import house_balances
from tests.backups.world import World, check_deliveries, make_world, opened, run
from tests.conftest import new_database
from tests.db.embedded_play import serving, short_directory
from tests.processes.play import free_port, landbridge
from tests.reporting.rollups.test_sums import compare, is_folded
from tests.tenants import refusal
from tests.webhooks.carrying import Receiver, receiving

pytestmark = pytest.mark.slow

# The source has given out ids that no new server reaches by itself.
EPOCH = 2


@dataclass
class Source:
    """What was backed up, and how it looked then."""

    world: World
    seen: dict[str, Any]
    receiver: Receiver
    backup: Path


@pytest.fixture(scope="module")
async def source() -> AsyncIterator[Source]:
    """Backed up while it serves; afterwards the server is gone."""
    with short_directory() as folder:
        async with receiving() as receiver:
            home, backup = folder / "source", folder / "one.backup"
            with serving(home) as server:
                server.restart_with_epoch(EPOCH)
                database = await Database.connect(server.dsn, name="tests", size_max=1)
                await migrate(database)
                await database.close()
                async with opened(server.dsn) as org:
                    world = await make_world(org, receiver)
                    seen = await world.seen()
                    code, said = await asyncio.to_thread(run, "backup", str(backup), folder=home)
                    assert code == 0, said
                    assert "whole and verified" in said
            yield Source(world, seen, receiver, backup)


@asynccontextmanager
async def _embedded(backup: Path) -> AsyncGenerator[str]:
    """A new data directory."""
    with short_directory() as folder:
        home = folder / "new"
        code, said = await asyncio.to_thread(run, "restore", str(backup), folder=home)
        assert code == 0, said
        assert "The master key opens it." in said
        assert "every asset sums to zero" in said
        server = await asyncio.to_thread(EmbeddedPostgres.start, home, say=print)
        try:
            yield server.dsn
        finally:
            server.stop()


@asynccontextmanager
async def _own(backup: Path, server_dsn: str) -> AsyncGenerator[str]:
    """An empty database on a PostgreSQL that we can't stop; of version 15, in one of CI's runs."""
    async with new_database(server_dsn, is_migrated=False) as dsn:
        code, said = await asyncio.to_thread(run, "restore", str(backup), database_url=dsn)
        assert code == 0, said
        assert "Numbering the log of changes anew" in said
        yield dsn


@pytest.mark.parametrize("kind", ["embedded", "own"])
async def test_a_restored_sandbox_is_what_it_was_and_goes_on(
    source: Source, server_dsn: str, kind: str
) -> None:
    target = _embedded(source.backup) if kind == "embedded" else _own(source.backup, server_dsn)
    receiver, before = source.receiver, list(source.receiver.came)
    assert [each.id for each in before] == source.world.delivered
    async with target as dsn, opened(dsn, source.world.org) as org:
        world = replace(source.world, org=org)
        assert await world.seen() == source.seen
        await compare(org)
        # What was not delivered then is delivered now, and what was is not again.
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
        await _check_cursor(world, events, is_kept=kind == "embedded")
        assert await house_balances(org.house.database, org.org_id) != source.seen["house"]
    receiver.came[:] = before


async def _check_cursor(world: World, events: list[Any], *, is_kept: bool) -> None:
    """A customer's cursor leads on where it did, or is refused: it never skips anything."""
    if is_kept:
        assert await world.events(cursor=world.cursor) == events[12:]
    else:
        answer = await world.org.send("GET", "/v2/events", cursor=world.cursor)
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"


async def test_a_dump_that_was_loaded_by_hand_is_refused_until_it_is_repaired(
    source: Source,
) -> None:
    with short_directory() as folder:
        home = folder / "new"
        code, said = await asyncio.to_thread(run, "restore", str(source.backup), folder=home)
        assert code == 0, said
        server = EmbeddedPostgres.start(home, say=print)
        # As any other program leaves it: the server counts from the beginning.
        database = await Database.connect(server.dsn, name="tests", size_max=1)
        stored = (await transaction_ids.survey(database)).largest
        await database.close()
        server.restart_with_epoch(0)
        assert stored > EPOCH << 32
        server.stop()
        port = str(free_port())
        served = await asyncio.to_thread(landbridge, "serve", "--port", port, folder=home)
        assert served.returncode == 1
        assert "landbridge repair-transaction-ids" in served.stderr
        code, said = await asyncio.to_thread(run, "repair-transaction-ids", folder=home)
        assert code == 0, said
        code, said = await asyncio.to_thread(run, "check", folder=home)
        assert code == 0, said
        server = EmbeddedPostgres.start(home, say=print)
        async with opened(server.dsn, source.world.org) as org:
            world = replace(source.world, org=org)
            assert await world.seen() == source.seen
            await world.go_on()
            await world.prove()
        server.stop()
