"""Request bodies of payment forms, one function per kind."""

import re
from collections.abc import Awaitable, Callable, Mapping
from decimal import Decimal, localcontext
from typing import Final, TypeAlias, cast
from uuid import UUID

from landbridge.dashboard.page_request import Form
from landbridge.dashboard.payments.parties import payee, wallet
from landbridge.dashboard.payments.user_search import resolve_user
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.internal_client import InternalClient

Body: TypeAlias = Mapping[str, object]

FEES_MAX: Final = 10
_EXACT_DIGITS = 100
_HUNDRED = Decimal(100)
_PERCENT = re.compile(r"[0-9]{1,20}(\.[0-9]{1,18})?")
_OUTSIDE = "external"
_REFERENCES = (
    "achReference",
    "sepaReference",
    "wireMessage",
    "paymentReference",
    "swiftReference",
    "swiftCharges",
)
_BENEFICIARY = (
    "legalEntityName",
    "jurisdictionOfIncorporation",
    "natureOfBusiness",
    "relationshipToBeneficiary",
    "website",
)


async def body_of(kind: str, interface: InternalClient, user_id: str, form: Form) -> Body:
    """Return the body of a create request; raise `FieldInvalid` with the input's name."""
    body = await _BODIES[kind](interface, user_id, form)
    return {"requestId": str(form.uuid("requestId")), **without_none(body)}


async def _transfer(interface: InternalClient, user_id: str, form: Form) -> Body:
    chain, currency = wallet(form)
    return {
        "source": {"userId": user_id},
        "destination": await payee(interface, form, user_id=user_id, chain=chain),
        "amount": _number(form, "amount"),
        "currency": currency,
        "chain": chain,
        "fee": _fee(form),
        "requireApproval": form.is_ticked("requireApproval"),
    }


async def _bridge(interface: InternalClient, user_id: str, form: Form) -> Body:
    chain, currency = wallet(form)
    to_chain = _required(form, "toChain")
    to = await payee(interface, form, user_id=user_id, chain=to_chain)
    return {
        "amount": _number(form, "amount"),
        "source": {"userId": user_id, "chain": chain, "currency": currency},
        "destination": {**to, "chain": to_chain, "currency": currency},
        "requireApproval": form.is_ticked("requireApproval"),
    }


async def _swap(interface: InternalClient, user_id: str, form: Form) -> Body:
    chain, currency = wallet(form)
    send_amount, receive_amount = _either_amount(form)
    to = await payee(interface, form, user_id=user_id, chain=chain, own=None, registers=False)
    return {
        "source": {"userId": user_id, "chain": chain, "currency": currency, "amount": send_amount},
        "destination": {
            **to,
            "chain": chain,
            "currency": _required(form, "toCurrency"),
            "amount": receive_amount,
        },
    }


async def _onramp(interface: InternalClient, user_id: str, form: Form) -> Body:
    send_amount, receive_amount = _either_amount(form)
    chain, currency = wallet(form, "toCoin")
    currency_from = _required(form, "fromCurrency")
    to = await payee(interface, form, user_id=user_id, chain=chain, own=None, by_id=True)
    return {
        "source": {
            "userId": user_id,
            "currency": currency_from,
            "amount": send_amount,
            "transferType": form.maybe("transferType") if currency_from == "usd" else None,
            "accountId": _maybe_id(form, "fromAccount"),
        },
        "destination": {**to, "chain": chain, "currency": currency, "amount": receive_amount},
        "purposeOfPayment": form.maybe("purposeOfPayment"),
        "fee": _fee(form),
    }


async def _offramp(interface: InternalClient, user_id: str, form: Form) -> Body:
    send_amount, receive_amount = _either_amount(form)
    account_id, _, currency = _required(form, "account").partition(":")
    references = {name: form.maybe(name) for name in _REFERENCES}
    payee_id = (await resolve_user(interface, form, "toUser")).id if form.text("toUser") else None
    return {
        "source": {**_offramp_source(user_id, form), "amount": send_amount},
        "destination": {
            "accountId": account_id,
            "currency": currency,
            "userId": payee_id,
            "amount": receive_amount,
            "sameDayAch": form.is_ticked("sameDayAch") or None,
            **references,
        },
        "purposeOfPayment": form.maybe("purposeOfPayment"),
        "supportingDocumentType": form.maybe("supportingDocumentType"),
        "supportingDocumentUrl": form.maybe("supportingDocumentUrl"),
        "description": form.maybe("description"),
        "supportingInformation": _supporting(form),
        "developerFee": _developer_fee(form),
        "requireApproval": form.is_ticked("requireApproval"),
    }


