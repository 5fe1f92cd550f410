"""Clock nodes: no process gets one that another one has leased."""

import asyncio
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from landbridge.app.container import open_container
from landbridge.app.settings import Settings
from landbridge.platform.core.clock import NODES
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import ClockNodeLease, take_node

_ALL = """
insert into clock_leases (node, leased_until)
select n, '2100-01-01T00:00:00Z' from generate_series(0, 99) as n
on conflict do nothing
"""
_EXPIRE = "update clock_leases set leased_until = '2020-01-01T00:00:00Z'"
_LEASED = "select node from clock_leases order by node"
_UNTIL = "select leased_until from clock_leases"


async def leased(database: Database) -> list[int]:
    return [row["node"] for row in await database.rows(_LEASED)]


@pytest.mark.one_commit(reason="a number without a lease is taken again")
async def test_a_leased_node_is_given_to_no_other_process(own_database: Database) -> None:
    lease, other = ClockNodeLease(own_database), ClockNodeLease(own_database)
    async with lease.renewing(), other.renewing():
        nodes = {await lease.acquire(), await other.acquire()}
        assert len(nodes) == 2
        taken = [await take_node(own_database) % NODES for _ in range(2 * NODES)]
        assert nodes.isdisjoint(taken)
        assert len(set(taken)) == NODES - 2
    assert await leased(own_database) == []
    assert nodes <= {await take_node(own_database) % NODES for _ in range(NODES)}


async def test_processes_that_start_at_once_have_different_nodes(own_database: Database) -> None:
    leases = [ClockNodeLease(own_database) for _ in range(10)]
    nodes = await asyncio.gather(*(each.acquire() for each in leases))
    assert sorted(set(nodes)) == await leased(own_database) == sorted(nodes)


@pytest.mark.one_commit(reason="a number without a lease is taken again")
async def test_an_expired_lease_holds_no_node(own_database: Database) -> None:
    await own_database.rows(_ALL)
    # Where all are leased, nobody waits.
    assert await take_node(own_database) == await take_node(own_database) - 1
    await own_database.rows(_EXPIRE)
    lease = ClockNodeLease(own_database)
    async with lease.renewing():
        node = await lease.acquire()
        assert node != await take_node(own_database) % NODES
    assert len(await leased(own_database)) == NODES - 1


async def test_a_lease_is_renewed(own_database: Database) -> None:
    lease = ClockNodeLease(own_database)
    async with lease.renewing(every_s=0.01), asyncio.timeout(20):
        await lease.acquire()
        await own_database.rows(_EXPIRE)
        while (await own_database.rows(_UNTIL))[0]["leased_until"].year == 2020:  # noqa: ASYNC110  the database sends no event
            await asyncio.sleep(0.01)


async def test_a_lease_that_is_not_renewed_is_logged(
    own_database: Database,
) -> None:
    lease = ClockNodeLease(own_database)
    with capture_logs() as logs:
        async with lease.renewing(every_s=0.01), asyncio.timeout(20):
            await lease.acquire()
            await own_database.rows("alter table clock_leases rename to gone")
            while not logs:  # noqa: ASYNC110  a log sends no event
                await asyncio.sleep(0.01)
            await own_database.rows("alter table gone rename to clock_leases")
    assert logs[0]["event"] == "clock_node.not_renewed"


async def test_a_container_returns_its_node_at_the_end(
    own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    settings = Settings(data_dir=str(tmp_path))
    async with open_container(settings, own_dsn, name="tests"):
        assert len(await leased(own_database)) == 1
        async with open_container(settings, own_dsn, name="tests", writes=False):
            assert len(await leased(own_database)) == 1
    assert await leased(own_database) == []
