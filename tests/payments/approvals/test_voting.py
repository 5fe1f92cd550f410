"""Who may decide on a payment, when, and with which result."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from landbridge.ledger.errors import InsufficientBalance
from landbridge.payments.approvals.model import (
    OFFRAMP_LIFETIME,
    ON_CHAIN_LIFETIME,
    ApprovalStatus,
    VoteChoice,
)
from landbridge.platform.core.errors import (
    Busy,
    InvariantBroken,
    ProfileFrozen,
    Refused,
    ResourceConflict,
    ResourceNotFound,
    RoleNotAllowed,
)
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Tx
from landbridge.platform.http.caller import Caller, MemberRole, SignedInMember
from tests.payments.approvals.flow import UNITS, Status, World, cast, clock_of, policy
from tests.tenants import Tenant

Who = Callable[[World], Caller]
CHOICES = list(VoteChoice)


async def test_pending_payment_holds_its_funds(world: World) -> None:
    maker = world.key()
    approval = await world.request_payment(maker)
    assert (approval.status, approval.initiator_id) == (ApprovalStatus.PENDING, maker.id)
    assert not approval.is_from_dashboard
    assert approval.expires_at == approval.created_at + ON_CHAIN_LIFETIME
    assert await world.balance() == (2 * UNITS, UNITS)
    assert await world.changes(approval) == [("ask", 1)]


async def test_payment_with_insufficient_balance_creates_no_approval(world: World) -> None:
    with pytest.raises(InsufficientBalance):
        await world.request_payment(world.key(), units=3 * UNITS + 1)
    assert not await world.voting.page(world.key(), limit=10, offset=0)


async def test_record_with_another_due_time_is_a_bug(world: World) -> None:
    with pytest.raises(InvariantBroken, match="due when the approval expires"):
        await world.request_payment(
            world.key(), lifetime=OFFRAMP_LIFETIME, due_in=ON_CHAIN_LIFETIME
        )
    assert await world.balance() == (3 * UNITS, 0)


async def test_one_approval_continues_a_payment(world: World) -> None:
    approval = await world.request_payment(world.member(MemberRole.MEMBER))
    admin = world.member()
    after = await world.voting.approve(admin, approval.id, " looks right ")
    assert after == await world.again(approval)
    assert (after.status, after.is_from_dashboard) == (ApprovalStatus.APPROVED, True)
    (vote,) = after.votes
    assert (vote.approver_id, vote.choice, vote.comment) == (
        admin.id,
        VoteChoice.APPROVE,
        "looks right",
    )
    record = await world.record(approval)
    assert (record.status, record.due_at) == (Status.CREATED, None)
    assert await world.balance() == (2 * UNITS, 0)
    assert await world.changes(approval) == [("ask", 1), ("approve", 2)]
    rows = await world.database.rows(
        "select change_type, actor from changes where org_id = $1 and object_id = $2 order by seq",
        *(world.org_id, record.id),
    )
    assert [(row["change_type"], row["actor"]) for row in rows][1:] == [("approve", admin.actor)]


async def test_one_rejection_fails_a_payment(world: World) -> None:
    await policy(world, 3)
    approval = await world.request_payment(world.key())
    await world.voting.approve(world.member(), approval.id, None)
    after = await world.voting.reject(world.key(), approval.id, None)
    assert (after.status, await world.status(approval)) == (
        ApprovalStatus.REJECTED,
        Status.REJECTED,
    )
    assert await world.balance() == (3 * UNITS, 0)
    assert await world.changes(approval) == [("ask", 1), ("vote", 2), ("reject", 3)]


NOBODIES: dict[str, tuple[Who, type[Refused]]] = {
    "a key that is no approver's": (lambda w: w.key(can_approve=False), RoleNotAllowed),
    "a member": (lambda w: w.member(MemberRole.MEMBER), RoleNotAllowed),
    "an analyst": (lambda w: w.member(MemberRole.ANALYST), RoleNotAllowed),
    "a frozen key": (lambda w: w.key(is_org_frozen=True), ProfileFrozen),
    "a frozen admin": (lambda w: w.member(is_org_frozen=True), ProfileFrozen),
}


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("name", NOBODIES)
async def test_unauthorised_vote_is_refused(world: World, name: str, choice: VoteChoice) -> None:
    voter, refusal = NOBODIES[name]
    approval = await world.request_payment(world.key())
    with pytest.raises(refusal):
        await cast(world, voter(world), approval.id, choice)
    assert await world.again(approval) == approval


@pytest.mark.parametrize("name", NOBODIES)
async def test_queue_is_for_approvers_only(world: World, name: str) -> None:
    voter, refusal = NOBODIES[name]
    approval = await world.request_payment(world.key())
    if refusal is ProfileFrozen:  # readers may still read
        assert await world.voting.page(voter(world), limit=10, offset=0) == [approval]
    else:
        with pytest.raises(RoleNotAllowed):
            await world.voting.page(voter(world), limit=10, offset=0)
    assert await world.voting.get(voter(world), approval.id) == approval


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("role", MemberRole)
async def test_requester_cannot_decide(world: World, role: MemberRole, choice: VoteChoice) -> None:
    maker = world.member(role)
    approval = await world.request_payment(maker)
    # Not even after becoming an admin: the current role counts, but the request remains theirs.
    promoted = replace(maker, member=SignedInMember(maker.id, MemberRole.ADMIN))
    with pytest.raises(RoleNotAllowed, match="that they requested"):
        await cast(world, promoted, approval.id, choice)
    assert await world.again(approval) == approval


@pytest.mark.parametrize("second", CHOICES)
@pytest.mark.parametrize("first", CHOICES)
@pytest.mark.parametrize("threshold", [1, 2])
async def test_second_vote_of_a_person_is_refused(
    world: World, threshold: int, first: VoteChoice, second: VoteChoice
) -> None:
    await policy(world, threshold)
    approval, admin = await world.request_payment(world.key()), world.member()
    after = await cast(world, admin, approval.id, first)
    with pytest.raises(ResourceConflict):
        await cast(world, admin, approval.id, second)
    assert await world.again(approval) == after


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("end", ["APPROVED", "REJECTED", "EXPIRED"])
async def test_decision_is_final(world: World, end: str, choice: VoteChoice) -> None:
    approval = await world.request_payment(world.key())
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
async def test_vote_after_the_deadline_is_refused(
    world: World, choice: VoteChoice, lifetime: timedelta
) -> None:
    approval = await world.request_payment(world.key(), lifetime=lifetime)
    assert approval.expires_at == approval.created_at + lifetime
    last = approval.expires_at - timedelta(microseconds=1)
    assert not await world.lapse(approval, last)
    clock_of(world).at = approval.expires_at
    # A late vote has no effect, even before the worker expires the approval.
    with pytest.raises(ResourceConflict, match="expired without a decision"):
        await cast(world, world.member(), approval.id, choice)
    assert await world.balance() == (2 * UNITS, UNITS)
    assert await world.lapse(approval, approval.expires_at)
    after = await world.again(approval)
    assert (after.status, after.votes) == (ApprovalStatus.EXPIRED, ())
    assert await world.status(approval) == Status.EXPIRED
    assert await world.balance() == (3 * UNITS, 0)
    assert await world.changes(approval) == [("ask", 1), ("expire", 2)]


async def test_due_record_is_not_advanced_by_votes(world: World) -> None:
    """If the two rows ever differ, the record's own due time applies."""
    approval = await world.request_payment(world.key())
    await world.database.rows(
        "update transfers set due_at = $3 where org_id = $1 and id = $2",
        *(world.org_id, approval.transfer_id, approval.created_at),
    )
    for verb in (world.voting.approve, world.voting.reject):
        with pytest.raises(Busy):
            await verb(world.member(), approval.id, None)
    assert await world.again(approval) == approval


