"""Payment orders: convert a payment of the rails port into NACHA entries and pain.001 payments.

An order holds the payee and the texts of a payment. Its personal data is encrypted until it is in a
file. `rejection_reason` detects what a format can't carry before a payment is accepted.
"""

import hmac
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from uuid import UUID

import msgspec

from landbridge.payments.bank_files.funding_account import FundingAccount
from landbridge.payments.bank_files.model import BankFileFormat
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.money import Money
from landbridge.platform.encryption.service import DataKey
from landbridge.platform.formats.addresses import find_alpha2
from landbridge.platform.formats.bank_numbers import check_iban
from landbridge.providers.iso20022 import pain001
from landbridge.providers.iso20022.messages import (
    Charges,
    ClearingMember,
    CreditTransfer,
    IsoParty,
    Service,
)
from landbridge.providers.nacha import messages as nacha
from landbridge.providers.nacha.writing import rejection_reason as ach_rejection_reason
from landbridge.providers.rails.port import RailPayment

_SERVICES = {
    "sepa": Service.SEPA,
    "sepaInstant": Service.SEPA_INSTANT,
    "swift": Service.SWIFT,
    "wire": Service.WIRE,
}
_REMITTANCES = ("sepaReference", "swiftReference", "wireMessage", "paymentReference")
_CHARGES = {"sha": Charges.SHARED, "our": Charges.DEBTOR}
_ABA = "USABA"
_BIC = re.compile(r"[A-Z0-9]{8}(?:[A-Z0-9]{3})?")
# Characters of a payment's key that fit into an ACH entry.
INDIVIDUAL_ID_LENGTH = 15
_RUNNING_DIGITS = 7


