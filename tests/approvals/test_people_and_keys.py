"""Who made a key is one person with it: no payment is asked for and approved by one alone."""

from dataclasses import replace

import pytest

from landbridge.approvals.model import Choice
from landbridge.approvals.model import Status as Standing
from landbridge.core.errors import ResourceConflict, RoleNotAllowed
from landbridge.web.caller import Caller, Role
from tests.approvals.flow import World, cast, policy
from tests.tenants import Tenant

CHOICES = list(Choice)


async def key_of(org: Tenant, maker: Caller) -> Caller:
    """A key that this admin made."""
    key, _ = await org.house.orgs.create_key_for(
        maker, name="mine", expires_at=None, can_approve=True
    )
    return replace(org.caller, key_id=key.id, can_approve=True)


@pytest.mark.parametrize("choice", CHOICES)
async def test_nobody_decides_by_a_key_on_what_they_asked_for(
    world: World, still_org: Tenant, choice: Choice
) -> None:
    admin = world.member()
    key = await key_of(still_org, admin)
    approval = await world.ask(admin)
    with pytest.raises(RoleNotAllowed, match="asked for themselves"):
        await cast(world, key, approval.id, choice)
    assert await world.again(approval) == approval
    await cast(world, await key_of(still_org, world.member()), approval.id, choice)


async def test_a_key_that_was_made_as_an_admin_counts_after_that(
    world: World, still_org: Tenant
) -> None:
    admin = world.member()
    key = await key_of(still_org, admin)
    assert admin.member is not None
    demoted = replace(admin, member=replace(admin.member, role=Role.MEMBER))
    approval = await world.ask(demoted)
    with pytest.raises(RoleNotAllowed):
        await world.voting.approve(key, approval.id, None)


@pytest.mark.parametrize("is_key_first", [True, False])
@pytest.mark.parametrize("choice", CHOICES)
async def test_nobody_votes_twice_by_a_key(
    world: World, still_org: Tenant, choice: Choice, *, is_key_first: bool
) -> None:
    await policy(world, 2)
    admin = world.member()
    voters = [admin, await key_of(still_org, admin)]
    first, second = reversed(voters) if is_key_first else voters
    approval = await world.ask(world.member(Role.MEMBER))
    after = await world.voting.approve(first, approval.id, None)
    assert after.status is Standing.PENDING
    with pytest.raises(ResourceConflict, match="have voted"):
        await cast(world, second, approval.id, choice)
    # Nor with another key of theirs.
    with pytest.raises(ResourceConflict, match="have voted"):
        await cast(world, await key_of(still_org, admin), approval.id, choice)
    assert await world.again(approval) == after
    decided = await world.voting.approve(world.member(), approval.id, None)
    assert decided.status is Standing.APPROVED


async def test_what_a_key_asks_for_its_maker_decides_unless_it_takes_a_second(
    world: World, still_org: Tenant
) -> None:
    admin = world.member()
    key = await key_of(still_org, admin)
    for needs_second in (False, True):
        await policy(world, 1, needs_second=needs_second)
        approval = await world.ask(key)
        for voter in (admin, await key_of(still_org, admin)) if needs_second else ():
            with pytest.raises(RoleNotAllowed):
                await world.voting.approve(voter, approval.id, None)
        decider = world.member() if needs_second else admin
        assert (await world.voting.approve(decider, approval.id, None)).status is Standing.APPROVED


async def test_keys_of_the_command_line_are_nobodys(world: World, still_org: Tenant) -> None:
    await policy(world, 2)
    approval = await world.ask(world.member(Role.MEMBER))
    made = [
        await still_org.house.orgs.create_key(
            still_org.org_id, "cli", expires_at=None, can_approve=True
        )
        for _ in range(2)
    ]
    for key, _ in made:
        caller = replace(still_org.caller, key_id=key.id, can_approve=True)
        approval = await world.voting.approve(caller, approval.id, None)
    assert approval.status is Standing.APPROVED
