"""Voting rules without a database: every refusal is reachable, and nothing else is refused."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.payments.approvals.model import (
    IN_REVIEW,
    PENDING_APPROVAL,
    Approval,
    ApprovalStatus,
    Vote,
    VoteChoice,
)
from landbridge.payments.approvals.rules import (
    check_approver,
    check_voter,
    status_refusal,
    vote_refusal,
)
from landbridge.payments.offramps.model import OfframpStatus
from landbridge.platform.core.errors import ProfileFrozen, ResourceConflict, RoleNotAllowed
from landbridge.platform.http.caller import Caller, MemberRole, SignedInMember

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
EXPIRES_AT = AT + timedelta(days=7)
INITIATOR, VOTER, CREATOR = UUID(int=1), UUID(int=2), UUID(int=3)
APPROVAL = Approval(
    org_id=UUID(int=4),
    id=UUID(int=5),
    transfer_id=UUID(int=6),
    transfer_kind="OFFRAMP",
    user_id=UUID(int=7),
    status=ApprovalStatus.PENDING,
    digest=b"",
    threshold=2,
    needs_second=False,
    initiator_id=INITIATOR,
    is_from_dashboard=False,
    expires_at=EXPIRES_AT,
    created_at=AT,
    updated_at=AT,
    version=1,
)


def _key(key_id: UUID = VOTER, *, can_approve: bool = True, is_frozen: bool = False) -> Caller:
    return Caller(
        APPROVAL.org_id, key_id, timedelta(), can_approve=can_approve, is_org_frozen=is_frozen
    )


def _refusal(
    approval: Approval, *, at: datetime = AT, creators: Mapping[UUID, UUID] | None = None
) -> str | None:
    """Return the refusal of the voter's vote as its type and sentence."""
    vote = Vote(VOTER, VoteChoice.APPROVE, None, at)
    found = vote_refusal(approval, _key(), vote, creators or {})
    return None if found is None else f"{type(found).__name__}: {found.message}"


def _voted(voter: UUID, choice: VoteChoice = VoteChoice.APPROVE) -> Approval:
    return replace(APPROVAL, votes=(Vote(voter, choice, None, AT),))


@pytest.mark.parametrize("can_approve", [False, True])
def test_key_decides_only_with_that_right(*, can_approve: bool) -> None:
    caller = _key(can_approve=can_approve)
    for check in (check_approver, check_voter):
        if can_approve:
            check(caller)
        else:
            with pytest.raises(RoleNotAllowed, match="key of an approver"):
                check(caller)


@pytest.mark.parametrize("role", MemberRole)
def test_only_an_admin_of_the_team_decides(role: MemberRole) -> None:
    # A right of a key is none of a member.
    caller = replace(_key(), key_id=None, member=SignedInMember(VOTER, role))
    for check in (check_approver, check_voter):
        if role is MemberRole.ADMIN:
            check(caller)
        else:
            with pytest.raises(RoleNotAllowed, match="only an admin"):
                check(caller)


def test_frozen_organisation_reads_approvals_and_casts_no_vote() -> None:
    caller = _key(is_frozen=True)
    check_approver(caller)
    with pytest.raises(ProfileFrozen):
        check_voter(caller)


OWN = "RoleNotAllowed: nobody may decide on a payment that they requested"
VOTED = "ResourceConflict: you have voted on this already"
LAPSED = "ResourceConflict: this approval has expired without a decision"


@pytest.mark.parametrize(
    ("is_from_dashboard", "needs_second"), list(product([False, True], repeat=2))
)
@pytest.mark.parametrize(
    ("initiator", "creators"),
    [
        (VOTER, {}),
        (CREATOR, {VOTER: CREATOR}),
        (INITIATOR, {VOTER: CREATOR, INITIATOR: CREATOR}),
        (INITIATOR, {VOTER: INITIATOR}),
        (INITIATOR, {INITIATOR: VOTER}),
    ],
)
def test_own_payment_is_refused_where_a_second_person_is_needed(
    initiator: UUID, creators: Mapping[UUID, UUID], *, is_from_dashboard: bool, needs_second: bool
) -> None:
    approval = replace(
        APPROVAL,
        initiator_id=initiator,
        is_from_dashboard=is_from_dashboard,
        needs_second=needs_second,
    )
    expected = OWN if is_from_dashboard or needs_second else None
    assert _refusal(approval, creators=creators) == expected


@pytest.mark.parametrize(
    ("is_from_dashboard", "needs_second"), list(product([False, True], repeat=2))
)
def test_payment_of_another_person_is_not_refused(
    *, is_from_dashboard: bool, needs_second: bool
) -> None:
    approval = replace(APPROVAL, is_from_dashboard=is_from_dashboard, needs_second=needs_second)
    assert _refusal(approval, creators={VOTER: CREATOR}) is None


@pytest.mark.parametrize("choice", VoteChoice)
@pytest.mark.parametrize(
    ("earlier", "creators", "expected"),
    [
        (VOTER, {}, VOTED),
        (CREATOR, {VOTER: CREATOR}, VOTED),
        (UUID(int=8), {VOTER: CREATOR, UUID(int=8): CREATOR}, VOTED),
        (UUID(int=8), {VOTER: CREATOR}, None),
        (UUID(int=8), {}, None),
    ],
)
def test_a_person_votes_once(
    choice: VoteChoice, earlier: UUID, creators: Mapping[UUID, UUID], expected: str | None
) -> None:
    assert _refusal(_voted(earlier, choice), creators=creators) == expected


@given(st.integers(-(10**12), 10**12))
def test_vote_is_refused_from_the_deadline_on(microseconds: int) -> None:
    at = EXPIRES_AT + timedelta(microseconds=microseconds)
    assert _refusal(APPROVAL, at=at) == (LAPSED if microseconds >= 0 else None)


@pytest.mark.parametrize(
    ("status", "updated_at", "expected"),
    [
        (ApprovalStatus.APPROVED, AT, "ResourceConflict: this approval is APPROVED already"),
        (ApprovalStatus.REJECTED, AT, "ResourceConflict: this approval is REJECTED already"),
        (ApprovalStatus.EXPIRED, EXPIRES_AT, LAPSED),
        (
            ApprovalStatus.EXPIRED,
            EXPIRES_AT - timedelta(microseconds=1),
            "ResourceConflict: this approval was withdrawn: the payment was cancelled",
        ),
    ],
)
def test_settled_approval_takes_no_vote(
    status: ApprovalStatus, updated_at: datetime, expected: str
) -> None:
    approval = replace(_voted(VOTER), status=status, updated_at=updated_at)
    # The status counts, whether this person has voted or not.
    assert _refusal(approval) == expected
    assert _refusal(replace(approval, votes=())) == expected


@pytest.mark.parametrize("status", OfframpStatus)
def test_only_a_payment_that_waits_for_its_approval_takes_votes(status: OfframpStatus) -> None:
    refusal = status_refusal(status)
    assert (refusal is None) == (status == PENDING_APPROVAL)
    if refusal is not None:
        assert isinstance(refusal, ResourceConflict)
        assert ("vote after the review" in refusal.message) == (status == IN_REVIEW)
