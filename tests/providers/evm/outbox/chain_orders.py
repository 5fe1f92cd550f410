"""Orders on a local chain: how tests create, carry out and read them."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
from chains.artifacts import load_artifact
from eth_account import Account

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.port import ChainAction, ChainOrder, ChainOrderStatus, OrderLeg
from landbridge.providers.chains.tokens import TOKENS, Chain
from landbridge.providers.evm.outbox import attempt_store, order_store
from landbridge.providers.evm.outbox.model import (
    OutboxOrder,
    OutboxState,
    SendingAccount,
    TransactionAttempt,
)
from landbridge.providers.evm.outbox.overview_service import resume_account
from landbridge.providers.evm.outbox.service import ChainOutbox
from tests.chain_world import FINAL_DEPTH, NETWORK, ChainWorld
from tests.chains.contracts import Contract
from tests.tenants import make_user

COIN = 10**6
# Runs of the worker after which an order that makes no progress is stuck.
_RUNS_MAX = 60


def new_address() -> str:
    """Return an address that the chain has never seen."""
    return Account.create().address


async def new_order(
    world: ChainWorld,
    legs: Mapping[str, int],
    *,
    currency: str = "usdc",
    user: str | None = None,
    is_funded: bool = True,
) -> ChainOrder:
    """Return an order of a user, or of the organisation itself, and mint its coins."""
    org_id = world.org.org_id
    wallet_id, source = None, await world.container.wallets.treasury_address(org_id, Chain.POLYGON)
    if user is not None:
        wallet = await world.container.wallets.find(org_id, UUID(user), Chain.POLYGON)
        assert wallet is not None
        wallet_id, source = wallet.id, wallet.address
    if is_funded:
        await world.mint(currency, source, sum(legs.values()))
    asset = TOKENS[Chain.POLYGON, currency].asset
    return ChainOrder(
        org_id=org_id,
        key=new_id(),
        record_id=new_id(),
        action=ChainAction.TRANSFER,
        chain="POLYGON",
        source=source,
        wallet_id=wallet_id,
        legs=tuple(OrderLeg(each, Money(units, asset)) for each, units in legs.items()),
        at=datetime.now(UTC),
    )


async def sent_order(
    world: ChainWorld, legs: Mapping[str, int], *, currency: str = "usdc", of_user: bool = True
) -> ChainOrder:
    """Store a new order of a new user, or of the organisation, and return it."""
    user = await make_user(world.org) if of_user else None
    order = await new_order(world, legs, currency=currency, user=user)
    await world.container.chains.send(order)
    return order


async def status(world: ChainWorld, order: ChainOrder) -> ChainOrderStatus:
    """Return what the port reports of an order."""
    found = await world.container.chains.find_status(order.org_id, order.key, order.at)
    assert found is not None
    return found


async def stored(world: ChainWorld, order: ChainOrder) -> OutboxOrder:
    """Return an order as it is stored."""
    found = await world.outbox.context.database.single(
        lambda tx: order_store.get(tx, order.org_id, order.key)
    )
    assert found is not None
    return found


async def attempts_of(world: ChainWorld, order: ChainOrder) -> list[TransactionAttempt]:
    """Return the signed transactions of an order."""
    return await world.outbox.context.database.single(
        lambda tx: attempt_store.of_orders(tx, [(order.org_id, order.key)])
    )


async def relayers(world: ChainWorld) -> list[SendingAccount]:
    """Return the relayers as they are stored."""
    return await world.outbox.context.database.single(
        lambda tx: attempt_store.relayers(tx, NETWORK.value)
    )


async def make_due(world: ChainWorld) -> None:
    """Let orders that wait be tried again now."""
    await world.outbox.context.database.single(
        lambda tx: tx.execute("update chain_orders set due_at = created_at where state = 'CREATED'")
    )


async def resume(world: ChainWorld, account: SendingAccount) -> None:
    """Resume a stopped account, as an admin does."""
    await world.container.database.transact(
        lambda tx: resume_account(
            tx, NETWORK.value, account.address, world.outbox.context.clock.now()
        )
    )


async def make_resent(world: ChainWorld) -> None:
    """Let all signed transactions be sent again now."""
    await world.outbox.context.database.single(
        lambda tx: tx.execute("update chain_attempts set sent_at = sent_at - interval '1 hour'")
    )


async def make_late(world: ChainWorld) -> None:
    """Let all signed transactions wait for longer than the times to resend and to replace."""
    await world.outbox.context.database.single(
        lambda tx: tx.execute(
            "update chain_attempts set created_at = created_at - interval '1 hour',"
            " sent_at = sent_at - interval '1 hour'"
        )
    )


async def run(world: ChainWorld, outbox: ChainOutbox | None = None) -> None:
    """Run the outbox as long as something is due at once."""
    outbox = outbox or world.outbox
    for _ in range(10):
        if not await outbox.run_once():
            return


async def run_until(
    world: ChainWorld,
    order: ChainOrder,
    *states: OutboxState,
    outbox: ChainOutbox | None = None,
    mines: bool = True,
) -> OutboxOrder:
    """Run the outbox and mine, until the order is in one of these states."""
    found = await stored(world, order)
    for _ in range(_RUNS_MAX):
        if found.state in states:
            return found
        await make_due(world)
        await run(world, outbox)
        if mines:
            world.mine()
        found = await stored(world, order)
    raise AssertionError(f"the order stays {found.state}: {found.reason}")


async def run_until_final(
    world: ChainWorld, order: ChainOrder, outbox: ChainOutbox | None = None
) -> OutboxOrder:
    """Run the outbox and mine, until the order is in a final state."""
    return await run_until(
        world, order, OutboxState.FINAL, OutboxState.REVERTED, OutboxState.REJECTED, outbox=outbox
    )


async def check_paid_once(world: ChainWorld, order: ChainOrder) -> None:
    """Check that each recipient of an order, who has no other one, has exactly its units."""
    for leg in order.legs:
        currency = leg.money.asset.currency
        assert await world.balance(currency, leg.address) == leg.money.units
    await check_nonces(world)


async def check_nonces(world: ChainWorld) -> None:
    """Check that no account has left out a nonce, and that every nonce has signed bytes."""
    world.mine(FINAL_DEPTH)
    rows = await world.outbox.context.database.rows(
        "select a.address, a.next_nonce, count(distinct t.nonce) as count, min(t.nonce) as first,"
        " max(t.nonce) as last, bool_and(length(t.raw) > 0) as is_signed"
        " from chain_accounts a join chain_attempts t on t.account = a.address group by 1, 2"
    )
    for row in rows:
        assert row["last"] - row["first"] + 1 == row["count"]
        assert row["next_nonce"] == row["last"] + 1
        assert row["is_signed"]


def another_outbox(world: ChainWorld, **parts: Any) -> ChainOutbox:
    """Return the outbox of another worker, with other parts of its context."""
    return ChainOutbox(replace(world.outbox.context, **parts), owner=new_id())


def outbox_with(world: ChainWorld, **members: Any) -> ChainOutbox:
    """Return an outbox that has other members in the chain's configuration."""
    chain = msgspec.structs.replace(world.outbox.context.chain, **members)
    return another_outbox(world, chain=chain)


