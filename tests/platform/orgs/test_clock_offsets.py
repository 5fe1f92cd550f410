"""Clock offsets are read again only when they have changed."""

from datetime import timedelta

import pytest

from landbridge.platform.db.pool import Database
from landbridge.platform.orgs import store
from landbridge.platform.orgs.clock_offsets import ClockOffsetCache
from tests.make import make_org


async def test_new_organisations_and_advanced_clocks_are_seen(own_database: Database) -> None:
    cache = ClockOffsetCache(own_database)
    assert await cache.read() == {}
    first = await make_org(own_database)
    assert await cache.read() == {first: timedelta()}
    second, hour = await make_org(own_database), timedelta(hours=1)
    await own_database.transact(
        lambda tx: store.move_clock(tx, second, hour, until=None, ahead_max=timedelta(days=1))
    )
    assert await cache.read() == {first: timedelta(), second: hour}


async def test_unchanged_offsets_are_not_read(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_org(own_database)
    cache = ClockOffsetCache(own_database)
    offsets = await cache.read()
    monkeypatch.setattr(store, "clocks", None)
    assert await cache.read() is offsets
