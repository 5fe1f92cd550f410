"""Who may decide on a payment, when, and what comes of it."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from landbridge.approvals.model import OFFRAMP_LIFETIME, ON_CHAIN_LIFETIME, Choice
from landbridge.approvals.model import Status as Standing
from landbridge.core.errors import (
    Broken,
    Busy,
    ProfileFrozen,
    Refused,
    ResourceConflict,
    ResourceNotFound,
    RoleNotAllowed,
)
from landbridge.core.ids import new_id
from landbridge.db.pool import Tx
from landbridge.ledger.errors import InsufficientBalance
from landbridge.web.caller import Caller, Member, Role
from tests.approvals.flow import UNITS, Status, World, cast, clock_of, policy
from tests.tenants import Tenant

Who = Callable[[World], Caller]
CHOICES = list(Choice)


async def test_a_payment_waits_with_its_money_held(world: World) -> None:
    maker = world.key()
    approval = await world.ask(maker)
    assert (approval.status, approval.initiator_id) == (Standing.PENDING, maker.id)
    assert not approval.is_from_dashboard
    assert approval.expires_at == approval.created_at + ON_CHAIN_LIFETIME
    assert await world.balance() == (2 * UNITS, UNITS)
    assert await world.told(approval) == [("ask", 1)]


async def test_a_payment_that_the_wallet_can_not_hold_asks_for_nothing(world: World) -> None:
    with pytest.raises(InsufficientBalance):
        await world.ask(world.key(), units=3 * UNITS + 1)
    assert not await world.voting.page(world.key(), limit=10, offset=0)


async def test_a_record_that_is_due_at_another_time_is_a_fault(world: World) -> None:
    with pytest.raises(Broken, match="due when that lapses"):
        await world.ask(world.key(), lifetime=OFFRAMP_LIFETIME, due_in=ON_CHAIN_LIFETIME)
    assert await world.balance() == (3 * UNITS, 0)


async def test_one_vote_for_it_lets_a_payment_go_on(world: World) -> None:
    approval = await world.ask(world.member(Role.MEMBER))
    admin = world.member()
    after = await world.voting.approve(admin, approval.id, " looks right ")
    assert after == await world.again(approval)
    assert (after.status, after.is_from_dashboard) == (Standing.APPROVED, True)
    (vote,) = after.votes
    assert (vote.approver_id, vote.choice, vote.comment) == (
        admin.id,
        Choice.APPROVE,
        "looks right",
    )
    record = await world.record(approval)
    assert (record.status, record.due_at) == (Status.CREATED, None)
    assert await world.balance() == (2 * UNITS, 0)
    assert await world.told(approval) == [("ask", 1), ("approve", 2)]
    rows = await world.database.rows(
        "select what, actor from changes where org_id = $1 and object_id = $2 order by seq",
        *(world.org_id, record.id),
    )
    assert [(row["what"], row["actor"]) for row in rows][1:] == [("approve", admin.actor)]


async def test_one_vote_against_it_ends_a_payment(world: World) -> None:
    await policy(world, 3)
    approval = await world.ask(world.key())
    await world.voting.approve(world.member(), approval.id, None)
    after = await world.voting.reject(world.key(), approval.id, None)
    assert (after.status, await world.status(approval)) == (Standing.REJECTED, Status.REJECTED)
    assert await world.balance() == (3 * UNITS, 0)
    assert await world.told(approval) == [("ask", 1), ("vote", 2), ("reject", 3)]


NOBODIES: dict[str, tuple[Who, type[Refused]]] = {
    "a key that is no approver's": (lambda w: w.key(can_approve=False), RoleNotAllowed),
    "a member": (lambda w: w.member(Role.MEMBER), RoleNotAllowed),
    "an analyst": (lambda w: w.member(Role.ANALYST), RoleNotAllowed),
    "a frozen key": (lambda w: w.key(is_org_frozen=True), ProfileFrozen),
    "a frozen admin": (lambda w: w.member(is_org_frozen=True), ProfileFrozen),
}


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("name", NOBODIES)
async def test_others_decide_nothing(world: World, name: str, choice: Choice) -> None:
    who, refusal = NOBODIES[name]
    approval = await world.ask(world.key())
    with pytest.raises(refusal):
        await cast(world, who(world), approval.id, choice)
    assert await world.again(approval) == approval


@pytest.mark.parametrize("name", NOBODIES)
async def test_the_queue_is_for_approvers(world: World, name: str) -> None:
    who, refusal = NOBODIES[name]
    approval = await world.ask(world.key())
    if refusal is ProfileFrozen:  # who may look at all may look still
        assert await world.voting.page(who(world), limit=10, offset=0) == [approval]
    else:
        with pytest.raises(RoleNotAllowed):
            await world.voting.page(who(world), limit=10, offset=0)
    assert await world.voting.get(who(world), approval.id) == approval


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("role", Role)
async def test_no_member_decides_on_what_they_asked_for(
    world: World, role: Role, choice: Choice
) -> None:
    maker = world.member(role)
    approval = await world.ask(maker)
    # Not even once they are an admin: the role is the one of now, the request is theirs for good.
    promoted = replace(maker, member=Member(maker.id, Role.ADMIN))
    with pytest.raises(RoleNotAllowed, match="themselves"):
        await cast(world, promoted, approval.id, choice)
    assert await world.again(approval) == approval


@pytest.mark.parametrize("second", CHOICES)
@pytest.mark.parametrize("first", CHOICES)
@pytest.mark.parametrize("threshold", [1, 2])
async def test_nobody_votes_twice(
    world: World, threshold: int, first: Choice, second: Choice
) -> None:
    await policy(world, threshold)
    approval, admin = await world.ask(world.key()), world.member()
    after = await cast(world, admin, approval.id, first)
    with pytest.raises(ResourceConflict):
        await cast(world, admin, approval.id, second)
    assert await world.again(approval) == after


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("end", ["APPROVED", "REJECTED", "EXPIRED"])
async def test_what_is_decided_stays_so(world: World, end: str, choice: Choice) -> None:
    approval = await world.ask(world.key())
    match end:
        case "APPROVED":
            await world.voting.approve(world.member(), approval.id, None)
        case "REJECTED":
            await world.voting.reject(world.member(), approval.id, None)
        case _:
            clock_of(world).at = approval.expires_at
            assert await world.lapse(approval, world.clock.stamp())
    decided = await world.again(approval)
    assert decided.status == end
    with pytest.raises(ResourceConflict):
        await cast(world, world.member(), approval.id, choice)
    assert not await world.lapse(approval, approval.expires_at + timedelta(days=1))
    assert await world.again(approval) == decided


@pytest.mark.parametrize("lifetime", [ON_CHAIN_LIFETIME, OFFRAMP_LIFETIME])
@pytest.mark.parametrize("choice", CHOICES)
async def test_at_the_deadline_time_has_decided(
    world: World, choice: Choice, lifetime: timedelta
) -> None:
    approval = await world.ask(world.key(), lifetime=lifetime)
    assert approval.expires_at == approval.created_at + lifetime
    last = approval.expires_at - timedelta(microseconds=1)
    assert not await world.lapse(approval, last)
    clock_of(world).at = approval.expires_at
    # A vote comes to nothing even if the worker has not looked yet.
    with pytest.raises(ResourceConflict, match="lapsed"):
        await cast(world, world.member(), approval.id, choice)
    assert await world.balance() == (2 * UNITS, UNITS)
    assert await world.lapse(approval, approval.expires_at)
    after = await world.again(approval)
    assert (after.status, after.votes) == (Standing.EXPIRED, ())
    assert await world.status(approval) == Status.EXPIRED
    assert await world.balance() == (3 * UNITS, 0)
    assert await world.told(approval) == [("ask", 1), ("expire", 2)]


async def test_a_record_that_is_due_is_not_moved_by_votes(world: World) -> None:
    """Also if the two rows should ever differ, the record's own due time is kept to."""
    approval = await world.ask(world.key())
    await world.database.rows(
        "update transfers set due_at = $3 where org_id = $1 and id = $2",
        *(world.org_id, approval.transfer_id, approval.created_at),
    )
    for verb in (world.voting.approve, world.voting.reject):
        with pytest.raises(Busy):
            await verb(world.member(), approval.id, None)
    assert await world.again(approval) == approval