async def test_time_is_the_organisations(world: World) -> None:
    approval = await world.request_payment(world.key())
    ahead = Caller(
        world.org_id, new_id(), ON_CHAIN_LIFETIME + timedelta(seconds=1), can_approve=True
    )
    with pytest.raises(ResourceConflict, match="expired without a decision"):
        await world.voting.approve(ahead, approval.id, None)


@pytest.mark.parametrize("choice", CHOICES)
async def test_payment_in_review_accepts_no_votes(world: World, choice: VoteChoice) -> None:
    approval = await world.request_payment(world.key())
    await world.review(approval)
    with pytest.raises(ResourceConflict, match="in review"):
        await cast(world, world.member(), approval.id, choice)
    assert await world.again(approval) == approval
    await world.review(approval, back=True)
    await cast(world, world.member(), approval.id, choice)


async def test_approval_expires_during_a_review(world: World) -> None:
    approval = await world.request_payment(world.key())
    await world.review(approval)
    assert await world.lapse(approval, approval.expires_at)
    assert (await world.again(approval)).status == ApprovalStatus.EXPIRED
    assert await world.balance() == (3 * UNITS, 0)


async def test_ended_payment_accepts_no_votes(world: World) -> None:
    approval = await world.request_payment(world.key())
    await world.review(approval)
    record = await world.record(approval)
    at = world.clock.stamp()

    async def cancel(tx: Tx) -> None:
        # As a flow cancels: first the approval, then the record.
        await world.approvals.withdraw_in(tx, world.org_id, record.id, actor="test", at=at)

    for _ in range(2):
        await world.database.transact(cancel)
    after = await world.again(approval)
    assert after.status == ApprovalStatus.EXPIRED
    assert await world.changes(approval) == [("ask", 1), ("withdraw", 2)]
    with pytest.raises(ResourceConflict, match="withdrawn: the payment was cancelled"):
        await world.voting.approve(world.member(), approval.id, None)


