"""Why a line of a bank's is for a person, and why a payment came back: pure, in our own words."""

from collections.abc import Sequence

from landbridge.bank_files.iso20022.reasons import DUPLICATES, in_words
from landbridge.bank_files.line_model import LineKind, LineWords
from landbridge.bank_files.line_store import SealedLine
from landbridge.bank_files.model import BankPayment
from landbridge.bank_files.nacha.returns import return_sentence
from landbridge.bank_files.orders import INDIVIDUAL_ID_LENGTH


def misfit(line: SealedLine, words: LineWords, payment: BankPayment) -> str | None:
    """Why a line moves nothing, whatever has become of the payment that it names."""
    if line.money is not None and line.money != payment.money:
        return "the amount is not that of the payment it names"
    match line.kind:
        case LineKind.RETURN if not _is_individual(words.end_to_end_id, payment):
            return "the return's trace number is of a payment with another individual id"
        case LineKind.CREDIT if line.rank:
            return "a credit names the payment, and does not say that it came back"
        case LineKind.CREDIT if not words.codes:
            return (
                "the bank took back its booking of the payment, and does not say that it came back"
            )
        case LineKind.DEBIT if not line.rank:
            return "the bank took back what had come"
        case _:
            return None


def _is_individual(told: str | None, payment: BankPayment) -> bool:
    """Whether an ACH entry has the individual id of this payment; files are in capitals."""
    return (told or "").lower() == payment.key.hex[:INDIVIDUAL_ID_LENGTH]


def as_copy(words: LineWords) -> str | None:
    """Why a person looks at what the bank refused as a copy; None for what it has not refused.

    We send nothing twice, so nobody but the bank can tell which payment it has carried out.
    """
    is_copy = not DUPLICATES.isdisjoint(words.codes)
    return "the bank took it for a copy of another payment" if is_copy else None


def why_back(kind: LineKind, codes: Sequence[str]) -> str:
    """Why it came back, in our own words."""
    if kind is LineKind.STATUS:
        # The status itself comes first.
        verb, reasons = "refused", codes[1:]
    else:
        verb, reasons = "returned", codes
    code = next(iter(reasons), None)
    if code is None:
        return f"the bank {verb} it"
    if kind is LineKind.RETURN:
        return return_sentence(code)
    return f"the bank {verb} it: {in_words(code)}"
