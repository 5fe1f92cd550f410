"""Each verb and each step of each flow while connections are lost: one effect, the same answer."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from landbridge.simulation.outcomes import CATALOGUE, KINDS
from landbridge.simulation.outcomes import Step as Outcome
from tests.lost_commits.database import ONCE, REPEATEDLY, TO_THE_END, Plan
from tests.lost_commits.playing import (
    WAIT,
    WORK,
    Disturbed,
    Effects,
    Step,
    Story,
    World,
    disturb,
    make_world,
    play,
)

pytestmark = [pytest.mark.long]

MODES = {"once": ONCE, "repeatedly": REPEATEDLY}
# Longer than any quote or approval lasts.
LATER = timedelta(days=2)
# What has no request id and is asked for once more: another quote, another deposit.
ANEW = frozenset({"refresh", "deposit", "deposit less"})
# What refuses to be done twice, where an answer 503 does not say that it was done.
DONE_ALREADY = {"approve": 409, "reject": 409, "open": 409, "accept": 400}
ASKING = frozenset({"WALLET.TRANSFER", "WALLET.TRANSFER.BATCH", "WALLET.BRIDGE", "OFFRAMP"})
QUOTED = frozenset({"WALLET.SWAP", "WALLET.BRIDGE", "ONRAMP", "OFFRAMP"})
REVIEWED = {"ONRAMP": "AWAITING_FUNDS", "OFFRAMP": "OPEN_QUOTE"}


def stories(kind: str) -> list[Story]:
    """What may become of a payment of this kind."""
    found = [Story("plain", kind)]
    if kind in ASKING:
        found.append(Story("approved", kind, asks=True))
        found.extend(
            Story(verb, kind, asks=True, verbs={"PENDING_APPROVAL": (verb,)})
            for verb in ("reject", WAIT)
        )
    if kind in QUOTED:
        found.append(Story("too late", kind, verbs={"OPEN_QUOTE": (WAIT,)}))
    if kind in REVIEWED:
        asked = {REVIEWED[kind]: ("open",)}
        found.append(Story("reviewed", kind, verbs=asked))
        found.append(Story("cancelled", kind, verbs={**asked, "IN_REVIEW": ("cancel",)}))
        found.append(Story("late in review", kind, verbs={**asked, "IN_REVIEW": (WAIT,)}))
    if kind == "ONRAMP":
        found.append(Story("refreshed", kind, verbs={"OPEN_QUOTE": ("refresh",)}))
        found.append(Story("unpaid", kind, verbs={"AWAITING_FUNDS": (WAIT,)}))
        found.append(Story("on a virtual account", kind, is_from_outside=True))
    if kind == "OFFRAMP":
        cancelled = {"PENDING_APPROVAL": ("open",), "IN_REVIEW": ("cancel",)}
        found.append(Story("asked and cancelled", kind, asks=True, verbs=cancelled))
        found.append(Story("from outside", kind, is_from_outside=True))
        unpaid = {"AWAITING_FUNDS": (WAIT,)}
        found.append(Story("unpaid", kind, is_from_outside=True, verbs=unpaid))
    if kind in REVIEWED:
        less = {"AWAITING_FUNDS": ("deposit less",)}
        found.append(Story("paid less", kind, is_from_outside=kind == "OFFRAMP", verbs=less))
    plans = [
        f"{each.step}={each.name}"
        for each in CATALOGUE
        if kind in each.kinds and each.step is not Outcome.WEBHOOK
    ]
    return [*found, *(Story(plan, kind, plan) for plan in plans)]


class Steps:
    """The steps of all stories of a kind, each once."""

    def __init__(self) -> None:
        self._seen: set[tuple[object, ...]] = set()

    def new(self, done: list[Step]) -> list[int]:
        """Give the places of those steps that no story before had."""
        places: list[int] = []
        for place, step in enumerate(done):
            known = (step.verb, step.before, step.answer, frozenset(step.effects.items()))
            if known not in self._seen:
                self._seen.add(known)
                places.append(place)
        return places


@pytest.fixture
async def world(dsn: str) -> AsyncIterator[World]:
    async with make_world(dsn) as made:
        yield made


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", KINDS)
async def test_a_lost_answer_changes_nothing(world: World, kind: str, mode: str) -> None:
    steps, hits = Steps(), 0
    for story in stories(kind):
        done = await play(world, story)
        for place in steps.new(done):
            step, plan = done[place], Plan(MODES[mode])
            came = await disturb(world, story, done, place, plan, jump=LATER)
            assert plan.hit or not step.effects, (story, step)
            assert (came.answers, came.effects, came.after) == (
                *([step.answer], step.effects, step.after),
            ), (story, step)
            hits += plan.hit
    assert hits


@pytest.mark.parametrize("kind", KINDS)
async def test_who_is_answered_503_asks_again(world: World, kind: str) -> None:
    """Each transaction of each step in turn, as if the database went away right after it."""
    steps, hits = Steps(), 0
    for story in stories(kind):
        done = await play(world, story)
        for place in steps.new(done):
            skips, is_hit = 0, True
            while is_hit:
                plan = Plan(TO_THE_END, skips=skips, is_single=True)
                came = await disturb(world, story, done, place, plan, jump=LATER)
                check_again(story, done[place:], came)
                skips, is_hit = skips + 1, plan.hit > 0
                hits += plan.hit
    assert hits


def check_again(story: Story, rest: list[Step], came: Disturbed) -> None:
    """The second answer is that of an undisturbed run, or refuses what is done already."""
    step, answer = rest[0], came.answers[-1]
    if step.verb in ANEW:
        return
    if answer != step.answer:
        assert len(came.answers) == 2, (story, step, came)
        assert answer[0] == DONE_ALREADY.get(step.verb), (story, step, came)
    if step.verb in {WORK, WAIT}:
        # The second round may have gone further.
        every: Effects = sum((each.effects for each in rest), Effects())
        assert came.to_the_end == every, (story, step, came)
    else:
        assert (came.effects, came.after) == (step.effects, step.after), (story, step, came)
