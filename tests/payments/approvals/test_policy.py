"""Number of required votes, and who may cast them."""

import pytest

from landbridge.payments.approvals.model import ApprovalPolicy, ApprovalStatus, VoteChoice
from landbridge.platform.core.errors import FieldInvalid, RoleNotAllowed
from tests.payments.approvals.flow import Status, World, cast, policy

CHOICES = list(VoteChoice)


async def test_each_policy_change_is_recorded_once(world: World) -> None:
    assert await world.approvals.policy(world.org_id) == ApprovalPolicy()
    for threshold in (2, 2, 3):
        await policy(world, threshold)
    assert await world.approvals.policy(world.org_id) == ApprovalPolicy(threshold=3)
    rows = await world.database.rows(
        "select change_type, seq from changes where org_id = $1"
        " and kind = 'APPROVAL.POLICY' order by seq",
        world.org_id,
    )
    assert [(row["change_type"], row["seq"]) for row in rows] == [("set", 1), ("set", 2)]
    for threshold in (0, 21):
        with pytest.raises(FieldInvalid):
            await policy(world, threshold)


async def test_pending_approval_keeps_its_original_threshold(world: World) -> None:
    await policy(world, 2)
    approval = await world.request_payment(world.key())
    await policy(world, 1)
    later = await world.request_payment(world.key())
    assert (
        await world.voting.approve(world.member(), later.id, None)
    ).status == ApprovalStatus.APPROVED
    after = await world.voting.approve(world.member(), approval.id, None)
    assert (after.status, after.threshold) == (ApprovalStatus.PENDING, 2)


async def test_payment_continues_after_the_votes_of_the_policy(world: World) -> None:
    await policy(world, 3)
    approval = await world.request_payment(world.key())
    for count in (1, 2, 3):
        after = await world.voting.approve(world.member(), approval.id, None)
        assert (after.votes_for, after.status is ApprovalStatus.APPROVED) == (count, count == 3)
        # Only the last vote needs the values that a flow computes for an approval.
        assert world.flow.approved_calls == (count == 3)
    assert await world.status(approval) == Status.CREATED
    assert await world.changes(approval) == [("ask", 1), ("vote", 2), ("vote", 3), ("approve", 4)]


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("needs_second", [False, True])
async def test_key_decides_alone_unless_a_second_approver_is_required(
    world: World, choice: VoteChoice, *, needs_second: bool
) -> None:
    await policy(world, needs_second=needs_second)
    maker = world.key()
    approval = await world.request_payment(maker)
    # The policy at the time of the request applies.
    await policy(world, needs_second=not needs_second)
    if needs_second:
        with pytest.raises(RoleNotAllowed, match="that they requested"):
            await cast(world, maker, approval.id, choice)
        await cast(world, world.key(), approval.id, choice)
    else:
        await cast(world, maker, approval.id, choice)
    assert (await world.again(approval)).status is not ApprovalStatus.PENDING
