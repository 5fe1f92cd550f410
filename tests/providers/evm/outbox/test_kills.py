"""Workers that are killed before or after each call of the outside world, and two at once."""

import asyncio
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.chains.port import ChainOrder
from landbridge.providers.evm.outbox.model import FINAL_STATES, OutboxState
from tests.chain_world import ChainWorld, chain_world
from tests.providers.evm.outbox.chain_orders import (
    COIN,
    another_outbox,
    attempts_of,
    check_nonces,
    check_paid_once,
    free_lease,
    make_due,
    new_address,
    run_until_final,
    sent_order,
    stored,
)
from tests.providers.evm.outbox.failing_ports import Killed, KillSwitch, killed_outbox

pytestmark = pytest.mark.long

# No payment needs more calls that change something.
_POINTS_MAX = 120


async def pay_until_killed(world: ChainWorld, order: ChainOrder, switch: KillSwitch) -> bool:
    """Carry out an order until the worker dies; return whether it was killed."""
    outbox = killed_outbox(world, switch)
    await free_lease(world)
    try:
        while (await stored(world, order)).state not in FINAL_STATES:
            await make_due(world)
            await outbox.run_once()
            world.mine()
    except Killed:
        return True
    return False


@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize(
    ("method", "legs", "step"), [("eip3009", 1, 1), ("eip7702", 1, 1), ("top-up", 2, 3)]
)
async def test_a_worker_killed_at_any_point_pays_once(
    tmp_path: Path, own_database: Database, method: str, legs: int, step: int, *, is_after: bool
) -> None:
    """Rows 2 to 6 and 9 of the crash table: `step` skips points of the longest payment."""
    async with chain_world(tmp_path, own_database, sponsor=[method]) as world:
        for point in range(1, _POINTS_MAX, step):
            order = await sent_order(world, {new_address(): COIN + n for n in range(legs)})
            was_killed = await pay_until_killed(world, order, KillSwitch(point, is_after=is_after))
            await free_lease(world)
            assert (await run_until_final(world, order)).state is OutboxState.FINAL
            await check_paid_once(world, order)
            payments = [each for each in await attempts_of(world, order) if each.is_payment]
            assert len({each.nonce for each in payments}) == 1
            if not was_killed:
                return
        raise AssertionError("a payment has more points than expected")


@pytest.mark.parametrize("method", ["eip3009", "eip7702", "top-up"])
async def test_two_workers_at_once_pay_once(
    tmp_path: Path, own_database: Database, method: str
) -> None:
    """The lease is lost all the time: correctness does not depend on it."""
    async with chain_world(tmp_path, own_database, sponsor=[method], relayers=2) as world:
        orders = [await sent_order(world, {new_address(): COIN + n}) for n in range(12)]
        workers = [another_outbox(world) for _ in range(3)]

        async def work(place: int) -> None:
            for _ in range(12):
                await free_lease(world)
                await make_due(world)
                await workers[place].run_once()
                world.mine()

        await asyncio.gather(*(work(place) for place in range(len(workers))))
        for order in orders:
            await free_lease(world)
            assert (await run_until_final(world, order)).state is OutboxState.FINAL
            await check_paid_once(world, order)
        await check_nonces(world)
