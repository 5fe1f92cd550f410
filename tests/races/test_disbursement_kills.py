"""A worker killed between claim, call and record of a disbursement: it is paid once."""

from typing import Any

import pytest

from landbridge.app.container import AUDIT_RULES, TRANSITIONS, wire
from landbridge.ledger.audit import audit, table
from landbridge.ledger.house_accounts import house_balances
from landbridge.ledger.model import HouseRole
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.payouts import OUTSIDE, accept, make_account, make_offramp, make_payee, shown
from tests.races import payment_worker, racing_processes
from tests.tenants import (
    SETTINGS,
    Tenant,
    held,
    make_tenant,
    make_user,
    register,
    run_due,
    served,
)

pytestmark = pytest.mark.long


@pytest.mark.long
async def test_killed_worker_sends_fees_and_surplus_coins_once(
    own_dsn: str, own_database: Database
) -> None:
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    async with served(container) as client:
        org = await make_tenant(container, client)
        bob = await make_user(org)
        created = await _paid_for(org, bob)
        worker = racing_processes.start_process(
            payment_worker.send_due, own_dsn, payment_worker.BEFORE
        )
        worker.wait_until_started()
        worker.kill()
        # The customer's payout did not wait for the fee.
        assert (await shown(org, created))["status"] == "COMPLETED"
        assert await _statuses(org, created) == ["INITIATED"]
        await _let_coins_arrive(org, created)
        for point, carried in (
            (payment_worker.BEFORE, 0),
            (payment_worker.AFTER, 2),
            (payment_worker.BEFORE, 2),
        ):
            worker = racing_processes.start_process(payment_worker.send_due, own_dsn, point)
            for _ in range(2):
                worker.wait_until_started()  # both disbursements have reached the point
            worker.kill()
            assert await _statuses(org, created) == ["INITIATED", "INITIATED"]
            assert await _carried(org) == carried
            assert await held(org, bob) == "0"
            await _check_books(org)
        await run_due(org)
        assert await _statuses(org, created) == ["COMPLETED", "COMPLETED"]
        assert await _carried(org) == 2
        assert await held(org, bob) == "2"
        found = await house_balances(org.container.database, org.org_id)
        passed_on = {HouseRole.IN_TRANSIT, HouseRole.PAYABLE}
        assert not [units for (role, _), units in found.items() if role in passed_on and units]
        await _check_books(org)


async def _paid_for(org: Tenant, beneficiary: str) -> dict[str, Any]:
    """Return an offramp with a fee whose coins have arrived, before the worker runs."""
    ada = await make_payee(org)
    account = await make_account(org, ada)
    wallets = (await org.get(f"/v2/users/{beneficiary}"))["wallets"]["INDIVIDUAL"]
    line = {"type": "FLAT", "value": "2", "walletAddress": wallets["POLYGON"]["address"]}
    ends = {"externalWalletId": await register(org, ada, OUTSIDE)}
    opened_record = await make_offramp(
        *(org, None, account, 100), source=ends, developerFee={"fees": [line]}
    )
    created = await accept(org, opened_record)
    await _let_coins_arrive(org, created)
    return created


async def _let_coins_arrive(org: Tenant, created: dict[str, Any]) -> None:
    """Send coins: expected the first time, unexpected afterwards."""
    await org.post(f"/v2/sandbox/offramps/{created['id']}/deposit", {})


async def _statuses(org: Tenant, created: dict[str, Any]) -> list[str]:
    found = await org.get(f"/v2/transactions/{created['id']}")
    return [each["status"] for each in found["disbursements"]]


async def _carried(org: Tenant) -> int:
    rows = await org.container.database.rows(
        "select count(*) as n from sandbox_orders where org_id = $1 and system = 'chain'",
        org.org_id,
    )
    return rows[0]["n"]


async def _check_books(org: Tenant) -> None:
    audited = await audit(org.container.database, TRANSITIONS, AUDIT_RULES, org_id=org.org_id)
    assert audited.is_clean, table(audited)
