"""Workers that are killed before or after each call of the outside world during a market swap."""

from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from tests.market_world import COIN, MarketWorld, market_world
from tests.payouts import check_books
from tests.providers.evm.outbox.chain_orders import attempts_of_key, free_lease
from tests.providers.evm.outbox.failing_ports import Killed, KillSwitch, killed_outbox

pytestmark = pytest.mark.long

# No swap needs more calls that change something.
_POINTS_MAX = 60


async def swap_until_killed(world: MarketWorld, swap_id: str, switch: KillSwitch) -> bool:
    """Carry out a swap until the worker dies; return whether it was killed."""
    await free_lease(world.chain)
    outbox = killed_outbox(world.chain, switch)
    try:
        await world.run_until(swap_id, "COMPLETED", outbox=outbox)
    except Killed:
        return True
    return False


@pytest.mark.parametrize("is_after", [False, True])
async def test_a_worker_killed_at_any_point_swaps_once(
    tmp_path: Path, own_database: Database, *, is_after: bool
) -> None:
    async with market_world(tmp_path, own_database) as world:
        user = await world.user(200)
        wallet, received = await world.address(user), 0
        for place, point in enumerate(range(1, _POINTS_MAX, 2), start=1):
            swap_id = await world.accepted(user, "1")
            was_killed = await swap_until_killed(
                world, swap_id, KillSwitch(point, is_after=is_after)
            )
            await free_lease(world.chain)
            swap = await world.run_until(swap_id, "COMPLETED")
            assert swap.received is not None
            received += swap.received.units
            assert await world.chain.balance("usdt", wallet) == received
            assert await world.chain.balance("usdc", wallet) == (200 - place) * COIN
            order = await world.order(swap_id)
            assert order is not None
            signed = await attempts_of_key(world.chain, order.order_key)
            assert len({each.nonce for each in signed}) == 1
            if not was_killed:
                await check_books(world.chain.org)
                return
        raise AssertionError("a swap has more points than expected")
