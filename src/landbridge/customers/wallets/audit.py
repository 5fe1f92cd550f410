"""Verification of deposits by `landbridge check`; see ledger/audit_rules.py."""

from collections.abc import Sequence
from uuid import UUID

from landbridge.customers.wallets.model import deposit_postings
from landbridge.ledger.audit_rules import AuditRules, Journals, RecordStep, credit, debit
from landbridge.ledger.model import HouseRole, Posting, Transfer
from landbridge.platform.core.money import Money
from landbridge.providers.chains.tokens import ASSETS


def journals(step: RecordStep) -> Journals | None:
    """Recompute the postings of a deposit."""
    account_id = _account_id(step.after)
    return None if account_id is None else {0: deposit_postings(account_id, _money(step.after))}


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting] | None:
    """Return the effect of a deposit: coins from outside move into the wallet."""
    del statuses
    account_id, money = _account_id(record), _money(record)
    if account_id is None:
        return None
    return [debit(HouseRole.OUTSIDE, money), credit(account_id, money)]


def _account_id(record: Transfer) -> UUID | None:
    """Return the credited account; None for older records, which do not name it."""
    account_id: str | None = record.details.get("account_id")
    return None if account_id is None else UUID(account_id)


def _money(record: Transfer) -> Money:
    return Money(record.destination_units, ASSETS[record.destination_asset])


RULES = AuditRules(journals, effect)
