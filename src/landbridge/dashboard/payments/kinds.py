"""The kinds of payments that pages begin: where each is made, and what it is called."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from landbridge.core.errors import FieldInvalid, ResourceNotFound
from landbridge.dashboard.words import later as _


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of payment. `fields` says which of our inputs a member of the interface comes from."""

    name: str
    # As records name it.
    transfer_type: str
    # Where it is made.
    path: str
    title: str
    # Below its path; empty where there is no quote.
    accept: str = ""
    refresh: str = ""
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

TRANSFER = Kind(
    name="transfer",
    transfer_type="WALLET.TRANSFER",
    path="/v2/wallets/transfers",
    title=_("New transfer"),
    fields={**_SOURCE, **_FLAT, **_FEE},
)
BATCH = Kind(
    name="batch",
    transfer_type="WALLET.TRANSFER.BATCH",
    path="/v2/wallets/transfers/batches",
    title=_("New batch"),
    fields={**_SOURCE, **_FLAT},
)
BRIDGE = Kind(
    name="bridge",
    transfer_type="WALLET.BRIDGE",
    path="/v2/wallets/bridges",
    title=_("New bridge"),
    accept="accept",
    fields=_SOURCE,
)
SWAP = Kind(
    name="swap",
    transfer_type="WALLET.SWAP",
    path="/v2/wallets/swaps",
    title=_("New swap"),
    accept="accept",
    fields=_SOURCE,
)
ONRAMP = Kind(
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
OFFRAMP = Kind(
    name="offramp",
    transfer_type="OFFRAMP",
    path="/v2/offramps",
    title=_("New offramp"),
    accept="quote/accept",
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


def kind_named(name: str) -> Kind:
    """The kind of an address; raises `ResourceNotFound`."""
    found = KINDS.get(name)
    if found is None:
        raise ResourceNotFound("there is no such kind of payment")
    return found


def kind_of_type(transfer_type: str) -> Kind:
    """The kind of a record, as a form of ours told it; raises `FieldInvalid`."""
    found = _BY_TYPE.get(transfer_type)
    if found is None:
        raise FieldInvalid("there is no such kind of payment", field="kind")
    return found
