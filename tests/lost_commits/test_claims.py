"""Statements that take or count something once: run again after a lost answer, they know their own.

These run in `make test`; a whole run over verbs and steps is `make test-long`.
"""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import cast
from uuid import UUID

import pytest

from landbridge.core.clock import FrozenClock
from landbridge.core.ids import new_id
from landbridge.db.pool import Database
from landbridge.ledger.service import Ledger, Opened
from landbridge.mail.outbox import Letter, Outbox
from landbridge.mail.port import Message
from landbridge.members import passkey_store
from landbridge.members.errors import TooManyTries
from landbridge.members.throttle import FREE, Subject, Throttle
from landbridge.verification.cases import Cases
from landbridge.verification.letters import Letters
from landbridge.webhooks.delivering.courier import LEASE
from landbridge.webhooks.delivering.turn_store import Turn, take
from landbridge.wiring import House
from tests.identity.faulty import ScriptedIdentity
from tests.lost_commits.database import ONCE, REPEATEDLY, Loss, LostCommits, Plan
from tests.make import MOVES, make_org, opening
from tests.people import make_person
from tests.tenants import Tenant
from tests.verification.play import desk, submitted
from tests.webhooks.rows import make_endpoint

BOTH = pytest.mark.parametrize("losses", [ONCE, REPEATEDLY], ids=["once", "repeatedly"])


@pytest.fixture
async def losing(dsn: str) -> AsyncIterator[LostCommits]:
    database = cast("LostCommits", await LostCommits.connect(dsn, name="tests", size_max=3))
    yield database
    await database.close()


@BOTH
async def test_a_try_is_counted_once(
    house: House, losing: LostCommits, losses: tuple[Loss, ...]
) -> None:
    clock, whose = FrozenClock(house.clock.now()), str(new_id())
    throttle = Throttle(losing, clock)
    for _ in range(FREE[Subject.OWN]):
        losing.plan = Plan(losses)
        await throttle.take(Subject.OWN, whose)
        assert losing.plan.hit
    with pytest.raises(TooManyTries):
        await throttle.take(Subject.OWN, whose)


@BOTH
async def test_one_try_is_given_back_and_no_more(
    house: House, losing: LostCommits, losses: tuple[Loss, ...]
) -> None:
    clock, whose = FrozenClock(house.clock.now()), str(new_id())
    throttle = Throttle(losing, clock)
    for _ in range(FREE[Subject.OWN] - 1):
        await throttle.take(Subject.OWN, whose)
    losing.plan = Plan(losses)
    await throttle.give_back(Subject.OWN, whose)
    assert losing.plan.hit
    losing.plan = None
    for _ in range(2):
        await throttle.take(Subject.OWN, whose)
    with pytest.raises(TooManyTries):
        await throttle.take(Subject.OWN, whose)


async def test_a_challenge_is_used_once_by_whoever_repeats_the_use(
    database: Database, house: House
) -> None:
    challenge, browser, at = new_id().bytes, new_id().bytes, house.clock.stamp()
    until = at + timedelta(minutes=5)

    async def take(moment: timedelta) -> bool:
        return await database.single(
            lambda tx: passkey_store.take_challenge(tx, challenge, browser, at + moment)
        )

    for _ in range(2):
        await database.single(lambda tx: passkey_store.add_challenge(tx, challenge, browser, until))
    uses = [await take(timedelta(microseconds=each)) for each in (0, 0, 1, 0)]
    assert uses == [True, True, False, True]


class Sent(list[Message]):
    """A way to send that keeps what it sends."""

    async def send(self, message: Message) -> None:
        self.append(message)


@BOTH
async def test_a_mail_is_claimed_and_sent_once(
    house: House, org: Tenant, losing: LostCommits, losses: tuple[Loss, ...]
) -> None:
    sent, owner, clock = Sent(), new_id(), FrozenClock(house.clock.now())
    outbox = Outbox(losing, house.vault, clock, sent)

    async def put() -> None:
        key = await house.database.transact(lambda tx: house.vault.make(tx, org.org_id, owner))
        letter = Letter("ada@example.com", "Your form", "Please open it.")
        await house.database.transact(
            lambda tx: outbox.put(tx, org_id=org.org_id, owner_id=owner, key=key, letter=letter)
        )

    await put()
    losing.plan = Plan(losses)
    losing.plan.after_loss = lambda: setattr(clock, "at", clock.at + timedelta(milliseconds=1))
    await outbox.run_once([org.org_id])
    assert (losing.plan.hit > 0, len(sent)) == (True, 1)
    losing.plan = None
    clock.at += timedelta(days=1)
    await outbox.run_once([org.org_id])
    assert len(sent) == 1


@BOTH
async def test_an_opening_without_postings_is_no_replay_of_itself(
    losing: LostCommits, house: House, losses: tuple[Loss, ...]
) -> None:
    org_id = await make_org(losing)
    first = opening(org_id, at=house.clock.stamp())
    losing.plan = Plan(losses)
    opened = await Ledger(losing).open(first, MOVES)
    assert isinstance(opened, Opened)
    assert not opened.is_replay
    assert losing.plan.hit
    losing.plan = None
    again = await Ledger(losing).open(replace(first, at=house.clock.stamp()), MOVES)
    assert isinstance(again, Opened)
    assert again.is_replay


@BOTH
async def test_a_case_is_claimed_once(
    house: House, org: Tenant, losing: LostCommits, losses: tuple[Loss, ...]
) -> None:
    at = desk(house, ScriptedIdentity())
    case = await submitted(at, org, await make_person(org))
    cases = Cases(losing, house.vault, Letters(house.outbox))
    now = house.clock.stamp()
    losing.plan = Plan(losses)
    claimed = await cases.claim(case, now)
    assert (losing.plan.hit > 0, claimed is not None) == (True, True)
    assert claimed == await at.cases.get(org.org_id, case.id)
    assert await at.cases.claim(case, house.clock.stamp()) is None


@BOTH
async def test_a_worker_has_the_turn_that_it_took(
    house: House, org: Tenant, losing: LostCommits, losses: tuple[Loss, ...]
) -> None:
    made = UUID(await make_endpoint(org))
    now = house.clock.now()
    turn, other = (Turn(org.org_id, made, new_id(), now + LEASE) for _ in range(2))
    losing.plan = Plan(losses)
    assert await losing.single(partial(take, turn=turn, now=now))
    assert losing.plan.hit
    assert not await losing.single(partial(take, turn=other, now=now))
