"""Voting rules: who may decide on a payment, and when.

The rules use data read in the transaction of the vote, and the caller's current role.
"""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from landbridge.payments.approvals.model import (
    IN_REVIEW,
    PENDING_APPROVAL,
    Approval,
    ApprovalStatus,
    Vote,
    VoteChoice,
)
from landbridge.platform.core.errors import ProfileFrozen, Refused, ResourceConflict, RoleNotAllowed
from landbridge.platform.http.caller import Caller, MemberRole

_EXPIRED = "this approval has expired without a decision"


def check_approver(caller: Caller) -> None:
    """Raise `RoleNotAllowed` unless this caller is an admin, or a key that may approve."""
    if caller.member is None:
        if not caller.can_approve:
            raise RoleNotAllowed("this requires the key of an approver")
    elif caller.member.role is not MemberRole.ADMIN:
        raise RoleNotAllowed("only an admin decides on payments")


def check_voter(caller: Caller) -> None:
    """Check as `check_approver`, and raise `ProfileFrozen` for a frozen organisation."""
    check_approver(caller)
    if caller.is_org_frozen:
        raise ProfileFrozen


def withdrawal_refusal(approval: Approval, caller: Caller, at: datetime) -> Refused | None:
    """Return why a withdrawal by this caller is refused; None if it is possible."""
    if caller.member is None or caller.id != approval.initiator_id:
        return RoleNotAllowed("only the member who requested a payment may withdraw it")
    if approval.status is not ApprovalStatus.PENDING:
        return ResourceConflict(f"this approval is {approval.status} already")
    return ResourceConflict(_EXPIRED) if at >= approval.expires_at else None


def vote_refusal(
    approval: Approval, caller: Caller, vote: Vote, key_creators: Mapping[UUID, UUID]
) -> Refused | None:
    """Return why a vote of this caller is refused; None if it is possible.

    `key_creators` maps keys to their creators: a key and its creator count as one person. If an
    earlier vote counts again, for example because its voter is an admin again, the votes may be
    enough without a new one. Then any voter decides the payment by approving it again.
    """
    person = key_creators.get(caller.id, caller.id)
    is_own = person == key_creators.get(approval.initiator_id, approval.initiator_id)
    has_voted = any(
        person == key_creators.get(each.approver_id, each.approver_id) for each in approval.votes
    )
    decides_again = vote.choice is VoteChoice.APPROVE and approval.votes_for >= approval.threshold
    if is_own and (approval.is_from_dashboard or approval.needs_second):
        return RoleNotAllowed("nobody may decide on a payment that they requested")
    sentence: str | None = None
    match approval.status:
        case ApprovalStatus.APPROVED | ApprovalStatus.REJECTED:
            sentence = f"this approval is {approval.status} already"
        case ApprovalStatus.EXPIRED if approval.updated_at < approval.expires_at:
            sentence = "this approval was withdrawn: the payment was cancelled"
        case ApprovalStatus.EXPIRED:
            sentence = _EXPIRED
        case ApprovalStatus.PENDING if has_voted and not decides_again:
            sentence = "you have voted on this already"
        case ApprovalStatus.PENDING if vote.occurred_at >= approval.expires_at:
            sentence = _EXPIRED
        case ApprovalStatus.PENDING:
            pass
    return None if sentence is None else ResourceConflict(sentence)


def status_refusal(status: str) -> Refused | None:
    """Return why a vote is refused at this status of the record; None if it is possible."""
    if status == PENDING_APPROVAL:
        return None
    if status == IN_REVIEW:
        return ResourceConflict("the payment is in review; vote after the review")
    return ResourceConflict(f"the payment is {status} and does not await approval")
