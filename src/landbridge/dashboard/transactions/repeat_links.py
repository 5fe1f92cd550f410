"""Link to the form of a new payment with the wallet, amount and destination of an earlier one."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import urlencode

Details: TypeAlias = Mapping[str, Any]
Fields: TypeAlias = dict[str, str | None]


def repeat_link(kind: str, details: Details, label: str | None = None) -> str | None:
    """Return the address of the filled form; None for a kind without a form of one payment.

    `label` is the name of the destination if it is a registered external address. Fees, references
    and purposes are not filled in, because they belong to the earlier payment.
    """
    if kind not in _FORMS or details["source"].get("userId") is None:
        return None
    name, fields_of = _FORMS[kind]
    fields = {"userId": details["source"]["userId"], **fields_of(details)}
    if label is not None:
        address = details["destination"].get("walletAddress")
        fields |= {"to": "new", "newAddress": address, "newName": label, "toUser": None}
    given = {each: value for each, value in fields.items() if value}
    return f"/dashboard/new/{name}?{urlencode(given)}"


def _transfer(details: Details) -> Fields:
    return {
        "wallet": f"{details['chain']}:{details['currency']}",
        "amount": _text(details["amount"]),
        **_payee(details, own=None),
    }


def _bridge(details: Details) -> Fields:
    source, destination = details["source"], details["destination"]
    return {
        "wallet": f"{source['chain']}:{source['currency']}",
        "toChain": destination["chain"],
        "amount": _text(details["amount"]),
        **_payee(details, own="own"),
    }


def _swap(details: Details) -> Fields:
    source, destination = details["source"], details["destination"]
    return {
        "wallet": f"{source['chain']}:{source['currency']}",
        "toCurrency": destination["currency"],
        **_quoted_amount(details),
        **_payee(details, own="own"),
    }


def _onramp(details: Details) -> Fields:
    destination = details["destination"]
    return {
        "fromCurrency": details["source"]["currency"],
        "toCoin": f"{destination['chain']}:{destination['currency']}",
        **_quoted_amount(details),
        **_payee(details, own="own"),
    }


def _offramp(details: Details) -> Fields:
    source, destination = details["source"], details["destination"]
    coin = f"{source['chain']}:{source['currency']}"
    outside, payee = source.get("externalWalletId"), destination["userId"]
    return {
        "wallet": f"external:{outside}:{coin}" if outside else coin,
        "account": f"{destination['accountId']}:{destination['currency']}",
        **_quoted_amount(details),
        "toUser": payee if payee != source["userId"] else None,
    }


def _quoted_amount(details: Details) -> Fields:
    """Return the amount as sent or, where only the received one is known, as received."""
    sent = details["source"].get("amount")
    if sent:
        return {"amount": _text(sent), "exact": "sent"}
    return {"amount": _text(details["destination"].get("amount")), "exact": "received"}


def _payee(details: Details, *, own: str | None) -> Fields:
    destination = details["destination"]
    payee, external = destination.get("userId"), destination.get("externalWalletId")
    if external:
        return {"to": f"external:{external}"}
    if own and payee == details["source"]["userId"]:
        return {"to": own}
    if payee:
        return {"to": "user", "toUser": payee}
    return {"to": "new", "newAddress": destination.get("walletAddress")}


def _text(amount: Any) -> str | None:
    return None if amount is None else str(amount)


_FORMS: Final[Mapping[str, tuple[str, Callable[[Details], Fields]]]] = {
    "WALLET.TRANSFER": ("transfer", _transfer),
    "WALLET.BRIDGE": ("bridge", _bridge),
    "WALLET.SWAP": ("swap", _swap),
    "ONRAMP": ("onramp", _onramp),
    "OFFRAMP": ("offramp", _offramp),
}
