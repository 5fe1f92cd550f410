"""Calls of the functions of one organisation run on its node, not on the coordinator."""

from uuid import UUID

import pytest

from landbridge.ledger.functions import FUNCTIONS_OF_ONE
from landbridge.platform.changes import node_functions
from landbridge.platform.db.pool import Database, Tx
from tests.cluster.nodes import Cluster

ORG = UUID("018f0000-0000-7000-8000-000000000001")
CALLS = {
    FUNCTIONS_OF_ONE[0].name: FUNCTIONS_OF_ONE[0].call,
    FUNCTIONS_OF_ONE[1].name: FUNCTIONS_OF_ONE[1].call,
    node_functions.PLACE_NAME: node_functions.PLACE,
    node_functions.APPEND_NAME: node_functions.APPEND,
}


async def _is_delegated(tx: Tx, call: str) -> bool:
    """Return whether the coordinator sends a call with constants to a node."""
    count = call.count("$")
    rows = await tx.fetch(f"explain (costs off) {call}", ORG, *[None] * (count - 1))
    plan = "\n".join(row["QUERY PLAN"] for row in rows)
    return "Citus Adaptive" in plan and "Task Count: 1" in plan


@pytest.mark.parametrize("name", CALLS)
async def test_the_call_runs_on_the_node_of_its_organisation(
    nodes: Cluster, database: Database, name: str
) -> None:
    assert database.is_distributed
    assert await database.read(lambda tx: _is_delegated(tx, CALLS[name]))


@pytest.mark.parametrize("name", CALLS)
async def test_the_call_is_delegated_within_a_transaction(
    nodes: Cluster, database: Database, name: str
) -> None:
    async def work(tx: Tx) -> bool:
        await tx.fetch("select id from transfers where org_id = $1", ORG)
        return await _is_delegated(tx, CALLS[name])

    assert await database.transact(work)


async def test_a_call_on_a_row_is_not_delegated(nodes: Cluster, database: Database) -> None:
    """The other tests can fail: the organisation must be a value of the call itself."""
    call = "select place_changes_of_one_1(o.org) from unnest(array[$1::uuid]) as o (org)"
    assert not await database.read(lambda tx: _is_delegated(tx, call))
