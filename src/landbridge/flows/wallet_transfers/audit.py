"""How `landbridge check` verifies wallet transfers; see ledger/audit_rules.py."""

from collections.abc import Sequence

from landbridge.flows.wallet_transfers.model import as_remittance, as_transfer
from landbridge.ledger.audit_rules import AuditRules
from landbridge.ledger.model import Posting, Role, Transfer
from landbridge.payments.remittance_audit import effect_of, journals_of


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return what a transfer has moved in all: the amount to the payee, the rest as the fee."""
    del statuses
    transfer = as_transfer(record)
    details = transfer.details
    payees = [
        (details.destination_account_id or Role.OUTSIDE, transfer.amount),
        (Role.FEES, transfer.gross - transfer.amount),
    ]
    return effect_of(record.status, details.source_account_id, transfer.gross, payees)


RULES = AuditRules(journals_of(as_remittance), effect)
