"""A payment's page, collected from the API concurrently: what decides, and the chosen section."""

import asyncio
from collections.abc import Mapping
from typing import Any

from landbridge.customers.payment_screening.model import INCOMPLETE
from landbridge.dashboard.compliance.inquiry_pages import PENDING, STATES
from landbridge.dashboard.compliance.travel_rule_pages import find_waiting
from landbridge.dashboard.payment_lines import payment_lines
from landbridge.dashboard.payments.destinations import destination_of
from landbridge.dashboard.transactions import kinds
from landbridge.dashboard.transactions.milestones import charged_amount, milestones
from landbridge.dashboard.transactions.payment_sections import (
    SECTION_TITLES,
    PaymentSection,
    ShownPayment,
    nested,
    section_values,
)
from landbridge.dashboard.transactions.repeat_links import repeat_link
from landbridge.platform.core.errors import Refused
from landbridge.platform.http.internal_client import InternalClient

# Not decided yet whether it is paid.
_UNDECIDED = frozenset({"OPEN_QUOTE", "PENDING_APPROVAL"})
# Statuses before any order to a provider.
_NEVER_STUCK = frozenset({"OPEN_QUOTE", "QUOTE_FAILED", "PENDING_APPROVAL"})


async def payment_values(
    interface: InternalClient, transaction_id: str, section: PaymentSection
) -> dict[str, object]:
    """Return the values of a payment's page; raise `TransactionNotFound` if there is none."""
    summary = await interface.get(f"/v2/transactions/{transaction_id}")
    lines, payment, resolvable, notes = await asyncio.gather(
        payment_lines(interface, {summary["id"]}),
        interface.get(summary["resource"], expand="timeline"),
        _resolvable(interface, summary),
        interface.get(f"/v2/transactions/{summary['id']}/notes"),
    )
    details = payment["transferDetails"]
    destination, travel_rule, in_section = await asyncio.gather(
        destination_of(
            interface, summary["type"], details, with_history=summary["status"] in _UNDECIDED
        ),
        _travel_rule(interface, summary, payment, resolvable),
        section_values(interface, section, ShownPayment(summary, payment)),
    )
    steps = [each for each in summary["history"] if each["statusAfter"] is not None]
    return {
        "summary": summary,
        "section": section,
        "section_titles": SECTION_TITLES,
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
        "resolvable": resolvable,
        **travel_rule,
        "notes": notes["notes"],
        "failed_reason": details.get("failedReason") or _error(details) or _pending_reason(details),
        "kind_names": kinds.KIND_NAMES,
        "party_names": kinds.PARTY_NAMES,
        "role_names": kinds.ROLE_NAMES,
        "is_open_on_chain": False,
        **in_section,
    }


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


async def _travel_rule(
    interface: InternalClient, summary: Mapping[str, Any], payment: Mapping[str, Any], found: Any
) -> Mapping[str, object]:
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


def _error(details: Mapping[str, Any]) -> str | None:
    return nested(details, "errorDetails").get("message") or details.get("error")


def _pending_reason(details: Mapping[str, Any]) -> str | None:
    """Return why a pending order has not been carried out yet."""
    if details["status"] == "COMPLETED":
        return None
    return details.get("blockedReason") or details.get("lastRefusal")
