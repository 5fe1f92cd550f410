"""How `landbridge check` verifies micro-deposits; see ledger/audit_rules.py."""

from collections.abc import Sequence

from landbridge.core.money import Money
from landbridge.ledger.audit_rules import AuditRules, Journals, Step, credit, debit
from landbridge.ledger.model import Posting, Role, Transfer
from landbridge.rails.currencies import FIAT_ASSETS
from landbridge.virtual_accounts.model import micro_deposit_postings


def journals(step: Step) -> Journals:
    """Recompute the postings of a micro-deposit."""
    return {0: micro_deposit_postings(_money(step.after))}


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return what a micro-deposit has moved: cents from outside to the organisation."""
    del statuses
    money = _money(record)
    return [debit(Role.OUTSIDE, money), credit(Role.LIQUIDITY, money)]


def _money(record: Transfer) -> Money:
    return Money(record.destination_units, FIAT_ASSETS[record.destination_asset])


RULES = AuditRules(journals, effect)
