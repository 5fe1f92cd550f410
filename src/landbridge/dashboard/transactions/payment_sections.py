"""Sections of a payment's page: each is loaded only on its own address.

What decides about the payment is above all of them: `payment.py` loads it for every section.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias

from landbridge.dashboard.json_text import pretty
from landbridge.dashboard.transactions import kinds
from landbridge.dashboard.transactions.journals import journals
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
    """Payment of the loaded section: its summary, and the API's reply of its kind."""

    summary: Mapping[str, Any]
    payment: Mapping[str, Any]

    @property
    def details(self) -> Mapping[str, Any]:
        """Return the details of the reply."""
        details: Mapping[str, Any] = self.payment["transferDetails"]
        return details


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
    return {
        "parties": _parties(shown, payee_name),
        "quote": _quote(shown.details),
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
        "is_open_on_chain": any(each["state"] not in _FINAL for each in orders),
        "hashes": _hashes(shown.summary["history"]),
        "references": _references(shown.details),
    }


async def _journals(_interface: InternalClient, shown: ShownPayment) -> dict[str, object]:
    return {"journals": journals(shown.summary)}


async def _events(interface: InternalClient, shown: ShownPayment) -> dict[str, object]:
    found = await interface.get(
        "/v2/events", objectId=shown.summary["id"], order="desc", limit=_EVENTS
    )
    events: Sequence[Any] = found["records"]
    delivered = await asyncio.gather(*(_deliveries(interface, each) for each in events))
    return {"events": list(zip(events, delivered, strict=True))}


async def _notes(_interface: InternalClient, _shown: ShownPayment) -> dict[str, object]:
    # The notes themselves are loaded for every section: its tab counts them.
    return {"note_text": ""}


async def _raw(_interface: InternalClient, shown: ShownPayment) -> dict[str, object]:
    return {"raw": pretty({"payment": shown.payment, "transaction": shown.summary})}


_LOADERS: Final[Mapping[PaymentSection, SectionLoader]] = {
    PaymentSection.OVERVIEW: _overview,
    PaymentSection.TIMELINE: _timeline,
    PaymentSection.REFERENCES: _chain_and_bank,
    PaymentSection.JOURNALS: _journals,
    PaymentSection.EVENTS: _events,
    PaymentSection.NOTES: _notes,
    PaymentSection.RAW: _raw,
}


async def _review(interface: InternalClient, summary: Mapping[str, Any]) -> Any:
    """Return the payment's compliance review; None without one or without permission."""
    if summary["type"] not in _REVIEWED:
        return None
    try:
        found = await interface.get(f"/v2/reviews/transfers/{summary['id']}")
    except Refused:
        return None
    return found if found["rfis"] else None


async def _chain_orders(interface: InternalClient, summary: Mapping[str, Any]) -> Sequence[Any]:
    """Return the payment's orders on connected chains; none where it has none."""
    try:
        return (await interface.get(f"/v2/chains/orders/{summary['id']}"))["orders"]
    except ResourceNotFound:
        return []


async def _approval(interface: InternalClient, details: Mapping[str, Any]) -> Any:
    """Return the approval with all votes, or without them if the visitor may not vote."""
    approval = details.get("approval") or nested(details, "receipt").get("approval")
    if approval is None:
        return None
    try:
        found = await interface.get(f"/v2/transfer-approvals/{approval['id']}")
    except Refused:
        return approval
    return {**approval, "votes": found["approval"]["votes"]}


async def _deliveries(interface: InternalClient, event: Mapping[str, Any]) -> Sequence[Any]:
    return (await interface.get(f"/v2/events/{event['eventId']}"))["deliveries"]


def _hashes(history: Sequence[Mapping[str, Any]]) -> Sequence[tuple[str, str, str]]:
    """Return the label, hash and recording time of each chain transaction."""
    return [
        (kinds.HASH_NAMES[name], value, each["at"])
        for each in history
        for name, value in each["facts"].items()
        if name in kinds.HASH_NAMES
    ]


def _references(details: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    """Return the bank references."""
    references: dict[str, str | None] = {
        **nested(nested(details, "receipt"), "paymentTracking"),
        **nested(details["source"], "bankInfo"),
        "reference": nested(details, "depositInfo").get("reference"),
    }
    return [
        (name, found)
        for key, name in kinds.REFERENCE_NAMES.items()
        if (found := references.get(key))
    ]


async def _payee_name(interface: InternalClient, shown: ShownPayment) -> str | None:
    """Return the name of the recipient, if it is a user."""
    user_id = shown.details["destination"].get("userId")
    if user_id is None:
        return None
    if user_id == shown.summary["userId"]:
        return shown.summary["userName"]
    try:
        return (await interface.get(f"/v2/users/{user_id}"))["name"] or None
    except Refused:
        return None


def _parties(shown: ShownPayment, payee_name: str | None) -> Sequence[Mapping[str, Any]]:
    """Return source and destination in one shape for all kinds."""
    summary, details = shown.summary, shown.details
    parties: list[Mapping[str, Any]] = []
    for side, name in (("source", summary["userName"]), ("destination", payee_name)):
        party = details[side]
        # The source of external coins is not a user.
        user_id = party.get("userId") if side == "destination" else summary["userId"]
        parties.append(
            {
                **summary[side],
                "userId": user_id,
                "userName": name,
                "walletAddress": party.get("walletAddress"),
                "externalWalletId": party.get("externalWalletId"),
                "accountId": party.get("accountId"),
            }
        )
    return parties


def _quote(details: Mapping[str, Any]) -> Mapping[str, Any] | None:
    quote = details.get("quoteInformation")
    if quote is None:
        return None
    return {
        "lines": [(name, quote[member]) for member, name in kinds.QUOTE_NAMES if quote.get(member)],
        "rate": quote["rate"],
        "expiresAt": quote["expiresAt"],
    }


def _fees(shown: ShownPayment) -> Sequence[Mapping[str, Any]]:
    """Return Landbridge's fees and the organisation's own in one shape for all kinds."""
    summary, details = shown.summary, shown.details
    fees: list[Mapping[str, Any]] = [
        {"type": each["type"], "amount": each["amount"], "currency": each["currency"]}
        for each in nested(details, "billingInformation").get("fees", [])
    ]
    own = nested(details, "developerFee")
    currency = summary["source"]["currency"]
    if "feeAmount" in own:
        fees.append({"type": own["feeType"], "amount": own["feeAmount"], "currency": currency})
    fees += [
        {"type": each["type"], "amount": each["amount"], "currency": currency}
        for each in own.get("fees", [])
    ]
    return fees


def nested(details: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a nested object; an empty one if it is missing."""
    found: Mapping[str, Any] | None = details.get(name)
    return found or {}
