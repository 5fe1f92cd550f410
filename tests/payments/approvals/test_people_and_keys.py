"""A key counts as its creator: nobody requests and approves a payment alone."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from typing_extensions import override

from landbridge.ledger.model import AdvanceTransfer, Transfer
from landbridge.payments.approvals.model import ApprovalStatus, VoteChoice
from landbridge.platform.core.errors import ResourceConflict, RoleNotAllowed
from landbridge.platform.http.caller import Caller, KeyScope, MemberRole
from tests.customers.team.people import store_member
from tests.payments.approvals.flow import KIND, Payments, Status, World, cast, clock_of, policy
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


async def test_votes_of_former_admins_do_not_count(world: World, still_org: Tenant) -> None:
    await policy(world, 2)
    team, admin = still_org.container.team, world.member()
    leaving, demoted = world.member(), world.member()
    for each in (admin, leaving, demoted):
        await store_member(still_org, each)
    approval = await world.request_payment(world.member(MemberRole.MEMBER))
    for each, change in (
        (leaving, lambda: team.remove(admin, leaving.id)),
        (demoted, lambda: team.change_role(admin, demoted.id, MemberRole.MEMBER)),
    ):
        assert (await world.voting.approve(each, approval.id, None)).votes_for == 1
        await change()
        assert (await world.again(approval)).votes_for == 0
        with pytest.raises(RoleNotAllowed, match="no longer"):
            await world.voting.approve(each, approval.id, None)
    approval = await world.voting.approve(admin, approval.id, None)
    assert (approval.status, approval.votes_for) == (ApprovalStatus.PENDING, 1)
    approval = await world.voting.approve(world.member(), approval.id, None)
    assert approval.status is ApprovalStatus.APPROVED
    assert len((await world.again(approval)).votes) == 4


async def test_a_vote_that_counts_again_may_complete_an_approval(
    world: World, still_org: Tenant
) -> None:
    """With two admins nobody else could have decided it."""
    await policy(world, 2)
    team, admin, other = still_org.container.team, world.member(), world.member()
    for each in (admin, other):
        await store_member(still_org, each)
    approval = await world.request_payment(world.member(MemberRole.MEMBER))
    await world.voting.approve(other, approval.id, None)
    await team.change_role(admin, other.id, MemberRole.MEMBER)
    approval = await world.voting.approve(admin, approval.id, None)
    assert (approval.status, approval.votes_for) == (ApprovalStatus.PENDING, 1)
    with pytest.raises(ResourceConflict, match="voted on this already"):
        await world.voting.approve(admin, approval.id, None)
    await team.change_role(admin, other.id, MemberRole.ADMIN)
    assert (await world.again(approval)).votes_for == 2
    with pytest.raises(ResourceConflict, match="voted on this already"):
        await world.voting.reject(admin, approval.id, None)
    approval = await world.voting.approve(admin, approval.id, None)
    assert (approval.status, len(approval.votes)) == (ApprovalStatus.APPROVED, 2)
    assert await world.again(approval) == approval


async def test_vote_of_an_admin_removed_during_the_last_vote_does_not_count(
    world: World, still_org: Tenant
) -> None:
    await policy(world, 2)
    admin, leaving = world.member(), world.member()
    for each in (admin, leaving):
        await store_member(still_org, each)
    approval = await world.request_payment(world.member(MemberRole.MEMBER))
    await world.voting.approve(leaving, approval.id, None)

    class RemovingPayments(Payments):
        """Flow in which the first voter is removed after the votes were read."""

        @override
        async def approved(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
            await still_org.container.team.remove(admin, leaving.id)
            return await super().approved(record, actor=actor, at=at)

    voting = replace(world.voting, deciders={KIND: RemovingPayments()})
    after = await voting.approve(admin, approval.id, None)
    assert (after.status, after.votes_for) == (ApprovalStatus.PENDING, 1)
    assert await world.status(approval) == Status.PENDING_APPROVAL


async def test_votes_of_revoked_keys_do_not_count(world: World, still_org: Tenant) -> None:
    await policy(world, 2)
    orgs = still_org.container.orgs
    approval = await world.request_payment(world.member(MemberRole.MEMBER))
    key, _ = await orgs.create_key(
        still_org.org_id, "cli", expires_at=None, scopes=[KeyScope.APPROVE]
    )
    caller = replace(still_org.caller, key_id=key.id, can_approve=True)
    assert (await world.voting.approve(caller, approval.id, None)).votes_for == 1
    await orgs.revoke_key(still_org.org_id, key.id)
    approval = await world.voting.approve(world.member(), approval.id, None)
    assert (approval.status, approval.votes_for) == (ApprovalStatus.PENDING, 1)


async def test_votes_of_expired_keys_do_not_count(world: World, still_org: Tenant) -> None:
    await policy(world, 2)
    approval = await world.request_payment(world.member(MemberRole.MEMBER))
    expires_at = world.clock.now() + timedelta(hours=1)
    key, _ = await still_org.container.orgs.create_key(
        still_org.org_id, "cli", expires_at=expires_at, scopes=[KeyScope.APPROVE]
    )
    caller = replace(still_org.caller, key_id=key.id, can_approve=True)
    assert (await world.voting.approve(caller, approval.id, None)).votes_for == 1
    clock_of(world).at += timedelta(hours=1)
    assert (await world.again(approval)).votes_for == 0
    with pytest.raises(RoleNotAllowed, match="no longer"):
        await world.voting.approve(caller, approval.id, None)
    approval = await world.voting.approve(world.member(), approval.id, None)
    assert (approval.status, approval.votes_for) == (ApprovalStatus.PENDING, 1)


async def test_a_member_who_is_admin_again_has_one_vote_with_their_key(
    world: World, still_org: Tenant
) -> None:
    await policy(world, 2)
    team, other, admin = still_org.container.team, world.member(), world.member()
    await store_member(still_org, other)
    key = await key_of(still_org, admin)
    approval = await world.request_payment(world.member(MemberRole.MEMBER))
    await world.voting.approve(admin, approval.id, None)
    await team.change_role(other, admin.id, MemberRole.MEMBER, kept_keys=[key.id])
    await world.voting.approve(key, approval.id, None)
    await team.change_role(other, admin.id, MemberRole.ADMIN)
    assert (await world.again(approval)).votes_for == 1
    approval = await world.voting.approve(other, approval.id, None)
    assert approval.status is ApprovalStatus.APPROVED
