"""Reply schemas of one transfer with its history."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any
from uuid import UUID

from msgspec import UNSET, UnsetType

from landbridge.customers.users.model import UserCard
from landbridge.ledger.listing import JournalEntry
from landbridge.payments.transactions.details import TransactionDetail, public_facts
from landbridge.payments.transactions.model import ALL_ASSETS, KINDS
from landbridge.payments.transactions.schemas import EndReply, chain_of, end_reply
from landbridge.platform.core.money import Money
from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, reply_of


class ChangeReply(WireStruct, frozen=True):
    """A change and its actor. `facts` are the fields it set, as in the kind's own route."""

    seq: int
    change_type: str
    status_before: str | None
    status_after: str | None
    actor: str
    at: Moment
    facts: dict[str, Any]


class JournalEntryReply(WireStruct, frozen=True):
    """A journal entry: of a wallet with its user, or of a house account by its `role`.

    Amounts are decimal strings; a negative amount is a debit. `held` cannot be spent.
    """

    wallet_id: UUID | None
    user_id: UUID | None
    user_name: str | None
    address: str | None
    role: str | None
    currency: str
    chain: str | None
    available: str
    held: str


class JournalReply(WireStruct, frozen=True):
    """The entries of one change; for each currency on each chain they sum to zero."""

    seq: int
    entries: list[JournalEntryReply]


class PayeeReply(WireStruct, frozen=True):
    """A payee of a batch; `userId` is null for an unregistered address."""

    user_id: UUID | None
    user_name: str | None
    address: str
    amount: DecimalText


class DisbursementLineReply(WireStruct, frozen=True):
    """A payment by the organisation that accompanies a transfer, with its own order."""

    id: UUID
    status: str
    amount: EndReply


class TransactionDetailsReply(WireStruct, frozen=True):
    """A transfer of any kind. `resource` is the path of its own route."""

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
    resource: str
    payees: list[PayeeReply] | None
    disbursements: list[DisbursementLineReply]
    history: list[ChangeReply]
    journals: list[JournalReply]
    metadata: dict[str, str] | UnsetType = UNSET


def details_reply(details: TransactionDetail) -> TransactionDetailsReply:
    """Build the reply of a transfer with its history and its journals."""
    record, users = details.record, details.users
    return reply_of(
        record,
        TransactionDetailsReply,
        type=record.kind,
        user_name=_name(users, record.user_id),
        source=end_reply(record.source_asset, record.source_units),
        destination=end_reply(record.destination_asset, record.destination_units),
        metadata=record.metadata or UNSET,
        resource=f"{KINDS[record.kind].path}/{record.id}",
        payees=_payees(details),
        disbursements=[
            DisbursementLineReply(
                id=each.id,
                status=each.status,
                amount=end_reply(each.source_asset, each.source_units),
            )
            for each in details.disbursements
        ],
        history=[
            reply_of(each, ChangeReply, at=each.occurred_at, facts=dict(public_facts(each)))
            for each in details.changes
        ],
        journals=[
            JournalReply(seq=seq, entries=[_entry(details, each) for each in entries])
            for seq, entries in groupby(details.entries, key=lambda each: each.seq)
        ],
    )


def _entry(details: TransactionDetail, entry: JournalEntry) -> JournalEntryReply:
    asset = ALL_ASSETS[entry.asset]
    wallet = None if entry.account_id is None else details.wallets[entry.account_id]
    return JournalEntryReply(
        wallet_id=None if wallet is None else wallet.id,
        user_id=None if wallet is None else wallet.user_id,
        user_name=None if wallet is None else _name(details.users, wallet.user_id),
        address=None if wallet is None else wallet.address,
        role=entry.role,
        currency=asset.currency,
        chain=chain_of(entry.asset),
        available=str(Money(entry.available_units, asset)),
        held=str(Money(entry.held_units, asset)),
    )


def _payees(details: TransactionDetail) -> list[PayeeReply] | None:
    if details.payees is None:
        return None
    return [
        PayeeReply(
            user_id=each.user_id,
            user_name=None if each.user_id is None else _name(details.users, each.user_id),
            address=each.address,
            amount=str(each.amount),
        )
        for each in details.payees
    ]


def _name(users: Mapping[UUID, UserCard], user_id: UUID) -> str | None:
    return users[user_id].name or None if user_id in users else None
