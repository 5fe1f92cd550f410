"""Bridges moved by many at once, through two processes' worth of pools on one database."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.chains.port import Action, Chains, Order, Sent
from landbridge.core.clock import Clock
from landbridge.core.errors import Refused
from landbridge.db.pool import Database
from landbridge.orgs.service import take_lane
from landbridge.wiring import House, wire
from tests.flows.bridges.bridging import Play, playing
from tests.tenants import BRIDGES, SETTINGS, SWAPS, bridge_body, refusal, swap_body

MANY = 20
BOTH = (True, False)


@pytest.fixture
async def play(database: Database) -> AsyncIterator[Play]:
    async with playing(database) as play:
        yield play


@pytest.fixture
async def house_b(dsn: str, database: Database, play: Play) -> AsyncIterator[House]:
    """Another process: its own connections, the same chains."""
    connected = await Database.connect(dsn, name="tests b", size_max=8)
    clock = replace_lane(play, await take_lane(database))
    yield wire(SETTINGS, connected, clock, chains=play.chains)
    await connected.close()


def replace_lane(play: Play, lane: int) -> Clock:
    """A clock that reads the same time, and stamps in a lane of its own."""

    class _Same(Clock):
        def _real_us(self) -> int:
            return play.clock._real_us()  # pyright: ignore[reportPrivateUsage]  a clock reads it

    return _Same(lane)


async def test_many_creates_with_one_request_id_make_one_bridge(play: Play) -> None:
    body = bridge_body(play.ada, 3, requireApproval=True)
    answers = await asyncio.gather(*(play.org.send("POST", BRIDGES, body) for _ in range(MANY)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert await play.holds() == ("7", "3", "0")
    await play.check_books(is_over=False)


async def test_many_accepts_hold_once(play: Play, house_b: House) -> None:
    made = UUID(await play.make())
    houses = [play.house, house_b] * (MANY // 2)
    accepted = await asyncio.gather(
        *(house.bridges.accept(play.org.caller, made) for house in houses)
    )
    assert {each.status for each in accepted} == {"CREATED"}
    assert await play.holds() == ("7", "3", "0")
    await play.check_books(is_over=False)


async def test_two_workers_carry_each_bridge_once(play: Play, house_b: House) -> None:
    made = [await play.accepted(1) for _ in range(8)]
    play.clock.at += timedelta(seconds=1)
    offsets = {play.org.org_id: timedelta()}
    for _ in range(3):
        await asyncio.gather(play.house.due.run_all(offsets), house_b.due.run_all(offsets))
        play.clock.at += timedelta(seconds=1)
    assert {await play.status(each) for each in made} == {"COMPLETED"}
    assert Counter(action for action, _, _ in await play.carried()) == {
        "approve": 8,
        "burn": 8,
        "mint": 8,
    }
    assert await play.holds() == ("2", "0", "8")
    await play.check_books()


async def test_bridges_and_swaps_spend_no_more_than_there_is(play: Play, house_b: House) -> None:
    bridges = [UUID(await play.make(3)) for _ in range(6)]
    swaps = [
        UUID((await play.org.post(SWAPS, swap_body(play.ada, "3")))["transferDetails"]["id"])
        for _ in range(6)
    ]

    async def tried(verb: Any) -> str:
        try:
            return str((await verb).status)
        except Refused as error:
            return error.name

    caller = play.org.caller
    outcomes = await asyncio.gather(
        *(tried(house_b.bridges.accept(caller, each)) for each in bridges),
        *(tried(play.house.swaps.accept(caller, each)) for each in swaps),
    )
    went = Counter(outcomes)
    assert went["CREATED"] + went["COMPLETED"] == 3
    assert went["INSUFFICIENT_BALANCE"] == 9
    await play.work()
    await play.work(after=timedelta(minutes=11))
    assert Counter([await play.status(str(each)) for each in bridges]) == {
        name: count
        for name, count in (
            ("COMPLETED", went["CREATED"]),
            ("QUOTE_FAILED", 6 - went["CREATED"]),
        )
        if count
    }
    await play.check_books()


async def test_at_the_deadline_a_bridge_is_either_accepted_or_ended(
    play: Play, house_b: House
) -> None:
    made = [UUID(await play.make(1, requireApproval=is_held)) for is_held in BOTH for _ in range(4)]
    for each in made[:4]:
        await play.decide(str(each), yes=True)
    play.clock.at += timedelta(minutes=10, microseconds=-200)

    async def accept(each: UUID) -> str:
        answer = await play.org.send("POST", f"{BRIDGES}/{each}/accept")
        return "accepted" if answer.status_code == 200 else refusal(answer)

    async def pass_by() -> None:
        for _ in range(40):
            play.clock.at += timedelta(microseconds=100)
            await house_b.due.run_once({play.org.org_id: timedelta()})

    *answers, _ = await asyncio.gather(*(accept(each) for each in made), pass_by())
    statuses = [await play.status(str(each)) for each in made]
    for answer, status in zip(answers, statuses, strict=True):
        assert (answer == "400 INVALID_QUOTE") == (status == "QUOTE_FAILED")
        assert answer in {"accepted", "400 INVALID_QUOTE"}
    await play.work()
    await play.work(after=timedelta(minutes=11))
    await play.check_books()


async def test_a_bridge_is_approved_or_rejected_or_lapses(play: Play, house_b: House) -> None:
    made = [await play.make(1, requireApproval=True) for _ in range(6)]
    approvals = [(await play.approval(each)).id for each in made]
    play.clock.at += timedelta(weeks=1, microseconds=-200)
    approver = replace(play.org.caller, can_approve=True)

    async def vote(verb: Any) -> bool:
        try:
            await verb
        except Refused:
            return False
        return True

    async def pass_by() -> None:
        for _ in range(40):
            play.clock.at += timedelta(microseconds=100)
            await house_b.due.run_once({play.org.org_id: timedelta()})

    await asyncio.gather(
        *(vote(play.house.voting.approve(approver, each, None)) for each in approvals),
        *(vote(house_b.voting.reject(approver, each, None)) for each in approvals),
        pass_by(),
    )
    statuses = Counter([await play.status(each) for each in made])
    assert statuses.keys() <= {"OPEN_QUOTE", "REJECTED", "EXPIRED"}
    free, held, _ = await play.holds()
    assert int(held) == statuses["OPEN_QUOTE"]
    assert int(free) + int(held) == 10
    await play.work(after=timedelta(minutes=11))
    assert await play.holds() == ("10", "0", "0")
    await play.check_books()


@dataclass
class _BlockingChains:
    """Chains whose first burn waits, within the call, until it is let go on."""

    inner: Chains
    is_burning: asyncio.Event
    may_go_on: asyncio.Event
    burns: int = 0

    @property
    def remembers(self) -> timedelta | None:
        return self.inner.remembers

    async def send(self, order: Order) -> Sent:
        if order.action is Action.BURN:
            self.burns += 1
            if self.burns == 1:
                self.is_burning.set()
                await self.may_go_on.wait()
        return await self.inner.send(order)

    async def look(self, org_id: UUID, key: UUID, at: datetime) -> Sent | None:
        return await self.inner.look(org_id, key, at)


async def test_a_freeze_while_another_worker_burns_frees_nothing_that_is_burned(
    play: Play, database: Database, house_b: House
) -> None:
    made = await play.accepted()
    chains = _BlockingChains(play.chains, asyncio.Event(), asyncio.Event())
    clock_a = replace_lane(play, await take_lane(database))
    first = wire(SETTINGS, database, clock_a, chains=chains)
    second = wire(SETTINGS, house_b.database, house_b.clock, chains=chains)
    offsets = {play.org.org_id: timedelta()}
    play.clock.at += timedelta(seconds=1)
    burning = asyncio.create_task(first.due.run_all(offsets))
    await chains.is_burning.wait()
    # The first worker has looked, and is inside of the call.
    await play.org.post(f"/v2/users/{play.ada}/freeze", {"reason": "a"})
    for _ in range(3):
        play.clock.at += timedelta(minutes=1)
        await second.due.run_all(offsets)
        assert await play.status(made) == "SOURCE_PENDING"
        assert await play.holds() == ("7", "3", "0")
        await play.check_books(is_over=False)
    assert chains.burns == 1
    chains.may_go_on.set()
    await burning
    await second.due.run_all(offsets)
    await play.org.post(f"/v2/users/{play.ada}/unfreeze", {})
    # Burned, and then given back, as the second leg is not claimed for who is frozen.
    assert await play.status(made) == "DESTINATION_FAILED"
    assert chains.burns == 1
    assert await play.holds() == ("10", "0", "0")
    await play.check_books()
