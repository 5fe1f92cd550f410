"""Audit rules of wallet transfers and batches; see ledger/audit_rules.py."""

from collections.abc import Callable, Sequence
from uuid import UUID

from landbridge.ledger.audit_rules import Journals, RecordStep, credit, debit, reserve
from landbridge.ledger.model import HouseRole, Posting
from landbridge.payments.engine.outgoing_transfers import (
    OutgoingTransferStatus,
    Read,
    hold_journals,
)
from landbridge.payments.engine.postings import spend_held
from landbridge.platform.core.money import Money


def journals_of(read: Read) -> Callable[[RecordStep], Journals]:
    """Return the function that recomputes the postings of a step."""

    def journals(step: RecordStep) -> Journals:
        if step.before is None:
            opened = read(step.after)
            return hold_journals(opened.account_id, opened.held)
        paid = read(step.before)
        match OutgoingTransferStatus(step.after.status):
            case OutgoingTransferStatus.COMPLETED:
                return step.final_journal(spend_held(paid.account_id, paid.parts))
            case (
                OutgoingTransferStatus.FAILED
                | OutgoingTransferStatus.NOT_INITIATED
                | OutgoingTransferStatus.REJECTED
                | OutgoingTransferStatus.EXPIRED
            ):
                return step.final_journal(paid.release_journal())
            case (
                OutgoingTransferStatus.PENDING_APPROVAL
                | OutgoingTransferStatus.CREATED
                | OutgoingTransferStatus.INITIATED
                | OutgoingTransferStatus.PENDING
                | OutgoingTransferStatus.UNKNOWN
            ):
                return {}

    return journals


def effect_of(
    status: str, payer: UUID, gross: Money, payees: Sequence[tuple[UUID | HouseRole, Money]]
) -> Sequence[Posting]:
    """Return the total effect of a record at this status: the payer's `gross` goes to the payees.

    It is empty for a status in which the coins are the payer's.
    """
    match OutgoingTransferStatus(status):
        case (
            OutgoingTransferStatus.PENDING_APPROVAL
            | OutgoingTransferStatus.CREATED
            | OutgoingTransferStatus.INITIATED
            | OutgoingTransferStatus.PENDING
            | OutgoingTransferStatus.UNKNOWN
        ):
            return [reserve(payer, gross)]
        case OutgoingTransferStatus.COMPLETED:
            return [debit(payer, gross), *(credit(account, money) for account, money in payees)]
        case (
            OutgoingTransferStatus.FAILED
            | OutgoingTransferStatus.NOT_INITIATED
            | OutgoingTransferStatus.REJECTED
            | OutgoingTransferStatus.EXPIRED
        ):
            return []
