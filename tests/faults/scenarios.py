"""Payments completed by their owner, an admin and the worker."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

from tests.faults.world import World, set_price
from tests.onramps import ONRAMPS, onramp_body, settle
from tests.payments.virtual_accounts import virtual_account_setup as virtual_accounts
from tests.payouts import OFFRAMPS, OUTSIDE, offramp_body
from tests.tenants import (
    BATCHES,
    BRIDGES,
    SWAPS,
    TRANSFERS,
    batch_body,
    bridge_body,
    fund,
    swap_body,
    transfer_body,
)

Scenario = Callable[[World], Awaitable[UUID]]


async def transfer(world: World, plan: str = "") -> UUID:
    fee = {"type": "FIX", "value": "0.5"}
    body = transfer_body(world.ada, world.grace, 10, fee=fee)
    return await world.go_on(TRANSFERS, await world.make(TRANSFERS, body, plan))


async def transfer_refused(world: World) -> UUID:
    return await transfer(world, "chain_send=reject")


async def transfer_rejected(world: World) -> UUID:
    body = transfer_body(world.ada, world.grace, 10, requireApproval=True)
    created = await world.make(TRANSFERS, body)
    return await world.go_on(TRANSFERS, created, decision="reject")


async def batch(world: World, plan: str = "") -> UUID:
    items = [
        {"userId": world.grace, "amount": "4"},
        {"walletAddress": OUTSIDE, "amount": "6"},
    ]
    body = batch_body(world.ada, *items)
    return await world.go_on(BATCHES, await world.make(BATCHES, body, plan))


async def batch_refused(world: World) -> UUID:
    return await batch(world, "chain_send=reject")


async def swap(world: World) -> UUID:
    return await world.go_on(SWAPS, await world.make(SWAPS, swap_body(world.ada, "10")))


async def swap_to_another(world: World) -> UUID:
    body = swap_body(world.ada, "10", destination={"userId": world.grace})
    return await world.go_on(SWAPS, await world.make(SWAPS, body))


async def bridge(world: World, plan: str = "") -> UUID:
    body = bridge_body(world.ada, 10, destination={"userId": world.grace})
    return await world.go_on(BRIDGES, await world.make(BRIDGES, body, plan))


async def bridge_not_burned(world: World) -> UUID:
    return await bridge(world, "chain_send=reject")


async def bridge_not_minted(world: World) -> UUID:
    return await bridge(world, "mint=reject")


async def bridge_rejected(world: World) -> UUID:
    body = bridge_body(world.ada, 10, destination={"userId": world.grace}, requireApproval=True)
    return await world.go_on(BRIDGES, await world.make(BRIDGES, body), decision="reject")


async def onramp(world: World, plan: str = "", amount: str | None = None) -> UUID:
    body = onramp_body(world.ada, 100)
    created = await world.make(ONRAMPS, body, plan)
    await world.go_on(ONRAMPS, created)
    await world.deposit(ONRAMPS, created, amount)
    return await world.go_on(ONRAMPS, created)


async def onramp_not_sent(world: World) -> UUID:
    return await onramp(world, "chain_send=reject")


async def onramp_of_another_amount(world: World) -> UUID:
    return await onramp(world, amount="3.2")


async def virtual_deposit(world: World) -> UUID:
    path = virtual_accounts.at(world.ada, world.virtual_account, "simulate-deposit")
    await world.org.post(path, virtual_accounts.deposit_body("100"))
    await settle(world.org)
    return await world.newest("ONRAMP")


async def micro_deposit(world: World) -> UUID:
    path = virtual_accounts.at(world.ada, world.virtual_account, "simulate-deposit")
    await world.org.post(path, virtual_accounts.deposit_body("0.32"))
    await settle(world.org)
    return await world.newest("ACCOUNT.MICRO_DEPOSIT")


async def wallet_deposit(world: World) -> UUID:
    await fund(world.org, world.ada, "10")
    return await world.newest("WALLET.DEPOSIT")


async def offramp(world: World, plan: str = "", **changes: Any) -> UUID:
    fees = {"fees": list(world.fees)}
    body = offramp_body(world.ada, world.account, 100, developerFee=fees, **changes)
    created = await world.make(OFFRAMPS, body, plan)
    return await world.go_on(OFFRAMPS, created)


async def offramp_not_taken(world: World) -> UUID:
    return await offramp(world, "chain_send=reject")


async def offramp_not_paid(world: World) -> UUID:
    return await offramp(world, "payout=reject")


async def offramp_approved(world: World) -> UUID:
    """Approve at another price than at the request: the held amount changes."""
    body = offramp_body(
        world.ada,
        world.account,
        None,
        source={"amount": None},
        destination={"amount": 100},
        requireApproval=True,
    )
    created = await world.make(OFFRAMPS, body)
    await set_price(world.org, world.clock, "usdc", "usd", "0.95")
    try:
        return await world.go_on(OFFRAMPS, created)
    finally:
        await set_price(world.org, world.clock, "usdc", "usd", "0.98")


async def offramp_rejected(world: World) -> UUID:
    body = offramp_body(world.ada, world.account, 100, requireApproval=True)
    return await world.go_on(OFFRAMPS, await world.make(OFFRAMPS, body), decision="reject")


async def offramp_from_outside(world: World, plan: str = "", amount: str | None = None) -> UUID:
    ends = {"externalWalletId": world.external}
    fees = {"fees": list(world.fees)}
    body = offramp_body(None, world.account, 100, source=ends, developerFee=fees)
    created = await world.make(OFFRAMPS, body, plan)
    await world.go_on(OFFRAMPS, created)
    await world.deposit(OFFRAMPS, created, amount)
    return await world.go_on(OFFRAMPS, created)


async def offramp_from_outside_not_paid(world: World) -> UUID:
    return await offramp_from_outside(world, "payout=reject")


async def offramp_from_outside_of_another_amount(world: World) -> UUID:
    return await offramp_from_outside(world, amount="3.2")


async def open_swap(world: World) -> UUID:
    return UUID(await world.make(SWAPS, swap_body(world.ada, "10")))


async def waiting_transfer(world: World) -> UUID:
    body = transfer_body(world.ada, world.grace, 10, requireApproval=True)
    return UUID(await world.make(TRANSFERS, body))


async def failed_swap(world: World) -> UUID:
    created = await world.make(SWAPS, swap_body(world.ada, "10"), "chain_send=reject")
    return await world.go_on(SWAPS, created)
