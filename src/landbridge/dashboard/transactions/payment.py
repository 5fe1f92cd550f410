"""All that is known of one payment, asked of the interface at once."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from landbridge.core.errors import Refused
from landbridge.dashboard.json_text import pretty
from landbridge.dashboard.transactions import kinds
from landbridge.dashboard.transactions.journals import journals
from landbridge.web.inside import Interface

# The last events of a payment; the page of events has the others.
_EVENTS = 10
_REVIEWED = frozenset({"ONRAMP", "OFFRAMP"})
# In these no provider was ever asked for anything.
_NEVER_STUCK = frozenset({"OPEN_QUOTE", "QUOTE_FAILED", "PENDING_APPROVAL"})


async def see(interface: Interface, transaction_id: str) -> dict[str, Any]:
    """What the page of a payment shows; raises `TransactionNotFound`."""
    summary = await interface.get(f"/v2/transactions/{transaction_id}")
    payment, events, review, resolvable = await asyncio.gather(
        interface.get(summary["resource"], expand="timeline"),
        interface.get("/v2/events", objectId=summary["id"], order="desc", limit=_EVENTS),
        _review(interface, summary),
        _resolvable(interface, summary),
    )
    details = payment["transferDetails"]
    approval, delivered, payee_name = await asyncio.gather(
        _approval(interface, details),
        asyncio.gather(*(_deliveries(interface, each) for each in events["records"])),
        _payee_name(interface, summary, details),
    )
    stations = [each for each in summary["history"] if each["statusAfter"] is not None]
    return {
        "summary": summary,
        "payment": payment,
        "kind": summary["type"],
        "details": details,
        "timeline": payment["timeline"],
        "stations": stations,
        "ends": _ends(summary, details, payee_name),
        "quote": _quote(details),
        "fees": _fees(summary, details),
        "hashes": _hashes(summary["history"]),
        "references": _references(details),
        "journals": journals(summary),
        "approval": approval,
        "review": review,
        "resolvable": resolvable,
        "events": list(zip(events["records"], delivered, strict=True)),
        "failed_reason": details.get("failedReason") or _error(details) or _obstacle(details),
        "raw": pretty({"payment": payment, "transaction": summary}),
        "kind_names": kinds.KIND_NAMES,
        "party_names": kinds.PARTY_NAMES,
        "role_names": kinds.ROLE_NAMES,
    }


async def _review(interface: Interface, summary: Mapping[str, Any]) -> Any:
    """What compliance has asked about it; None for those who may not see that."""
    if summary["type"] not in _REVIEWED:
        return None
    try:
        found = await interface.get(f"/v2/reviews/transfers/{summary['id']}")
    except Refused:
        return None
    return found if found["rfis"] else None


async def _resolvable(interface: Interface, summary: Mapping[str, Any]) -> Any:
    """What can be decided on it and what was; None if nothing, or for those who may not see that.

    Also asked of a payment at its end: what was decided on it is shown, and a completed payout may
    come back. It takes two statements more.
    """
    if summary["type"] == "WALLET.SWAP" or summary["status"] in _NEVER_STUCK:
        return None
    try:
        found = await interface.get(f"/v2/reviews/resolutions/actions/{summary['id']}")
    except Refused:
        return None
    return found if found["actions"] or found["resolutions"] else None


async def _approval(interface: Interface, details: Mapping[str, Any]) -> Any:
    """The approval with all its votes, or as the payment has it for those who may not vote."""
    told = details.get("approval") or _part(details, "receipt").get("approval")
    if told is None:
        return None
    try:
        found = await interface.get(f"/v2/transfer-approvals/{told['id']}")
    except Refused:
        return told
    return {**told, "votes": found["approval"]["votes"]}


async def _deliveries(interface: Interface, event: Mapping[str, Any]) -> Sequence[Any]:
    return (await interface.get(f"/v2/events/{event['eventId']}"))["deliveries"]


async def _payee_name(
    interface: Interface, summary: Mapping[str, Any], details: Mapping[str, Any]
) -> str | None:
    """What the user is called who is paid, if that is another one."""
    user_id = details["destination"].get("userId")
    if user_id is None:
        return None
    if user_id == summary["userId"]:
        return summary["userName"]
    try:
        return (await interface.get(f"/v2/users/{user_id}"))["name"] or None
    except Refused:
        return None


def _ends(
    summary: Mapping[str, Any], details: Mapping[str, Any], payee_name: str | None
) -> Sequence[Mapping[str, Any]]:
    """Both ends alike, whatever the kind."""
    ends: list[Mapping[str, Any]] = []
    for side, name in (("source", summary["userName"]), ("destination", payee_name)):
        told = details[side]
        # Coins that come from outside have no user of ours as their source.
        user_id = told.get("userId") if side == "destination" else summary["userId"]
        ends.append(
            {
                **summary[side],
                "userId": user_id,
                "userName": name,
                "walletAddress": told.get("walletAddress"),
                "externalWalletId": told.get("externalWalletId"),
                "accountId": told.get("accountId"),
            }
        )
    return ends


def _quote(details: Mapping[str, Any]) -> Mapping[str, Any] | None:
    told = details.get("quoteInformation")
    if told is None:
        return None
    return {
        "lines": [(name, told[member]) for member, name in kinds.QUOTE_NAMES if told.get(member)],
        "rate": told["rate"],
        "expiresAt": told["expiresAt"],
    }


def _fees(summary: Mapping[str, Any], details: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Ours, and the organisation's own, whatever the kind calls them."""
    fees: list[Mapping[str, Any]] = [
        {"type": each["type"], "amount": each["amount"], "currency": each["currency"]}
        for each in _part(details, "billingInformation").get("fees", [])
    ]
    own = _part(details, "developerFee")
    currency = summary["source"]["currency"]
    if "feeAmount" in own:
        fees.append({"type": own["feeType"], "amount": own["feeAmount"], "currency": currency})
    fees += [
        {"type": each["type"], "amount": each["amount"], "currency": currency}
        for each in own.get("fees", [])
    ]
    return fees


def _hashes(history: Sequence[Mapping[str, Any]]) -> Sequence[tuple[str, str, str]]:
    """What each transaction on a chain was, its hash, and when it was told."""
    return [
        (kinds.HASH_NAMES[name], value, each["at"])
        for each in history
        for name, value in each["facts"].items()
        if name in kinds.HASH_NAMES
    ]


def _references(details: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    """By what banks know it."""
    told: dict[str, Any] = {
        **_part(_part(details, "receipt"), "paymentTracking"),
        **_part(details["source"], "bankInfo"),
        "reference": _part(details, "depositInfo").get("reference"),
    }
    return [(name, told[key]) for key, name in kinds.REFERENCE_NAMES.items() if told.get(key)]


def _error(details: Mapping[str, Any]) -> str | None:
    return _part(details, "errorDetails").get("message") or details.get("error")


def _obstacle(details: Mapping[str, Any]) -> str | None:
    """Why an order that is still to be carried out has not been so far."""
    if details["status"] == "COMPLETED":
        return None
    return details.get("blockedReason") or details.get("lastRefusal")


def _part(told: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A member that is an object; an empty one where there is none."""
    found: Mapping[str, Any] | None = told.get(name)
    return found or {}
