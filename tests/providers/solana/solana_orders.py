"""Orders on a local Solana: how tests create, carry out and read them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from uuid import UUID

from solders.keypair import Keypair

from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.providers.chains.port import ChainAction, ChainOrder, ChainOrderStatus, OrderLeg
from landbridge.providers.chains.tokens import TOKENS, Chain
from landbridge.providers.evm.outbox import order_store
from landbridge.providers.evm.outbox.model import FINAL_STATES, OutboxOrder
from landbridge.providers.solana.outbox import attempt_store
from landbridge.providers.solana.outbox.model import SolanaAttempt
from landbridge.providers.solana.outbox.service import SolanaOutbox
from tests.solana_world import SolanaWorld
from tests.tenants import make_user

# Runs of the worker after which an order that makes no progress is stuck.
_RUNS_MAX = 60


def new_address() -> str:
    """Return an address that the chain has never seen."""
    return str(Keypair().pubkey())


async def new_order(
    world: SolanaWorld,
    legs: Mapping[str, int],
    *,
    currency: str = "usdc",
    user: str | None = None,
    is_funded: bool = True,
) -> ChainOrder:
    """Return an order of a user, or of the organisation itself, and mint its coins."""
    org_id = world.org.org_id
    wallet_id, source = None, await world.container.wallets.treasury_address(org_id, Chain.SOLANA)
    if user is not None:
        wallet = await world.container.wallets.find(org_id, UUID(user), Chain.SOLANA)
        assert wallet is not None
        wallet_id, source = wallet.id, wallet.address
    if is_funded:
        world.mint(source, sum(legs.values()), currency)
    asset = TOKENS[Chain.SOLANA, currency].asset
    return ChainOrder(
        org_id=org_id,
        key=new_id(),
        record_id=new_id(),
        action=ChainAction.TRANSFER,
        chain="SOLANA",
        source=source,
        wallet_id=wallet_id,
        legs=tuple(OrderLeg(each, Money(units, asset)) for each, units in legs.items()),
        at=datetime.now(UTC),
    )


async def sent_order(
    world: SolanaWorld, legs: Mapping[str, int], *, currency: str = "usdc"
) -> ChainOrder:
    """Store a new order of a new user, and return it."""
    order = await new_order(
        world, legs, currency=currency, user=await make_user(world.org, chains=["SOLANA"])
    )
    await world.container.chains.send(order)
    return order


async def status(world: SolanaWorld, order: ChainOrder) -> ChainOrderStatus:
    """Return what the port reports of an order."""
    found = await world.container.chains.find_status(order.org_id, order.key, order.at)
    assert found is not None
    return found


async def stored(world: SolanaWorld, order: ChainOrder) -> OutboxOrder:
    """Return an order as it is stored."""
    found = await world.container.database.single(
        lambda tx: order_store.get(tx, order.org_id, order.key)
    )
    assert found is not None
    return found


async def attempts_of(world: SolanaWorld, order: ChainOrder) -> list[SolanaAttempt]:
    """Return the signed transactions of an order."""
    return await world.container.database.single(
        lambda tx: attempt_store.of_orders(tx, [(order.org_id, order.key)])
    )


async def make_due(world: SolanaWorld) -> None:
    """Let orders that wait be tried again now, and transactions be sent again."""
    await world.container.database.single(
        lambda tx: tx.execute("update chain_orders set due_at = created_at where state = 'CREATED'")
    )
    await world.container.database.single(
        lambda tx: tx.execute("update solana_attempts set sent_at = sent_at - interval '1 hour'")
    )


async def free_lease(world: SolanaWorld) -> None:
    """Let another outbox work on the chain."""
    await world.container.database.single(
        lambda tx: tx.execute("delete from chain_leases where chain = 'SOLANA'")
    )


async def run(world: SolanaWorld, outbox: SolanaOutbox | None = None) -> None:
    """Run the outbox as long as something is due at once, and make a block."""
    outbox = outbox or world.outbox
    for _ in range(10):
        if not await outbox.run_once():
            break
    world.chain.mine()


async def run_until_final(world: SolanaWorld, order: ChainOrder) -> OutboxOrder:
    """Run the outbox until an order is final."""
    found = await stored(world, order)
    for _ in range(_RUNS_MAX):
        found = await stored(world, order)
        if found.state in FINAL_STATES:
            return found
        await make_due(world)
        await run(world)
    raise AssertionError(f"the order does not become final: {found.state} {found.reason}")
