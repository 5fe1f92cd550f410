"""Screened payments on a real chain: nothing is stored for the signer before an answer."""

from decimal import Decimal
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from tests.customers.payment_screening.payment_world import SCREENED, SCREENINGS
from tests.payments.disbursements.disbursement_world import BENEFICIARY, fees
from tests.payments.offramps.external_scenario import COIN, external_scenario, pay_address
from tests.payouts import accept, check_books, make_offramp
from tests.resolution_team import RESOLUTIONS, body, make_approver
from tests.tenants import good

pytestmark = pytest.mark.long


@pytest.mark.parametrize("action", ["RELEASE", "REJECT"])
async def test_nothing_is_signed_before_a_decision(
    own_database: Database, tmp_path: Path, action: str
) -> None:
    async with external_scenario(own_database, tmp_path, base=SCREENED) as scenario:
        org, parties = scenario.world.org, {"externalWalletId": scenario.wallet}
        quoted = await make_offramp(
            org, None, scenario.account, 100, source=parties,
            developerFee=fees(("2.66", BENEFICIARY)),
        )  # fmt: skip
        offramp = await accept(org, quoted)
        scenario.send(pay_address(offramp), Decimal("102.66"))
        await scenario.finalize()
        assert await own_database.rows("select key from chain_orders") == []
        (screening,) = (await org.get(SCREENINGS, status="HELD"))["reviews"]
        resolution = good(await org.send("POST", RESOLUTIONS, body(screening["id"], action)))
        approver = await make_approver(org)
        await approver.post(f"/v2/transfer-approvals/{resolution['approvalId']}/approve", {})
        await scenario.finalize()
        orders = await own_database.rows("select destinations, state from chain_orders")
        paid = await scenario.world.balance("usdc", BENEFICIARY)
        if action == "RELEASE":
            assert [(list(row["destinations"]), row["state"]) for row in orders] == [
                ([BENEFICIARY], "FINAL")
            ]
            assert paid == 266 * COIN // 100
        else:
            assert (orders, paid) == ([], 0)
        await check_books(org)
