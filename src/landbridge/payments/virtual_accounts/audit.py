"""Audit rules by which `landbridge check` verifies micro-deposits; see ledger/audit_rules.py."""

from collections.abc import Sequence

from landbridge.ledger.audit_rules import AuditRules, Journals, RecordStep, credit, debit
from landbridge.ledger.model import HouseRole, Posting, Transfer
from landbridge.payments.virtual_accounts.model import micro_deposit_postings
from landbridge.platform.core.money import Money
from landbridge.providers.rails.currencies import FIAT_ASSETS


def journals(step: RecordStep) -> Journals:
    """Return the postings that a step of a micro-deposit should have made."""
    return {0: micro_deposit_postings(_money(step.after))}


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return the effect of a micro-deposit: cents from outside to the organisation."""
    del statuses
    money = _money(record)
    return [debit(HouseRole.OUTSIDE, money), credit(HouseRole.LIQUIDITY, money)]


def _money(record: Transfer) -> Money:
    return Money(record.destination_units, FIAT_ASSETS[record.destination_asset])


RULES = AuditRules(journals, effect)
