"""What follows a payment, with lost commits: resolutions, returns, reversals, write-offs, fees."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.flows.disbursements.disbursing import BENEFICIARY, fees
from tests.forced import PATHS, force
from tests.lost_commits.database import ONCE, REPEATEDLY, Loss, Plan
from tests.lost_commits.playing import Effects, Play, Story, World, make_world
from tests.payouts import accept, make_offramp, shown
from tests.resolving import Desk, make_desk
from tests.returned import return_payout, reverse_deposit
from tests.tenants import good

pytestmark = [pytest.mark.long]

# Several of these are less than a quote lasts: what was undone can still be accepted.
LATER = timedelta(minutes=1)
RECEIVABLES = "/v2/reviews/receivables"

Act = Callable[[], Awaitable[object]]
# Acts in order; each name of a round of the worker is `WORK`.
Acts = AsyncGenerator[tuple[str, Act]]
WORK = "work"


@pytest.fixture
async def world(dsn: str) -> AsyncIterator[World]:
    async with make_world(dsn) as made:
        yield made


async def resolved_transfer(world: World) -> Acts:
    """A transfer that the chain never confirms fails by a resolution."""
    org, kind = world.cast.org, "WALLET.TRANSFER"
    answer = await force(org, PATHS[kind], world.cast.body(kind), "chain_send=late:20d")
    made = good(answer)["transferDetails"]
    desk = await make_desk(org, world.clock, world.work)
    yield WORK, world.work
    async for each in resolve(desk, world, made["id"], "FAIL"):
        yield each


async def returned_payout(world: World) -> Acts:
    """The bank gives back the money of a payout that was COMPLETED."""
    done = await completed(world, Story("plain", "OFFRAMP"))
    yield "return", lambda: return_payout(world.cast.org, done, done["destination"]["amount"])
    for _ in range(3):
        yield WORK, world.work


async def reversed_deposit(world: World) -> Acts:
    """The bank takes back a deposit that was delivered, and what is owed is written off."""
    org = world.cast.org
    done = await completed(world, Story("plain", "ONRAMP"))
    yield "reverse", lambda: reverse_deposit(org, done, done["source"]["amount"])
    yield WORK, world.work
    desk = await make_desk(org, world.clock, world.work)
    found = await desk.reviewer.get(RECEIVABLES)
    async for each in resolve(desk, world, found["reviews"][0]["id"], "WRITE_OFF"):
        yield each


async def paid_fee(world: World) -> Acts:
    """A fee of an offramp is paid out of the coins that come from outside."""
    org, cast = world.cast.org, world.cast
    source = {"externalWalletId": world.outside}
    fee = fees(("2", BENEFICIARY))
    made = await make_offramp(org, None, cast.account, 100, source=source, developerFee=fee)
    yield "accept", lambda: accept(org, made)
    yield "deposit", lambda: org.post(f"/v2/sandbox/offramps/{made['id']}/deposit", {})
    for _ in range(4):
        yield WORK, world.work
    assert (await shown(org, made))["status"] == "COMPLETED"


SCENARIOS = (resolved_transfer, returned_payout, reversed_deposit, paid_fee)


async def resolve(desk: Desk, world: World, transfer_id: str, action: str) -> Acts:
    """Decide by two people, and wait until it is carried out."""
    made: list[dict[str, Any]] = []

    async def request() -> None:
        made.append(await desk.request(transfer_id, action))

    yield "request", request
    yield "approve", lambda: desk.approve(made[0])
    yield WORK, lambda: desk.carry_out(made[0])
    assert (await desk.carry_out(made[0]))["status"] == "COMPLETED"
    yield WORK, world.work


async def completed(world: World, story: Story) -> dict[str, Any]:
    """Play a payment to its end."""
    playing = Play(world, story)
    async for verb in playing.steps():
        await playing.do(verb)
        await playing.look()
    assert playing.status == "COMPLETED"
    return await playing.shown()


async def perform(
    world: World, acts: Acts, at: int | None, losses: tuple[Loss, ...]
) -> tuple[Effects, list[str], int]:
    """Perform all acts and lose commits in that one; effects, names, and how many it lost."""
    before, names, hits = await world.effects(), list[str](), 0
    async for name, act in acts:
        plan = Plan(losses) if len(names) == at else None
        if plan is not None and name != WORK:
            plan.after_loss = lambda: world.pass_time(LATER)
        world.database.plan = plan
        await act()
        world.database.plan = None
        hits += 0 if plan is None else plan.hit
        names.append(name)
    await world.check_books()
    return await world.effects() - before, names, hits


@pytest.mark.parametrize("losses", [ONCE, REPEATEDLY], ids=["once", "repeatedly"])
@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_a_lost_answer_changes_nothing_of_what_follows(
    world: World, scenario: Callable[[World], Acts], losses: tuple[Loss, ...]
) -> None:
    expected, names, _ = await perform(world, scenario(world), None, losses)
    for place, name in enumerate(names):
        found, _, hits = await perform(world, scenario(world), place, losses)
        assert hits or name == WORK, name
        assert found == expected, (name, place)
