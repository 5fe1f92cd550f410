"""Payout texts by rail: references, purposes and documents.

Source: contract, lifecycles 1.7 (lengths and letters) and 8 (fields, purposes, documents).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from landbridge.customers.bank_accounts.model import BankAccount
from landbridge.customers.kyc.model import Rail as KycRail
from landbridge.platform.core.choices import case_hint
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.schemas import line
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.constraints import pattern_schema

MINIMUM_USD = 1
# Minimums in dollars beside that of the rail: for payouts by SWIFT, and for payouts of usdt.
MINIMUM_SWIFT_USD = 5
MINIMUM_USDT_USD = 10

PURPOSES = (
    "gift",
    "bills",
    "groceries",
    "travel",
    "health",
    "entertainment",
    "housing",
    "school-fees",
    "other",
)
GLOBAL_PURPOSES = (
    "invoice_payments",
    "payment_for_services",
    "payment_for_software",
    "payment_for_imported_goods",
    "travel_services",
    "transfer_to_own_account",
    "repayment_of_loans",
    "payroll",
    "payment_of_property_rental",
    "information_service_charges",
    "advertising_and_public_relations",
    "royalty_and_ip_fees",
    "financial_service_fees",
    "advisory_and_consulting_fees",
    "representative_office_expenses",
    "tax_payment",
    "transportation_fees",
    "construction_costs",
    "insurance_premium",
    "offline_goods_trade",
    "insurance_claims",
    "remittance_to_family_or_friends",
    "education_expenses",
    "medical_treatment",
    "donations",
    "mutual_fund_investment",
    "currency_exchange",
    "advance_payment_for_goods",
    "merchant_settlement",
    "repatriation_fund_settlement",
)
DOCUMENT_TYPES = (
    "billing_document",
    "order_document",
    "shipment_document",
    "regulatory_document",
    "transport_document",
    "other_document",
)
# Names of the prices of dollar payouts by these rails, which differ from the price of other dollar
# payouts. Source: interface/offramp (toCurrency of the rates).
CORRIDORS = {
    ("hongKongGlobalNetwork", "usd"): "usd-hka",
    ("chinaGlobalNetwork", "usd"): "usd-chn",
    ("singaporeGlobalNetwork", "usd"): "usd-sgp",
}

_LINE_LENGTH_MAX = 35
_LINES_MAX = 4
_PAYMENT_REFERENCE_LENGTH_MAX = 140
_ACH = re.compile(r"[A-Za-z0-9 ]{1,10}")
_SEPA = re.compile(r"[A-Za-z0-9 &\-./]{6,140}")
ACH_REFERENCE = pattern_schema(f"^(?=.*[^ ]){_ACH.pattern}$")
SEPA_REFERENCE = pattern_schema(f"^(?=.*[^ ]){_SEPA.pattern}$")
PAYMENT_REFERENCE = line(_PAYMENT_REFERENCE_LENGTH_MAX)
_LINE = f"[!-~]([ -~]{{0,{_LINE_LENGTH_MAX - 2}}}[!-~])?"
# Length in ASCII characters; others are accepted, too.
LINES = pattern_schema(f"^{_LINE}(\\n{_LINE}){{0,{_LINES_MAX - 1}}}$")
_SEPA_RAILS = ("sepa", "sepaInstant")


@dataclass(frozen=True, slots=True)
class PayoutReferenceRule:
    """Reference field of `destination`: which accounts it `fits`, and the check of its format.

    `accounts` describes these accounts for error messages.
    """

    name: str
    accounts: str
    fits: Callable[[BankAccount], bool]
    check: Callable[[str, str], str]


def check_lines(field: str, text: str) -> str:
    """Return a text of up to four lines of up to 35 characters; raises `FieldInvalid`."""
    lines = text.replace("\r\n", "\n").split("\n")
    if len(lines) > _LINES_MAX:
        raise FieldInvalid(f"{field} must have at most {_LINES_MAX} lines", field=field)
    return "\n".join(check_text(field, line, length_max=_LINE_LENGTH_MAX) for line in lines)


def _check_ach(field: str, text: str) -> str:
    if not _ACH.fullmatch(text) or not text.strip():
        raise FieldInvalid(f"{field} must have 1 to 10 letters, digits and blanks", field=field)
    return text


def _check_sepa(field: str, text: str) -> str:
    if not _SEPA.fullmatch(text) or not text.strip():
        raise FieldInvalid(
            f"{field} must have 6 to 140 letters, digits, blanks and & - . /", field=field
        )
    return text


def _check_payment(field: str, text: str) -> str:
    return check_text(field, text, length_max=_PAYMENT_REFERENCE_LENGTH_MAX)


def _check_charges(field: str, text: str) -> str:
    if text not in {"sha", "our"}:
        raise FieldInvalid(f"{field} must be sha or our", field=field)
    return text


def _by(*rails: str) -> Callable[[BankAccount], bool]:
    return lambda account: account.payment_rail in rails


def _has_no_other(account: BankAccount) -> bool:
    """Return whether `paymentReference` fits: RTP, and outside of type `us` all rails but SEPA."""
    if account.type == "us":
        return account.payment_rail == "rtp"
    return account.payment_rail not in _SEPA_RAILS


RULES = (
    PayoutReferenceRule("achReference", "those paid by `ach`", _by("ach"), _check_ach),
    PayoutReferenceRule("wireMessage", "those paid by `wire`", _by("wire"), check_lines),
    PayoutReferenceRule("swiftReference", "those paid by `swift`", _by("swift"), check_lines),
    PayoutReferenceRule("swiftCharges", "those paid by `swift`", _by("swift"), _check_charges),
    PayoutReferenceRule(
        "sepaReference", "those paid by `sepa` or `sepaInstant`", _by(*_SEPA_RAILS), _check_sepa
    ),
    PayoutReferenceRule(
        "paymentReference",
        "all others, and those of the Global Network paid by `swift`",
        _has_no_other,
        _check_payment,
    ),
)


def checked_references(submitted: Mapping[str, str], account: BankAccount) -> dict[str, str]:
    """Return the validated references; raises `FieldInvalid` for one that does not fit the rail."""
    found: dict[str, str] = {}
    for rule in RULES:
        if (text := submitted.get(rule.name)) is None:
            continue
        field = f"destination.{rule.name}"
        if not rule.fits(account):
            raise FieldInvalid(
                f"{field} does not apply to an account paid by {account.payment_rail}",
                field=field,
            )
        found[rule.name] = rule.check(field, text)
    return found


def check_same_day(account: BankAccount) -> None:
    """Raise `FieldInvalid` if same-day ACH is requested for another rail."""
    if account.payment_rail != "ach":
        raise FieldInvalid(
            f"destination.sameDayAch does not apply to an account paid by {account.payment_rail}",
            field="destination.sameDayAch",
        )


def check_purpose(purpose: str | None, account: BankAccount) -> None:
    """Raise `FieldInvalid` for a purpose that is not listed for the account's kind."""
    field = "purposeOfPayment"
    if purpose is None:
        if account.type == "africa":
            raise FieldInvalid(f"{field} is required for accounts in Africa", field=field)
        return
    is_global = account.table.kyc is KycRail.GLOBAL_NETWORK
    known = GLOBAL_PURPOSES if is_global else PURPOSES
    if purpose not in known:
        raise FieldInvalid(
            f"{field} must be one of {', '.join(known)}{case_hint(purpose, known)}", field=field
        )


def minimum_usd(currency: str, payment_rail: str) -> int:
    """Return the minimum converted amount in dollars: the largest that applies."""
    found = [MINIMUM_USD]
    if payment_rail == "swift":
        found.append(MINIMUM_SWIFT_USD)
    if currency == "usdt":
        found.append(MINIMUM_USDT_USD)
    return max(found)


def corridor(account: BankAccount) -> str | None:
    """Return the name of the price for an account; None if it is the account's currency."""
    return CORRIDORS.get((account.type, account.currency))
