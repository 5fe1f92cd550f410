"""A key counts as its creator: nobody requests and approves a payment alone."""

from dataclasses import replace

import pytest

from landbridge.payments.approvals.model import ApprovalStatus, VoteChoice
from landbridge.platform.core.errors import ResourceConflict, RoleNotAllowed
from landbridge.platform.http.caller import Caller, KeyScope, MemberRole
from tests.customers.team.people import store_member
from tests.payments.approvals.flow import World, cast, policy
from tests.tenants import Tenant

CHOICES = list(VoteChoice)


async def key_of(org: Tenant, maker: Caller) -> Caller:
    """Return a key that this admin created."""
    await store_member(org, maker)
    key, _ = await org.container.orgs.create_key_for(
        maker, name="mine", expires_at=None, scopes=[KeyScope.APPROVE]
    )
    return replace(org.caller, key_id=key.id, can_approve=True)


@pytest.mark.parametrize("choice", CHOICES)
async def test_requester_cannot_decide_with_a_key(
    world: World, still_org: Tenant, choice: VoteChoice
) -> None:
    admin = world.member()
    key = await key_of(still_org, admin)
    approval = await world.request_payment(admin)
    with pytest.raises(RoleNotAllowed, match="that they requested"):
        await cast(world, key, approval.id, choice)
    assert await world.again(approval) == approval
    await cast(world, await key_of(still_org, world.member()), approval.id, choice)


async def test_demoted_admins_key_cannot_approve_their_request(
    world: World, still_org: Tenant
) -> None:
    admin = world.member()
    key = await key_of(still_org, admin)
    assert admin.member is not None
    demoted = replace(admin, member=replace(admin.member, role=MemberRole.MEMBER))
    approval = await world.request_payment(demoted)
    with pytest.raises(RoleNotAllowed):
        await world.voting.approve(key, approval.id, None)


@pytest.mark.parametrize("is_key_first", [True, False])
@pytest.mark.parametrize("choice", CHOICES)
async def test_person_cannot_vote_twice_with_a_key(
    world: World, still_org: Tenant, choice: VoteChoice, *, is_key_first: bool
) -> None:
    await policy(world, 2)
    admin = world.member()
    voters = [admin, await key_of(still_org, admin)]
    first, second = reversed(voters) if is_key_first else voters
    approval = await world.request_payment(world.member(MemberRole.MEMBER))
    after = await world.voting.approve(first, approval.id, None)
    assert after.status is ApprovalStatus.PENDING
    with pytest.raises(ResourceConflict, match="have voted"):
        await cast(world, second, approval.id, choice)
    # The same person is refused with another key of theirs as well.
    with pytest.raises(ResourceConflict, match="have voted"):
        await cast(world, await key_of(still_org, admin), approval.id, choice)
    assert await world.again(approval) == after
    decided = await world.voting.approve(world.member(), approval.id, None)
    assert decided.status is ApprovalStatus.APPROVED


async def test_creator_decides_on_a_key_request_unless_a_second_approver_is_required(
    world: World, still_org: Tenant
) -> None:
    admin = world.member()
    key = await key_of(still_org, admin)
    for needs_second in (False, True):
        await policy(world, 1, needs_second=needs_second)
        approval = await world.request_payment(key)
        for voter in (admin, await key_of(still_org, admin)) if needs_second else ():
            with pytest.raises(RoleNotAllowed):
                await world.voting.approve(voter, approval.id, None)
        decider = world.member() if needs_second else admin
        assert (
            await world.voting.approve(decider, approval.id, None)
        ).status is ApprovalStatus.APPROVED


async def test_keys_of_the_command_line_have_no_owner(world: World, still_org: Tenant) -> None:
    await policy(world, 2)
    approval = await world.request_payment(world.member(MemberRole.MEMBER))
    created = [
        await still_org.container.orgs.create_key(
            still_org.org_id, "cli", expires_at=None, scopes=[KeyScope.APPROVE]
        )
        for _ in range(2)
    ]
    for key, _ in created:
        caller = replace(still_org.caller, key_id=key.id, can_approve=True)
        approval = await world.voting.approve(caller, approval.id, None)
    assert approval.status is ApprovalStatus.APPROVED
