"""Whether files can be written for an account: one of each rail is made, and goes nowhere.

So that what is wrong with an account is said to who sets it, not to whoever is to be paid from it.
"""

from datetime import UTC, datetime
from uuid import UUID

from landbridge.bank_files.assembling import assemble, odfi_of
from landbridge.bank_files.funding import FundingAccount
from landbridge.bank_files.iso20022.parties import NAME_LENGTH_MAX
from landbridge.bank_files.iso20022.texts import is_writable, written
from landbridge.bank_files.model import BankFile, BankPayment, Format, Status
from landbridge.bank_files.orders import Order, format_of, trace
from landbridge.core.errors import Broken, FieldInvalid
from landbridge.core.money import Money
from landbridge.rails.currencies import FIAT

_NOBODY = UUID(int=0)
_AT = datetime(2026, 1, 2, 15, tzinfo=UTC)
# What ISO 20022 has room for.
_TEXTS = (
    ("initiator_id", 35),
    ("holder.name", NAME_LENGTH_MAX),
    ("holder.street", 70),
    ("holder.town", 35),
    ("holder.postcode", 16),
)
# Payees whom the formats can carry; the IBAN is the example of ISO 13616.
_BY_IBAN = Order(name="Example", iban="GB82WEST12345698765432", bic="DEUTDEFF")
_BY_NUMBER = Order(name="Example", account_number="123456789", routing_number="021000021")


def check_files(told: FundingAccount) -> None:
    """Raise `FieldInvalid` for an account of which no file could be written."""
    texts = {
        "initiator_id": told.initiator_id,
        "holder.name": told.holder.name,
        "holder.street": told.holder.street,
        "holder.town": told.holder.town,
        "holder.postcode": told.holder.postcode,
    }
    for name, length_max in _TEXTS:
        text = texts[name]
        if text and not (is_writable(text) and 1 <= len(written(text)) <= length_max):
            raise FieldInvalid(
                f"{name} must have up to {length_max} letters that banks' files carry", field=name
            )
    for rail in told.rails:
        payment = _payment(told, rail)
        order = _BY_NUMBER if rail in {"ach", "wire"} else _BY_IBAN
        try:
            assemble(_file(payment), told, [(payment, order)])
        except (AssertionError, Broken) as error:
            raise FieldInvalid(
                f"rails has {rail}, and no file of it can be written for this account",
                field="rails",
            ) from error


def _payment(told: FundingAccount, rail: str) -> BankPayment:
    format_ = format_of(rail)
    if format_ is None:
        raise Broken(f"no file carries {rail}")
    return BankPayment(
        org_id=_NOBODY,
        key=_NOBODY,
        account_id=_NOBODY,
        record_id=_NOBODY,
        returns=None,
        money=Money(1, FIAT[told.currency]),
        rail=rail,
        format=format_,
        is_same_day=False,
        is_prenote=False,
        payee_digest=b"",
        trace_number=trace(odfi_of(told), 1) if format_ is Format.NACHA else None,
        status=Status.WRITTEN,
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
        runs_on=_AT.date(),
        count=1,
        units=payment.money.units,
        digest=None,
        size=None,
        created_at=_AT,
        delivered_at=None,
    )
