"""Sections of a payment's page: each is loaded only on its own address.

What decides about the payment is above all of them: `payment.py` loads it for every section.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final, TypeAlias
from uuid import UUID

from msgspec import Raw, to_builtins

from landbridge.customers.chain_operations.schemas import ChainOrderList, ChainOrderReply
from landbridge.customers.users.schemas import UserReply
from landbridge.dashboard.json_text import pretty
from landbridge.dashboard.payments.payment_details import PaymentDetails, PaymentEnd, PaymentQuote
from landbridge.dashboard.transactions import kinds
from landbridge.dashboard.transactions.journals import journals
from landbridge.developers.webhooks.event_api import EventPage, EventWithDeliveries
from landbridge.payments.approvals.api import ApprovalEnvelope, ApprovalWithVotes
from landbridge.payments.engine.schemas import ApprovalReply, QuotedAmount
from landbridge.payments.offramps.schemas import PaymentTrackingReply
from landbridge.payments.onramps.schemas import BankInfoReply
from landbridge.payments.rfis.api import TransferReview
from landbridge.payments.transactions.detail_schemas import ChangeReply, TransactionDetailsReply
from landbridge.payments.transactions.schemas import EndReply
from landbridge.platform.core.errors import Refused, ResourceNotFound
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient

# Latest events of a payment; the page of events has the others.
_EVENTS: Final = 10
_REVIEWED: Final = frozenset({"ONRAMP", "OFFRAMP"})
# States of chain orders that do not change any more.
_FINAL: Final = frozenset({"FINAL", "REVERTED", "REJECTED"})


class PaymentSection(StrEnum):
    """A section, by the last part of its address; the overview has the payment's own address."""

    OVERVIEW = ""
    TIMELINE = "timeline"
    REFERENCES = "references"
    JOURNALS = "journals"
    EVENTS = "events"
    NOTES = "notes"
    RAW = "raw"


SECTION_TITLES: Final[Mapping[PaymentSection, str]] = {
    PaymentSection.OVERVIEW: _("Overview"),
    PaymentSection.TIMELINE: _("Timeline"),
    PaymentSection.REFERENCES: _("Chain and bank"),
    PaymentSection.JOURNALS: _("Journal entries"),
    PaymentSection.EVENTS: _("Events"),
    PaymentSection.NOTES: _("Notes"),
    PaymentSection.RAW: _("JSON"),
}


@dataclass(frozen=True, slots=True)
class ShownPayment:
    """Payment of the loaded section: its summary, and the details of its kind."""

    summary: TransactionDetailsReply
    details: PaymentDetails


@dataclass(frozen=True, slots=True)
class ShownParty:
    """Source or destination of a payment: its amount, its user, and its wallet or account."""

    end: EndReply
    details: PaymentEnd
    user_id: UUID | None
    user_name: str | None


@dataclass(frozen=True, slots=True)
class ShownFee:
    """Fee of Landbridge, or of the organisation itself; `address` is the payee of its own."""

    type: str
    amount: Decimal | str
    currency: str
    address: str = ""


SectionLoader: TypeAlias = Callable[[InternalClient, ShownPayment], Awaitable[dict[str, object]]]


def section_of(path: str) -> PaymentSection:
    """Return the section that an address of the page names."""
    last = path.rstrip("/").rpartition("/")[2]
    return PaymentSection(last) if last in set(PaymentSection) else PaymentSection.OVERVIEW


async def section_values(
    interface: InternalClient, section: PaymentSection, shown: ShownPayment
) -> dict[str, object]:
    """Return the values of one section."""
    return await _LOADERS[section](interface, shown)


async def _overview(interface: InternalClient, shown: ShownPayment) -> dict[str, object]:
    payee_name, approval, review = await asyncio.gather(
        _payee_name(interface, shown),
        _approval(interface, shown.details),
        _review(interface, shown.summary),
    )
    quote = shown.details.quote_information
    return {
        "parties": _parties(shown, payee_name),
        "quote": quote,
        "quote_lines": [] if quote is None else _quote_lines(quote),
        "fees": _fees(shown),
        "approval": approval,
        "review": review,
    }


async def _timeline(_interface: InternalClient, _shown: ShownPayment) -> dict[str, object]:
    # The steps are loaded for every section: its head shows the latest.
    return {}


async def _chain_and_bank(interface: InternalClient, shown: ShownPayment) -> dict[str, object]:
    orders = await _chain_orders(interface, shown.summary)
    return {
        "chain_orders": orders,
        "is_open_on_chain": any(each.state not in _FINAL for each in orders),
        "hashes": _hashes(shown.summary.history),
        "references": _references(shown.details),
        "reference_names": kinds.REFERENCE_NAMES,
    }


async def _journals(_interface: InternalClient, shown: ShownPayment) -> dict[str, object]:
    return {"journals": journals(shown.summary)}


async def _events(interface: InternalClient, shown: ShownPayment) -> dict[str, object]:
    found = await interface.read(
        EventPage, "/v2/events", objectId=str(shown.summary.id), order="desc", limit=_EVENTS
    )
    delivered = await asyncio.gather(
        *(
            interface.read(EventWithDeliveries, f"/v2/events/{each.event_id}")
            for each in found.records
        )
    )
    events = zip(found.records, (each.deliveries for each in delivered), strict=True)
    return {"events": list(events)}


