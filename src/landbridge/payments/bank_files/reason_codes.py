"""Sentences for the reasons of manual reviews and of returned payments, without I/O."""

from collections.abc import Sequence

from landbridge.payments.bank_files.model import BankPayment
from landbridge.payments.bank_files.orders import INDIVIDUAL_ID_LENGTH
from landbridge.payments.bank_files.statement_line_model import (
    StatementLineKind,
    StatementLineTexts,
)
from landbridge.payments.bank_files.statement_line_store import SealedStatementLine
from landbridge.providers.iso20022.reasons import DUPLICATES, describe
from landbridge.providers.nacha.returns import return_sentence


def mismatch_reason(
    line: SealedStatementLine, texts: StatementLineTexts, payment: BankPayment
) -> str | None:
    """Return why a line can't be applied in any status of its payment; None if it can."""
    if line.money is not None and line.money != payment.money:
        return "the amount does not match the referenced payment"
    match line.kind:
        case StatementLineKind.RETURN if not _is_individual(texts.end_to_end_id, payment):
            return "the return's trace number belongs to a payment with another individual ID"
        case StatementLineKind.CREDIT if line.rank:
            return "a credit references the payment but is not marked as a return"
        case StatementLineKind.CREDIT if not texts.codes:
            return "the bank reversed its booking of the payment, but did not mark it as returned"
        case StatementLineKind.DEBIT if not line.rank:
            return "the bank reversed an incoming payment"
        case _:
            return None


def _is_individual(individual_id: str | None, payment: BankPayment) -> bool:
    """Return whether an ACH entry has this payment's individual id; files have it in upper case."""
    return (individual_id or "").lower() == payment.key.hex[:INDIVIDUAL_ID_LENGTH]


def duplicate_reason(texts: StatementLineTexts) -> str | None:
    """Return the review reason if the bank rejected a payment as a duplicate; otherwise None.

    We never send a payment twice, so only the bank knows which payment it carried out.
    """
    is_copy = not DUPLICATES.isdisjoint(texts.codes)
    return "the bank rejected it as a duplicate of another payment" if is_copy else None


def return_reason(kind: StatementLineKind, codes: Sequence[str]) -> str:
    """Return a sentence with the reason of a returned payment, from the bank's codes."""
    if kind is StatementLineKind.STATUS:
        # The first code is the status itself, the others are its reasons.
        verb, reasons = "refused", codes[1:]
    else:
        verb, reasons = "returned", codes
    code = next(iter(reasons), None)
    if code is None:
        return f"the bank {verb} it"
    if kind is StatementLineKind.RETURN:
        return return_sentence(code)
    return f"the bank {verb} it: {describe(code)}"
