"""Votes and time at once, through two processes' worth of pools on one database."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

import pytest

from landbridge.app.container import wire
from landbridge.ledger.audit import audit, table
from landbridge.payments.approvals.model import Approval, ApprovalPolicy, ApprovalStatus, VoteChoice
from landbridge.platform.core.clock import Clock, FrozenClock
from landbridge.platform.core.errors import InvariantBroken, ResourceConflict
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.make import MOVES_BY_KIND
from tests.payments.approvals.flow import KIND, TRANSITIONS, UNITS, Status, World, make_world
from tests.tenants import SETTINGS, Tenant

ROUNDS = 60


@pytest.fixture
async def database_b(dsn: str) -> AsyncIterator[Database]:
    """Connection pool of a second process."""
    database = await Database.connect(dsn, name="tests b", size_max=8)
    yield database
    await database.close()


@pytest.fixture
async def pair(org: Tenant, database: Database, database_b: Database) -> tuple[World, World]:
    """One organisation, spoken to through two houses."""
    world = await make_world(org.container, database, org.org_id, units=ROUNDS * UNITS)
    container_b = wire(SETTINGS, database_b, Clock(await take_node(database)))
    return world, world.through(container_b, database_b)


async def tried(work: Any) -> str:
    """Return the outcome of a verb."""
    try:
        outcomes = await work
    except ResourceConflict:
        return "conflict"
    return str(outcomes.status) if isinstance(outcomes, Approval) else str(outcomes)


async def lapse(world: World, approval: Approval, at: datetime, *, reads: int) -> bool:
    """Expire the approval after this many reads: a vote reads more first, and would lose."""
    for _ in range(reads):
        await world.again(approval)
    return await world.lapse(approval, at)


async def check_books(world: World) -> None:
    transitions = {**MOVES_BY_KIND, KIND: TRANSITIONS}
    audited = await audit(world.database, transitions, {}, org_id=world.org_id)
    assert audited.is_clean, table(audited)


async def test_one_of_concurrent_approve_reject_and_expiry_wins(
    still_org: Tenant, still_clock: FrozenClock, database: Database, database_b: Database
) -> None:
    world = await make_world(still_org.container, database, still_org.org_id, units=ROUNDS * UNITS)
    late = FrozenClock(still_clock.at, await take_node(database_b))
    world_b = world.through(wire(SETTINGS, database_b, late), database_b)
    ends: Counter[str] = Counter()
    spent = 0
    for index in range(ROUNDS):
        approval = await world.request_payment(world.key())
        # One container's clock is just before the deadline, the other's just after.
        still_clock.at = approval.expires_at - (approval.expires_at - approval.created_at) // 10**9
        late.at = approval.expires_at
        verbs = [
            tried(world.voting.approve(world.member(), approval.id, None)),
            tried(world.voting.reject(world.member(), approval.id, None)),
            tried(lapse(world_b, approval, late.stamp(), reads=index % 6)),
        ]
        outcomes = await asyncio.gather(*(verbs[(index + turn) % 3] for turn in range(3)))
        after = await world.again(approval)
        ends[after.status] += 1
        spent += after.status is ApprovalStatus.APPROVED
        expected = {"APPROVED": "CREATED"}.get(after.status, after.status)
        assert await world.status(approval) == expected
        winner = "True" if after.status is ApprovalStatus.EXPIRED else str(after.status)
        assert Counter(outcomes)[winner] == 1
        assert len(await world.changes(approval)) == 2
        assert await world.balance() == ((ROUNDS - spent) * UNITS, 0)
    assert sum(ends.values()) == ROUNDS
    assert len(ends) >= 2, f"always the same one wins, which is no race: {ends}"
    await check_books(world)


async def test_one_of_many_concurrent_votes_decides(pair: tuple[World, World]) -> None:
    for _ in range(ROUNDS // 3):
        approval = await pair[0].request_payment(pair[0].key())
        outcomes = await asyncio.gather(
            *(
                tried(
                    (world.voting.approve if choice is VoteChoice.APPROVE else world.voting.reject)(
                        world.member(), approval.id, None
                    )
                )
                for choice in VoteChoice
                for world in (*pair, *pair)
            )
        )
        after = await pair[0].again(approval)
        assert Counter(outcomes) == {str(after.status): 1, "conflict": 7}
        assert len(after.votes) == 1
    await check_books(pair[0])


@pytest.mark.parametrize("threshold", [2, 3, 5])
async def test_excess_concurrent_approvals_count_up_to_the_threshold(
    pair: tuple[World, World], threshold: int
) -> None:
    world = pair[0]
    at = world.clock.stamp()
    policy_ = ApprovalPolicy(threshold=threshold)
    await world.approvals.set_policy(world.org_id, policy_, actor="test", at=at)
    for _ in range(ROUNDS // 6):
        approval = await world.request_payment(world.key())
        outcomes = await asyncio.gather(
            *(
                tried(pair[index % 2].voting.approve(world.member(), approval.id, None))
                for index in range(threshold + 3)
            )
        )
        assert Counter(outcomes) == {"PENDING": threshold - 1, "APPROVED": 1, "conflict": 3}
        after = await world.again(approval)
        assert (after.votes_for, after.version) == (threshold, threshold + 1)
        assert await world.status(approval) == Status.CREATED
    await check_books(world)


async def test_person_in_two_processes_votes_once(pair: tuple[World, World]) -> None:
    world = pair[0]
    policy_ = ApprovalPolicy(threshold=2)
    at = world.clock.stamp()
    await world.approvals.set_policy(world.org_id, policy_, actor="test", at=at)
    for _ in range(ROUNDS // 3):
        approval, admin = await world.request_payment(world.key()), world.member()
        outcomes = await asyncio.gather(
            *(tried(each.voting.approve(admin, approval.id, None)) for each in (*pair, *pair))
        )
        assert Counter(outcomes) == {"PENDING": 1, "conflict": 3}
        assert (await world.again(approval)).votes_for == 1


async def test_concurrent_review_and_vote_have_one_winner(pair: tuple[World, World]) -> None:
    world = pair[0]

    async def review(approval: Approval) -> str:
        try:
            await pair[1].review(approval)
        except (AssertionError, InvariantBroken):
            return "lost"
        return "in review"

    for _ in range(ROUNDS // 3):
        approval = await world.request_payment(world.key())
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
