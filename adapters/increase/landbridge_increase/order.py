"""What is sent to order a payout. Source: increase.com/documentation/api, the page of each network.

Raises `PayoutRefused` for what Increase does not carry, and what its documentation does not
describe.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from landbridge.providers.packages.fields import read_object, read_text
from landbridge.providers.packages.interface import FailureCode, PayoutRefused, PayoutRequest
from landbridge_increase.settings import IncreaseOptions

# The payee's name in the Nacha format; no bank verifies it.
_NACHA_NAME_LENGTH = 22
_ROUTING_NUMBER = re.compile(r"[0-9]{9}")
_ACCOUNT_NUMBER = re.compile(r"[0-9A-Za-z-]{1,34}")
# Far more than a bank moves, and exact in any arithmetic.
_CENTS_MAX = 10**15
# api/ach-transfers: CCD is for businesses, PPD is for people.
_ENTRY_CLASSES = {
    "business": "corporate_credit_or_debit",
    "individual": "prearranged_payments_and_deposit",
}
_FUNDINGS = {"checking": "checking", "savings": "savings"}


def network_name(request: PayoutRequest, options: IncreaseOptions) -> str:
    """Return the network of a payout; raises `PayoutRefused`."""
    if request.currency != "usd":
        raise PayoutRefused(FailureCode.UNSUPPORTED)
    match request.rail:
        case "ach" | "wire" | "fednow":
            name = request.rail
        case "rtp":
            name = options.instant_network
        case _:
            raise PayoutRefused(FailureCode.UNSUPPORTED)
    if name in {"rtp", "fednow"} and options.source_account_number_id is None:
        raise PayoutRefused(FailureCode.UNSUPPORTED)
    if name == "fednow" and options.debtor_name is None:
        raise PayoutRefused(FailureCode.UNSUPPORTED)
    return name


def order_body(request: PayoutRequest, network: str, options: IncreaseOptions) -> dict[str, Any]:
    """Return the body of an order; raises `PayoutRefused`."""
    payee = request.payee or {}
    if payee.get("type") != "us":
        raise PayoutRefused(FailureCode.UNSUPPORTED)
    account, holder = read_object(payee, "us"), read_object(payee, "accountHolder")
    name = read_text(holder, "name")
    if name is None:
        raise PayoutRefused(FailureCode.UNSUPPORTED)
    number, routing = read_text(account, "accountNumber"), read_text(account, "routingNumber")
    if not _ACCOUNT_NUMBER.fullmatch(number or "") or not _ROUTING_NUMBER.fullmatch(routing or ""):
        raise PayoutRefused(FailureCode.ACCOUNT_INVALID)
    body = {"amount": cents(request.amount), "account_number": number, "routing_number": routing}
    match network:
        case "ach":
            return body | _ach(request, account, holder, name, options)
        case "wire":
            return body | _wire(request, holder, name, options)
        case _:
            return body | _instant(request, network, name, options)


def ordered(request: PayoutRequest) -> tuple[Decimal, str | None, str | None]:
    """Return what identifies an order: cents, account number and routing number."""
    account = read_object(request.payee or {}, "us")
    amount = Decimal(request.amount).scaleb(2)
    return amount, read_text(account, "accountNumber"), read_text(account, "routingNumber")


def cents(amount: str) -> int:
    """Return an amount of dollars in cents; raises `PayoutRefused` for a fraction of one."""
    value = Decimal(amount).scaleb(2)
    if value >= _CENTS_MAX:
        raise PayoutRefused(FailureCode.LIMIT_EXCEEDED)
    if value != value.to_integral_value():
        raise PayoutRefused(FailureCode.UNSUPPORTED)
    return int(value)


def _ach(
    request: PayoutRequest,
    account: Mapping[str, Any],
    holder: Mapping[str, Any],
    name: str,
    options: IncreaseOptions,
) -> dict[str, Any]:
    kind = (read_text(holder, "type") or "").lower()
    if kind not in _ENTRY_CLASSES:
        raise PayoutRefused(FailureCode.UNSUPPORTED)
    reference = request.texts.get("achReference")
    schedule = "same_day" if request.is_same_day else "future_dated"
    body: dict[str, Any] = {
        "account_id": options.account_id,
        "statement_descriptor": reference or options.statement_descriptor,
        "company_name": options.company_name,
        "individual_name": name[:_NACHA_NAME_LENGTH].rstrip(),
        "destination_account_holder": kind,
        "standard_entry_class_code": _ENTRY_CLASSES[kind],
        "preferred_effective_date": {"settlement_schedule": schedule},
    }
    if reference is not None:
        body["company_entry_description"] = reference
    funding = _FUNDINGS.get((read_text(account, "accountType") or "").lower())
    return body if funding is None else {**body, "funding": funding}


def _wire(
    request: PayoutRequest, holder: Mapping[str, Any], name: str, options: IncreaseOptions
) -> dict[str, Any]:
    message = request.texts.get("wireMessage") or options.statement_descriptor
    creditor: dict[str, Any] = {"name": name}
    if lines := _address_lines(read_object(holder, "address")):
        creditor["address"] = {"unstructured": lines}
    body: dict[str, Any] = {
        "account_id": options.account_id,
        "creditor": creditor,
        "remittance": {
            "category": "unstructured",
            "unstructured": {"message": " ".join(message.split())},
        },
    }
    if options.source_account_number_id is not None:
        body["source_account_number_id"] = options.source_account_number_id
    if options.debtor_name is not None:
        body["debtor"] = {"name": options.debtor_name}
    return body


def _instant(
    request: PayoutRequest, network: str, name: str, options: IncreaseOptions
) -> dict[str, Any]:
    message = request.texts.get("paymentReference") or options.statement_descriptor
    body: dict[str, Any] = {
        "source_account_number_id": options.source_account_number_id,
        "creditor_name": name,
        "unstructured_remittance_information": message,
    }
    if network == "fednow":
        body["account_id"] = options.account_id
    if options.debtor_name is not None:
        body["debtor_name"] = options.debtor_name
    return body


def _address_lines(address: Mapping[str, Any]) -> dict[str, str]:
    """Return up to three lines of an address; none without a first one."""
    city = [read_text(address, each) for each in ("city", "stateProvinceRegion", "postalCode")]
    lines = [
        read_text(address, "addressLine1"),
        read_text(address, "addressLine2"),
        " ".join(each for each in (*city, read_text(address, "country")) if each),
    ]
    if lines[0] is None:
        return {}
    return {f"line{place}": line for place, line in enumerate(filter(None, lines), start=1)}
