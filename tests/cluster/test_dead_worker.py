"""A worker that was killed: its organisations get 503, the others go on, and nothing is lost."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import httpx2

from landbridge.app.container import Container
from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.db.distribution import Nodes
from landbridge.platform.db.pool import Database
from tests.cluster.nodes import Cluster
from tests.tenants import SWAPS, Tenant, held, make_swap, make_tenant, make_user, swap_body

# A request of another organisation waits for no more than this.
_STALL_MAX_S: Final = 1.0
_RECOVERY_MAX_S: Final = 60.0


async def test_a_dead_worker_stops_its_own_organisations_only(
    nodes: Cluster, container: Container, client: httpx2.AsyncClient, database: Database
) -> None:
    alive, dead = await _on_both_workers(container, client, database)
    users = {each.org_id: await make_user(each, funds="100") for each in (alive, dead)}
    for each in (alive, dead):
        await make_swap(each, users[each.org_id], status=SwapStatus.COMPLETED)
    quoted = await make_swap(dead, users[dead.org_id])

    async with _killed(nodes, dead, database):
        accept = f"{SWAPS}/{quoted['id']}/accept"
        refused = asyncio.gather(*(dead.send("POST", accept) for _ in range(4)))
        for _ in range(20):
            start_s = time.monotonic()
            await make_swap(alive, users[alive.org_id], status=SwapStatus.COMPLETED)
            # A create, an accept and two reads.
            assert time.monotonic() - start_s < 4 * _STALL_MAX_S
        assert {each.status_code for each in await refused} == {503}

    deadline = time.monotonic() + _RECOVERY_MAX_S
    while (answer := await dead.send("POST", accept)).status_code == 503:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.2)
    assert answer.status_code == 200, answer.text
    assert await held(dead, users[dead.org_id]) == "98"
    assert await held(alive, users[alive.org_id]) == "79"
    body = swap_body(users[dead.org_id], "1")
    first, second = await dead.post(SWAPS, body), await dead.post(SWAPS, body)
    assert first["transferDetails"]["id"] == second["transferDetails"]["id"]


async def _on_both_workers(
    container: Container, client: httpx2.AsyncClient, database: Database
) -> tuple[Tenant, Tenant]:
    """Create organisations until both workers have one; return one of each."""
    found: dict[int, Tenant] = {}
    while len(found) < 2:
        org = await make_tenant(container, client)
        (place,) = await Nodes(database).split([org.org_id])
        found[place.node] = org
    first, second = found.values()
    return first, second


@asynccontextmanager
async def _killed(nodes: Cluster, org: Tenant, database: Database) -> AsyncGenerator[None]:
    """Keep the worker of an organisation killed while the context lasts."""
    (place,) = await Nodes(database).split([org.org_id])
    ports = "nodeport from pg_dist_node where groupid = $1"
    (row,) = await database.rows(f"select {ports}", place.node)
    (worker,) = [each for each in nodes.workers if each.port == row["nodeport"]]
    worker.kill()
    try:
        yield
    finally:
        worker.start()
