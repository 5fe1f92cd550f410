"""Audit rules of swaps; see ledger/audit_rules.py."""

from collections.abc import Sequence

from landbridge.ledger.audit_rules import AuditRules, Journals, RecordStep, credit, debit
from landbridge.ledger.model import HouseRole, Posting, Transfer
from landbridge.payments.swaps.model import SwapStatus, as_swap
from landbridge.payments.swaps.transitions import accepted


def journals(step: RecordStep) -> Journals:
    """Recompute the postings of a step: a swap posts when it is accepted and executed."""
    if step.before is None or step.after.status != SwapStatus.COMPLETED:
        return {}
    return accepted(as_swap(step.before), step.actor, step.at).journals


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return the total effect of a swap."""
    del statuses
    swap = as_swap(record)
    match swap.status:
        case SwapStatus.COMPLETED:
            return [
                debit(swap.details.source_account_id, swap.source),
                credit(HouseRole.FEES, swap.fee),
                credit(HouseRole.LIQUIDITY, swap.source - swap.fee),
                debit(HouseRole.LIQUIDITY, swap.destination),
                credit(swap.details.destination_account_id or HouseRole.OUTSIDE, swap.destination),
            ]
        case (
            SwapStatus.OPEN_QUOTE
            | SwapStatus.CREATED
            | SwapStatus.PENDING
            | SwapStatus.FAILED
            | SwapStatus.QUOTE_FAILED
        ):
            return []


RULES = AuditRules(journals, effect)
