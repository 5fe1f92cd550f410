"""How `landbridge check` verifies transfers and batches; see ledger/audit_rules.py."""

from collections.abc import Callable, Sequence
from uuid import UUID

from landbridge.core.money import Money
from landbridge.ledger.audit_rules import Journals, Step, credit, debit, reserve
from landbridge.ledger.model import Posting, Role
from landbridge.payments.postings import spend_held
from landbridge.payments.remittances import Read, Status, holding


def journals_of(read: Read) -> Callable[[Step], Journals]:
    """Return the function that recomputes the postings of a step."""

    def journals(step: Step) -> Journals:
        if step.before is None:
            opened = read(step.after)
            return holding(opened.account_id, opened.held)
        paid = read(step.before)
        match Status(step.after.status):
            case Status.COMPLETED:
                return step.at_end(spend_held(paid.account_id, paid.parts))
            case Status.FAILED | Status.NOT_INITIATED | Status.REJECTED | Status.EXPIRED:
                return step.at_end(paid.let_go())
            case (
                Status.PENDING_APPROVAL
                | Status.CREATED
                | Status.INITIATED
                | Status.PENDING
                | Status.UNKNOWN
            ):
                return {}

    return journals


def effect_of(
    status: str, payer: UUID, gross: Money, payees: Sequence[tuple[UUID | Role, Money]]
) -> Sequence[Posting]:
    """Return what a record of this status has moved in all: `gross` of the payer to the payees."""
    match Status(status):
        case (
            Status.PENDING_APPROVAL
            | Status.CREATED
            | Status.INITIATED
            | Status.PENDING
            | Status.UNKNOWN
        ):
            return [reserve(payer, gross)]
        case Status.COMPLETED:
            return [debit(payer, gross), *(credit(account, money) for account, money in payees)]
        case Status.FAILED | Status.NOT_INITIATED | Status.REJECTED | Status.EXPIRED:
            return []
