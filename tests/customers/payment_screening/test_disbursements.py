"""Screened orders that must arrive: fees to outside, and refunds that people have redirected."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from landbridge.platform.db.pool import Database
from tests.customers.payment_screening.payment_world import OUTSIDE, PaymentWorld, payment_world
from tests.payments.disbursements.disbursement_world import BENEFICIARY, DISBURSEMENTS, fees
from tests.payouts import OFFRAMPS, accept, make_account, make_offramp
from tests.tenants import held, make_user, register

ANOTHER = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
_STATUSES = ["IN_SCREENING", "HELD", "RELEASED", "REJECTED", "VOID"]


@pytest.fixture
async def world(database: Database) -> AsyncGenerator[PaymentWorld]:
    async with payment_world(database) as found:
        yield found


async def external_offramp(world: PaymentWorld, amount: str, **changes: Any) -> str:
    """Pay out coins that come from outside, which the sandbox makes up; return the id."""
    wallet = await register(world.org, world.ada, ANOTHER)
    account = await make_account(world.org, world.ada)
    source = {"externalWalletId": wallet}
    created = await make_offramp(world.org, None, account, amount, source=source, **changes)
    await accept(world.org, created)
    await world.org.post(f"/v2/sandbox/offramps/{created['id']}/deposit", {})
    await world.settle()
    return str(created["id"])


async def fee_of(world: PaymentWorld, offramp: str) -> dict[str, Any]:
    """Return the only disbursement of an offramp."""
    (fee,) = (await world.org.get(f"/v2/transactions/{offramp}"))["disbursements"]
    return (await world.org.get(f"{DISBURSEMENTS}/{fee['id']}"))["transferDetails"]


async def test_a_released_fee_is_paid(world: PaymentWorld) -> None:
    offramp = await external_offramp(world, "100", developerFee=fees(("2.66", BENEFICIARY)))
    assert (await fee_of(world, offramp))["status"] == "INITIATED"
    assert world.sent_to(BENEFICIARY) == 0
    assert await world.decide("RELEASE") == "COMPLETED"
    await world.settle()
    assert (await fee_of(world, offramp))["status"] == "COMPLETED"
    assert world.sent_to(BENEFICIARY) == 1
    await world.check()


async def test_a_rejected_fee_waits_for_another_address(world: PaymentWorld) -> None:
    offramp = await external_offramp(world, "100", developerFee=fees(("2.66", BENEFICIARY)))
    assert await world.decide("REJECT") == "COMPLETED"
    for _ in range(3):
        await world.work(days=1)
    fee = await fee_of(world, offramp)
    assert (fee["status"], fee["refusalCount"] > 1) == ("INITIATED", True)
    # It is sent again under other keys, and nobody is asked again about the same address.
    assert len(await world.screenings(status=_STATUSES)) == 2
    assert await world.screenings() == []
    done = await world.team.resolve(fee["id"], "REDIRECT", address=OUTSIDE)
    assert done["status"] == "COMPLETED"
    await world.work(days=1)
    (screening,) = await world.screenings()
    assert (screening["status"], screening["destinationAddress"]) == ("HELD", OUTSIDE)
    assert (world.sent_to(BENEFICIARY), world.sent_to(OUTSIDE)) == (0, 0)
    assert await world.decide("RELEASE") == "COMPLETED"
    await world.work(days=1)
    await world.settle()
    assert (await fee_of(world, offramp))["status"] == "COMPLETED"
    assert (world.sent_to(BENEFICIARY), world.sent_to(OUTSIDE)) == (0, 1)
    await world.check()


@pytest.mark.parametrize("is_redirected", [False, True])
async def test_a_refund_is_screened_only_at_another_address(
    world: PaymentWorld, *, is_redirected: bool
) -> None:
    """The bank refuses the payout; the coins go back to the address that sent them."""
    world.rails.fail_next = "the account is closed"
    world.chains.is_silent = is_redirected
    offramp = await external_offramp(world, "50.99")
    if is_redirected:
        # The quiet period of the resolution has ended by the time that the chain works again.
        created = await world.team.request(offramp, "REDIRECT", address=OUTSIDE)
        await world.team.approve(created)
        done = await world.team.carry_out(created)
        assert done["status"] == "COMPLETED"
        world.chains.is_silent = False
    await world.settle()
    found = (await world.org.get(f"{OFFRAMPS}/{offramp}"))["transferDetails"]
    assert found["status"] == "CRYPTO_RETURNED"
    asked = {each["destinationAddress"] for each in await world.screenings(status="RELEASED")}
    assert asked == ({None, OUTSIDE} if is_redirected else {None})
    await world.check()


async def test_coins_of_an_order_without_outside_legs_are_not_asked_about(
    world: PaymentWorld,
) -> None:
    bob = await make_user(world.org)
    await world.transfer("1")
    assert await held(world.org, bob) == "0"
    (asked,) = await world.screenings(status=_STATUSES)
    assert asked["amount"] == "1"
