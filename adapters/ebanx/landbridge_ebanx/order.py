"""What is sent to order a payout. Sources: docs.ebanx.com/docs/payout/createPayout, br and mx.

Raises `PayoutRefused` for what EBANX does not carry, and what its documentation does not describe.
"""

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from landbridge.providers.packages.fields import read_object, read_text
from landbridge.providers.packages.interface import (
    FailureCode,
    PayoutRefused,
    PayoutRequest,
)

_CPF, _CNPJ = re.compile(r"[0-9]{11}"), re.compile(r"[0-9A-Z]{12}[0-9]{2}")
_RFC = re.compile(r"[A-Z&]{3,4}[0-9]{6}[A-Z0-9]{3}")
_CURP = re.compile(r"[A-Z]{4}[0-9]{6}[A-Z]{6}[A-Z0-9]{2}")
_CLABE = re.compile(r"[0-9]{18}")


def order_form(request: PayoutRequest, default_email: str | None) -> list[tuple[str, str]]:
    """Return the form of an order, without our key at EBANX; raises `PayoutRefused`."""
    payee = request.payee or {}
    kind = payee.get("type")
    account = read_object(payee, str(kind))
    holder = read_object(payee, "accountHolder")
    match request.rail, request.currency, kind:
        case "pix", "brl", "brazilGlobalNetwork":
            way, email = _pix(account, holder), read_text(account, "email")
        case "spei", "mxn", "mexico" | "mexicoGlobalNetwork":
            way, email = _spei(account, holder), None
        case _:
            raise PayoutRefused(FailureCode.UNSUPPORTED)
    name = read_text(holder, "name")
    email = email or read_text(holder, "email") or default_email
    if name is None or email is None:
        raise PayoutRefused(FailureCode.UNSUPPORTED)
    phone = read_text(account, "phone") or read_text(holder, "phone")
    return [
        ("external_reference", str(request.key)),
        ("amount", exact_text(request.amount)),
        ("currency_code", request.currency.upper()),
        ("payee[name]", name),
        ("payee[email]", email),
        *([("payee[phone]", phone)] if phone else []),
        *way,
    ]


def exact_text(amount: str) -> str:
    """Return an amount with its two decimals; refuses one that has more."""
    value = Decimal(amount)
    try:
        cents = value.quantize(Decimal("0.01"))
    except InvalidOperation:  # more digits than EBANX or a bank has
        raise PayoutRefused(FailureCode.LIMIT_EXCEEDED) from None
    if cents != value:
        raise PayoutRefused(FailureCode.UNSUPPORTED)
    return f"{cents:f}"


def _pix(account: Mapping[str, Any], holder: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A payee without a key is paid by their tax number, which is the key then."""
    number = read_text(holder, "idNumber")
    key = (
        read_text(account, "pix")
        or read_text(account, "email")
        or read_text(account, "phone")
        or number
    )
    if key is None:
        raise PayoutRefused(FailureCode.ACCOUNT_INVALID)
    document = _brazilian(number) or _brazilian(key)
    if document is None:
        raise PayoutRefused(FailureCode.UNSUPPORTED)
    return [
        ("country", "br"),
        ("target", "pix_key"),
        ("target_account", _compact(key) if key == number else key),
        *_document(*document),
    ]


def _spei(account: Mapping[str, Any], holder: Mapping[str, Any]) -> list[tuple[str, str]]:
    """EBANX describes accounts by their CLABE, and no cards and phone numbers."""
    if account.get("speiProtocol", "clabe") != "clabe":
        raise PayoutRefused(FailureCode.UNSUPPORTED)
    clabe = read_text(account, "speiClabe")
    if clabe is None or not _CLABE.fullmatch(clabe):
        raise PayoutRefused(FailureCode.ACCOUNT_INVALID)
    number = _compact(read_text(holder, "idNumber") or "")
    document: list[tuple[str, str]] = []
    if _RFC.fullmatch(number):
        document = _document(number, "RFC")
    elif _CURP.fullmatch(number):
        document = _document(number, "CURP")
    return [("country", "mx"), ("payee[bank_info][bank_details]", clabe), *document]


def _document(number: str, kind: str) -> list[tuple[str, str]]:
    return [("payee[document]", number), ("payee[document_type]", kind)]


def _brazilian(number: str | None) -> tuple[str, str] | None:
    compact = _compact(number or "")
    if _CPF.fullmatch(compact):
        return compact, "CPF"
    return (compact, "CNPJ") if _CNPJ.fullmatch(compact) else None


def _compact(number: str) -> str:
    return re.sub(r"[ ./-]", "", number).upper()
