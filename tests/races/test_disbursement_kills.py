"""A worker that dies with -9 between claim, call and record of a disbursement: it is paid once."""

from typing import Any

import pytest

from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.ledger.audit import audit, table
from landbridge.ledger.house import house_balances
from landbridge.ledger.model import Role
from landbridge.orgs.service import take_lane
from landbridge.wiring import AUDIT_RULES, MOVES, wire
from tests.payouts import OUTSIDE, accept, make_account, make_offramp, make_payee, shown
from tests.races import clerk, sender
from tests.tenants import SETTINGS, Tenant, held, make_tenant, make_user, register, run_due, served

pytestmark = pytest.mark.slow


async def test_wherever_the_worker_dies_fees_and_surplus_coins_are_sent_once(
    own_dsn: str, own_database: Database
) -> None:
    house = wire(SETTINGS, own_database, Clock(await take_lane(own_database)))
    async with served(house) as client:
        org = await make_tenant(house, client)
        bob = await make_user(org)
        made = await _paid_for(org, bob)
        worker = clerk.hire(sender.send_due, own_dsn, sender.BEFORE)
        worker.wait_until_started()
        worker.kill()
        # The customer's payout did not wait for the fee.
        assert (await shown(org, made))["status"] == "COMPLETED"
        assert await _statuses(org, made) == ["INITIATED"]
        await _let_coins_arrive(org, made)
        for place, carried in ((sender.BEFORE, 0), (sender.AFTER, 2), (sender.BEFORE, 2)):
            worker = clerk.hire(sender.send_due, own_dsn, place)
            for _ in range(2):
                worker.wait_until_started()  # both disbursements have reached the place
            worker.kill()
            assert await _statuses(org, made) == ["INITIATED", "INITIATED"]
            assert await _carried(org) == carried
            assert await held(org, bob) == "0"
            await _check_books(org)
        await run_due(org)
        assert await _statuses(org, made) == ["COMPLETED", "COMPLETED"]
        assert await _carried(org) == 2
        assert await held(org, bob) == "2"
        found = await house_balances(org.house.database, org.org_id)
        passed_on = {Role.IN_TRANSIT, Role.PAYABLE}
        assert not [units for (role, _), units in found.items() if role in passed_on and units]
        await _check_books(org)


async def _paid_for(org: Tenant, beneficiary: str) -> dict[str, Any]:
    """An offramp with a fee whose coins have arrived; the worker has not seen them."""
    ada = await make_payee(org)
    account = await make_account(org, ada)
    wallets = (await org.get(f"/v2/users/{beneficiary}"))["wallets"]["INDIVIDUAL"]
    line = {"type": "FLAT", "value": "2", "walletAddress": wallets["POLYGON"]["address"]}
    ends = {"externalWalletId": await register(org, ada, OUTSIDE)}
    opened = await make_offramp(
        *(org, None, account, 100), source=ends, developerFee={"fees": [line]}
    )
    made = await accept(org, opened)
    await _let_coins_arrive(org, made)
    return made


async def _let_coins_arrive(org: Tenant, made: dict[str, Any]) -> None:
    """The first time they are waited for; after that nothing waits for them."""
    await org.post(f"/v2/sandbox/offramps/{made['id']}/deposit", {})


async def _statuses(org: Tenant, made: dict[str, Any]) -> list[str]:
    found = await org.get(f"/v2/transactions/{made['id']}")
    return [each["status"] for each in found["disbursements"]]


async def _carried(org: Tenant) -> int:
    rows = await org.house.database.rows(
        "select count(*) as n from sandbox_operations where org_id = $1 and part = 'chain'",
        org.org_id,
    )
    return rows[0]["n"]


async def _check_books(org: Tenant) -> None:
    audited = await audit(org.house.database, MOVES, AUDIT_RULES, org_id=org.org_id)
    assert audited.is_clean, table(audited)
