"""A commit that nobody heard of is tried again, and decides nothing twice."""

from collections.abc import AsyncIterator

import pytest

from landbridge.approvals.model import Policy
from landbridge.approvals.model import Status as Standing
from landbridge.core.clock import Clock
from landbridge.orgs.service import take_lane
from landbridge.wiring import wire
from tests.approvals.flow import UNITS, Status, World, make_world
from tests.db.test_lost_commits import Forgetful
from tests.tenants import SETTINGS, Tenant


@pytest.fixture
async def doubtful(dsn: str, org: Tenant) -> AsyncIterator[World]:
    """An organisation in a house that does everything twice."""
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    house = wire(SETTINGS, database, Clock(await take_lane(org.house.database)))
    sure = await make_world(org.house, org.house.database, org.org_id, units=UNITS)
    yield sure.through(house, database)
    await database.close()


async def test_votes_are_cast_once(doubtful: World) -> None:
    policy = Policy(threshold=2)
    at = doubtful.clock.stamp()
    await doubtful.approvals.set_policy(doubtful.org_id, policy, actor="test", at=at)
    approval = await doubtful.ask(doubtful.key())
    first = await doubtful.voting.approve(doubtful.member(), approval.id, "one")
    assert (first.status, first.for_it, first.version) == (Standing.PENDING, 1, 2)
    last = await doubtful.voting.approve(doubtful.member(), approval.id, "two")
    assert (last.status, last.for_it, last.version) == (Standing.APPROVED, 2, 3)
    assert await doubtful.again(approval) == last
    assert await doubtful.status(approval) == Status.CREATED
    assert await doubtful.balance() == (0, 0)
    assert await doubtful.told(approval) == [("ask", 1), ("vote", 2), ("approve", 3)]
    assert await doubtful.approvals.policy(doubtful.org_id) == policy


async def test_a_payment_is_rejected_once(doubtful: World) -> None:
    approval = await doubtful.ask(doubtful.key())
    after = await doubtful.voting.reject(doubtful.member(), approval.id, "no")
    assert (after.status, after.version) == (Standing.REJECTED, 2)
    assert await doubtful.balance() == (UNITS, 0)
    assert await doubtful.told(approval) == [("ask", 1), ("reject", 2)]


async def test_a_payment_lapses_once(doubtful: World) -> None:
    approval = await doubtful.ask(doubtful.key())
    assert await doubtful.lapse(approval, approval.expires_at)
    assert (await doubtful.again(approval)).status == Standing.EXPIRED
    assert await doubtful.balance() == (UNITS, 0)
    assert await doubtful.told(approval) == [("ask", 1), ("expire", 2)]


async def test_a_quote_that_is_too_dear_ends_a_payment_once(doubtful: World) -> None:
    approval = await doubtful.ask(doubtful.key())
    doubtful.flow.extra = 1
    after = await doubtful.voting.approve(doubtful.member(), approval.id, None)
    assert (after.status, await doubtful.status(approval)) == ("APPROVED", Status.QUOTE_FAILED)
    assert await doubtful.balance() == (UNITS, 0)
