"""Votes and time at once, through two processes' worth of pools on one database."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

import pytest

from landbridge.approvals.model import Approval, Choice, Policy
from landbridge.approvals.model import Status as Standing
from landbridge.core.clock import Clock, FrozenClock
from landbridge.core.errors import Broken, ResourceConflict
from landbridge.db.pool import Database
from landbridge.ledger.audit import audit, table
from landbridge.orgs.service import take_lane
from landbridge.wiring import wire
from tests.approvals.flow import KIND, MOVES, UNITS, Status, World, make_world
from tests.make import MOVES_BY_KIND
from tests.tenants import SETTINGS, Tenant

ROUNDS = 60


@pytest.fixture
async def database_b(dsn: str) -> AsyncIterator[Database]:
    """The pool of another process."""
    database = await Database.connect(dsn, name="tests b", size_max=8)
    yield database
    await database.close()


@pytest.fixture
async def pair(org: Tenant, database: Database, database_b: Database) -> tuple[World, World]:
    """One organisation, spoken to through two houses."""
    world = await make_world(org.house, database, org.org_id, units=ROUNDS * UNITS)
    house_b = wire(SETTINGS, database_b, Clock(await take_lane(database)))
    return world, world.through(house_b, database_b)


async def tried(work: Any) -> str:
    """What came of a verb."""
    try:
        came = await work
    except ResourceConflict:
        return "conflict"
    return str(came.status) if isinstance(came, Approval) else str(came)


async def lapse(world: World, approval: Approval, at: datetime, *, reads: int) -> bool:
    """Time decides, after so many readings: a vote reads more before it decides, and would lose."""
    for _ in range(reads):
        await world.again(approval)
    return await world.lapse(approval, at)


async def check_books(world: World) -> None:
    moves = {**MOVES_BY_KIND, KIND: MOVES}
    audited = await audit(world.database, moves, {}, org_id=world.org_id)
    assert audited.is_clean, table(audited)


async def test_of_approve_reject_and_lapse_exactly_one_decides(
    still_org: Tenant, still_clock: FrozenClock, database: Database, database_b: Database
) -> None:
    world = await make_world(still_org.house, database, still_org.org_id, units=ROUNDS * UNITS)
    late = FrozenClock(still_clock.at, await take_lane(database_b))
    world_b = world.through(wire(SETTINGS, database_b, late), database_b)
    ends: Counter[str] = Counter()
    spent = 0
    for place in range(ROUNDS):
        approval = await world.ask(world.key())
        # One house's clock is a moment before the deadline, the other's a moment after.
        still_clock.at = approval.expires_at - (approval.expires_at - approval.created_at) // 10**9
        late.at = approval.expires_at
        verbs = [
            tried(world.voting.approve(world.member(), approval.id, None)),
            tried(world.voting.reject(world.member(), approval.id, None)),
            tried(lapse(world_b, approval, late.stamp(), reads=place % 6)),
        ]
        came = await asyncio.gather(*(verbs[(place + turn) % 3] for turn in range(3)))
        after = await world.again(approval)
        ends[after.status] += 1
        spent += after.status is Standing.APPROVED
        expected = {"APPROVED": "CREATED"}.get(after.status, after.status)
        assert await world.status(approval) == expected
        winner = "True" if after.status is Standing.EXPIRED else str(after.status)
        assert Counter(came)[winner] == 1
        assert len(await world.told(approval)) == 2
        assert await world.balance() == ((ROUNDS - spent) * UNITS, 0)
    assert sum(ends.values()) == ROUNDS
    assert len(ends) >= 2, f"always the same one wins, which is no race: {ends}"
    await check_books(world)


async def test_of_many_approvals_and_rejections_one_decides(pair: tuple[World, World]) -> None:
    for _ in range(ROUNDS // 3):
        approval = await pair[0].ask(pair[0].key())
        came = await asyncio.gather(
            *(
                tried(
                    (world.voting.approve if choice is Choice.APPROVE else world.voting.reject)(
                        world.member(), approval.id, None
                    )
                )
                for choice in Choice
                for world in (*pair, *pair)
            )
        )
        after = await pair[0].again(approval)
        assert Counter(came) == {str(after.status): 1, "conflict": 7}
        assert len(after.votes) == 1
    await check_books(pair[0])


@pytest.mark.parametrize("threshold", [2, 3, 5])
async def test_of_more_approvers_than_needed_the_threshold_decides(
    pair: tuple[World, World], threshold: int
) -> None:
    world = pair[0]
    at = world.clock.stamp()
    wanted = Policy(threshold=threshold)
    await world.approvals.set_policy(world.org_id, wanted, actor="test", at=at)
    for _ in range(ROUNDS // 6):
        approval = await world.ask(world.key())
        came = await asyncio.gather(
            *(
                tried(pair[place % 2].voting.approve(world.member(), approval.id, None))
                for place in range(threshold + 3)
            )
        )
        assert Counter(came) == {"PENDING": threshold - 1, "APPROVED": 1, "conflict": 3}
        after = await world.again(approval)
        assert (after.for_it, after.version) == (threshold, threshold + 1)
        assert await world.status(approval) == Status.CREATED
    await check_books(world)


async def test_the_same_person_in_two_processes_votes_once(pair: tuple[World, World]) -> None:
    world = pair[0]
    wanted = Policy(threshold=2)
    at = world.clock.stamp()
    await world.approvals.set_policy(world.org_id, wanted, actor="test", at=at)
    for _ in range(ROUNDS // 3):
        approval, admin = await world.ask(world.key()), world.member()
        came = await asyncio.gather(
            *(tried(each.voting.approve(admin, approval.id, None)) for each in (*pair, *pair))
        )
        assert Counter(came) == {"PENDING": 1, "conflict": 3}
        assert (await world.again(approval)).for_it == 1


async def test_a_review_and_a_vote_at_once_leave_one_of_them(pair: tuple[World, World]) -> None:
    world = pair[0]

    async def review(approval: Approval) -> str:
        try:
            await pair[1].review(approval)
        except (AssertionError, Broken):
            return "lost"
        return "in review"

    for _ in range(ROUNDS // 3):
        approval = await world.ask(world.key())
        admin = world.member()
        voted, reviewed = await asyncio.gather(
            tried(world.voting.approve(admin, approval.id, None)), review(approval)
        )
        status = await world.status(approval)
        if voted == "APPROVED":
            assert (status, reviewed) == (Status.CREATED, "lost")
        else:
            assert (voted, reviewed, status) == ("conflict", "in review", Status.IN_REVIEW)
            assert not (await world.again(approval)).votes
