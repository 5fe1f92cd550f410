"""Audit rules of treasury reversals; see ledger/audit_rules.py."""

from collections.abc import Sequence

from landbridge.customers.chain_deposits import treasury_reversals
from landbridge.customers.chain_deposits.reversals import written_off_postings
from landbridge.customers.chain_deposits.treasury_reversals import (
    TreasuryReversalStatus,
    as_treasury_reversal,
)
from landbridge.ledger.audit_rules import AuditRules, Journals, RecordStep, credit, debit
from landbridge.ledger.model import HouseRole, Posting, Transfer


def journals(step: RecordStep) -> Journals:
    """Recompute the postings of a step."""
    reversal = as_treasury_reversal(step.after)
    match reversal.status:
        case TreasuryReversalStatus.OPEN:
            return step.final_journal(treasury_reversals.owed_postings(reversal.money))
        case TreasuryReversalStatus.RECOVERED:
            return step.final_journal(treasury_reversals.recovered_postings(reversal.money))
        case TreasuryReversalStatus.WRITTEN_OFF:
            return step.final_journal(written_off_postings(reversal.money))


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return the total effect: the coins are gone, and are owed by the user or written off."""
    del statuses
    reversal = as_treasury_reversal(record)
    match reversal.status:
        case TreasuryReversalStatus.OPEN:
            bearer = HouseRole.RECEIVABLE
        case TreasuryReversalStatus.RECOVERED:
            return []
        case TreasuryReversalStatus.WRITTEN_OFF:
            bearer = HouseRole.WRITE_OFFS
    return [debit(bearer, reversal.money), credit(HouseRole.OUTSIDE, reversal.money)]


RULES = AuditRules(journals, effect)
