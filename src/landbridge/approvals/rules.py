"""Who may decide on a payment, and when: one sentence for each no.

Everything here is judged on what was read in the transaction of the vote, and the role is the
caller's at this moment.
"""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from landbridge.approvals.model import IN_REVIEW, WAITING, Approval, Status
from landbridge.core.errors import ProfileFrozen, Refused, ResourceConflict, RoleNotAllowed
from landbridge.web.caller import Caller, Role

_LAPSED = "this approval has lapsed: nobody decided in time"


def check_approver(caller: Caller) -> None:
    """Raise `RoleNotAllowed` unless this caller may decide on payments: an admin, or such a key."""
    if caller.member is None:
        if not caller.can_approve:
            raise RoleNotAllowed("this takes the key of an approver")
    elif caller.member.role is not Role.ADMIN:
        raise RoleNotAllowed("only an admin decides on payments")


def check_voter(caller: Caller) -> None:
    """As `check_approver`; raises `ProfileFrozen` too: a frozen organisation decides nothing."""
    check_approver(caller)
    if caller.is_org_frozen:
        raise ProfileFrozen


def why_not_vote(
    approval: Approval, caller: Caller, at: datetime, makers: Mapping[UUID, UUID]
) -> Refused | None:
    """The refusal of a vote of this caller, if it is refused.

    `makers` tells who made a key: whoever did is one person with it.
    """
    person = makers.get(caller.id, caller.id)
    is_own = person == makers.get(approval.initiator_id, approval.initiator_id)
    has_voted = any(
        person == makers.get(each.approver_id, each.approver_id) for each in approval.votes
    )
    if is_own and (approval.is_from_dashboard or approval.needs_second):
        return RoleNotAllowed("nobody decides on a payment that they asked for themselves")
    sentence: str | None = None
    match approval.status:
        case Status.APPROVED | Status.REJECTED:
            sentence = f"this approval is {approval.status} already"
        case Status.EXPIRED if approval.updated_at < approval.expires_at:
            sentence = "this approval was withdrawn: the payment was cancelled"
        case Status.EXPIRED:
            sentence = _LAPSED
        case Status.PENDING if has_voted:
            sentence = "you have voted on this already"
        case Status.PENDING if at >= approval.expires_at:
            sentence = _LAPSED
        case Status.PENDING:
            pass
    return None if sentence is None else ResourceConflict(sentence)


def why_not_now(status: str) -> Refused | None:
    """The refusal of a vote on a payment whose record is at this status, if it is refused."""
    if status == WAITING:
        return None
    if status == IN_REVIEW:
        return ResourceConflict("the payment is in review; vote when that is over")
    return ResourceConflict(f"the payment is {status} and waits for nobody's approval")