def _offramp_source(user_id: str, form: Form) -> Body:
    """Return a user's wallet, or a registered external one (`external:<id>:<chain>:<coin>`)."""
    parts = _required(form, "wallet").split(":")
    if parts[0] == _OUTSIDE:
        _, external_id, chain, currency = (*parts, "", "", "")[:4]
        return {
            "externalWalletId": external_id,
            "chain": chain,
            "currency": currency,
            "returnAddress": form.maybe("returnAddress"),
        }
    chain, currency = wallet(form)
    return {"userId": user_id, "chain": chain, "currency": currency}


def _supporting(form: Form) -> Body | None:
    beneficiary = {name: form.maybe(name) for name in _BENEFICIARY}
    documents = [
        {"fileId": each, "type": form.text("documentType") or "INVOICE"}
        for each in form.text("documentFileIds").replace(",", " ").split()
    ]
    found = {
        "detailedPurposeOfPayment": form.maybe("detailedPurposeOfPayment"),
        "beneficiaryDetails": beneficiary if any(beneficiary.values()) else None,
        "documents": documents or None,
    }
    return found if any(found.values()) else None


def _developer_fee(form: Form) -> Body | None:
    fees: list[Body] = []
    for number in range(1, FEES_MAX + 1):
        value = form.number(f"fee{number}")
        if not value:
            continue
        is_percentage = form.text(f"fee{number}Type") == "PERCENTAGE"
        fees.append(
            {
                "type": "PERCENTAGE" if is_percentage else "FLAT",
                "value": _fraction(f"fee{number}", value) if is_percentage else value,
                "walletAddress": _required(form, f"fee{number}Address"),
            }
        )
    return {"fees": fees} if fees else None


def _fee(form: Form) -> Body | None:
    """Return the organisation's own fee; forms take a percentage, the API a fraction."""
    kind = form.text("feeType")
    if not kind:
        return None
    value = _number(form, "feeValue")
    is_percent = kind == "PERCENT"
    return {"type": kind, "value": _fraction("feeValue", value) if is_percent else value}


def _fraction(name: str, percent: str) -> str:
    # An exponent would be read too, and written out with all its zeros.
    if not _PERCENT.fullmatch(percent):
        raise FieldInvalid("Enter the fee as a number, for example 1.5.", field=name)
    with localcontext() as exact:
        exact.prec = _EXACT_DIGITS
        return f"{Decimal(percent) / _HUNDRED:f}"


def _either_amount(form: Form) -> tuple[str | None, str | None]:
    """Return the amount as sent or as received amount; the other is None."""
    amount = _number(form, "amount")
    return (None, amount) if form.text("exact") == "received" else (amount, None)


def _required(form: Form, name: str) -> str:
    """Return a field's text; raise `FieldInvalid` if it is empty."""
    found = form.maybe(name)
    if found is None:
        raise FieldInvalid("This field is required.", field=name)
    return found


def _number(form: Form, name: str) -> str:
    """Return a number as the API takes it; raise `FieldInvalid` if it is empty or unreadable."""
    _required(form, name)
    return form.number(name)


def _maybe_id(form: Form, name: str) -> str | None:
    text = form.maybe(name)
    if text is None:
        return None
    try:
        return str(UUID(text))
    except ValueError:
        raise FieldInvalid("Choose one of the listed options.", field=name) from None


def without_none(members: Body) -> dict[str, object]:
    """Return the mapping without members that are None, at all levels."""
    return {
        name: without_none(cast("Body", each)) if isinstance(each, Mapping) else each
        for name, each in members.items()
        if each is not None
    }


_BODIES: Final[Mapping[str, Callable[[InternalClient, str, Form], Awaitable[Body]]]] = {
    "transfer": _transfer,
    "bridge": _bridge,
    "swap": _swap,
    "onramp": _onramp,
    "offramp": _offramp,
}
