"""Payments on a local Solana through the API: how tests create them and let the worker run."""

from typing import Any
from uuid import UUID

from landbridge.providers.chains.tokens import Chain
from tests.providers.solana.solana_orders import make_due, run
from tests.solana_world import COIN, SolanaWorld
from tests.tenants import TRANSFERS, held, make_user, register, transfer_body

# Runs of the worker after which a payment that makes no progress is stuck.
_RUNS_MAX = 30


async def new_user(world: SolanaWorld, *, coins: int = 0) -> tuple[str, str]:
    """Return a new user with coins, and the address of the user's wallet."""
    user = await make_user(world.org, chains=["SOLANA"])
    address = await address_of(world, user)
    if coins:
        world.pay(world.outsider(coins * COIN), {address: coins * COIN})
        world.chain.finalize()
        await world.follow()
    return user, address


async def address_of(world: SolanaWorld, user: str) -> str:
    """Return the address of a user's wallet."""
    wallet = await world.container.wallets.find(world.org.org_id, UUID(user), Chain.SOLANA)
    assert wallet is not None
    return wallet.address


async def deposits_of(world: SolanaWorld, user: str) -> list[dict[str, Any]]:
    """Return the deposits of a user, as the API lists them."""
    found = await world.org.get(
        f"/v2/users/{user}/wallets/deposits", chain="SOLANA", currency="usdc"
    )
    return list(found["deposits"])


async def balance_of(world: SolanaWorld, user: str, currency: str = "usdc") -> str:
    """Return the balance of a user's wallet, in coins."""
    return await held(world.org, user, currency, "SOLANA")


async def transfer_to_address(world: SolanaWorld, user: str, address: str, amount: str) -> str:
    """Create a transfer to an external wallet; return its id."""
    await register(world.org, user, address, chain="SOLANA")
    body = transfer_body(user, {"walletAddress": address}, amount, chain="SOLANA")
    created = await world.org.post(TRANSFERS, body)
    return str(created["transferDetails"]["id"])


async def carried_out(world: SolanaWorld, transfer: str, path: str = TRANSFERS) -> dict[str, Any]:
    """Run the worker until a transfer has its result; return it as the API shows it."""
    found: dict[str, Any] = {}
    for _ in range(_RUNS_MAX):
        await world.container.scheduler.run_all(await world.container.orgs.clock_offsets())
        await make_due(world)
        await run(world)
        found = dict((await world.org.get(f"{path}/{transfer}"))["transferDetails"])
        if found["status"] in {"COMPLETED", "FAILED"}:
            return found
    raise AssertionError(f"the transfer has no result: {found}")
