"""Audit rules of screenings; see ledger/audit_rules.py."""

from collections.abc import Sequence

from landbridge.customers.deposit_screening.model import (
    DepositSource,
    ScreeningStatus,
    as_screening,
    ended_postings,
    rejected_postings,
    suspended_postings,
)
from landbridge.ledger.audit_rules import AuditRules, Journals, RecordStep, credit, debit
from landbridge.ledger.model import HouseRole, Posting, Transfer


def journals(step: RecordStep) -> Journals:
    """Recompute the postings of a step."""
    screening = as_screening(step.after)
    match screening.status:
        case ScreeningStatus.IN_SCREENING:
            return step.final_journal(suspended_postings(screening.money))
        case ScreeningStatus.HELD:
            return {}
        case ScreeningStatus.REJECTED:
            return step.final_journal(rejected_postings(screening.details.source, screening.money))
        case ScreeningStatus.RELEASED | ScreeningStatus.LOST:
            return step.final_journal(ended_postings(screening.money))


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return the total effect: the money is in suspense, or has left it again."""
    del statuses
    screening = as_screening(record)
    match screening.status:
        case ScreeningStatus.RELEASED | ScreeningStatus.LOST:
            return []
        case ScreeningStatus.REJECTED if screening.details.source is DepositSource.BANK:
            return []
        case ScreeningStatus.IN_SCREENING | ScreeningStatus.HELD | ScreeningStatus.REJECTED:
            return [
                debit(HouseRole.OUTSIDE, screening.money),
                credit(HouseRole.SUSPENSE, screening.money),
            ]


RULES = AuditRules(journals, effect)