async def test_time_is_the_organisations(world: World) -> None:
    approval = await world.ask(world.key())
    ahead = Caller(
        world.org_id, new_id(), ON_CHAIN_LIFETIME + timedelta(seconds=1), can_approve=True
    )
    with pytest.raises(ResourceConflict, match="lapsed"):
        await world.voting.approve(ahead, approval.id, None)


@pytest.mark.parametrize("choice", CHOICES)
async def test_nobody_votes_while_a_payment_is_in_review(world: World, choice: Choice) -> None:
    approval = await world.ask(world.key())
    await world.review(approval)
    with pytest.raises(ResourceConflict, match="in review"):
        await cast(world, world.member(), approval.id, choice)
    assert await world.again(approval) == approval
    await world.review(approval, back=True)
    await cast(world, world.member(), approval.id, choice)


async def test_an_approval_lapses_also_in_review(world: World) -> None:
    approval = await world.ask(world.key())
    await world.review(approval)
    assert await world.lapse(approval, approval.expires_at)
    assert (await world.again(approval)).status == Standing.EXPIRED
    assert await world.balance() == (3 * UNITS, 0)


async def test_nobody_votes_on_a_payment_that_ended_otherwise(world: World) -> None:
    approval = await world.ask(world.key())
    await world.review(approval)
    record = await world.record(approval)
    at = world.clock.stamp()

    async def cancel(tx: Tx) -> None:
        # As a flow cancels: the approval goes first, then the record.
        await world.approvals.withdraw_in(tx, world.org_id, record.id, actor="test", at=at)

    for _ in range(2):
        await world.database.transact(cancel)
    after = await world.again(approval)
    assert after.status == Standing.EXPIRED
    assert await world.told(approval) == [("ask", 1), ("withdraw", 2)]
    with pytest.raises(ResourceConflict, match="withdrawn: the payment was cancelled"):
        await world.voting.approve(world.member(), approval.id, None)


