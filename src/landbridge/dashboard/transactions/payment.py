"""Details of one payment, collected from the API concurrently."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from landbridge.customers.payment_screening.model import INCOMPLETE
from landbridge.dashboard.compliance.inquiry_pages import PENDING, STATES
from landbridge.dashboard.compliance.travel_rule_pages import find_waiting
from landbridge.dashboard.json_text import pretty
from landbridge.dashboard.payment_lines import payment_lines
from landbridge.dashboard.payments.destinations import destination_of
from landbridge.dashboard.transactions import kinds
from landbridge.dashboard.transactions.journals import journals
from landbridge.dashboard.transactions.milestones import charged_amount, milestones
from landbridge.dashboard.transactions.repeat_links import repeat_link
from landbridge.platform.core.errors import Refused, ResourceNotFound
from landbridge.platform.http.internal_client import InternalClient

# Latest events of a payment; the page of events has the others.
_EVENTS = 10
_REVIEWED = frozenset({"ONRAMP", "OFFRAMP"})
# States of chain orders that do not change any more.
_FINAL = frozenset({"FINAL", "REVERTED", "REJECTED"})
# Not decided yet whether it is paid.
_UNDECIDED = frozenset({"OPEN_QUOTE", "PENDING_APPROVAL"})
# Statuses before any order to a provider.
_NEVER_STUCK = frozenset({"OPEN_QUOTE", "QUOTE_FAILED", "PENDING_APPROVAL"})


async def payment_values(interface: InternalClient, transaction_id: str) -> dict[str, Any]:
    """Return the values of a payment's page; raise `TransactionNotFound` if there is none."""
    summary = await interface.get(f"/v2/transactions/{transaction_id}")
    lines, payment, events, review, resolvable, chain_orders = await asyncio.gather(
        payment_lines(interface, {summary["id"]}),
        interface.get(summary["resource"], expand="timeline"),
        interface.get("/v2/events", objectId=summary["id"], order="desc", limit=_EVENTS),
        _review(interface, summary),
        _resolvable(interface, summary),
        _chain_orders(interface, summary),
    )
    details = payment["transferDetails"]
    approval, delivered, payee_name, destination, notes, travel_rule = await asyncio.gather(
        _approval(interface, details),
        asyncio.gather(*(_deliveries(interface, each) for each in events["records"])),
        _payee_name(interface, summary, details),
        destination_of(
            interface, summary["type"], details, with_history=summary["status"] in _UNDECIDED
        ),
        interface.get(f"/v2/transactions/{summary['id']}/notes"),
        _travel_rule(interface, summary, payment, resolvable),
    )
    steps = [each for each in summary["history"] if each["statusAfter"] is not None]
    return {
        "summary": summary,
        "line": lines[summary["id"]],
        "payment": payment,
        "kind": summary["type"],
        "details": details,
        "timeline": payment["timeline"],
        "steps": steps,
        "milestones": milestones(steps, payment["timeline"]),
        "charged": charged_amount(lines[summary["id"]]),
        "repeat": repeat_link(
            summary["type"], details, None if destination is None else destination.label
        ),
        "destination": destination,
        "parties": _parties(summary, details, payee_name),
        "quote": _quote(details),
        "fees": _fees(summary, details),
        "hashes": _hashes(summary["history"]),
        "chain_orders": chain_orders,
        "is_open_on_chain": any(each["state"] not in _FINAL for each in chain_orders),
        "references": _references(details),
        "journals": journals(summary),
        "approval": approval,
        "review": review,
        "resolvable": resolvable,
        **travel_rule,
        "notes": notes["notes"],
        "note_text": "",
        "events": list(zip(events["records"], delivered, strict=True)),
        "failed_reason": details.get("failedReason") or _error(details) or _pending_reason(details),
        "raw": pretty({"payment": payment, "transaction": summary}),
        "kind_names": kinds.KIND_NAMES,
        "party_names": kinds.PARTY_NAMES,
        "role_names": kinds.ROLE_NAMES,
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


async def _resolvable(interface: InternalClient, summary: Mapping[str, Any]) -> Any:
    """Return resolutions and possible actions; None without any or without permission.

    Also read for a final payment: it shows earlier resolutions, and a completed payout may be
    returned. This costs two more statements.
    """
    if summary["status"] in _NEVER_STUCK:
        return None
    try:
        found = await interface.get(f"/v2/reviews/resolutions/actions/{summary['id']}")
    except Refused:
        return None
    return found if found["actions"] or found["resolutions"] else None


async def _chain_orders(interface: InternalClient, summary: Mapping[str, Any]) -> Sequence[Any]:
    """Return the payment's orders on connected chains; none where it has none."""
    try:
        return (await interface.get(f"/v2/chains/orders/{summary['id']}"))["orders"]
    except ResourceNotFound:
        return []


async def _travel_rule(
    interface: InternalClient, summary: Mapping[str, Any], payment: Mapping[str, Any], found: Any
) -> Mapping[str, Any]:
    """Return what data about a wallet outside the payment waits for, and exchanges about it.

    Read only where the payment goes to outside, or is said to wait for such data.
    """
    reason: str = (found["attention"] or "") if found else ""
    destination = payment["transferDetails"]["destination"]
    is_outside = destination.get("walletAddress") and not destination.get("userId")
    if not is_outside and not reason.startswith(INCOMPLETE):
        return {"travel_rule": None, "exchanges": ()}
    waits = payment["timeline"]["waitsFor"]
    return {
        "travel_rule": await find_waiting(interface, summary["id"]) if waits else None,
        "exchanges": (await interface.get("/v2/travel-rule/exchanges", transferId=summary["id"]))[
            "exchanges"
        ],
        "exchange_states": STATES,
        "pending_labels": PENDING,
    }


async def _approval(interface: InternalClient, details: Mapping[str, Any]) -> Any:
    """Return the approval with all votes, or without them if the visitor may not vote."""
    approval = details.get("approval") or _nested(details, "receipt").get("approval")
    if approval is None:
        return None
    try:
        found = await interface.get(f"/v2/transfer-approvals/{approval['id']}")
    except Refused:
        return approval
    return {**approval, "votes": found["approval"]["votes"]}


async def _deliveries(interface: InternalClient, event: Mapping[str, Any]) -> Sequence[Any]:
    return (await interface.get(f"/v2/events/{event['eventId']}"))["deliveries"]


async def _payee_name(
    interface: InternalClient, summary: Mapping[str, Any], details: Mapping[str, Any]
) -> str | None:
    """Return the name of the recipient, if it is a user."""
    user_id = details["destination"].get("userId")
    if user_id is None:
        return None
    if user_id == summary["userId"]:
        return summary["userName"]
    try:
        return (await interface.get(f"/v2/users/{user_id}"))["name"] or None
    except Refused:
        return None


def _parties(
    summary: Mapping[str, Any], details: Mapping[str, Any], payee_name: str | None
) -> Sequence[Mapping[str, Any]]:
    """Return source and destination in one shape for all kinds."""
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


def _fees(summary: Mapping[str, Any], details: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return Landbridge's fees and the organisation's own in one shape for all kinds."""
    fees: list[Mapping[str, Any]] = [
        {"type": each["type"], "amount": each["amount"], "currency": each["currency"]}
        for each in _nested(details, "billingInformation").get("fees", [])
    ]
    own = _nested(details, "developerFee")
    currency = summary["source"]["currency"]
    if "feeAmount" in own:
        fees.append({"type": own["feeType"], "amount": own["feeAmount"], "currency": currency})
    fees += [
        {"type": each["type"], "amount": each["amount"], "currency": currency}
        for each in own.get("fees", [])
    ]
    return fees


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
    references: dict[str, Any] = {
        **_nested(_nested(details, "receipt"), "paymentTracking"),
        **_nested(details["source"], "bankInfo"),
        "reference": _nested(details, "depositInfo").get("reference"),
    }
    return [
        (name, references[key])
        for key, name in kinds.REFERENCE_NAMES.items()
        if references.get(key)
    ]


def _error(details: Mapping[str, Any]) -> str | None:
    return _nested(details, "errorDetails").get("message") or details.get("error")


def _pending_reason(details: Mapping[str, Any]) -> str | None:
    """Return why a pending order has not been carried out yet."""
    if details["status"] == "COMPLETED":
        return None
    return details.get("blockedReason") or details.get("lastRefusal")


def _nested(details: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a nested object; an empty one if it is missing."""
    found: Mapping[str, Any] | None = details.get(name)
    return found or {}
