"""Each action and step of each flow with lost connections: one effect, the same answer."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from landbridge.providers.simulation.outcome_catalog import CATALOGUE, KINDS, ScriptedStep
from tests.lost_commits.database import ONCE, REPEATEDLY, TO_THE_END, Plan
from tests.lost_commits.scenario_runner import (
    WAIT,
    WORK,
    DisturbedRun,
    Effects,
    Scenario,
    Step,
    World,
    make_world,
    run_scenario,
    run_with_losses,
)

pytestmark = [pytest.mark.long]

MODES = {"once": ONCE, "repeatedly": REPEATEDLY}
# Longer than any quote or approval lasts.
LATER = timedelta(days=2)
# Actions without a request id: a repetition is another quote or another deposit.
ANEW = frozenset({"refresh", "deposit", "deposit less"})
# Actions that refuse a repetition, while a 503 does not show that they were done.
DONE_ALREADY = {"approve": 409, "reject": 409, "open": 409, "accept": 400}
APPROVABLE = frozenset({"WALLET.TRANSFER", "WALLET.TRANSFER.BATCH", "WALLET.BRIDGE", "OFFRAMP"})
QUOTED = frozenset({"WALLET.SWAP", "WALLET.BRIDGE", "ONRAMP", "OFFRAMP"})
REVIEWED = {"ONRAMP": "AWAITING_FUNDS", "OFFRAMP": "OPEN_QUOTE"}


def list_scenarios(kind: str) -> list[Scenario]:
    """Return the scenarios of a payment of this kind."""
    found = [Scenario("plain", kind)]
    if kind in APPROVABLE:
        found.append(Scenario("approved", kind, needs_approval=True))
        found.extend(
            Scenario(verb, kind, needs_approval=True, verbs={"PENDING_APPROVAL": (verb,)})
            for verb in ("reject", WAIT)
        )
    if kind in QUOTED:
        found.append(Scenario("too late", kind, verbs={"OPEN_QUOTE": (WAIT,)}))
    if kind in REVIEWED:
        reviewed = {REVIEWED[kind]: ("open",)}
        found.append(Scenario("reviewed", kind, verbs=reviewed))
        found.append(Scenario("cancelled", kind, verbs={**reviewed, "IN_REVIEW": ("cancel",)}))
        found.append(Scenario("late in review", kind, verbs={**reviewed, "IN_REVIEW": (WAIT,)}))
    if kind == "ONRAMP":
        found.append(Scenario("refreshed", kind, verbs={"OPEN_QUOTE": ("refresh",)}))
        found.append(Scenario("unpaid", kind, verbs={"AWAITING_FUNDS": (WAIT,)}))
        found.append(Scenario("on a virtual account", kind, is_from_outside=True))
    if kind == "OFFRAMP":
        cancelled = {"PENDING_APPROVAL": ("open",), "IN_REVIEW": ("cancel",)}
        found.append(Scenario("asked and cancelled", kind, needs_approval=True, verbs=cancelled))
        found.append(Scenario("from outside", kind, is_from_outside=True))
        unpaid = {"AWAITING_FUNDS": (WAIT,)}
        found.append(Scenario("unpaid", kind, is_from_outside=True, verbs=unpaid))
    if kind in REVIEWED:
        less = {"AWAITING_FUNDS": ("deposit less",)}
        found.append(Scenario("paid less", kind, is_from_outside=kind == "OFFRAMP", verbs=less))
    plans = [
        f"{each.step}={each.name}"
        for each in CATALOGUE
        if kind in each.kinds and each.step is not ScriptedStep.WEBHOOK
    ]
    return [*found, *(Scenario(plan, kind, plan) for plan in plans)]


class Steps:
    """Distinct steps of all scenarios of a kind."""

    def __init__(self) -> None:
        self._seen: set[tuple[object, ...]] = set()

    def new(self, done: list[Step]) -> list[int]:
        """Return the positions of steps that no earlier scenario had."""
        places: list[int] = []
        for index, step in enumerate(done):
            known = (step.verb, step.before, step.answer, frozenset(step.effects.items()))
            if known not in self._seen:
                self._seen.add(known)
                places.append(index)
        return places


@pytest.fixture
async def world(dsn: str) -> AsyncIterator[World]:
    async with make_world(dsn) as created:
        yield created


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", KINDS)
async def test_lost_commit_answer_changes_nothing(world: World, kind: str, mode: str) -> None:
    steps, hits = Steps(), 0
    for scenario in list_scenarios(kind):
        done = await run_scenario(world, scenario)
        for index in steps.new(done):
            step, plan = done[index], Plan(MODES[mode])
            outcome = await run_with_losses(world, scenario, done, index, plan, jump=LATER)
            assert plan.hit or not step.effects, (scenario, step)
            assert (outcome.answers, outcome.effects, outcome.after) == (
                *([step.answer], step.effects, step.after),
            ), (scenario, step)
            hits += plan.hit
    assert hits


@pytest.mark.parametrize("kind", KINDS)
async def test_request_answered_with_503_can_be_repeated(world: World, kind: str) -> None:
    """Each transaction of each step in turn, as if the database went away right after it."""
    steps, hits = Steps(), 0
    for scenario in list_scenarios(kind):
        done = await run_scenario(world, scenario)
        for index in steps.new(done):
            skips, is_hit = 0, True
            while is_hit:
                plan = Plan(TO_THE_END, skips=skips, is_single=True)
                outcome = await run_with_losses(world, scenario, done, index, plan, jump=LATER)
                check_repeated_request(scenario, done[index:], outcome)
                skips, is_hit = skips + 1, plan.hit > 0
                hits += plan.hit
    assert hits


def check_repeated_request(scenario: Scenario, rest: list[Step], outcome: DisturbedRun) -> None:
    """Check that the second answer equals an undisturbed one, or refuses the repetition."""
    step, answer = rest[0], outcome.answers[-1]
    if step.verb in ANEW:
        return
    if answer != step.answer:
        assert len(outcome.answers) == 2, (scenario, step, outcome)
        assert answer[0] == DONE_ALREADY.get(step.verb), (scenario, step, outcome)
    if step.verb in {WORK, WAIT}:
        # The second run may have advanced further.
        every: Effects = sum((each.effects for each in rest), Effects())
        assert outcome.to_the_end == every, (scenario, step, outcome)
    else:
        assert (outcome.effects, outcome.after) == (step.effects, step.after), (
            scenario,
            step,
            outcome,
        )
