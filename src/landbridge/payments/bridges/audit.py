"""Audit rules of bridges; see ledger/audit_rules.py."""

from collections.abc import Sequence
from uuid import UUID

from landbridge.ledger.audit_rules import AuditRules, Journals, RecordStep, credit, debit, reserve
from landbridge.ledger.model import HouseRole, Posting, Transfer
from landbridge.payments.bridges.model import Bridge, BridgeStatus, as_bridge
from landbridge.payments.bridges.transitions import (
    accepted,
    burned,
    ended,
    minted,
    not_initiated,
    released,
    returned,
    returned_outside,
)
from landbridge.payments.engine.postings import hold


def journals(step: RecordStep) -> Journals:
    """Return the postings that a step of a record should have made."""
    if step.before is None:
        return _opened(step)
    bridge = as_bridge(step.before)
    match BridgeStatus(step.after.status):
        case BridgeStatus.CREATED:
            created = accepted(bridge, step.actor, step.at).journals
        case BridgeStatus.QUOTE_FAILED | BridgeStatus.REJECTED | BridgeStatus.EXPIRED as status:
            created = ended(bridge, status, step.actor, step.at).journals
        case BridgeStatus.NOT_INITIATED:
            created = not_initiated(bridge, step.actor, step.at, "").journals
        case BridgeStatus.SOURCE_PROCESSED:
            created = step.final_journal(burned(bridge))
        case BridgeStatus.SOURCE_FAILED:
            created = step.final_journal(released(bridge))
        case BridgeStatus.COMPLETED:
            created = step.final_journal(minted(bridge))
        case BridgeStatus.DESTINATION_FAILED:
            is_outside = step.change_type == "settle_outside"
            created = step.final_journal(
                returned_outside(bridge) if is_outside else returned(bridge)
            )
        case (
            BridgeStatus.PENDING_APPROVAL
            | BridgeStatus.OPEN_QUOTE
            | BridgeStatus.SOURCE_INITIATED
            | BridgeStatus.SOURCE_PENDING
            | BridgeStatus.DESTINATION_INITIATED
            | BridgeStatus.DESTINATION_PENDING
            | BridgeStatus.UNKNOWN
        ):
            created = step.final_journal([])
    return created


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return the total effect of a bridge on balances, after the statuses it has passed."""
    bridge = as_bridge(record)
    payer = bridge.details.source_account_id
    remaining = [
        debit(payer, bridge.source),
        credit(HouseRole.OUTSIDE, bridge.source),
        debit(HouseRole.OUTSIDE, bridge.destination),
    ]
    match _leg(bridge, statuses):
        case (
            BridgeStatus.PENDING_APPROVAL
            | BridgeStatus.CREATED
            | BridgeStatus.SOURCE_INITIATED
            | BridgeStatus.SOURCE_PENDING
        ):
            moved = [reserve(payer, bridge.source)]
        case BridgeStatus.OPEN_QUOTE:
            # A quote holds coins only if the bridge waited for an approval before.
            was_approved = BridgeStatus.PENDING_APPROVAL in statuses
            moved = [reserve(payer, bridge.source)] if was_approved else []
        case (
            BridgeStatus.SOURCE_PROCESSED
            | BridgeStatus.DESTINATION_INITIATED
            | BridgeStatus.DESTINATION_PENDING
        ):
            moved = [*remaining, credit(HouseRole.IN_TRANSIT, bridge.destination)]
        case BridgeStatus.COMPLETED:
            payee = bridge.details.destination_account_id or HouseRole.OUTSIDE
            moved = [*remaining, credit(payee, bridge.destination)]
        case BridgeStatus.DESTINATION_FAILED:
            moved = [debit(payer, bridge.source), credit(_refunded_to(bridge), bridge.source)]
        case (
            BridgeStatus.UNKNOWN
            | BridgeStatus.NOT_INITIATED
            | BridgeStatus.SOURCE_FAILED
            | BridgeStatus.QUOTE_FAILED
            | BridgeStatus.REJECTED
            | BridgeStatus.EXPIRED
        ):
            moved = []
    return moved


def _refunded_to(bridge: Bridge) -> UUID | HouseRole:
    """Return the account that got unminted coins back: the payer's, or a reviewer's choice."""
    details = bridge.details
    if details.is_settled_outside:
        return HouseRole.OUTSIDE
    if details.return_address is None:
        return details.source_account_id
    return details.return_account_id or HouseRole.OUTSIDE


def _opened(step: RecordStep) -> Journals:
    bridge = as_bridge(step.after)
    if bridge.status is not BridgeStatus.PENDING_APPROVAL:
        return {}
    return step.final_journal(hold(bridge.details.source_account_id, bridge.source))


def _leg(bridge: Bridge, statuses: Sequence[str]) -> BridgeStatus:
    """Return the status of a bridge; for UNKNOWN, a status of the leg that has no answer."""
    if bridge.status is not BridgeStatus.UNKNOWN:
        return bridge.status
    is_burned = BridgeStatus.SOURCE_PROCESSED in statuses
    return BridgeStatus.DESTINATION_PENDING if is_burned else BridgeStatus.SOURCE_PENDING


RULES = AuditRules(journals, effect)
