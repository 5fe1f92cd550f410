"""How `landbridge check` verifies bridges; see ledger/audit_rules.py."""

from collections.abc import Sequence
from uuid import UUID

from landbridge.flows.bridges.model import Bridge, Status, as_bridge
from landbridge.flows.bridges.moves import (
    accepted,
    burned,
    ended,
    freed,
    minted,
    returned,
    returned_outside,
    unsent,
)
from landbridge.ledger.audit_rules import AuditRules, Journals, Step, credit, debit, reserve
from landbridge.ledger.model import Posting, Role, Transfer
from landbridge.payments.postings import hold


def journals(step: Step) -> Journals:
    """Recompute the postings of a step."""
    if step.before is None:
        return _opened(step)
    bridge = as_bridge(step.before)
    match Status(step.after.status):
        case Status.CREATED:
            made = accepted(bridge, step.actor, step.at).journals
        case Status.QUOTE_FAILED | Status.REJECTED | Status.EXPIRED as status:
            made = ended(bridge, status, step.actor, step.at).journals
        case Status.NOT_INITIATED:
            made = unsent(bridge, step.actor, step.at, "").journals
        case Status.SOURCE_PROCESSED:
            made = step.at_end(burned(bridge))
        case Status.SOURCE_FAILED:
            made = step.at_end(freed(bridge))
        case Status.COMPLETED:
            made = step.at_end(minted(bridge))
        case Status.DESTINATION_FAILED:
            is_outside = step.what == "settle_outside"
            made = step.at_end(returned_outside(bridge) if is_outside else returned(bridge))
        case (
            Status.PENDING_APPROVAL
            | Status.OPEN_QUOTE
            | Status.SOURCE_INITIATED
            | Status.SOURCE_PENDING
            | Status.DESTINATION_INITIATED
            | Status.DESTINATION_PENDING
            | Status.UNKNOWN
        ):
            made = step.at_end([])
    return made


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return what a bridge has moved in all."""
    bridge = as_bridge(record)
    payer = bridge.details.source_account_id
    left = [
        debit(payer, bridge.source),
        credit(Role.OUTSIDE, bridge.source),
        debit(Role.OUTSIDE, bridge.destination),
    ]
    match _leg(bridge, statuses):
        case (
            Status.PENDING_APPROVAL
            | Status.CREATED
            | Status.SOURCE_INITIATED
            | Status.SOURCE_PENDING
        ):
            moved = [reserve(payer, bridge.source)]
        case Status.OPEN_QUOTE:
            # Coins of a quote are held only while, and since, it waited for an approval.
            was_approved = Status.PENDING_APPROVAL in statuses
            moved = [reserve(payer, bridge.source)] if was_approved else []
        case Status.SOURCE_PROCESSED | Status.DESTINATION_INITIATED | Status.DESTINATION_PENDING:
            moved = [*left, credit(Role.IN_TRANSIT, bridge.destination)]
        case Status.COMPLETED:
            payee = bridge.details.destination_account_id or Role.OUTSIDE
            moved = [*left, credit(payee, bridge.destination)]
        case Status.DESTINATION_FAILED:
            moved = [debit(payer, bridge.source), credit(_refunded_to(bridge), bridge.source)]
        case (
            Status.UNKNOWN
            | Status.NOT_INITIATED
            | Status.SOURCE_FAILED
            | Status.QUOTE_FAILED
            | Status.REJECTED
            | Status.EXPIRED
        ):
            moved = []
    return moved


def _refunded_to(bridge: Bridge) -> UUID | Role:
    """Return who got the coins that could not be minted: the payer, unless a person decided."""
    details = bridge.details
    if details.is_settled_outside:
        return Role.OUTSIDE
    if details.return_address is None:
        return details.source_account_id
    return details.return_account_id or Role.OUTSIDE


def _opened(step: Step) -> Journals:
    bridge = as_bridge(step.after)
    if bridge.status is not Status.PENDING_APPROVAL:
        return {}
    return step.at_end(hold(bridge.details.source_account_id, bridge.source))


def _leg(bridge: Bridge, statuses: Sequence[str]) -> Status:
    """Return the status; of an unknown one, the last that says which leg it is on."""
    if bridge.status is not Status.UNKNOWN:
        return bridge.status
    is_burned = Status.SOURCE_PROCESSED in statuses
    return Status.DESTINATION_PENDING if is_burned else Status.SOURCE_PENDING


RULES = AuditRules(journals, effect)
