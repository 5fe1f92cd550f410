"""Large deposits are reviewed, regardless of fees kept from them."""

from decimal import Decimal
from typing import Any

import msgspec
import pytest

from landbridge.app.container import wire
from landbridge.customers.kyc.model import Rail
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import derived_id
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.rates.fees import CurrencyPair
from tests.onramps import (
    ONRAMPS,
    check_books,
    deposit,
    make_onramp,
    make_payer,
    now,
    onramp_of,
    receive,
    retrieve,
    settle,
)
from tests.payments.virtual_accounts.virtual_account_setup import make_account
from tests.tenants import SETTINGS, Tenant


@pytest.mark.parametrize("way", ["virtual", "reference"])
async def test_large_deposits_are_reviewed_by_themselves(
    org: Tenant, database: Database, way: str
) -> None:
    settings = msgspec.structs.replace(SETTINGS, review_above_usd=Decimal(50))
    container = wire(settings, database, Clock(await take_node(database)))
    strict = Tenant(container, org.client, org.caller, org.key)
    user = await make_payer(org)

    async def paid(amount: str) -> dict[str, Any]:
        if way == "virtual":
            account = await make_account(org, user)
            number = account["depositInstructions"]["wire"]["accountNumber"]
            incoming_payment = await receive(org, account_number=number, amount=amount)
            return {"id": str(derived_id(incoming_payment.id, "onramp"))}
        onramp = await make_onramp(org, user, amount)
        await deposit(org, onramp)
        return onramp

    small, large, refused = await paid("49.99"), await paid("50"), await paid("51")
    await settle(strict)
    assert (await retrieve(org, small))["status"] == "COMPLETED"
    assert [(await retrieve(org, each))["status"] for each in (large, refused)] == [
        *("IN_REVIEW", "IN_REVIEW")
    ]
    await org.post(f"/v2/sandbox/transfers/{large['id']}/rfi", {"action": "close"})
    await org.post(f"{ONRAMPS}/{refused['id']}/cancel")
    await settle(strict)
    assert (await retrieve(org, large))["status"] == "COMPLETED"
    assert (await retrieve(org, refused))["status"] == "FIAT_RETURNED"
    found = await onramp_of(org, large["id"])
    (rfi,) = (await org.container.rfis.of(org.org_id, [found.record.id]))[found.record.id]
    assert (rfi.status, rfi.opened_by) == ("CLOSED", "bank")
    await check_books(org)


async def test_large_deposit_is_measured_before_fees(org: Tenant, database: Database) -> None:
    """The rule is the installation's; the fees are the organisation's own."""
    settings = msgspec.structs.replace(SETTINGS, review_above_usd=Decimal(50))
    container = wire(settings, database, Clock(await take_node(database)))
    strict = Tenant(container, org.client, org.caller, org.key)
    user, at = await make_payer(org, Rail.SOUTH_AMERICA_STANDARD), await now(org)
    await org.container.pair_fees.set_for(org.caller, CurrencyPair("brl", "usdc"), "10", at=at)
    source, fee = {"currency": "brl", "transferType": None}, {"type": "PERCENT", "value": 0.05}
    paid = [
        await make_onramp(org, user, amount, source=source, fee=fee)
        for amount in (270, 285)  # 49.2 and 52 dollars, of which 41.9 and 44.2 are delivered
    ]
    for each in paid:
        await deposit(org, each)
    await settle(strict)
    found = [await retrieve(org, each) for each in paid]
    assert [each["status"] for each in found] == ["COMPLETED", "IN_REVIEW"]
    assert all(each["destination"]["amount"] < 50 for each in found)
    await org.post(f"/v2/sandbox/transfers/{paid[1]['id']}/rfi", {"action": "close"})
    await settle(strict)
    assert (await retrieve(org, paid[1]))["status"] == "COMPLETED"
    await check_books(org)