async def _notes(_interface: InternalClient, _shown: ShownPayment) -> dict[str, object]:
    # The notes themselves are loaded for every section: its tab counts them.
    return {"note_text": ""}


async def _raw(interface: InternalClient, shown: ShownPayment) -> dict[str, object]:
    # As the routes return them, with all members.
    payment, summary = await asyncio.gather(
        interface.read(Raw, shown.summary.resource, expand="timeline"),
        interface.read(Raw, f"/v2/transactions/{shown.summary.id}"),
    )
    return {"raw": pretty({"payment": payment, "transaction": summary})}


_LOADERS: Final[Mapping[PaymentSection, SectionLoader]] = {
    PaymentSection.OVERVIEW: _overview,
    PaymentSection.TIMELINE: _timeline,
    PaymentSection.REFERENCES: _chain_and_bank,
    PaymentSection.JOURNALS: _journals,
    PaymentSection.EVENTS: _events,
    PaymentSection.NOTES: _notes,
    PaymentSection.RAW: _raw,
}


async def _review(
    interface: InternalClient, summary: TransactionDetailsReply
) -> TransferReview | None:
    """Return the payment's compliance review; None without one or without permission."""
    if summary.type not in _REVIEWED:
        return None
    try:
        found = await interface.read(TransferReview, f"/v2/reviews/transfers/{summary.id}")
    except Refused:
        return None
    return found if found.rfis else None


async def _chain_orders(
    interface: InternalClient, summary: TransactionDetailsReply
) -> Sequence[ChainOrderReply]:
    """Return the payment's orders on connected chains; none where it has none."""
    try:
        found = await interface.read(ChainOrderList, f"/v2/chains/orders/{summary.id}")
    except ResourceNotFound:
        return []
    return found.orders


async def _approval(
    interface: InternalClient, details: PaymentDetails
) -> ApprovalReply | ApprovalWithVotes | None:
    """Return the approval with all votes, or without them if the visitor may not vote."""
    approval = details.requested_approval
    if approval is None:
        return None
    try:
        found = await interface.read(ApprovalEnvelope, f"/v2/transfer-approvals/{approval.id}")
    except Refused:
        return approval
    return found.approval


def _hashes(history: Sequence[ChangeReply]) -> Sequence[tuple[str, str, str]]:
    """Return the label, hash and recording time of each chain transaction."""
    return [
        (kinds.HASH_NAMES[name], value, each.at)
        for each in history
        for name, value in each.facts.items()
        if name in kinds.HASH_NAMES
    ]


def _references(details: PaymentDetails) -> Sequence[tuple[str, str]]:
    """Return the bank references by their names in the API."""
    deposit = details.deposit_info
    references = {
        **_members(details.receipt.payment_tracking),
        **_members(details.source.bank_info),
        "reference": None if deposit is None else deposit.reference,
    }
    return [(key, found) for key in kinds.REFERENCE_NAMES if (found := references.get(key))]


def _members(found: PaymentTrackingReply | BankInfoReply | None) -> Mapping[str, str | None]:
    """Return the members as the API names them."""
    return {} if found is None else to_builtins(found)


async def _payee_name(interface: InternalClient, shown: ShownPayment) -> str | None:
    """Return the name of the recipient, if it is a user."""
    user_id = shown.details.destination.user_id
    if user_id is None:
        return None
    if user_id == shown.summary.user_id:
        return shown.summary.user_name
    try:
        return (await interface.read(UserReply, f"/v2/users/{user_id}")).name or None
    except Refused:
        return None


def _parties(shown: ShownPayment, payee_name: str | None) -> Sequence[ShownParty]:
    """Return source and destination in one shape for all kinds."""
    summary, details = shown.summary, shown.details
    # The source of external coins is not a user.
    return [
        ShownParty(summary.source, details.source, summary.user_id, summary.user_name),
        ShownParty(
            summary.destination, details.destination, details.destination.user_id, payee_name
        ),
    ]


def _quote_lines(quote: PaymentQuote) -> Sequence[tuple[str, QuotedAmount]]:
    """Return the amounts of a quote with their labels."""
    amounts = (
        *((_("Sent, including fees"), quote.send_gross), (_("Converted"), quote.send_net)),
        (_("Rail fee"), quote.rail_fee),
        *((_("Gross received"), quote.receive_gross), (_("Received"), quote.receive_net)),
    )
    return [(label, amount) for label, amount in amounts if amount is not None]


def _fees(shown: ShownPayment) -> Sequence[ShownFee]:
    """Return Landbridge's fees and the organisation's own in one shape for all kinds."""
    billing, own = shown.details.billing_information, shown.details.developer_fee
    currency = shown.summary.source.currency
    fees = [
        ShownFee(each.type, each.amount, each.currency)
        for each in (() if billing is None else billing.fees)
    ]
    if own is not None and own.fee_amount is not None:
        fees.append(ShownFee(own.fee_type, own.fee_amount, currency))
    own_fees = () if own is None else own.fees
    return fees + [
        ShownFee(each.type, each.amount, currency, each.wallet_address) for each in own_fees
    ]
