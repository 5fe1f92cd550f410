"""Payment cards: amount, payer and recipients of any kind of payment, in one shape."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from landbridge.dashboard.payments.destinations import (
    DestinationDetails,
    address_label,
    destination_of,
)
from landbridge.platform.core.errors import Refused
from landbridge.platform.http.internal_client import InternalClient

_PATHS: Final[Mapping[str, str]] = {
    "WALLET.TRANSFER": "/v2/wallets/transfers",
    "WALLET.TRANSFER.BATCH": "/v2/wallets/transfers/batches",
    "WALLET.BRIDGE": "/v2/wallets/bridges",
    "OFFRAMP": "/v2/offramps",
    "ONRAMP": "/v2/onramps",
    "DISBURSEMENT": "/v2/disbursements",
    "RECEIVABLE": "/v2/reviews/receivables",
    "DEPOSIT.SCREENING": "/v2/reviews/deposit-screenings",
    "PAYMENT.SCREENING": "/v2/reviews/payment-screenings",
}
RESOLUTION: Final = "RESOLUTION"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPayee:
    """A recipient: a user by name, or an address; `amount` is set in a batch, and of a fee.

    `label` is the name of an outside address that the user has registered, if it was looked up: the
    money leaves the platform although the user has a name.
    """

    user_id: str | None
    name: str | None
    address: str | None
    amount: str | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentCard:
    """A payment. `gets` is the received amount where it differs from `amount`.

    `payer_id` is None for payments by the organisation itself. `payment_id` is the payment whose
    page is linked; it differs from `id` for a receivable. `fee_payees` get the fees on top of a
    payout, in `fee_unit`; they may be anybody. `resolution` is the resolution that needs
    approval; None where the payment itself does.
    """

    id: str
    payment_id: str
    kind: str
    status: str
    failed_reason: str | None
    amount: Any
    unit: str
    gets: Any
    gets_unit: str
    payer_id: str | None
    payer: str | None
    payees: Sequence[CardPayee] = ()
    destination: DestinationDetails | None = None
    fee_payees: Sequence[CardPayee] = ()
    fee_unit: str = ""
    resolution: Mapping[str, Any] | None = None

    @property
    def payee(self) -> CardPayee | None:
        """Return the only recipient; None if there are several."""
        return self.payees[0] if len(self.payees) == 1 else None


async def payment_cards(
    interface: InternalClient,
    payments: Collection[tuple[str, str]],
    *,
    with_history: bool = False,
) -> Mapping[str, PaymentCard]:
    """Return cards by id for payments given by kind and id; missing ones are omitted.

    For a resolution the card shows its payment, under the id of the resolution. With `with_history`
    destinations say whether they were paid before, and recipients of a batch have labels.
    """
    ids = [each for kind, each in payments if kind == RESOLUTION]
    found = await asyncio.gather(*(_resolution(interface, each) for each in ids))
    resolutions = [each for each in found if each is not None]
    # Each once, also where it waits for itself and was decided on.
    payment_keys = {each for each in payments if each[0] != RESOLUTION}
    payment_keys |= {(each["transferType"], each["transferId"]) for each in resolutions}
    cards = await _payments(interface, payment_keys, with_history=with_history)
    return cards | {
        each["id"]: replace(cards[each["transferId"]], resolution=each)
        for each in resolutions
        if each["transferId"] in cards
    }


async def _payments(
    interface: InternalClient, payments: Collection[tuple[str, str]], *, with_history: bool
) -> dict[str, PaymentCard]:
    found = await asyncio.gather(*(_payment(interface, kind, each) for kind, each in payments))
    replies = [each for each in found if each is not None]
    destinations = await asyncio.gather(
        *(_destination(interface, each, with_history=with_history) for each in replies)
    )
    cards = [_card(reply, to) for reply, to in zip(replies, destinations, strict=True)]
    if with_history:
        cards = await asyncio.gather(*(_labelled(interface, card) for card in cards))
    unnamed_ids = {
        user_id
        for card in cards
        for user_id, name in [
            (card.payer_id, card.payer),
            *((each.user_id, each.name) for each in card.payees),
        ]
        if user_id is not None and name is None
    }
    names = await user_names(interface, unnamed_ids)
    return {card.id: _with_names(card, names) for card in cards}


async def _labelled(interface: InternalClient, card: PaymentCard) -> PaymentCard:
    """Return a batch with the labels of its recipients."""
    if card.payee is not None:
        return card
    labels = await asyncio.gather(
        *(
            address_label(interface, each.user_id or card.payer_id, {"walletAddress": each.address})
            for each in card.payees
        )
    )
    payees = [replace(each, label=label) for each, label in zip(card.payees, labels, strict=True)]
    return replace(card, payees=payees)


async def user_names(interface: InternalClient, user_ids: Collection[str]) -> Mapping[str, str]:
    """Return the names of users by id; erased users have none."""
    found = await asyncio.gather(*(_user(interface, each) for each in sorted(user_ids)))
    return {each["id"]: each["name"] for each in found if each is not None and each["name"]}


async def _payment(interface: InternalClient, kind: str, payment_id: str) -> Any:
    try:
        return await interface.get(f"{_PATHS[kind]}/{payment_id}")
    except (KeyError, Refused):
        return None


async def _resolution(interface: InternalClient, resolution_id: str) -> Any:
    try:
        return await interface.get(f"/v2/reviews/resolutions/{resolution_id}")
    except Refused:
        return None


async def _user(interface: InternalClient, user_id: str) -> Any:
    try:
        return await interface.get(f"/v2/users/{user_id}")
    except Refused:
        return None


async def _destination(
    interface: InternalClient, reply: Any, *, with_history: bool
) -> DestinationDetails | None:
    if "transferDetails" not in reply:
        return None
    kind, details = reply["transferType"], reply["transferDetails"]
    return await destination_of(interface, kind, details, with_history=with_history)


def _card(reply: Any, to: DestinationDetails | None) -> PaymentCard:
    if "depositId" in reply:
        return _screening(reply, "DEPOSIT.SCREENING", payment_id=reply["id"])
    if "destinationAddress" in reply:
        card = _screening(reply, "PAYMENT.SCREENING", payment_id=reply["transferId"])
        address = reply["destinationAddress"]
        payees = (CardPayee(user_id=None, name=None, address=address),) if address else ()
        return replace(card, payees=payees)
    if "transferDetails" not in reply:
        return _receivable(reply)
    details = reply["transferDetails"]
    source, destination = details["source"], details["destination"]
    amount, unit = _amount(details), _unit(details, source)
    gets, gets_unit = destination.get("amount"), _unit(details, destination)
    if not amount and gets:
        # The received amount is fixed, and no quote states the sent amount yet.
        amount, unit, gets = gets, gets_unit, None
    return PaymentCard(
        id=details["id"],
        payment_id=details["id"],
        kind=reply["transferType"],
        status=details["status"],
        failed_reason=details.get("failedReason"),
        amount=amount,
        unit=unit,
        gets=gets or None,
        gets_unit=gets_unit,
        payer_id=source.get("userId"),
        payer=_party(source.get("user")),
        payees=_payees(destination),
        destination=to,
        fee_payees=_fee_payees(details),
        fee_unit=_unit(details, source),
    )


def _receivable(receivable: Any) -> PaymentCard:
    """Return the card of a receivable."""
    return PaymentCard(
        id=receivable["id"],
        payment_id=receivable["transferId"],
        kind="RECEIVABLE",
        status=receivable["status"],
        failed_reason=receivable["reason"],
        amount=receivable["amount"],
        unit=receivable["currency"],
        gets=None,
        gets_unit=receivable["currency"],
        payer_id=receivable["userId"],
        payer=None,
    )


def _screening(screening: Any, kind: str, *, payment_id: str) -> PaymentCard:
    """Return the card of a deposit or payment that is screened."""
    return PaymentCard(
        id=screening["id"],
        payment_id=payment_id,
        kind=kind,
        status=screening["status"],
        failed_reason=None,
        amount=screening["amount"],
        unit=screening["currency"],
        gets=None,
        gets_unit=screening["currency"],
        payer_id=screening["userId"],
        payer=None,
    )


def _amount(details: Any) -> Any:
    batch = details["destination"].get("batch")
    if batch is not None:
        return sum((Decimal(each["amount"]) for each in batch), Decimal())
    return details["amount"] if "amount" in details else details["source"]["amount"]


def _unit(details: Any, party: Any) -> str:
    """Return the currency of one side, with its chain if it has one."""
    currency = party.get("currency") or details.get("currency")
    chain = party.get("chain") or details.get("chain")
    return f"{currency} {chain}" if chain else str(currency)


def _payees(destination: Any) -> list[CardPayee]:
    return [
        CardPayee(
            user_id=each.get("userId"),
            name=_party(each.get("user")),
            address=each.get("walletAddress"),
            amount=each.get("amount") if "batch" in destination else None,
        )
        for each in destination.get("batch", [destination])
    ]


def _fee_payees(details: Mapping[str, Any]) -> list[CardPayee]:
    own: Mapping[str, Any] = details.get("developerFee") or {}
    fees: Sequence[Mapping[str, Any]] = own.get("fees", [])
    return [
        CardPayee(user_id=None, name=None, address=each["walletAddress"], amount=each["amount"])
        for each in fees
        if each.get("walletAddress")
    ]


def _party(user: Any) -> str | None:
    if user is None:
        return None
    names = [user["businessName"] or "", user["firstName"] or "", user["lastName"] or ""]
    return " ".join(each for each in names if each) or None


def _with_names(card: PaymentCard, names: Mapping[str, str]) -> PaymentCard:
    payees = [
        replace(each, name=each.name or names.get(each.user_id or "")) for each in card.payees
    ]
    return replace(card, payer=card.payer or names.get(card.payer_id or ""), payees=payees)