async def test_a_quote_that_takes_more_than_the_wallet_has_ends_the_payment(world: World) -> None:
    approval = await world.ask(world.key())
    world.flow.extra = 2 * UNITS + 1
    after = await world.voting.approve(world.member(), approval.id, None)
    assert (after.status, await world.status(approval)) == (Standing.APPROVED, Status.QUOTE_FAILED)
    assert await world.balance() == (3 * UNITS, 0)


async def test_a_quote_that_takes_more_is_taken_if_it_is_there(world: World) -> None:
    approval = await world.ask(world.key())
    world.flow.extra = 2 * UNITS
    await world.voting.approve(world.member(), approval.id, None)
    assert await world.status(approval) == Status.CREATED
    assert await world.balance() == (0, 0)


async def test_a_payment_without_a_price_ends_when_it_is_approved(world: World) -> None:
    approval = await world.ask(world.key())
    world.flow.has_price = False
    after = await world.voting.approve(world.member(), approval.id, None)
    assert (after.status, await world.status(approval)) == (Standing.APPROVED, Status.QUOTE_FAILED)
    assert await world.balance() == (3 * UNITS, 0)


TAMPERED = {
    "amount": "update transfers set source_units = 2 where org_id = $1 and id = $2",
    "arrival": "update transfers set destination_units = 2 where org_id = $1 and id = $2",
    "asset": "update transfers set source_asset = 'usdc:BASE' where org_id = $1 and id = $2",
    "request": """update transfers set request = request || '{"amount": "7"}'
        where org_id = $1 and id = $2""",
    "destination": """update transfers set details = details || '{"toAddress": "0xdef"}'
        where org_id = $1 and id = $2""",
    "user": "update transfers set user_id = org_id where org_id = $1 and id = $2",
}


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("what", TAMPERED)
async def test_nobody_decides_on_anything_but_what_was_asked(
    world: World, logged: Callable[[], str], what: str, choice: Choice
) -> None:
    approval = await world.ask(world.key())
    await world.database.rows(TAMPERED[what], world.org_id, approval.transfer_id)
    with pytest.raises(ResourceConflict, match="not the one that was asked for"):
        await cast(world, world.member(), approval.id, choice)
    assert await world.again(approval) == approval
    assert await world.status(approval) == Status.PENDING_APPROVAL
    assert "approvals.tampered" in logged()


async def test_an_approval_of_another_organisation_is_unknown(
    world: World, other_org: Tenant
) -> None:
    approval = await world.ask(world.key())
    stranger = Caller(other_org.org_id, new_id(), timedelta(), can_approve=True)
    for verb in (world.voting.approve, world.voting.reject):
        for approval_id in (approval.id, new_id()):
            with pytest.raises(ResourceNotFound):
                await verb(stranger, approval_id, None)
    with pytest.raises(ResourceNotFound):
        await world.voting.get(stranger, approval.id)
    assert not await world.voting.page(stranger, limit=10, offset=0)
    assert not await world.approvals.of(other_org.org_id, [approval.transfer_id])


async def test_the_queue_has_pages_newest_first(world: World) -> None:
    made = [await world.ask(world.key(), units=1) for _ in range(5)]
    await world.voting.approve(world.member(), made[2].id, None)
    made.pop(2)
    made.reverse()
    for offset in range(6):
        page = await world.voting.page(world.key(), limit=2, offset=offset)
        assert page == made[offset : offset + 2]


async def test_the_same_person_at_once_votes_once(world: World) -> None:
    await policy(world, 2)
    approval, admin = await world.ask(world.key()), world.member()
    came = await asyncio.gather(
        *(world.voting.approve(admin, approval.id, None) for _ in range(8)), return_exceptions=True
    )
    assert Counter(type(each).__name__ for each in came) == {"Approval": 1, "ResourceConflict": 7}
    after = await world.again(approval)
    assert (after.for_it, after.status) == (1, Standing.PENDING)
