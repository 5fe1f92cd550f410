"""How `landbridge check` verifies batches; see ledger/audit_rules.py."""

from collections.abc import Sequence

from landbridge.core.money import Money
from landbridge.flows.batches.model import as_batch, as_remittance
from landbridge.ledger.audit_rules import AuditRules
from landbridge.ledger.model import Posting, Role, Transfer
from landbridge.payments.remittance_audit import effect_of, journals_of


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return what a batch has moved in all: to each payee its amount."""
    del statuses
    batch = as_batch(record)
    gross = Money(record.source_units, batch.asset)
    payees = [(item.account_id or Role.OUTSIDE, batch.amount(item)) for item in batch.details.items]
    return effect_of(record.status, batch.details.source_account_id, gross, payees)


RULES = AuditRules(journals_of(as_remittance), effect)
