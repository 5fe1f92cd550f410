"""Audit rules of disbursements; see ledger/audit_rules.py."""

from collections.abc import Sequence
from uuid import UUID

from landbridge.ledger.audit_rules import AuditRules, Journals, RecordStep, credit, debit
from landbridge.ledger.model import HouseRole, Posting, Transfer
from landbridge.payments.disbursements import transitions
from landbridge.payments.disbursements.model import (
    Disbursement,
    DisbursementStatus,
    as_disbursement,
)
from landbridge.payments.engine.disbursement_requests import DisbursementPurpose


def journals(step: RecordStep) -> Journals:
    """Return the postings that a step of a record should have made."""
    disbursement = as_disbursement(step.after)
    if step.before is None:
        return step.final_journal(transitions.received(disbursement))
    match disbursement.status:
        case DisbursementStatus.COMPLETED if step.change_type == "settle_outside":
            return step.final_journal(transitions.paid_outside(disbursement))
        case DisbursementStatus.COMPLETED:
            return step.final_journal(transitions.paid(disbursement))
        case DisbursementStatus.CREATED | DisbursementStatus.INITIATED:
            return {}


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return the total effect of a disbursement on balances."""
    del statuses
    disbursement = as_disbursement(record)
    details, money = disbursement.details, disbursement.money
    is_surplus = details.purpose is DisbursementPurpose.SURPLUS_RETURN
    surplus = [debit(HouseRole.OUTSIDE, money)] if is_surplus else []
    match disbursement.status:
        case DisbursementStatus.CREATED | DisbursementStatus.INITIATED:
            return [*surplus, credit(HouseRole.IN_TRANSIT, money)] if is_surplus else []
        case DisbursementStatus.COMPLETED:
            owed = [] if is_surplus else [debit(HouseRole.PAYABLE, money)]
            return [*surplus, *owed, credit(_receiver(disbursement), money)]


def _receiver(disbursement: Disbursement) -> UUID | HouseRole:
    """Return the account that was paid: an internal wallet's, or OUTSIDE."""
    if disbursement.details.is_settled_outside:
        return HouseRole.OUTSIDE
    return disbursement.details.account_id or HouseRole.OUTSIDE


RULES = AuditRules(journals, effect)
