"""A commit whose answer was lost is retried, and decides nothing twice."""

from collections.abc import AsyncIterator

import pytest

from landbridge.app.container import wire
from landbridge.payments.approvals.model import ApprovalPolicy, ApprovalStatus
from landbridge.platform.core.clock import Clock
from landbridge.platform.orgs.clock_nodes import take_node
from tests.payments.approvals.flow import UNITS, Status, World, make_world
from tests.platform.db.test_lost_commits import Forgetful
from tests.tenants import SETTINGS, Tenant


@pytest.fixture
async def doubtful(dsn: str, org: Tenant) -> AsyncIterator[World]:
    """Organisation on a database that runs every transaction twice."""
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    container = wire(SETTINGS, database, Clock(await take_node(org.container.database)))
    sure = await make_world(org.container, org.container.database, org.org_id, units=UNITS)
    yield sure.through(container, database)
    await database.close()


async def test_lost_commit_answer_casts_each_vote_once(doubtful: World) -> None:
    policy = ApprovalPolicy(threshold=2)
    at = doubtful.clock.stamp()
    await doubtful.approvals.set_policy(doubtful.org_id, policy, actor="test", at=at)
    approval = await doubtful.request_payment(doubtful.key())
    first = await doubtful.voting.approve(doubtful.member(), approval.id, "one")
    assert (first.status, first.votes_for, first.version) == (ApprovalStatus.PENDING, 1, 2)
    last = await doubtful.voting.approve(doubtful.member(), approval.id, "two")
    assert (last.status, last.votes_for, last.version) == (ApprovalStatus.APPROVED, 2, 3)
    assert await doubtful.again(approval) == last
    assert await doubtful.status(approval) == Status.CREATED
    assert await doubtful.balance() == (0, 0)
    assert await doubtful.changes(approval) == [("ask", 1), ("vote", 2), ("approve", 3)]
    assert await doubtful.approvals.policy(doubtful.org_id) == policy


async def test_lost_commit_answer_rejects_a_payment_once(doubtful: World) -> None:
    approval = await doubtful.request_payment(doubtful.key())
    after = await doubtful.voting.reject(doubtful.member(), approval.id, "no")
    assert (after.status, after.version) == (ApprovalStatus.REJECTED, 2)
    assert await doubtful.balance() == (UNITS, 0)
    assert await doubtful.changes(approval) == [("ask", 1), ("reject", 2)]


async def test_lost_commit_answer_expires_a_payment_once(doubtful: World) -> None:
    approval = await doubtful.request_payment(doubtful.key())
    assert await doubtful.lapse(approval, approval.expires_at)
    assert (await doubtful.again(approval)).status == ApprovalStatus.EXPIRED
    assert await doubtful.balance() == (UNITS, 0)
    assert await doubtful.changes(approval) == [("ask", 1), ("expire", 2)]


async def test_lost_commit_answer_fails_an_unaffordable_quote_once(doubtful: World) -> None:
    approval = await doubtful.request_payment(doubtful.key())
    doubtful.flow.extra = 1
    after = await doubtful.voting.approve(doubtful.member(), approval.id, None)
    assert (after.status, await doubtful.status(approval)) == ("APPROVED", Status.QUOTE_FAILED)
    assert await doubtful.balance() == (UNITS, 0)
