"""Link to the form of a new payment with the wallet, amount and destination of an earlier one."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Final, TypeAlias
from urllib.parse import urlencode
from uuid import UUID

from landbridge.dashboard.payments.payment_details import PaymentDetails, PaymentEnd

Fields: TypeAlias = dict[str, UUID | Decimal | str | None]


def repeat_link(kind: str, details: PaymentDetails, label: str | None = None) -> str | None:
    """Return the address of the filled form; None for a kind without a form of one payment.

    `label` is the name of the destination if it is a registered external address. Fees, references
    and purposes are not filled in, because they belong to the earlier payment.
    """
    if kind not in _FORMS or details.source.user_id is None:
        return None
    name, fields_of = _FORMS[kind]
    fields = {"userId": details.source.user_id, **fields_of(details)}
    if label is not None:
        address = details.destination.wallet_address
        fields |= {"to": "new", "newAddress": address, "newName": label, "toUser": None}
    given = {each: value for each, value in fields.items() if value}
    return f"/dashboard/new/{name}?{urlencode(given)}"


def _transfer(details: PaymentDetails) -> Fields:
    return {
        "wallet": f"{details.chain}:{details.currency}",
        "amount": details.amount,
        **_payee(details, own=None),
    }


def _bridge(details: PaymentDetails) -> Fields:
    return {
        "wallet": _coin(details.source),
        "toChain": details.destination.chain,
        "amount": details.amount,
        **_payee(details, own="own"),
    }


def _swap(details: PaymentDetails) -> Fields:
    return {
        "wallet": _coin(details.source),
        "toCurrency": details.destination.currency,
        **_quoted_amount(details),
        **_payee(details, own="own"),
    }


def _onramp(details: PaymentDetails) -> Fields:
    return {
        "fromCurrency": details.source.currency,
        "toCoin": _coin(details.destination),
        **_quoted_amount(details),
        **_payee(details, own="own"),
    }


def _offramp(details: PaymentDetails) -> Fields:
    source, destination = details.source, details.destination
    coin, outside, payee = _coin(source), source.external_wallet_id, destination.user_id
    return {
        "wallet": f"external:{outside}:{coin}" if outside else coin,
        "account": f"{destination.account_id}:{destination.currency}",
        **_quoted_amount(details),
        "toUser": payee if payee != source.user_id else None,
    }


def _coin(end: PaymentEnd) -> str:
    return f"{end.chain}:{end.currency}"


def _quoted_amount(details: PaymentDetails) -> Fields:
    """Return the amount as sent or, where only the received one is known, as received."""
    if details.source.amount:
        return {"amount": details.source.amount, "exact": "sent"}
    return {"amount": details.destination.amount, "exact": "received"}


def _payee(details: PaymentDetails, *, own: str | None) -> Fields:
    destination = details.destination
    if destination.external_wallet_id:
        return {"to": f"external:{destination.external_wallet_id}"}
    if own and destination.user_id == details.source.user_id:
        return {"to": own}
    if destination.user_id:
        return {"to": "user", "toUser": destination.user_id}
    return {"to": "new", "newAddress": destination.wallet_address}


_FORMS: Final[Mapping[str, tuple[str, Callable[[PaymentDetails], Fields]]]] = {
    "WALLET.TRANSFER": ("transfer", _transfer),
    "WALLET.BRIDGE": ("bridge", _bridge),
    "WALLET.SWAP": ("swap", _swap),
    "ONRAMP": ("onramp", _onramp),
    "OFFRAMP": ("offramp", _offramp),
}
