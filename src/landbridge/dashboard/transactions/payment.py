"""A payment's page, collected from the API concurrently: what decides, and the chosen section."""

import asyncio
from collections.abc import Mapping

from landbridge.customers.payment_screening.model import INCOMPLETE
from landbridge.customers.travel_exchanges.api import ExchangeList
from landbridge.dashboard.compliance.travel_rule_pages import PENDING, STATES, find_waiting
from landbridge.dashboard.payment_lines import payment_lines
from landbridge.dashboard.payments.destinations import destination_of
from landbridge.dashboard.payments.payment_details import ExpandedPayment, PaymentDetails
from landbridge.dashboard.transactions import kinds
from landbridge.dashboard.transactions.milestones import charged_amount, milestones
from landbridge.dashboard.transactions.payment_sections import (
    SECTION_TITLES,
    PaymentSection,
    ShownPayment,
    section_values,
)
from landbridge.dashboard.transactions.repeat_links import repeat_link
from landbridge.payments.resolutions.api import ResolvableReply
from landbridge.payments.transactions.detail_schemas import TransactionDetailsReply
from landbridge.payments.transactions.note_api import TransactionNotesReply
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
    summary = await interface.read(TransactionDetailsReply, f"/v2/transactions/{transaction_id}")
    lines, payment, resolvable, notes = await asyncio.gather(
        payment_lines(interface, {summary.id}),
        interface.read(ExpandedPayment, summary.resource, expand="timeline"),
        _resolvable(interface, summary),
        interface.read(TransactionNotesReply, f"/v2/transactions/{summary.id}/notes"),
    )
    details = payment.transfer_details
    destination, travel_rule, in_section = await asyncio.gather(
        destination_of(interface, summary.type, details, with_history=summary.status in _UNDECIDED),
        _travel_rule(interface, payment, resolvable),
        section_values(interface, section, ShownPayment(summary, details)),
    )
    steps = [each for each in summary.history if each.status_after is not None]
    return {
        "summary": summary,
        "section": section,
        "section_titles": SECTION_TITLES,
        "line": lines[summary.id],
        "payment": payment,
        "kind": summary.type,
        "details": details,
        "timeline": payment.timeline,
        "steps": steps,
        "milestones": milestones(steps, payment.timeline),
        "charged": charged_amount(lines[summary.id]),
        "repeat": repeat_link(
            summary.type, details, None if destination is None else destination.label
        ),
        "destination": destination,
        "resolvable": resolvable,
        **travel_rule,
        "notes": notes.notes,
        "failed_reason": details.failed_reason or _error(details) or _pending_reason(details),
        "kind_names": kinds.KIND_NAMES,
        "party_names": kinds.PARTY_NAMES,
        "role_names": kinds.ROLE_NAMES,
        "is_open_on_chain": False,
        **in_section,
    }


async def _resolvable(
    interface: InternalClient, summary: TransactionDetailsReply
) -> ResolvableReply | None:
    """Return resolutions and possible actions; None without any or without permission.

    Also read for a final payment: it shows earlier resolutions, and a completed payout may be
    returned. This costs two more statements.
    """
    if summary.status in _NEVER_STUCK:
        return None
    try:
        found = await interface.read(
            ResolvableReply, f"/v2/reviews/resolutions/actions/{summary.id}"
        )
    except Refused:
        return None
    return found if found.actions or found.resolutions else None


async def _travel_rule(
    interface: InternalClient, payment: ExpandedPayment, found: ResolvableReply | None
) -> Mapping[str, object]:
    """Return what data about a counterparty wallet the payment waits for, and exchanges about it.

    Read only where the payment goes to outside, or is said to wait for such data.
    """
    reason = (found.attention or "") if found else ""
    details = payment.transfer_details
    is_outside = details.destination.wallet_address and not details.destination.user_id
    if not is_outside and not reason.startswith(INCOMPLETE):
        return {"travel_rule": None, "exchanges": ()}
    waits = payment.timeline.waits_for
    exchanges = await interface.read(
        ExchangeList, "/v2/travel-rule/exchanges", transferId=str(details.id)
    )
    return {
        "travel_rule": await find_waiting(interface, details.id) if waits else None,
        "exchanges": exchanges.exchanges,
        "exchange_states": STATES,
        "pending_labels": PENDING,
    }


def _error(details: PaymentDetails) -> str | None:
    return (details.error_details and details.error_details.message) or details.error


def _pending_reason(details: PaymentDetails) -> str | None:
    """Return why a pending order has not been carried out yet."""
    if details.status == "COMPLETED":
        return None
    return details.blocked_reason or details.last_refusal
