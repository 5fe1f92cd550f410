"""Deposits on virtual accounts that deliver to an address that may not be paid."""

from datetime import timedelta
from itertools import product
from uuid import UUID

import pytest

from landbridge.payments.engine.resolution_actions import ResolutionAction, ResolutionInstruction
from landbridge.payments.limits.errors import LimitExceeded
from landbridge.platform.core.ids import derived_id
from tests.matrices import each_value_once
from tests.onramps import (
    check_books,
    deposit,
    make_onramp,
    make_payer,
    receive,
    retrieve,
    settle,
)
from tests.payments.limits.limit_setup import set_rules
from tests.payments.virtual_accounts.virtual_account_setup import (
    ELSEWHERE,
    OUTSIDE,
    apply,
    make_account,
    make_rule,
    percentage,
)
from tests.payouts import make_account as make_bank_account
from tests.tenants import Tenant, good, register


@pytest.mark.parametrize(
    ("listed", "at_part"),
    each_value_once(product(["blockedAddresses", "block", "allow"], [False, True])),
)
async def test_the_deposit_goes_back(org: Tenant, listed: str, *, at_part: bool) -> None:
    user = await make_payer(org)
    if at_part:
        account = await make_account(org, user)
        rule = await make_rule(org, percentage("0.1", OUTSIDE))
        await apply(org, user, account["id"], rule["id"])
    else:
        wallet = await register(org, user, OUTSIDE)
        account = await make_account(org, user, chain=None, externalWalletId=wallet)
    match listed:
        case "blockedAddresses":
            body = {listed: [OUTSIDE]}
            good(await org.send("PUT", "/v2/organization/address-policy", body))
        case "block":
            await set_rules(org, block={"destinations": [OUTSIDE.lower()]})
        case _:
            await set_rules(org, allow={"destinations": [ELSEWHERE]})
    number = account["depositInstructions"]["wire"]["accountNumber"]
    payment = await receive(org, account_number=number, amount="10")
    await settle(org)
    found = await retrieve(org, {"id": str(derived_id(payment.id, "onramp"))})
    assert found["status"] == "FIAT_RETURNED"
    assert "list" in found["failedReason"]
    await check_books(org)


async def test_a_return_is_not_redirected_to_a_blocked_account(org: Tenant) -> None:
    user = await make_payer(org)
    onramp = await make_onramp(org, user)
    await deposit(org, onramp)
    await settle(org)
    account = await make_bank_account(org, user)
    # The same account under another id.
    await set_rules(org, block={"destinations": [await make_bank_account(org, user)]})
    record = await org.container.ledger.get(org.org_id, "ONRAMP", UUID(onramp["id"]))
    redirect = ResolutionInstruction(action=ResolutionAction.REDIRECT, account_id=UUID(account))
    resolver = org.container.resolutions.resolvers["ONRAMP"]
    with pytest.raises(LimitExceeded):
        await resolver.destination(record, redirect, timedelta())
    await set_rules(org)
    facts = await resolver.destination(record, redirect, timedelta())
    assert facts == {"return_account_id": account}
