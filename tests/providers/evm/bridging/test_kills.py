"""Workers that are killed before or after each call of the outside world during a bridge."""

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.chains.tokens import Chain, Network
from landbridge.providers.evm.outbox.service import ChainOutbox
from tests.bridge_world import COIN, BridgeWorld, bridge_world
from tests.matrices import each_value_once
from tests.payouts import check_books
from tests.providers.evm.outbox.failing_ports import FailingPort, Killed, KillSwitch

pytestmark = pytest.mark.long

# No bridge needs more calls that change something.
_POINTS_MAX = 200


async def killed_worker(world: BridgeWorld, switch: KillSwitch) -> dict[Network, ChainOutbox]:
    """Return the outboxes of a worker that the switch kills."""
    outboxes = await world.another_worker()
    return {
        name: (
            await world.another_worker(
                client=cast("Any", FailingPort(outbox.context.client, switch.call)),
                database=cast("Any", FailingPort(outbox.context.database, switch.call)),
                signer=cast("Any", FailingPort(outbox.context.signer, switch.call)),
            )
        )[name]
        for name, outbox in outboxes.items()
    }


async def bridge_until_killed(world: BridgeWorld, bridge: str, switch: KillSwitch) -> bool:
    """Carry out a bridge until the worker dies; return whether it was killed."""
    outboxes = await killed_worker(world, switch)
    try:
        while await world.status(bridge) != "COMPLETED":
            await world.work(outboxes)
            world.mine()
    except Killed:
        return True
    return False


@pytest.mark.parametrize(
    ("method", "step", "is_after"),
    each_value_once(
        [("eip7702", 4, True), ("eip7702", 4, False), ("top-up", 6, False), ("top-up", 6, True)]
    ),
)
async def test_a_worker_killed_at_any_point_mints_once(
    tmp_path: Path, own_database: Database, method: str, step: int, *, is_after: bool
) -> None:
    """`step` skips points; each bridge of another amount begins where the one before was over."""
    async with bridge_world(tmp_path, own_database, sponsor=[method]) as world:
        user = await world.user(usdc=400)
        there = await world.address(user, Chain.BASE)
        expected = 0
        for point in range(1, _POINTS_MAX, step):
            bridge = await world.accepted(user, 1)
            expected += COIN
            was_killed = await bridge_until_killed(
                world, bridge, KillSwitch(point, is_after=is_after)
            )
            await world.another_worker()
            await world.run_until(bridge, "COMPLETED")
            await world.finish()
            assert await world.units("usdc", there, Network.BASE) == expected
            for name in ("burn", "mint"):
                paid = [each for each in await world.attempts(bridge, name) if each.is_payment]
                assert len({each.nonce for each in paid}) == 1
            if not was_killed:
                await check_books(world.org)
                return
        raise AssertionError("a bridge has more points than expected")


@pytest.mark.parametrize("method", ["eip7702", "top-up"])
async def test_two_workers_and_several_bridges_at_once_mint_once_each(
    tmp_path: Path, own_database: Database, method: str
) -> None:
    """The lease is lost all the time; the burns of one wallet share an allowance with top-up."""
    async with bridge_world(tmp_path, own_database, sponsor=[method], relayers=2) as world:
        user = await world.user(usdc=60)
        there = await world.address(user, Chain.BASE)
        bridges = [await world.accepted(user, 10 + place) for place in range(3)]
        workers = [await world.another_worker() for _ in range(2)]

        async def work(place: int) -> None:
            for _ in range(25):
                await world.database.rows("update chain_leases set expires_at = '-infinity'")
                await world.work(workers[place])
                world.mine()

        await asyncio.gather(*(work(place) for place in range(len(workers))))
        await world.another_worker()
        for bridge in bridges:
            await world.run_until(bridge, "COMPLETED")
        await world.finish()
        assert await world.units("usdc", there, Network.BASE) == 33 * COIN
        home = await world.address(user, Chain.POLYGON)
        assert await world.units("usdc", home, Network.POLYGON) == 27 * COIN
        await check_books(world.org)