async def test_quote_above_the_balance_fails_the_payment(world: World) -> None:
    approval = await world.request_payment(world.key())
    world.flow.extra = 2 * UNITS + 1
    after = await world.voting.approve(world.member(), approval.id, None)
    assert (after.status, await world.status(approval)) == (
        ApprovalStatus.APPROVED,
        Status.QUOTE_FAILED,
    )
    assert await world.balance() == (3 * UNITS, 0)


async def test_more_expensive_quote_is_accepted_when_covered(world: World) -> None:
    approval = await world.request_payment(world.key())
    world.flow.extra = 2 * UNITS
    await world.voting.approve(world.member(), approval.id, None)
    assert await world.status(approval) == Status.CREATED
    assert await world.balance() == (0, 0)


async def test_payment_without_a_price_fails_on_approval(world: World) -> None:
    approval = await world.request_payment(world.key())
    world.flow.has_price = False
    after = await world.voting.approve(world.member(), approval.id, None)
    assert (after.status, await world.status(approval)) == (
        ApprovalStatus.APPROVED,
        Status.QUOTE_FAILED,
    )
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
@pytest.mark.parametrize("name", TAMPERED)
async def test_tampered_payment_is_not_decided(
    world: World, logged: Callable[[], str], name: str, choice: VoteChoice
) -> None:
    approval = await world.request_payment(world.key())
    await world.database.rows(TAMPERED[name], world.org_id, approval.transfer_id)
    with pytest.raises(ResourceConflict, match="differs from the request"):
        await cast(world, world.member(), approval.id, choice)
    assert await world.again(approval) == approval
    assert await world.status(approval) == Status.PENDING_APPROVAL
    assert "approvals.tampered" in logged()


async def test_an_approval_of_another_organisation_is_unknown(
    world: World, other_org: Tenant
) -> None:
    approval = await world.request_payment(world.key())
    outsider = Caller(other_org.org_id, new_id(), timedelta(), can_approve=True)
    for verb in (world.voting.approve, world.voting.reject):
        for approval_id in (approval.id, new_id()):
            with pytest.raises(ResourceNotFound):
                await verb(outsider, approval_id, None)
    with pytest.raises(ResourceNotFound):
        await world.voting.get(outsider, approval.id)
    assert not await world.voting.page(outsider, limit=10, offset=0)
    assert not await world.approvals.of(other_org.org_id, [approval.transfer_id])


async def test_queue_pages_start_with_the_newest(world: World) -> None:
    created = [await world.request_payment(world.key(), units=1) for _ in range(5)]
    await world.voting.approve(world.member(), created[2].id, None)
    created.pop(2)
    created.reverse()
    for offset in range(6):
        page = await world.voting.page(world.key(), limit=2, offset=offset)
        assert page == created[offset : offset + 2]


async def test_concurrent_votes_of_a_person_count_once(world: World) -> None:
    await policy(world, 2)
    approval, admin = await world.request_payment(world.key()), world.member()
    outcomes = await asyncio.gather(
        *(world.voting.approve(admin, approval.id, None) for _ in range(8)), return_exceptions=True
    )
    assert Counter(type(each).__name__ for each in outcomes) == {
        "Approval": 1,
        "ResourceConflict": 7,
    }
    after = await world.again(approval)
    assert (after.votes_for, after.status) == (1, ApprovalStatus.PENDING)
