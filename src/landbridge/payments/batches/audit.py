"""Audit rules of batches; see ledger/audit_rules.py."""

from collections.abc import Sequence

from landbridge.ledger.audit_rules import AuditRules
from landbridge.ledger.model import HouseRole, Posting, Transfer
from landbridge.payments.batches.model import as_batch, as_outgoing_transfer
from landbridge.payments.engine.outgoing_transfer_audit import effect_of, journals_of
from landbridge.platform.core.money import Money


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return the total effect of a batch on balances: each recipient gets its amount."""
    del statuses
    batch = as_batch(record)
    gross = Money(record.source_units, batch.asset)
    payees = [
        (item.account_id or HouseRole.OUTSIDE, batch.amount(item)) for item in batch.details.items
    ]
    return effect_of(record.status, batch.details.source_account_id, gross, payees)


RULES = AuditRules(journals_of(as_outgoing_transfer), effect)
