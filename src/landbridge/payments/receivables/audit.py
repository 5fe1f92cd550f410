"""Audit rules of receivables; see ledger/audit_rules.py."""

from collections.abc import Sequence

from landbridge.ledger.audit_rules import AuditRules, Journals, RecordStep, credit, debit
from landbridge.ledger.model import HouseRole, Posting, Transfer
from landbridge.payments.receivables import transitions
from landbridge.payments.receivables.model import ReceivableStatus, as_receivable


def journals(step: RecordStep) -> Journals:
    """Return the postings that a step of a record should have made."""
    receivable = as_receivable(step.after)
    match receivable.status:
        case ReceivableStatus.OPEN:
            return step.final_journal(transitions.owed(receivable.amount))
        case ReceivableStatus.RECOVERED:
            return step.final_journal(transitions.paid(receivable.amount))
        case ReceivableStatus.WRITTEN_OFF:
            return step.final_journal(transitions.lost(receivable.amount))


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return the total effect of a receivable on balances, after the statuses it has passed."""
    del statuses
    receivable = as_receivable(record)
    match receivable.status:
        case ReceivableStatus.OPEN:
            owed = HouseRole.RECEIVABLE
        case ReceivableStatus.RECOVERED:
            return []
        case ReceivableStatus.WRITTEN_OFF:
            owed = HouseRole.WRITE_OFFS
    return [debit(owed, receivable.amount), credit(HouseRole.OUTSIDE, receivable.amount)]


RULES = AuditRules(journals, effect)
