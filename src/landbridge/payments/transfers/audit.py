"""Audit rules of wallet transfers; see ledger/audit_rules.py."""

from collections.abc import Sequence

from landbridge.ledger.audit_rules import AuditRules
from landbridge.ledger.model import HouseRole, Posting, Transfer
from landbridge.payments.engine.outgoing_transfer_audit import effect_of, journals_of
from landbridge.payments.transfers.model import as_outgoing_transfer, as_transfer


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return the total effect of a transfer on balances: the recipient's amount, and the fee."""
    del statuses
    transfer = as_transfer(record)
    details = transfer.details
    payees = [
        (details.destination_account_id or HouseRole.OUTSIDE, transfer.amount),
        (HouseRole.FEES, transfer.gross - transfer.amount),
    ]
    return effect_of(record.status, details.source_account_id, transfer.gross, payees)


RULES = AuditRules(journals_of(as_outgoing_transfer), effect)
