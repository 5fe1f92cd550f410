"""Reply schemas shared by several flows."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from uuid import UUID

import msgspec

from landbridge.customers.users.model import UserCard
from landbridge.payments.approvals.model import Approval
from landbridge.payments.engine.fees import FeeType
from landbridge.platform.core.money import Money, Rate
from landbridge.platform.http.responses import (
    DecimalText,
    FeeNumber,
    Moment,
    WireStruct,
    moment,
    reply_of,
)

# Type of every user's wallet in replies, including those of businesses.
WALLET_TYPE = "INDIVIDUAL"


class PartyReply(WireStruct, frozen=True):
    """Owner of a wallet; names are null once the user was erased."""

    email: str
    last_name: str | None
    first_name: str | None
    business_name: str | None


class QuotedAmount(WireStruct, frozen=True):
    """Decimal string with its currency."""

    amount: DecimalText
    currency: str


class FeeRequest(WireStruct, frozen=True):
    """Fee of the organisation: a `FIX` amount of coins, or a `PERCENT` fraction (0.01 is 1 %)."""

    type: FeeType
    value: FeeNumber


class VoteReply(WireStruct, frozen=True):
    """Vote on a payment's approval."""

    approver_id: UUID
    vote: str
    comment: str | None
    created_at: Moment


class ApprovalReply(WireStruct, frozen=True):
    """Approval of a payment; `votes` only while it is pending and after a rejection."""

    id: UUID
    status: str
    created_at: Moment
    updated_at: Moment
    transfer_id: UUID
    transfer_type: str
    from_dashboard: bool
    initiator_profile_id: UUID
    votes: list[VoteReply] | None


def party(user_id: UUID | None, cards: Mapping[UUID, UserCard]) -> PartyReply | None:
    """Return the user of a party; None for an address without a user."""
    user_card = None if user_id is None else cards.get(user_id)
    if user_card is None:
        return None
    return reply_of(user_card, PartyReply)


def quoted(money: Money) -> QuotedAmount:
    """Return an amount of a quote."""
    return QuotedAmount(amount=str(money), currency=money.asset.currency)


def rate_text(value: Decimal) -> str:
    """Format a rate as the contract does: units received per unit sent."""
    return str(Rate(value))


def approval_reply(approval: Approval | None) -> ApprovalReply | msgspec.UnsetType:
    """Return the approval of a record in a reply; a record without one omits the member."""
    if approval is None:
        return msgspec.UNSET
    return reply_of(
        approval,
        ApprovalReply,
        transfer_type=approval.transfer_kind,
        from_dashboard=approval.is_from_dashboard,
        initiator_profile_id=approval.initiator_id,
        votes=_votes(approval) if approval.shows_votes else None,
    )


def _votes(approval: Approval) -> list[VoteReply]:
    votes: Sequence[VoteReply] = [
        VoteReply(
            approver_id=each.approver_id,
            vote=each.choice,
            comment=each.comment,
            created_at=moment(each.occurred_at),
        )
        for each in approval.votes
    ]
    return list(votes)
