"""How `landbridge check` verifies swaps; see ledger/audit_rules.py."""

from collections.abc import Sequence

from landbridge.flows.swaps.model import Status, as_swap
from landbridge.flows.swaps.moves import accepted
from landbridge.ledger.audit_rules import AuditRules, Journals, Step, credit, debit
from landbridge.ledger.model import Posting, Role, Transfer


def journals(step: Step) -> Journals:
    """Recompute the postings of a step: a swap posts when it is accepted and carried out."""
    if step.before is None or step.after.status != Status.COMPLETED:
        return {}
    return accepted(as_swap(step.before), step.actor, step.at).journals


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return what a swap has moved in all."""
    del statuses
    swap = as_swap(record)
    match swap.status:
        case Status.COMPLETED:
            return [
                debit(swap.details.source_account_id, swap.source),
                credit(Role.FEES, swap.fee),
                credit(Role.LIQUIDITY, swap.source - swap.fee),
                debit(Role.LIQUIDITY, swap.destination),
                credit(swap.details.destination_account_id or Role.OUTSIDE, swap.destination),
            ]
        case (
            Status.OPEN_QUOTE
            | Status.CREATED
            | Status.PENDING
            | Status.FAILED
            | Status.QUOTE_FAILED
        ):
            return []


RULES = AuditRules(journals, effect)
