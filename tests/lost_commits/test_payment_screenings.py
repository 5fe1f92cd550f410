"""Screened payments with lost connections at each commit: one screening, and one order."""

from typing import cast

import pytest

from tests.customers.payment_screening.payment_world import PaymentWorld, payment_world
from tests.lost_commits.database import ONCE, REPEATEDLY, TO_THE_END, Loss, LostCommits, Plan

pytestmark = [pytest.mark.long]

_COMMITS_MAX = 20


@pytest.mark.parametrize(
    "losses", [ONCE, REPEATEDLY, TO_THE_END], ids=["once", "often", "to the end"]
)
async def test_a_lost_connection_neither_sends_early_nor_twice(
    own_dsn: str, losses: tuple[Loss, ...]
) -> None:
    database = cast("LostCommits", await LostCommits.connect(own_dsn, name="tests", size_max=4))
    async with payment_world(database) as world:
        for skips in range(_COMMITS_MAX):
            asking, deciding = (Plan(losses, skips=skips, is_single=True) for _ in range(2))
            created = await _transfer(world, asking)
            (screening,) = await world.screenings()
            assert (screening["transferId"], screening["status"]) == (created, "HELD")
            assert (await world.transfer_status(created), world.sent_to()) == ("INITIATED", skips)
            resolution = await world.team.request(screening["id"], "RELEASE")
            await world.team.approve(resolution)
            await _work(world, deciding)
            assert (await world.transfer_status(created), world.sent_to()) == (
                "COMPLETED",
                skips + 1,
            )
            if not (asking.hit or deciding.hit):
                break
        else:
            raise AssertionError("there is always another commit")
        assert skips > 3
        await world.check()
    await database.close()


async def _transfer(world: PaymentWorld, plan: Plan) -> str:
    """Create a transfer with a hit, and run the worker with losses, and again without."""
    created = await world.send("1.66")
    await _work(world, plan)
    return created


async def _work(world: PaymentWorld, plan: Plan) -> None:
    database = cast("LostCommits", world.container.database)
    database.plan = plan
    await world.work()
    database.plan = None
    for _ in range(3):
        await world.work(minutes=10)
