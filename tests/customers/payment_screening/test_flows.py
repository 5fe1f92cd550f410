"""Every flow that pays to outside: held, then released or rejected, with all balances."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.rails.port import RailPayment
from tests.customers.payment_screening.payment_world import OUTSIDE, PaymentWorld, payment_world
from tests.onramps import ONRAMPS, deposit, make_onramp, settle
from tests.payments.disbursements.disbursement_world import BENEFICIARY, fees
from tests.payouts import OFFRAMPS, accept, make_account, make_offramp
from tests.tenants import (
    BATCHES,
    BRIDGES,
    SWAPS,
    batch_body,
    bridge_body,
    held,
    make_user,
    register,
    swap_body,
)

ANOTHER = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"


@pytest.fixture
async def world(database: Database) -> AsyncGenerator[PaymentWorld]:
    async with payment_world(database) as found:
        yield found


async def _batch(world: PaymentWorld) -> str:
    """Pay three people: one address is clear, one has a hit, and one is a wallet of ours."""
    await register(world.org, world.ada, ANOTHER)
    bob = await make_user(world.org)
    items = [
        {"walletAddress": OUTSIDE, "amount": "5.66"},
        {"walletAddress": ANOTHER, "amount": "3"},
        {"userId": bob, "amount": "1.66"},
    ]
    created = await world.org.post(BATCHES, batch_body(world.ada, *items))
    return f"{BATCHES}/{created['transferDetails']['id']}"


async def _swap(world: PaymentWorld) -> str:
    # 10.66 arrive.
    body = swap_body(world.ada, "10.671", destination={"walletAddress": OUTSIDE})
    created = (await world.org.post(SWAPS, body))["transferDetails"]["id"]
    await world.org.post(f"{SWAPS}/{created}/accept")
    return f"{SWAPS}/{created}"


async def _bridge(world: PaymentWorld) -> str:
    await register(world.org, world.ada, OUTSIDE, chain="BASE")
    destination = {"userId": None, "walletAddress": OUTSIDE}
    body = bridge_body(world.ada, "4.66", destination=destination)
    created = (await world.org.post(BRIDGES, body))["transferDetails"]["id"]
    await world.org.post(f"{BRIDGES}/{created}/accept")
    return f"{BRIDGES}/{created}"


async def _payout(world: PaymentWorld) -> str:
    account = await make_account(world.org, world.ada)
    created = await accept(world.org, await make_offramp(world.org, world.ada, account, "100.66"))
    return f"{OFFRAMPS}/{created['id']}"


async def _payout_with_fee(world: PaymentWorld) -> str:
    """Pay out with a fee to an address outside, in the order that debits the coins."""
    account = await make_account(world.org, world.ada)
    created = await make_offramp(
        world.org, world.ada, account, "100", developerFee=fees(("2.66", BENEFICIARY))
    )
    await accept(world.org, created)
    return f"{OFFRAMPS}/{created['id']}"


async def _onramp(world: PaymentWorld) -> str:
    wallet = await register(world.org, world.ada, ANOTHER)
    destination = {"externalWalletId": wallet, "chain": None}
    created = await make_onramp(world.org, world.ada, "50.66", destination=destination)
    await deposit(world.org, created)
    await settle(world.org)
    return f"{ONRAMPS}/{created['id']}"


@dataclass(frozen=True, kw_only=True)
class Flow:
    """A flow, with its statuses and Ada's balance while held, and at both ends."""

    make: Callable[[PaymentWorld], Awaitable[str]]
    waits_at: str
    rejected: str
    paid: str
    left: str
    reason: str = "failedReason"
    address: str = OUTSIDE


FLOWS: Mapping[str, Flow] = {
    "batch": Flow(
        make=_batch, waits_at="INITIATED", rejected="FAILED", paid="COMPLETED", left="989.68"
    ),
    "swap": Flow(
        make=_swap,
        waits_at="PENDING",
        rejected="FAILED",
        paid="COMPLETED",
        left="989.329",
        reason="errorDetails",
    ),
    "bridge": Flow(
        make=_bridge,
        waits_at="SOURCE_PENDING",
        rejected="SOURCE_FAILED",
        paid="COMPLETED",
        left="995.34",
    ),
    "payout": Flow(
        make=_payout,
        waits_at="FIAT_INITIATED",
        rejected="CRYPTO_RETURNED",
        paid="COMPLETED",
        left="899.34",
    ),
    "payout with fee": Flow(
        make=_payout_with_fee,
        waits_at="CRYPTO_PENDING",
        rejected="CRYPTO_FAILED",
        paid="COMPLETED",
        left="897.34",
        address=BENEFICIARY,
    ),
    "onramp": Flow(
        make=_onramp,
        waits_at="CRYPTO_INITIATED",
        rejected="FIAT_RETURNED",
        paid="COMPLETED",
        left="1000",
        address=ANOTHER,
    ),
}


@pytest.mark.parametrize("name", FLOWS)
@pytest.mark.parametrize("action", ["RELEASE", "REJECT"])
async def test_a_flow_pays_nothing_before_a_decision(
    world: PaymentWorld, name: str, action: str
) -> None:
    flow = FLOWS[name]
    path = await flow.make(world)
    # Beyond the day after which an order without an answer is UNKNOWN.
    await world.settle()
    await world.work(days=2)
    assert (await _shown(world, path))["status"] == flow.waits_at
    (screening,) = await world.screenings()
    assert screening["transferId"] in path
    assert (world.sent_to(flow.address), _payouts(world)) == (0, [])
    await world.check()
    assert await world.decide(action) == "COMPLETED"
    await world.settle()
    await world.work(days=7)
    await world.settle()
    found, coins = await _shown(world, path), await held(world.org, world.ada)
    if action == "RELEASE":
        assert (found["status"], coins) == (flow.paid, flow.left)
    else:
        assert (found["status"], coins) == (flow.rejected, "1000")
        assert "refused by screening" in str(found[flow.reason])
        assert (world.sent_to(flow.address), _payouts(world)) == (0, [])
    await world.check()


def _payouts(world: PaymentWorld) -> list[RailPayment]:
    """Return what the bank was to pay out, without returns of deposits."""
    return [each for each in world.rails.orders if each.returns is None]


async def _shown(world: PaymentWorld, path: str) -> dict[str, Any]:
    return (await world.org.get(path))["transferDetails"]
