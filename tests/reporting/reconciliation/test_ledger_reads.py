"""Reads of a part of a long log: by its own rows, whatever the planner expects of it."""

from typing import Any

import msgspec
import pytest

from landbridge.ledger import house_account_store
from landbridge.ledger.model import HouseRole
from landbridge.payments.bridges.model import KIND as BRIDGE
from landbridge.platform.db.pool import Database, Tx
from landbridge.reporting.reconciliation import ledger_store
from tests.change_log import placed
from tests.make import USDC, fund, make_org, make_wallet
from tests.query_plans import rows_read

_PAYMENTS = 100
_ROLES = (HouseRole.OUTSIDE.value, HouseRole.IN_TRANSIT.value, BRIDGE, [USDC.code])


@pytest.mark.parametrize(
    ("statement", "others"),
    [
        (vars(ledger_store)["_MOVEMENTS"], _ROLES),
        (vars(house_account_store)["_SUMS"], ()),
    ],
    ids=["movements", "sums"],
)
async def test_a_step_reads_only_its_own_changes(
    own_database: Database, statement: str, others: tuple[Any, ...]
) -> None:
    org_id = await make_org(own_database)
    wallet = await make_wallet(own_database, org_id, assets=[USDC])
    for _ in range(_PAYMENTS):
        await fund(own_database, org_id, wallet, units=5, asset=USDC)
    await placed(own_database)

    async def explain(tx: Tx) -> str:
        await tx.execute("analyze changes, change_batches, entries, transfers")
        # A planner that expects half a million changes avoids nested loops of its own accord.
        await tx.execute("set local enable_nestloop = off")
        last = await tx.fetchval("select max(place) from change_batches where org_id = $1", org_id)
        analyzed = f"explain (analyze, format json) {statement}"
        return str(await tx.fetchval(analyzed, org_id, last, last + 1, *others))

    (plan,) = msgspec.json.decode(await own_database.transact(explain))
    assert 0 < rows_read(plan["Plan"]) < _PAYMENTS
