"""Payments to a destination that is blocked after their request, before they are sent."""

from typing import Any

import pytest

from tests.onramps import ONRAMPS, deposit, make_onramp, make_payer, settle
from tests.payments.limits.limit_setup import decide, set_rules
from tests.payouts import OFFRAMPS, accept, make_account, make_offramp, make_payee
from tests.tenants import (
    BATCHES,
    TRANSFERS,
    Tenant,
    held,
    make_batch,
    make_transfer,
    make_user,
    register,
    run_due,
)

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
BLOCKED = "a destination is on the organisation's block list"


async def block(org: Tenant, **changes: Any) -> None:
    """Block the address after everything that the test has requested so far."""
    await set_rules(org, block={"destinations": [OUTSIDE.lower()], **changes})


async def shown(org: Tenant, path: str, record: str) -> tuple[str, str | None]:
    """Return status and reason of a payment, once the worker has done what is due."""
    await run_due(org)
    details = (await org.get(f"{path}/{record}"))["transferDetails"]
    return details["status"], details["failedReason"]


async def test_a_transfer_that_was_approved_is_not_sent(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    await register(org, ada, OUTSIDE)
    made = await make_transfer(org, ada, {"walletAddress": OUTSIDE}, "4", requireApproval=True)
    await block(org)
    await decide(org, "approve")
    assert await shown(org, TRANSFERS, made["id"]) == ("NOT_INITIATED", BLOCKED)
    assert await held(org, ada) == "10"


async def test_a_batch_with_one_such_recipient_is_not_sent(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    await register(org, ada, OUTSIDE)
    items = ({"userId": bob, "amount": "1"}, {"walletAddress": OUTSIDE, "amount": "1"})
    made = await make_batch(org, ada, *items, requireApproval=True)
    await block(org)
    await decide(org, "approve")
    assert await shown(org, BATCHES, made["id"]) == ("NOT_INITIATED", BLOCKED)
    assert (await held(org, ada), await held(org, bob)) == ("10", "0")


async def test_an_accepted_onramp_gives_the_deposit_back(org: Tenant) -> None:
    ada = await make_payer(org)
    wallet = await register(org, ada, OUTSIDE)
    onramp = await make_onramp(org, ada, destination={"externalWalletId": wallet})
    await block(org)
    await deposit(org, onramp)
    await settle(org)
    assert await shown(org, ONRAMPS, onramp["id"]) == ("FIAT_RETURNED", BLOCKED)


@pytest.mark.parametrize("over", ["REFUSE", "APPROVE"])
async def test_other_payments_are_sent(org: Tenant, over: str) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    await register(org, ada, OUTSIDE)
    to = {"userId": bob} if over == "REFUSE" else {"walletAddress": OUTSIDE}
    made = await make_transfer(org, ada, to, "4", requireApproval=True)
    await block(org, over=over)
    await decide(org, "approve")
    assert await shown(org, TRANSFERS, made["id"]) == ("COMPLETED", None)


@pytest.mark.parametrize("listed", ["account", "twin", "fee"])
async def test_an_accepted_offramp_is_not_paid(org: Tenant, listed: str) -> None:
    ada, bob = await make_payee(org), await make_payee(org)
    await register(org, ada, OUTSIDE)
    account = await make_account(org, ada)
    fee = {"walletAddress": OUTSIDE, "type": "FLAT", "value": "0.5"}
    offramp = await make_offramp(org, ada, account, developerFee={"fees": [fee]})
    await accept(org, offramp)
    places = {"account": account, "twin": await make_account(org, bob), "fee": OUTSIDE.lower()}
    await set_rules(org, block={"destinations": [places[listed]]})
    assert await shown(org, OFFRAMPS, offramp["id"]) == ("NOT_INITIATED", BLOCKED)
    assert await held(org, ada) == "1000"
