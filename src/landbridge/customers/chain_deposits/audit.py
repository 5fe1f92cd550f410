"""Audit rules of reversed deposits; see ledger/audit_rules.py."""

from collections.abc import Sequence

from landbridge.customers.chain_deposits.reversals import (
    ReversalStatus,
    as_reversal,
    recovered_postings,
    reversed_postings,
    written_off_postings,
)
from landbridge.ledger.audit_rules import AuditRules, Journals, RecordStep, credit, debit
from landbridge.ledger.model import HouseRole, Posting, Transfer


def journals(step: RecordStep) -> Journals:
    """Recompute the postings of a step."""
    reversal = as_reversal(step.after)
    account_id, owed = reversal.details.account_id, reversal.owed
    match reversal.status:
        case ReversalStatus.OPEN | ReversalStatus.COMPLETED:
            return step.final_journal(reversed_postings(account_id, reversal.money, owed))
        case ReversalStatus.RECOVERED:
            return step.final_journal(recovered_postings(account_id, owed))
        case ReversalStatus.WRITTEN_OFF:
            return step.final_journal(written_off_postings(owed))


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return the total effect: coins left the wallet, and what it lacked became a receivable."""
    del statuses
    reversal = as_reversal(record)
    account_id, owed = reversal.details.account_id, reversal.owed
    total = [credit(HouseRole.OUTSIDE, reversal.money), debit(account_id, reversal.money - owed)]
    match reversal.status:
        case ReversalStatus.OPEN:
            return [*total, debit(HouseRole.RECEIVABLE, owed)]
        case ReversalStatus.COMPLETED | ReversalStatus.RECOVERED:
            return [*total, debit(account_id, owed)]
        case ReversalStatus.WRITTEN_OFF:
            return [*total, debit(HouseRole.WRITE_OFFS, owed)]


RULES = AuditRules(journals, effect)
