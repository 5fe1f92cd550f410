"""What payments of all kinds are answered as."""

from collections.abc import Mapping
from uuid import UUID

from landbridge.books.model import ALL_ASSETS
from landbridge.core.money import Money
from landbridge.ledger.listing import Line
from landbridge.rails.currencies import AT_BANK
from landbridge.users.model import UserCard
from landbridge.web.reply import Moment, WireStruct, moment


class EndReply(WireStruct, frozen=True):
    """What one end gives or gets. `chain` is null at a bank; `amount` is a decimal string."""

    currency: str
    chain: str | None
    amount: str


class TransactionReply(WireStruct, frozen=True):
    """A payment of any kind, in short. `userName` is null once the user's data was erased."""

    id: UUID
    type: str
    status: str
    user_id: UUID
    user_name: str | None
    request_id: UUID
    source: EndReply
    destination: EndReply
    created_at: Moment
    updated_at: Moment


class TransactionPageReply(WireStruct, frozen=True):
    """A page, newest first; `nextCursor` goes back as `cursor`."""

    count: int
    data: list[TransactionReply]
    next_cursor: Moment | None


def transaction_reply(line: Line, users: Mapping[UUID, UserCard]) -> TransactionReply:
    """A payment, as lists show it."""
    return TransactionReply(
        id=line.id,
        type=line.kind,
        status=line.status,
        user_id=line.user_id,
        user_name=users[line.user_id].name or None if line.user_id in users else None,
        request_id=line.request_id,
        source=end_reply(line.source_asset, line.source_units),
        destination=end_reply(line.destination_asset, line.destination_units),
        created_at=moment(line.created_at),
        updated_at=moment(line.updated_at),
    )


def end_reply(code: str, units: int) -> EndReply:
    """An amount of an asset."""
    asset = ALL_ASSETS[code]
    return EndReply(
        currency=asset.currency,
        chain=chain_of(code),
        amount=str(Money(units, asset)),
    )


def chain_of(code: str) -> str | None:
    """Where an asset is; None at a bank."""
    chain = ALL_ASSETS[code].chain
    return None if chain == AT_BANK else str(chain)
