"""Members that several kinds of records print alike."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from uuid import UUID

from landbridge.approvals.model import Approval
from landbridge.core.money import Money, Rate
from landbridge.payments.fees import FeeType
from landbridge.users.model import UserCard
from landbridge.web.reply import Moment, Number, WireStruct, moment

# Users' wallets are listed under this name, those of businesses too.
WALLET_TYPE = "INDIVIDUAL"


class PartyReply(WireStruct, frozen=True):
    """Whose wallet it is; names are None once the user was erased."""

    email: str
    last_name: str | None
    first_name: str | None
    business_name: str | None


class QuotedAmount(WireStruct, frozen=True):
    """A decimal string with its currency."""

    amount: str
    currency: str


class FeeAsked(WireStruct, frozen=True):
    """A fee of the organisation's own: `FIX` coins, or `PERCENT` as a fraction (0.01 is 1 %)."""

    type: FeeType
    value: Number


class VoteReply(WireStruct, frozen=True):
    """A vote on a payment."""

    approver_id: UUID
    vote: str
    comment: str | None
    created_at: Moment


class ApprovalReply(WireStruct, frozen=True):
    """The approval of a payment; `votes` only while it waits and when it was refused."""

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
    """The user of an end; None for an address of nobody here."""
    card = None if user_id is None else cards.get(user_id)
    if card is None:
        return None
    return PartyReply(
        email=card.email,
        last_name=card.last_name,
        first_name=card.first_name,
        business_name=card.business_name,
    )


def quoted(money: Money) -> QuotedAmount:
    """An amount of a quote."""
    return QuotedAmount(amount=str(money), currency=money.asset.currency)


def rate_text(value: Decimal) -> str:
    """A rate as the contract prints it: units received per unit sent."""
    return str(Rate(value))


def approval_reply(approval: Approval | None) -> ApprovalReply | None:
    """The approval of a record, if it has one."""
    if approval is None:
        return None
    return ApprovalReply(
        id=approval.id,
        status=approval.status,
        created_at=moment(approval.created_at),
        updated_at=moment(approval.updated_at),
        transfer_id=approval.transfer_id,
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
            created_at=moment(each.at),
        )
        for each in approval.votes
    ]
    return list(votes)
