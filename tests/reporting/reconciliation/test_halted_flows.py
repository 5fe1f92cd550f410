"""Every kind of payment that moves coins waits for a halt, and ends well after the lift."""

from typing import Any

import pytest

from tests.onramps import ONRAMPS, deposit, make_onramp, settle
from tests.payouts import OFFRAMPS, accept, check_books, make_account, make_offramp, make_payee
from tests.reporting.reconciliation.compared import OUTSIDE, make_halt
from tests.reporting.reconciliation.halted_payments import lift, pass_time
from tests.tenants import BATCHES, Tenant, make_batch, register


@pytest.mark.parametrize("kind", ["onramp", "offramp", "batch"])
async def test_a_payment_waits_and_completes_after_the_lift(org: Tenant, kind: str) -> None:
    user = await make_payee(org)
    halt = await make_halt(org)
    path, created, waits_at = await _created(org, user, kind)
    for _ in range(2):
        await settle(org)
        await pass_time(org, 300)
    assert await _status(org, path, created) == waits_at
    await check_books(org)
    await lift(org, halt)
    await pass_time(org, 300)
    await settle(org)
    assert await _status(org, path, created) == "COMPLETED"
    await check_books(org)


async def _created(org: Tenant, user: str, kind: str) -> tuple[str, str, str]:
    """Return the path and the id of a payment, and the status at which it waits."""
    match kind:
        case "onramp":
            onramp = await make_onramp(org, user)
            await deposit(org, onramp)
            return ONRAMPS, onramp["id"], "CRYPTO_INITIATED"
        case "offramp":
            offramp = await make_offramp(org, user, await make_account(org, user))
            await accept(org, offramp)
            return OFFRAMPS, offramp["id"], "CRYPTO_PENDING"
        case _:
            await register(org, user, OUTSIDE)
            batch = await make_batch(org, user, {"walletAddress": OUTSIDE, "amount": "2"})
            return BATCHES, batch["id"], "INITIATED"


async def _status(org: Tenant, path: str, payment: str) -> Any:
    return (await org.get(f"{path}/{payment}"))["transferDetails"]["status"]