async def free_lease(world: ChainWorld) -> None:
    """Let the lease of the chain expire, as it does some time after its worker has died."""
    await world.outbox.context.database.single(
        lambda tx: tx.execute("update chain_leases set expires_at = '-infinity'")
    )


async def restarted(world: ChainWorld) -> ChainWorld:
    """Return the world with a new process: another container on the same database."""
    database = world.outbox.context.database
    container = wire(world.settings, database, Clock(await take_node(database)))
    await free_lease(world)
    return replace(world, container=container)


def contract(world: ChainWorld, currency: str, name: str = "TestTether") -> Contract:
    """Return the token's contract, to call it as its owner."""
    token = world.outbox.context.chain.tokens[currency]
    return Contract(world.rpc, load_artifact(name), token.address)


def set_token(world: ChainWorld, function: str, *values: object) -> None:
    """Call a function of the USDT-like token as its owner, in a block of its own."""
    token = contract(world, "usdt")
    world.rpc.send(world.rpc.accounts()[0], token.data(function, *values), to=token.address)
    world.mine()


async def attempts_of_key(world: ChainWorld, key: tuple[UUID, UUID]) -> list[TransactionAttempt]:
    """Return the signed transactions of an order by its organisation and key."""
    return await world.outbox.context.database.single(lambda tx: attempt_store.of_orders(tx, [key]))
