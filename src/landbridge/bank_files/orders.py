"""From a payment of the port to what the two formats write.

An order is whom a payment goes to and with which words: what of it is personal, sealed until it is
in a file. What a format can't carry is known before a payment is taken: `why_not`.
"""

import hmac
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from uuid import UUID

import msgspec

from landbridge.bank_files.funding import FundingAccount
from landbridge.bank_files.iso20022 import pain001
from landbridge.bank_files.iso20022.messages import (
    Charges,
    ClearingMember,
    CreditTransfer,
    Party,
    Service,
)
from landbridge.bank_files.model import Format
from landbridge.bank_files.nacha import messages as nacha
from landbridge.bank_files.nacha.writing import why_not as why_not_by_ach
from landbridge.core.money import Money
from landbridge.formats.banks import check_iban
from landbridge.formats.places import find_alpha2
from landbridge.privacy.service import DataKey
from landbridge.rails.port import Payment

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
# What of a key an ACH entry has room for.
INDIVIDUAL_ID_LENGTH = 15
_RUNNING_DIGITS = 7


class Order(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Whom a payment goes to; `routing_number` is an ABA, a BIC is `bic`."""

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


def format_of(rail: str) -> Format | None:
    """By which format a rail is paid; None for one that no file pays."""
    if rail == "ach":
        return Format.NACHA
    return Format.PAIN_001 if rail in _SERVICES else None


def service_of(rail: str) -> Service:
    """What a pain.001 calls a rail."""
    return _SERVICES[rail]


def order_of(payment: Payment) -> Order:
    """What of a payment a file says: a payout's account, or a deposit's sender."""
    holder: Mapping[str, Any] = payment.payee.get("accountHolder") or {}
    kind: str = payment.payee.get("type", "")
    bank: Mapping[str, Any] = payment.payee.get(kind) or payment.payee
    address: Mapping[str, Any] = holder.get("address") or {}
    told = bank.get("routingNumber")
    # Of a sender the bank tells one number, which may be a BIC; an account number may be an IBAN.
    bic = bank.get("swiftCode") or (told if told and _is_bic(told) else None)
    iban, number = bank.get("iban"), bank.get("accountNumber")
    if iban is None and number and _is_iban(number):
        iban, number = number, None
    lines = (address.get("addressLine1"), address.get("addressLine2"))
    texts = payment.texts
    return Order(
        name=holder.get("name") or "",
        is_business=holder.get("type") == "BUSINESS",
        is_savings=bank.get("accountType") == "Savings",
        country=find_alpha2(address["country"]) if address else None,
        town=address.get("city"),
        postcode=address.get("postalCode"),
        address_lines=tuple(each for each in lines if each),
        iban=iban,
        account_number=number,
        routing_number=None if told == bic else told,
        bic=bic,
        bank_name=bank.get("bankName"),
        remittance=next(
            (_on_one_line(texts[each]) for each in _REMITTANCES if each in texts), None
        ),
        description=texts.get("achReference"),
        purpose=texts.get("purposeOfPayment"),
        charges=_CHARGES.get(texts.get("swiftCharges", "")),
    )


def why_not(payment: Payment, order: Order, format_: Format) -> str | None:
    """What the format or the scheme can't carry, without personal data; None if it can."""
    if not order.name.strip():
        return "the name of the payee is not known"
    match format_:
        case Format.NACHA:
            return why_not_by_ach(entry(order, payment.key, payment.money, trace_number=""))
        case Format.PAIN_001:
            service = service_of(payment.rail)
            made = transfer(order, payment.key, payment.money, service)
            return pain001.why_not(made, service)


def entry(order: Order, key: UUID, money: Money, *, trace_number: str) -> nacha.Entry:
    """The entry of a payment; of no money at all, the prenote for the same account."""
    if money.units:
        code = nacha.SAVINGS_CREDIT if order.is_savings else nacha.CHECKING_CREDIT
    else:
        code = nacha.SAVINGS_PRENOTE if order.is_savings else nacha.CHECKING_PRENOTE
    return nacha.Entry(
        transaction_code=code,
        routing_number=order.routing_number or "",
        account_number=order.account_number or "",
        cents=money.units,
        individual_id=key.hex[:INDIVIDUAL_ID_LENGTH],
        name=order.name,
        trace_number=trace_number,
        addenda=() if order.remittance is None else (order.remittance,),
    )


def transfer(order: Order, key: UUID, money: Money, service: Service) -> CreditTransfer:
    """The payment as a pain.001 has it."""
    is_sepa = service in {Service.SEPA, Service.SEPA_INSTANT}
    return CreditTransfer(
        end_to_end_id=key.hex,
        money=money,
        creditor=Party(
            name=order.name,
            country=order.country,
            town=order.town,
            postcode=order.postcode,
            address_lines=order.address_lines,
        ),
        iban=order.iban,
        account_number=order.account_number,
        bic=order.bic,
        clearing_member=_member(order.routing_number) if service is Service.WIRE else None,
        bank_name=order.bank_name,
        remittance=order.remittance,
        # What it is for stands in words of ours, and SEPA takes codes of ISO's alone.
        purpose=None if is_sepa else order.purpose,
        uetr=None if is_sepa else uetr(key),
        charges=None if is_sepa else order.charges,
    )


def debtor_member(told: FundingAccount) -> ClearingMember | None:
    """The bank that pays, by its number in the United States' clearing."""
    return _member(told.routing_number)


def uetr(key: UUID) -> UUID:
    """A payment's UETR: a UUID of the fourth version, the same for the same key."""
    return UUID(bytes=sha256(f"uetr/{key}".encode()).digest()[:16], version=4)


def trace(odfi: str, running: int) -> str:
    """The trace number of the entry that has this running number; it comes round."""
    # Never 0: no bank counts from there.
    return f"{odfi}{(running - 1) % (10**_RUNNING_DIGITS - 1) + 1:0{_RUNNING_DIGITS}d}"


def payee_digest(order: Order, key: DataKey) -> bytes:
    """The same for the same account of a payee, and nothing to anybody without the key."""
    parts = (order.iban, order.routing_number, order.account_number, str(order.is_savings))
    told = "/".join(each or "" for each in parts)
    return hmac.digest(key.derive("bank_files.payee"), told.encode(), "sha256")


def _member(routing_number: str | None) -> ClearingMember | None:
    return None if routing_number is None else ClearingMember(_ABA, routing_number)


def _is_bic(text: str) -> bool:
    return _BIC.fullmatch(text) is not None and not text.isdigit()


def _is_iban(text: str) -> bool:
    return text[:2].isalpha() and check_iban.read(text) is not None


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
