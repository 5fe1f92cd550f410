"""How `landbridge check` verifies disbursements; see ledger/audit_rules.py."""

from collections.abc import Sequence
from uuid import UUID

from landbridge.flows.disbursements import moves
from landbridge.flows.disbursements.model import Disbursement, Status, as_disbursement
from landbridge.ledger.audit_rules import AuditRules, Journals, Step, credit, debit
from landbridge.ledger.model import Posting, Role, Transfer
from landbridge.payments.disbursing import Purpose


def journals(step: Step) -> Journals:
    """Recompute the postings of a step."""
    disbursement = as_disbursement(step.after)
    if step.before is None:
        return step.at_end(moves.received(disbursement))
    match disbursement.status:
        case Status.COMPLETED if step.what == "settle_outside":
            return step.at_end(moves.paid_outside(disbursement))
        case Status.COMPLETED:
            return step.at_end(moves.paid(disbursement))
        case Status.CREATED | Status.INITIATED:
            return {}


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return what a disbursement has moved in all."""
    del statuses
    disbursement = as_disbursement(record)
    details, money = disbursement.details, disbursement.money
    is_surplus = details.purpose is Purpose.SURPLUS_RETURN
    came = [debit(Role.OUTSIDE, money)] if is_surplus else []
    match disbursement.status:
        case Status.CREATED | Status.INITIATED:
            return [*came, credit(Role.IN_TRANSIT, money)] if is_surplus else []
        case Status.COMPLETED:
            owed = [] if is_surplus else [debit(Role.PAYABLE, money)]
            return [*came, *owed, credit(_receiver(disbursement), money)]


def _receiver(disbursement: Disbursement) -> UUID | Role:
    """Return who was paid: outside, unless it went to a wallet of ours."""
    if disbursement.details.is_settled_outside:
        return Role.OUTSIDE
    return disbursement.details.account_id or Role.OUTSIDE


RULES = AuditRules(journals, effect)
