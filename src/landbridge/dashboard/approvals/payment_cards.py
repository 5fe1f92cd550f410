"""Payment cards: amount, payer and recipients of any kind of payment, in one shape."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, TypeAlias, TypeVar
from uuid import UUID

from landbridge.customers.deposit_screening.review_api import DepositScreeningReply
from landbridge.customers.payment_screening.review_api import PaymentScreeningReply
from landbridge.customers.users.schemas import UserReply
from landbridge.dashboard.payments.destinations import (
    DestinationDetails,
    address_label,
    destination_of,
    registered_wallets,
)
from landbridge.dashboard.payments.payment_details import PaymentDetails, PaymentEnd, PaymentReply
from landbridge.payments.engine.schemas import PartyReply
from landbridge.payments.receivables.api import ReceivableReply
from landbridge.payments.resolutions.api import ResolutionReply
from landbridge.platform.core.errors import Refused
from landbridge.platform.http.internal_client import InternalClient

_OtherRecord: TypeAlias = ReceivableReply | DepositScreeningReply | PaymentScreeningReply
_PATHS: Final[Mapping[str, str]] = {
    "WALLET.TRANSFER": "/v2/wallets/transfers",
    "WALLET.TRANSFER.BATCH": "/v2/wallets/transfers/batches",
    "WALLET.BRIDGE": "/v2/wallets/bridges",
    "OFFRAMP": "/v2/offramps",
    "ONRAMP": "/v2/onramps",
    "DISBURSEMENT": "/v2/disbursements",
}
# Records that are no payments, but hold or owe one's money.
_OTHERS: Final[Mapping[str, tuple[str, type[_OtherRecord]]]] = {
    "RECEIVABLE": ("/v2/reviews/receivables", ReceivableReply),
    "DEPOSIT.SCREENING": ("/v2/reviews/deposit-screenings", DepositScreeningReply),
    "PAYMENT.SCREENING": ("/v2/reviews/payment-screenings", PaymentScreeningReply),
}
RESOLUTION: Final = "RESOLUTION"

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPayee:
    """A recipient: a user by name, or an address; `amount` is set in a batch, and of a fee.

    `label` is the name of an outside address that the user has registered, if it was looked up: the
    money leaves the platform although the user has a name.
    """

    user_id: UUID | None
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

    id: UUID
    payment_id: UUID
    kind: str
    status: str
    failed_reason: str | None
    amount: Decimal | str | None
    unit: str
    gets: Decimal | None
    gets_unit: str
    payer_id: UUID | None
    payer: str | None
    payees: Sequence[CardPayee] = ()
    destination: DestinationDetails | None = None
    fee_payees: Sequence[CardPayee] = ()
    fee_unit: str = ""
    resolution: ResolutionReply | None = None

    @property
    def payee(self) -> CardPayee | None:
        """Return the only recipient; None if there are several."""
        return self.payees[0] if len(self.payees) == 1 else None


async def payment_cards(
    interface: InternalClient,
    payments: Collection[tuple[str, UUID]],
    *,
    with_history: bool = False,
) -> Mapping[UUID, PaymentCard]:
    """Return cards by id for payments given by kind and id; missing ones are omitted.

    For a resolution the card shows its payment, under the id of the resolution. With `with_history`
    destinations say whether they were paid before, and recipients of a batch have labels.
    """
    ids = [each for kind, each in payments if kind == RESOLUTION]
    found = await asyncio.gather(
        *(_found(interface, ResolutionReply, f"/v2/reviews/resolutions/{each}") for each in ids)
    )
    resolutions = [each for each in found if each is not None]
    # Each once, also where it waits for itself and was decided on.
    payment_keys = {each for each in payments if each[0] != RESOLUTION}
    payment_keys |= {(each.transfer_type, each.transfer_id) for each in resolutions}
    cards = await _payments(interface, payment_keys, with_history=with_history)
    return cards | {
        each.id: replace(cards[each.transfer_id], resolution=each)
        for each in resolutions
        if each.transfer_id in cards
    }


async def _payments(
    interface: InternalClient, payments: Collection[tuple[str, UUID]], *, with_history: bool
) -> dict[UUID, PaymentCard]:
    found = await asyncio.gather(
        *(_load_card(interface, kind, each, with_history=with_history) for kind, each in payments)
    )
    cards = [each for each in found if each is not None]
    if with_history:
        cards = await asyncio.gather(*(_labelled(interface, card) for card in cards))
    unnamed_ids = {
        str(user_id)
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
    owner_ids = list({each.user_id or card.payer_id for each in card.payees})
    found = await asyncio.gather(*(registered_wallets(interface, each) for each in owner_ids))
    wallets = dict(zip(owner_ids, found, strict=True))
    payees = [
        replace(each, label=address_label(wallets[each.user_id or card.payer_id], each.address))
        for each in card.payees
    ]
    return replace(card, payees=payees)


async def user_names(interface: InternalClient, user_ids: Collection[str]) -> Mapping[str, str]:
    """Return the names of users by id; erased users have none."""
    found = await asyncio.gather(
        *(_found(interface, UserReply, f"/v2/users/{each}") for each in sorted(user_ids))
    )
    return {str(each.id): each.name for each in found if each is not None and each.name}


async def _found(interface: InternalClient, reply: type[T], path: str) -> T | None:
    """Return a reply; None if it is refused."""
    try:
        return await interface.read(reply, path)
    except Refused:
        return None


async def _load_card(
    interface: InternalClient, kind: str, payment_id: UUID, *, with_history: bool
) -> PaymentCard | None:
    if kind in _OTHERS:
        path, schema = _OTHERS[kind]
        record = await _found(interface, schema, f"{path}/{payment_id}")
        return None if record is None else _other_card(record, kind)
    if kind not in _PATHS:
        return None
    reply = await _found(interface, PaymentReply, f"{_PATHS[kind]}/{payment_id}")
    if reply is None:
        return None
    details = reply.transfer_details
    return _card(reply, await destination_of(interface, kind, details, with_history=with_history))


def _card(reply: PaymentReply, to: DestinationDetails | None) -> PaymentCard:
    details = reply.transfer_details
    source, destination = details.source, details.destination
    amount, unit = _amount(details), _unit(details, source)
    gets, gets_unit = destination.amount, _unit(details, destination)
    if not amount and gets:
        # The received amount is fixed, and no quote states the sent amount yet.
        amount, unit, gets = gets, gets_unit, None
    return PaymentCard(
        id=details.id,
        payment_id=details.id,
        kind=reply.transfer_type,
        status=details.status,
        failed_reason=details.failed_reason,
        amount=amount,
        unit=unit,
        gets=gets or None,
        gets_unit=gets_unit,
        payer_id=source.user_id,
        payer=_party(source.user),
        payees=_payees(destination),
        destination=to,
        fee_payees=_fee_payees(details),
        fee_unit=_unit(details, source),
    )


def _other_card(record: _OtherRecord, kind: str) -> PaymentCard:
    """Return the card of a receivable, or of a deposit or payment that is screened."""
    is_deposit = isinstance(record, DepositScreeningReply)
    address = record.destination_address if isinstance(record, PaymentScreeningReply) else None
    return PaymentCard(
        id=record.id,
        payment_id=record.id if is_deposit else record.transfer_id,
        kind=kind,
        status=record.status,
        failed_reason=record.reason if isinstance(record, ReceivableReply) else None,
        amount=record.amount,
        unit=record.currency,
        gets=None,
        gets_unit=record.currency,
        payer_id=record.user_id,
        payer=None,
        payees=(CardPayee(user_id=None, name=None, address=address),) if address else (),
    )


def _amount(details: PaymentDetails) -> Decimal | None:
    batch = details.destination.batch
    if batch is not None:
        return sum((Decimal(each.amount) for each in batch), Decimal())
    return details.source.amount if details.amount is None else details.amount


def _unit(details: PaymentDetails, party: PaymentEnd) -> str:
    """Return the currency of one side, with its chain if it has one."""
    currency = party.currency or details.currency
    chain = party.chain or details.chain
    return f"{currency} {chain}" if chain else str(currency)


def _payees(destination: PaymentEnd) -> list[CardPayee]:
    if destination.batch is None:
        name, address = _party(destination.user), destination.wallet_address
        return [CardPayee(user_id=destination.user_id, name=name, address=address)]
    return [
        CardPayee(user_id=each.user_id, name=None, address=each.wallet_address, amount=each.amount)
        for each in destination.batch
    ]


def _fee_payees(details: PaymentDetails) -> list[CardPayee]:
    own = details.developer_fee
    return [
        CardPayee(user_id=None, name=None, address=each.wallet_address, amount=each.amount)
        for each in (() if own is None else own.fees)
        if each.wallet_address
    ]


def _party(user: PartyReply | None) -> str | None:
    if user is None:
        return None
    names = [user.business_name or "", user.first_name or "", user.last_name or ""]
    return " ".join(each for each in names if each) or None


def _with_names(card: PaymentCard, names: Mapping[str, str]) -> PaymentCard:
    payees = [replace(each, name=each.name or names.get(str(each.user_id))) for each in card.payees]
    return replace(card, payer=card.payer or names.get(str(card.payer_id)), payees=payees)
