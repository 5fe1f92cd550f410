"""Reply schemas of transfers of all kinds."""

from collections.abc import Mapping
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from landbridge.customers.users.model import UserCard
from landbridge.ledger.listing import TransferListRow
from landbridge.payments.transactions.model import ALL_ASSETS
from landbridge.platform.core.money import Money
from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, moment
from landbridge.platform.metadata.model import MetadataChanges
from landbridge.providers.rails.currencies import AT_BANK


class EndReply(WireStruct, frozen=True):
    """Amount of one side. `chain` is null at a bank; `amount` is a decimal string."""

    currency: str
    chain: str | None
    amount: DecimalText


class TransactionReply(WireStruct, frozen=True):
    """Summary of a transfer of any kind. `userName` is null once the user was erased."""

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
    metadata: dict[str, str] | UnsetType = UNSET


class MetadataUpdate(WireStruct, frozen=True):
    """Changes of metadata: keys with their new texts; null removes a key, others stay."""

    metadata: MetadataChanges


class MetadataReply(WireStruct, frozen=True):
    """Metadata of an object after a change."""

    metadata: dict[str, str]


class TransactionPageReply(WireStruct, frozen=True):
    """A page, newest first; pass `nextCursor` back as `cursor`."""

    count: int
    data: list[TransactionReply]
    next_cursor: Moment | msgspec.UnsetType = msgspec.UNSET


def transaction_reply(
    line: TransferListRow,
    users: Mapping[UUID, UserCard],
    metadata: Mapping[UUID, dict[str, str]],
) -> TransactionReply:
    """Build the summary of a transfer."""
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
        metadata=metadata.get(line.id, UNSET),
    )


def end_reply(code: str, units: int) -> EndReply:
    """Build the reply of an amount."""
    asset = ALL_ASSETS[code]
    return EndReply(
        currency=asset.currency,
        chain=chain_of(code),
        amount=str(Money(units, asset)),
    )


def chain_of(code: str) -> str | None:
    """Return the chain of an asset; None at a bank."""
    chain = ALL_ASSETS[code].chain
    return None if chain == AT_BANK else str(chain)
