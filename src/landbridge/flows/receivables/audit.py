"""How `landbridge check` verifies receivables; see ledger/audit_rules.py."""

from collections.abc import Sequence

from landbridge.flows.receivables import moves
from landbridge.flows.receivables.model import Status, as_receivable
from landbridge.ledger.audit_rules import AuditRules, Journals, Step, credit, debit
from landbridge.ledger.model import Posting, Role, Transfer


def journals(step: Step) -> Journals:
    """Recompute the postings of a step."""
    receivable = as_receivable(step.after)
    match receivable.status:
        case Status.OPEN:
            return step.at_end(moves.became_owed(receivable.amount))
        case Status.RECOVERED:
            return step.at_end(moves.paid(receivable.amount))
        case Status.WRITTEN_OFF:
            return step.at_end(moves.lost(receivable.amount))


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return what a receivable has moved in all."""
    del statuses
    receivable = as_receivable(record)
    match receivable.status:
        case Status.OPEN:
            owed = Role.RECEIVABLE
        case Status.RECOVERED:
            return []
        case Status.WRITTEN_OFF:
            owed = Role.WRITE_OFFS
    return [debit(owed, receivable.amount), credit(Role.OUTSIDE, receivable.amount)]


RULES = AuditRules(journals, effect)
