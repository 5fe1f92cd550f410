"""Payments of any kind that can wait for a person, in one shape: how much, from whom, to whom."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from landbridge.core.errors import Refused
from landbridge.web.inside import Interface

_PATHS: Final[Mapping[str, str]] = {
    "WALLET.TRANSFER": "/v2/wallets/transfers",
    "WALLET.TRANSFER.BATCH": "/v2/wallets/transfers/batches",
    "WALLET.BRIDGE": "/v2/wallets/bridges",
    "OFFRAMP": "/v2/offramps",
    "ONRAMP": "/v2/onramps",
    "DISBURSEMENT": "/v2/disbursements",
    "RECEIVABLE": "/v2/reviews/receivables",
}
RESOLUTION: Final = "RESOLUTION"


@dataclass(frozen=True, slots=True, kw_only=True)
class Payee:
    """Who gets something: a user by name, or an address; `amount` only in a batch."""

    user_id: str | None
    name: str | None
    address: str | None
    amount: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentCard:
    """A payment. `gets` is what arrives, where that is something else than `amount`.

    `payer_id` is None for what the organisation pays itself. `payment_id` is the payment whose page
    shows it: another one than `id` for a receivable. `resolution` is the decision on the payment
    that waits for an approval, or did; None where the payment itself does.
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
    payees: Sequence[Payee] = ()
    account_id: str | None = None
    resolution: Mapping[str, Any] | None = None

    @property
    def payee(self) -> Payee | None:
        """The only payee; None if there are several."""
        return self.payees[0] if len(self.payees) == 1 else None


async def payment_cards(
    interface: Interface, payments: Collection[tuple[str, str]]
) -> Mapping[str, PaymentCard]:
    """Payments by id, told by kind and id; those that are not there any more are left out.

    For a resolution it is the payment that is decided on, by the id of the resolution.
    """
    ids = [each for kind, each in payments if kind == RESOLUTION]
    found = await asyncio.gather(*(_resolution(interface, each) for each in ids))
    resolutions = [each for each in found if each is not None]
    # Each once, also where it waits for itself and was decided on.
    wanted = {each for each in payments if each[0] != RESOLUTION}
    wanted |= {(each["transferType"], each["transferId"]) for each in resolutions}
    cards = await _payments(interface, wanted)
    return cards | {
        each["id"]: replace(cards[each["transferId"]], resolution=each)
        for each in resolutions
        if each["transferId"] in cards
    }


async def _payments(
    interface: Interface, payments: Collection[tuple[str, str]]
) -> dict[str, PaymentCard]:
    told = await asyncio.gather(*(_told(interface, kind, each) for kind, each in payments))
    cards = [_card(reply) for reply in told if reply is not None]
    nameless = {
        user_id
        for card in cards
        for user_id, name in [
            (card.payer_id, card.payer),
            *((each.user_id, each.name) for each in card.payees),
        ]
        if user_id is not None and name is None
    }
    names = await user_names(interface, nameless)
    return {card.id: _named(card, names) for card in cards}


async def user_names(interface: Interface, user_ids: Collection[str]) -> Mapping[str, str]:
    """Names of users by id; of those who were erased there is none."""
    found = await asyncio.gather(*(_user(interface, each) for each in sorted(user_ids)))
    return {each["id"]: each["name"] for each in found if each is not None and each["name"]}


async def _told(interface: Interface, kind: str, payment_id: str) -> Any:
    try:
        return await interface.get(f"{_PATHS[kind]}/{payment_id}")
    except (KeyError, Refused):
        return None


async def _resolution(interface: Interface, resolution_id: str) -> Any:
    try:
        return await interface.get(f"/v2/reviews/resolutions/{resolution_id}")
    except Refused:
        return None


async def _user(interface: Interface, user_id: str) -> Any:
    try:
        return await interface.get(f"/v2/users/{user_id}")
    except Refused:
        return None


def _card(reply: Any) -> PaymentCard:
    if "transferDetails" not in reply:
        return _receivable(reply)
    told = reply["transferDetails"]
    source, destination = told["source"], told["destination"]
    amount, unit = _amount(told), _unit(told, source)
    gets, gets_unit = destination.get("amount"), _unit(told, destination)
    if not amount and gets:
        # An exact amount is to arrive, and there is no quote yet that says what it takes.
        amount, unit, gets = gets, gets_unit, None
    return PaymentCard(
        id=told["id"],
        payment_id=told["id"],
        kind=reply["transferType"],
        status=told["status"],
        failed_reason=told.get("failedReason"),
        amount=amount,
        unit=unit,
        gets=gets or None,
        gets_unit=gets_unit,
        payer_id=source.get("userId"),
        payer=_party(source.get("user")),
        payees=_payees(destination),
        account_id=destination.get("accountId"),
    )


def _receivable(told: Any) -> PaymentCard:
    """What a user owes."""
    return PaymentCard(
        id=told["id"],
        payment_id=told["transferId"],
        kind="RECEIVABLE",
        status=told["status"],
        failed_reason=told["reason"],
        amount=told["amount"],
        unit=told["currency"],
        gets=None,
        gets_unit=told["currency"],
        payer_id=told["userId"],
        payer=None,
    )


def _amount(told: Any) -> Any:
    batch = told["destination"].get("batch")
    if batch is not None:
        return sum((Decimal(each["amount"]) for each in batch), Decimal())
    return told["amount"] if "amount" in told else told["source"]["amount"]


def _unit(told: Any, end: Any) -> str:
    """The currency of an end, and its chain if it is on one."""
    currency = end.get("currency") or told.get("currency")
    chain = end.get("chain") or told.get("chain")
    return f"{currency} {chain}" if chain else str(currency)


def _payees(destination: Any) -> list[Payee]:
    return [
        Payee(
            user_id=each.get("userId"),
            name=_party(each.get("user")),
            address=each.get("walletAddress"),
            amount=each.get("amount") if "batch" in destination else None,
        )
        for each in destination.get("batch", [destination])
    ]


def _party(user: Any) -> str | None:
    if user is None:
        return None
    names = [user["businessName"] or "", user["firstName"] or "", user["lastName"] or ""]
    return " ".join(each for each in names if each) or None


def _named(card: PaymentCard, names: Mapping[str, str]) -> PaymentCard:
    payees = [
        replace(each, name=each.name or names.get(each.user_id or "")) for each in card.payees
    ]
    return replace(card, payer=card.payer or names.get(card.payer_id or ""), payees=payees)