class PaymentOrder(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Payee of a payment; `routing_number` is an ABA number, a BIC is in `bic`."""

    name: str
    is_business: bool = False
    is_savings: bool = False
    country: str | None = None
    town: str | None = None
    postcode: str | None = None
    address_lines: tuple[str, ...] = ()
    iban: str | None = None
    account_number: str | None = None
    routing_number: str | None = None
    bic: str | None = None
    bank_name: str | None = None
    remittance: str | None = None
    description: str | None = None
    purpose: str | None = None
    charges: Charges | None = None


def format_of(rail: str) -> BankFileFormat | None:
    """Return the file format of a rail; None if no file supports it."""
    if rail == "ach":
        return BankFileFormat.NACHA
    return BankFileFormat.PAIN_001 if rail in _SERVICES else None


def service_of(rail: str) -> Service:
    """Return the name of a rail in pain.001."""
    return _SERVICES[rail]


def build_order(payment: RailPayment) -> PaymentOrder:
    """Build the order of a payment: to the account of a payout, or to the sender of a deposit."""
    holder: Mapping[str, Any] = payment.payee.get("accountHolder") or {}
    kind: str = payment.payee.get("type", "")
    bank: Mapping[str, Any] = payment.payee.get(kind) or payment.payee
    address: Mapping[str, Any] = holder.get("address") or {}
    routing_number = bank.get("routingNumber")
    # A statement identifies the sender's bank by one number, which may be a BIC, and the sender's
    # account by another, which may be an IBAN.
    bic = bank.get("swiftCode") or (
        routing_number if routing_number and _is_bic(routing_number) else None
    )
    iban, number = bank.get("iban"), bank.get("accountNumber")
    if iban is None and number and _is_iban(number):
        iban, number = number, None
    lines = (address.get("addressLine1"), address.get("addressLine2"))
    texts = payment.texts
    return PaymentOrder(
        name=holder.get("name") or "",
        is_business=holder.get("type") == "BUSINESS",
        is_savings=bank.get("accountType") == "Savings",
        country=find_alpha2(address["country"]) if address else None,
        town=address.get("city"),
        postcode=address.get("postalCode"),
        address_lines=tuple(each for each in lines if each),
        iban=iban,
        account_number=number,
        routing_number=None if routing_number == bic else routing_number,
        bic=bic,
        bank_name=bank.get("bankName"),
        remittance=next(
            (" ".join(texts[each].split()) for each in _REMITTANCES if each in texts), None
        ),
        description=texts.get("achReference"),
        purpose=texts.get("purposeOfPayment"),
        charges=_CHARGES.get(texts.get("swiftCharges", "")),
    )


def rejection_reason(
    payment: RailPayment, order: PaymentOrder, format_: BankFileFormat
) -> str | None:
    """Return which text the format or scheme can't carry, without personal data; None if none."""
    if not order.name.strip():
        return "the name of the payee is not known"
    match format_:
        case BankFileFormat.NACHA:
            return ach_rejection_reason(entry(order, payment.key, payment.money, trace_number=""))
        case BankFileFormat.PAIN_001:
            service = service_of(payment.rail)
            credit_transfer = transfer(order, payment.key, payment.money, service)
            return pain001.rejection_reason(credit_transfer, service)


def entry(order: PaymentOrder, key: UUID, money: Money, *, trace_number: str) -> nacha.NachaEntry:
    """Build the ACH entry of a payment; with a zero amount, the prenote of the payee's account."""
    if money.units:
        code = nacha.SAVINGS_CREDIT if order.is_savings else nacha.CHECKING_CREDIT
    else:
        code = nacha.SAVINGS_PRENOTE if order.is_savings else nacha.CHECKING_PRENOTE
    return nacha.NachaEntry(
        transaction_code=code,
        routing_number=order.routing_number or "",
        account_number=order.account_number or "",
        cents=money.units,
        individual_id=key.hex[:INDIVIDUAL_ID_LENGTH],
        name=order.name,
        trace_number=trace_number,
        addenda=() if order.remittance is None else (order.remittance,),
    )


def transfer(order: PaymentOrder, key: UUID, money: Money, service: Service) -> CreditTransfer:
    """Build the credit transfer of a payment for a pain.001."""
    is_sepa = service in {Service.SEPA, Service.SEPA_INSTANT}
    return copy_fields(
        order,
        CreditTransfer,
        end_to_end_id=key.hex,
        money=money,
        creditor=copy_fields(order, IsoParty),
        clearing_member=_member(order.routing_number) if service is Service.WIRE else None,
        # A purpose of ours is free text, and SEPA accepts ISO codes only.
        purpose=None if is_sepa else order.purpose,
        uetr=None if is_sepa else uetr(key),
        charges=None if is_sepa else order.charges,
    )


def debtor_member(settings: FundingAccount) -> ClearingMember | None:
    """Return the debtor's bank by its ABA routing number; None if the account has none."""
    return _member(settings.routing_number)


def uetr(key: UUID) -> UUID:
    """Return the UETR of a payment: a version 4 UUID that is derived from the payment's key."""
    return UUID(bytes=sha256(f"uetr/{key}".encode()).digest()[:16], version=4)


def trace(odfi: str, running: int) -> str:
    """Return the ACH trace number for this sequence number, which wraps around at ten million."""
    # The sequence within a trace number begins with 1, never 0.
    return f"{odfi}{(running - 1) % (10**_RUNNING_DIGITS - 1) + 1:0{_RUNNING_DIGITS}d}"


def payee_digest(order: PaymentOrder, key: DataKey) -> bytes:
    """Return a keyed digest of a payee's account, by which payments to one account are found."""
    parts = (order.iban, order.routing_number, order.account_number, str(order.is_savings))
    account = "/".join(each or "" for each in parts)
    return hmac.digest(key.derive("bank_files.payee"), account.encode(), "sha256")


def _member(routing_number: str | None) -> ClearingMember | None:
    return None if routing_number is None else ClearingMember(_ABA, routing_number)


def _is_bic(text: str) -> bool:
    return _BIC.fullmatch(text) is not None and not text.isdigit()


def _is_iban(text: str) -> bool:
    return text[:2].isalpha() and check_iban.read(text) is not None
