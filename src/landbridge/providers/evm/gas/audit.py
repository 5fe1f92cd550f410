"""Audit rules of gas costs; see ledger/audit_rules.py."""

from collections.abc import Sequence

from landbridge.ledger.audit_rules import AuditRules, Journals, RecordStep, credit, debit
from landbridge.ledger.model import HouseRole, Posting, Transfer
from landbridge.platform.core.money import Money
from landbridge.providers.evm.gas.model import ASSETS, gas_postings


def journals(step: RecordStep) -> Journals:
    """Recompute the postings of a gas cost."""
    return step.final_journal(gas_postings(_money(step.after), is_undone=_is_undone(step.after)))


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return the total effect: an expense paid to outside in native coins, or its reversal."""
    del statuses
    paid = debit(HouseRole.GAS, _money(record)), credit(HouseRole.OUTSIDE, _money(record))
    undone = credit(HouseRole.GAS, _money(record)), debit(HouseRole.OUTSIDE, _money(record))
    return undone if _is_undone(record) else paid


def _is_undone(record: Transfer) -> bool:
    return bool(record.details.get("is_undone"))


def _money(record: Transfer) -> Money:
    return Money(record.source_units, ASSETS[record.source_asset])


RULES = AuditRules(journals, effect)
