"""Resolutions, returns, reversals, write-offs and fees with lost commits."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.lost_commits.database import ONCE, REPEATEDLY, Loss, Plan
from tests.lost_commits.scenario_runner import Effects, Scenario, ScenarioRun, World, make_world
from tests.payments.disbursements.disbursement_world import BENEFICIARY, fees
from tests.payouts import accept, make_offramp, shown
from tests.resolution_team import ResolutionTeam, make_resolution_team
from tests.returned_payments import return_payout, reverse_deposit
from tests.scripted import PATHS, force
from tests.tenants import good

pytestmark = [pytest.mark.long]

# Several of these are shorter than a quote's lifetime: after a rollback it can still be accepted.
LATER = timedelta(minutes=1)
RECEIVABLES = "/v2/reviews/receivables"

Act = Callable[[], Awaitable[object]]
# Acts in order; each name of a round of the worker is `WORK`.
Acts = AsyncGenerator[tuple[str, Act]]
WORK = "work"


@pytest.fixture
async def world(dsn: str) -> AsyncIterator[World]:
    async with make_world(dsn) as created:
        yield created


async def resolved_transfer(world: World) -> Acts:
    """Fail a transfer that the chain never confirms, by a resolution."""
    org, kind = world.cast.org, "WALLET.TRANSFER"
    answer = await force(org, PATHS[kind], world.cast.body(kind), "chain_send=late:20d")
    created = good(answer)["transferDetails"]
    team = await make_resolution_team(org, world.clock, world.work)
    yield WORK, world.work
    async for each in resolve(team, world, created["id"], "FAIL"):
        yield each


async def returned_payout(world: World) -> Acts:
    """Return the money of a COMPLETED payout by the bank."""
    done = await completed(world, Scenario("plain", "OFFRAMP"))
    yield "return", lambda: return_payout(world.cast.org, done, done["destination"]["amount"])
    for _ in range(3):
        yield WORK, world.work


async def reversed_deposit(world: World) -> Acts:
    """Reverse a delivered deposit by the bank, and write the receivable off."""
    org = world.cast.org
    done = await completed(world, Scenario("plain", "ONRAMP"))
    yield "reverse", lambda: reverse_deposit(org, done, done["source"]["amount"])
    yield WORK, world.work
    team = await make_resolution_team(org, world.clock, world.work)
    found = await team.reviewer.get(RECEIVABLES)
    async for each in resolve(team, world, found["reviews"][0]["id"], "WRITE_OFF"):
        yield each


async def paid_fee(world: World) -> Acts:
    """Pay a fee of an offramp from external coins."""
    org, cast = world.cast.org, world.cast
    source = {"externalWalletId": world.outside}
    fee = fees(("2", BENEFICIARY))
    created = await make_offramp(org, None, cast.account, 100, source=source, developerFee=fee)
    yield "accept", lambda: accept(org, created)
    yield "deposit", lambda: org.post(f"/v2/sandbox/offramps/{created['id']}/deposit", {})
    for _ in range(4):
        yield WORK, world.work
    assert (await shown(org, created))["status"] == "COMPLETED"


SCENARIOS = (resolved_transfer, returned_payout, reversed_deposit, paid_fee)


async def resolve(team: ResolutionTeam, world: World, transfer_id: str, action: str) -> Acts:
    """Resolve by two people, and wait for the execution."""
    created: list[dict[str, Any]] = []

    async def request() -> None:
        created.append(await team.request(transfer_id, action))

    yield "request", request
    yield "approve", lambda: team.approve(created[0])
    yield WORK, lambda: team.carry_out(created[0])
    assert (await team.carry_out(created[0]))["status"] == "COMPLETED"
    yield WORK, world.work


async def completed(world: World, scenario: Scenario) -> dict[str, Any]:
    """Play a payment to its end."""
    run = ScenarioRun(world, scenario)
    async for verb in run.steps():
        await run.do(verb)
        await run.look()
    assert run.status == "COMPLETED"
    return await run.shown()


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
async def test_lost_commit_answer_changes_nothing_afterwards(
    world: World, scenario: Callable[[World], Acts], losses: tuple[Loss, ...]
) -> None:
    expected, names, _ = await perform(world, scenario(world), None, losses)
    for index, name in enumerate(names):
        found, _, hits = await perform(world, scenario(world), index, losses)
        assert hits or name == WORK, name
        assert found == expected, (name, index)
