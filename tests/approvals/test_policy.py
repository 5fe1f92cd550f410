"""How many votes a payment needs, and whose."""

import pytest

from landbridge.approvals.model import Choice, Policy
from landbridge.approvals.model import Status as Standing
from landbridge.core.errors import (
    FieldInvalid,
    RoleNotAllowed,
)
from tests.approvals.flow import Status, World, cast, policy

CHOICES = list(Choice)


async def test_a_policy_is_told_once_each_time_it_changes(world: World) -> None:
    assert await world.approvals.policy(world.org_id) == Policy()
    for threshold in (2, 2, 3):
        await policy(world, threshold)
    assert await world.approvals.policy(world.org_id) == Policy(threshold=3)
    rows = await world.database.rows(
        "select what, seq from changes where org_id = $1 and kind = 'APPROVAL.POLICY' order by seq",
        world.org_id,
    )
    assert [(row["what"], row["seq"]) for row in rows] == [("set", 1), ("set", 2)]
    for threshold in (0, 21):
        with pytest.raises(FieldInvalid):
            await policy(world, threshold)


async def test_what_waits_keeps_the_threshold_that_it_was_asked_under(world: World) -> None:
    await policy(world, 2)
    approval = await world.ask(world.key())
    await policy(world, 1)
    later = await world.ask(world.key())
    assert (await world.voting.approve(world.member(), later.id, None)).status == Standing.APPROVED
    after = await world.voting.approve(world.member(), approval.id, None)
    assert (after.status, after.threshold) == (Standing.PENDING, 2)


async def test_as_many_votes_as_the_policy_says_let_a_payment_go_on(world: World) -> None:
    await policy(world, 3)
    approval = await world.ask(world.key())
    for count in (1, 2, 3):
        after = await world.voting.approve(world.member(), approval.id, None)
        assert (after.for_it, after.status is Standing.APPROVED) == (count, count == 3)
        # What a flow computes for an approval is asked for by the last vote alone.
        assert world.flow.approved_calls == (count == 3)
    assert await world.status(approval) == Status.CREATED
    assert await world.told(approval) == [("ask", 1), ("vote", 2), ("vote", 3), ("approve", 4)]


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("needs_second", [False, True])
async def test_a_key_decides_on_its_own_unless_a_second_approver_is_asked_for(
    world: World, choice: Choice, *, needs_second: bool
) -> None:
    await policy(world, needs_second=needs_second)
    maker = world.key()
    approval = await world.ask(maker)
    # The policy that counts is the one of when it was asked.
    await policy(world, needs_second=not needs_second)
    if needs_second:
        with pytest.raises(RoleNotAllowed, match="themselves"):
            await cast(world, maker, approval.id, choice)
        await cast(world, world.key(), approval.id, choice)
    else:
        await cast(world, maker, approval.id, choice)
    assert (await world.again(approval)).status is not Standing.PENDING
