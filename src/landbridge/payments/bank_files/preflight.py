"""Preflight of a funding account: builds one file of each rail, and sends none.

Errors in an account's settings are thus reported to its operator before any payment is affected.
"""

from datetime import UTC, datetime
from uuid import UUID

from landbridge.payments.bank_files.file_builder import assemble, get_odfi
from landbridge.payments.bank_files.funding_account import FundingAccount
from landbridge.payments.bank_files.model import (
    BankFile,
    BankFileFormat,
    BankPayment,
    BankPaymentStatus,
)
from landbridge.payments.bank_files.orders import PaymentOrder, format_of, trace
from landbridge.platform.core.errors import FieldInvalid, InvariantBroken
from landbridge.platform.core.money import Money
from landbridge.providers.iso20022.parties import NAME_LENGTH_MAX
from landbridge.providers.iso20022.texts import is_writable, transliterate
from landbridge.providers.rails.currencies import FIAT

_NOBODY = UUID(int=0)
_AT = datetime(2026, 1, 2, 15, tzinfo=UTC)
# Settings with the length limits of ISO 20022.
_TEXTS = (
    ("initiator_id", 35),
    ("holder.name", NAME_LENGTH_MAX),
    ("holder.street", 70),
    ("holder.town", 35),
    ("holder.postcode", 16),
)
# Example payees of the trial files; the IBAN is the example of ISO 13616.
_BY_IBAN = PaymentOrder(name="Example", iban="GB82WEST12345698765432", bic="DEUTDEFF")
_BY_NUMBER = PaymentOrder(name="Example", account_number="123456789", routing_number="021000021")


def check_files(settings: FundingAccount) -> None:
    """Raise `FieldInvalid` if no file could be written for this account."""
    texts = {
        "initiator_id": settings.initiator_id,
        "holder.name": settings.holder.name,
        "holder.street": settings.holder.street,
        "holder.town": settings.holder.town,
        "holder.postcode": settings.holder.postcode,
    }
    for name, length_max in _TEXTS:
        text = texts[name]
        if text and not (is_writable(text) and 1 <= len(transliterate(text)) <= length_max):
            raise FieldInvalid(
                f"{name} must have up to {length_max} letters that banks' files carry", field=name
            )
    for rail in settings.rails:
        payment = _payment(settings, rail)
        order = _BY_NUMBER if rail in {"ach", "wire"} else _BY_IBAN
        try:
            assemble(_file(payment), settings, [(payment, order)])
        except (AssertionError, InvariantBroken) as error:
            raise FieldInvalid(
                f"rails has {rail}, and no file of it can be written for this account",
                field="rails",
            ) from error


def _payment(settings: FundingAccount, rail: str) -> BankPayment:
    format_ = format_of(rail)
    if format_ is None:
        raise InvariantBroken(f"no file carries {rail}")
    return BankPayment(
        org_id=_NOBODY,
        key=_NOBODY,
        account_id=_NOBODY,
        record_id=_NOBODY,
        returns=None,
        money=Money(1, FIAT[settings.currency]),
        rail=rail,
        format=format_,
        is_same_day=False,
        is_prenote=False,
        payee_digest=b"",
        trace_number=trace(get_odfi(settings), 1) if format_ is BankFileFormat.NACHA else None,
        status=BankPaymentStatus.WRITTEN,
        reason=None,
        file_id=_NOBODY,
        sealed_order=None,
        version=1,
        queued_at=_AT,
        due_at=_AT,
        closes_at=None,
        updated_at=_AT,
    )


def _file(payment: BankPayment) -> BankFile:
    return BankFile(
        org_id=_NOBODY,
        id=_NOBODY,
        account_id=_NOBODY,
        number=1,
        name="",
        format=payment.format,
        rail=payment.rail,
        is_same_day=False,
        execution_date=_AT.date(),
        count=1,
        units=payment.money.units,
        digest=None,
        size=None,
        created_at=_AT,
        delivered_at=None,
    )
