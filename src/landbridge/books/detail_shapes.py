"""What one payment, with all that happened to it, is answered as."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any
from uuid import UUID

from landbridge.books.details import Details, public_facts
from landbridge.books.model import ALL_ASSETS, KINDS
from landbridge.books.shapes import EndReply, chain_of, end_reply
from landbridge.core.money import Money
from landbridge.ledger.listing import Entry
from landbridge.users.model import UserCard
from landbridge.web.reply import Moment, WireStruct, moment


class ChangeReply(WireStruct, frozen=True):
    """What happened, and who did it. `facts` is what it brought, as the kind's own route has it."""

    seq: int
    what: str
    status_before: str | None
    status_after: str | None
    actor: str
    at: Moment
    facts: dict[str, Any]


class EntryReply(WireStruct, frozen=True):
    """A line of a journal: a wallet with its user, or else a house account by its `role`.

    Amounts are decimal strings; below zero is taken from it. `held` can't be spent.
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
    entries: list[EntryReply]


class PayeeReply(WireStruct, frozen=True):
    """One whom a batch pays; `userId` is null for an address that nobody registered."""

    user_id: UUID | None
    user_name: str | None
    address: str
    amount: str


class DisbursementLineReply(WireStruct, frozen=True):
    """What the house pays beside a payment, by an order of its own."""

    id: UUID
    status: str
    amount: EndReply


class TransactionDetailsReply(WireStruct, frozen=True):
    """A payment of any kind. `resource` is the path of its own route."""

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


def details_reply(details: Details) -> TransactionDetailsReply:
    """A payment with its history and its journals."""
    record, users = details.record, details.users
    return TransactionDetailsReply(
        id=record.id,
        type=record.kind,
        status=record.status,
        user_id=record.user_id,
        user_name=_name(users, record.user_id),
        request_id=record.request_id,
        source=end_reply(record.source_asset, record.source_units),
        destination=end_reply(record.destination_asset, record.destination_units),
        created_at=moment(record.created_at),
        updated_at=moment(record.updated_at),
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
        history=_history(details),
        journals=[
            JournalReply(seq=seq, entries=[_entry(details, each) for each in entries])
            for seq, entries in groupby(details.entries, key=lambda each: each.seq)
        ],
    )


def _history(details: Details) -> list[ChangeReply]:
    return [
        ChangeReply(
            seq=each.seq,
            what=each.what,
            status_before=each.status_before,
            status_after=each.status_after,
            actor=each.actor,
            at=moment(each.at),
            facts=dict(public_facts(each)),
        )
        for each in details.changes
    ]


def _entry(details: Details, entry: Entry) -> EntryReply:
    asset = ALL_ASSETS[entry.asset]
    wallet = None if entry.account_id is None else details.wallets[entry.account_id]
    return EntryReply(
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


def _payees(details: Details) -> list[PayeeReply] | None:
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
