"""Kinds of payment forms: their API paths, titles and field names."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from landbridge.platform.core.errors import FieldInvalid, ResourceNotFound
from landbridge.platform.formats.translations import later as _


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentFormKind:
    """A kind of payment. `fields` maps fields of the API to the inputs of the form."""

    name: str
    # Transfer type in records of the API.
    transfer_type: str
    # API path of the create request.
    path: str
    title: str
    # Path segments of actions below the payment; empty where the kind has no such action.
    accept: str = ""
    refresh: str = ""
    renew: str = ""
    cancel: str = ""
    deposit: str = ""
    fields: Mapping[str, str] = field(default_factory=dict[str, str])


_SOURCE: Final = {
    "source.userId": "wallet",
    "source.chain": "wallet",
    "source.currency": "wallet",
    "source.amount": "amount",
    "destination.amount": "amount",
    "destination.userId": "toUser",
    "destination.walletAddress": "to",
    "destination.externalWalletId": "to",
    "destination.chain": "toChain",
    "destination.currency": "toCurrency",
    "address": "newAddress",
    "name": "newName",
    "Landbridge-Sandbox": "forced",
}
_FLAT: Final = {"chain": "wallet", "currency": "wallet"}
_FEE: Final = {"fee.value": "feeValue", "fee.type": "feeType", "fee": "feeValue"}

TRANSFER = PaymentFormKind(
    name="transfer",
    transfer_type="WALLET.TRANSFER",
    path="/v2/wallets/transfers",
    title=_("New transfer"),
    fields={**_SOURCE, **_FLAT, **_FEE},
)
BATCH = PaymentFormKind(
    name="batch",
    transfer_type="WALLET.TRANSFER.BATCH",
    path="/v2/wallets/transfers/batches",
    title=_("New batch"),
    fields={**_SOURCE, **_FLAT},
)
BRIDGE = PaymentFormKind(
    name="bridge",
    transfer_type="WALLET.BRIDGE",
    path="/v2/wallets/bridges",
    title=_("New bridge"),
    accept="accept",
    fields=_SOURCE,
)
SWAP = PaymentFormKind(
    name="swap",
    transfer_type="WALLET.SWAP",
    path="/v2/wallets/swaps",
    title=_("New swap"),
    accept="accept",
    fields=_SOURCE,
)
ONRAMP = PaymentFormKind(
    name="onramp",
    transfer_type="ONRAMP",
    path="/v2/onramps",
    title=_("New onramp"),
    accept="quote/accept",
    refresh="quote/refresh",
    cancel="cancel",
    deposit="/v2/sandbox/onramps",
    fields={
        **_SOURCE,
        **_FEE,
        "source.currency": "fromCurrency",
        "source.userId": "fromCurrency",
        "source.accountId": "fromAccount",
        "source.transferType": "transferType",
    },
)
OFFRAMP = PaymentFormKind(
    name="offramp",
    transfer_type="OFFRAMP",
    path="/v2/offramps",
    title=_("New offramp"),
    accept="quote/accept",
    renew="quote/renew",
    cancel="cancel",
    deposit="/v2/sandbox/offramps",
    fields={
        **_SOURCE,
        "source.externalWalletId": "wallet",
        "source.returnAddress": "returnAddress",
        "destination.accountId": "account",
        "destination.currency": "account",
        "developerFee": "fee1",
        "developerFee.fees": "fee1",
    },
)

KINDS: Final = {each.name: each for each in (TRANSFER, BATCH, BRIDGE, SWAP, ONRAMP, OFFRAMP)}
_BY_TYPE: Final = {each.transfer_type: each for each in KINDS.values()}


def find_kind(name: str) -> PaymentFormKind:
    """Return the kind of a URL; raise `ResourceNotFound` if it is unknown."""
    found = KINDS.get(name)
    if found is None:
        raise ResourceNotFound("This payment type does not exist.")
    return found


def find_kind_by_type(transfer_type: str) -> PaymentFormKind:
    """Return the kind of a transfer type sent by a form; raise `FieldInvalid` if it is unknown."""
    found = _BY_TYPE.get(transfer_type)
    if found is None:
        raise FieldInvalid("This payment type does not exist.", field="kind")
    return found
