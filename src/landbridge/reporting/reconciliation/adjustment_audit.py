"""Audit rules of adjustments; see ledger/audit_rules.py."""

from collections.abc import Sequence

from landbridge.ledger.audit_rules import AuditRules, Journals, RecordStep, credit, debit
from landbridge.ledger.model import HouseRole, Posting, Transfer
from landbridge.platform.core.money import Money
from landbridge.reporting.reconciliation.adjustments import adjustment_postings, is_shortfall_of
from landbridge.reporting.reconciliation.sources import COMPARED_ASSETS


def journals(step: RecordStep) -> Journals:
    """Recompute the postings of an adjustment."""
    is_shortfall = is_shortfall_of(step.after)
    return step.final_journal(adjustment_postings(_money(step.after), is_shortfall=is_shortfall))


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return the total effect: coins in suspense, or a loss."""
    del statuses
    money = _money(record)
    if is_shortfall_of(record):
        return [debit(HouseRole.WRITE_OFFS, money), credit(HouseRole.OUTSIDE, money)]
    return [debit(HouseRole.OUTSIDE, money), credit(HouseRole.SUSPENSE, money)]


def _money(record: Transfer) -> Money:
    return Money(record.source_units, COMPARED_ASSETS[record.source_asset])


RULES = AuditRules(journals, effect)
