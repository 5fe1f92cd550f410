"""Exchanges of travel rule data with other providers: statuses, settings, and pure rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Context, Decimal
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import msgspec

from landbridge.customers.deposit_screening.model import SCREENED_ASSETS
from landbridge.platform.core.money import Money

SETTING_CHANGE_KIND = "TRAVEL_RULE.EXCHANGE_SETTING"
EXCHANGE_CHANGE_KIND = "TRAVEL_RULE.EXCHANGE"

# A message that did not arrive is sent again after a pause that grows, between these.
_PAUSE_MIN, _PAUSE_MAX = timedelta(seconds=5), timedelta(hours=1)
# So long a worker may take for a message; one that was killed is replaced then.
LEASE = timedelta(seconds=60)
# A payment is looked at after a pause that grows with its wait, between these.
_FOLLOW_MIN, _FOLLOW_MAX = timedelta(seconds=2), timedelta(minutes=5)

# Amounts of messages have at most 38 digits before the point, and 18 after it.
_EXACT = Context(prec=90)
_UNITS_END = Decimal(10) ** 38


class ExchangeDirection(StrEnum):
    """Which way the coins go."""

    OUTGOING = "OUTGOING"  # from us: our inquiry
    INCOMING = "INCOMING"  # to us: the inquiry of another provider


class ExchangeStatus(StrEnum):
    """Status of an exchange: what it waits for."""

    OPEN = "OPEN"  # the answer: of the other provider, or of our people
    APPROVED = "APPROVED"  # the transfer: coins may be sent
    REJECTED = "REJECTED"  # outgoing: people, who give up on the payment; incoming: nothing
    CONFIRMED = "CONFIRMED"  # nothing: the coins were sent by the transaction that is named
    CANCELLED = "CANCELLED"  # nothing: no coins are sent


class PendingMessage(StrEnum):
    """Message that the other provider does not have yet."""

    INQUIRY = "INQUIRY"
    RESOLUTION = "RESOLUTION"
    CONFIRMATION = "CONFIRMATION"


class ExchangeWait(StrEnum):
    """What a payment waits for, as clients read it in `missing`."""

    ADDRESS = "travelAddress"
    COUNTERPARTY = "exchange.counterparty"
    ASSET = "exchange.asset"
    DELIVERY = "exchange.delivery"
    ANSWER = "exchange.answer"
    REJECTED = "exchange.rejection"
    OTHER_WALLET = "exchange.otherWallet"


class AmountUnit(StrEnum):
    """Unit of amounts in the messages of a provider: sources of the protocol differ about it."""

    WHOLE = "WHOLE"  # coins, with decimals
    SMALLEST = "SMALLEST"  # the smallest unit of the coin, without decimals


class InquiryPolicy(StrEnum):
    """Who answers the inquiries of a provider."""

    REVIEW = "REVIEW"  # people
    APPROVE = "APPROVE"  # this setting, once a certificate proved who asks


class TokenIdentifier(msgspec.Struct, frozen=True, rename="camel"):
    """Digital token identifier (DTI, ISO 24165) of a coin on a chain."""

    chain: str
    currency: str
    identifier: str


class Counterparty(msgspec.Struct, frozen=True, rename="camel"):
    """Provider that personal data may be sent to, by the host of its URLs."""

    host: str
    name: str
    amount_unit: AmountUnit
    policy: InquiryPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeSetting:
    """Settings of an organisation; `version` is 0 if they were never set."""

    is_on: bool = False
    requires_address: bool = False
    assets: Sequence[TokenIdentifier] = ()
    counterparties: Sequence[Counterparty] = ()
    version: int = 0

    def counterparty(self, host: str) -> Counterparty | None:
        """Return the provider with this host, if data are exchanged with it."""
        return next((each for each in self.counterparties if each.host == host), None)

    def named(self, name: str | None) -> Counterparty | None:
        """Return the only provider with this name, if data are exchanged with it."""
        wanted = (name or "").casefold()
        found = [each for each in self.counterparties if each.name.casefold() == wanted]
        return found[0] if len(found) == 1 else None

    def token(self, chain: str, currency: str) -> str | None:
        """Return the identifier of a coin, if there is one."""
        return next(
            (
                each.identifier
                for each in self.assets
                if (each.chain, each.currency) == (chain, currency)
            ),
            None,
        )

    def money(self, host: str, token: str | None, amount: str) -> tuple[str, Money] | None:
        """Return chain and money of an inquiry; None if provider, coin or amount are not known."""
        counterparty = self.counterparty(host)
        coin = next((each for each in self.assets if each.identifier == token), None)
        asset = None if coin is None else SCREENED_ASSETS.get(f"{coin.currency}:{coin.chain}")
        if counterparty is None or coin is None or asset is None:
            return None
        units = Decimal(amount)
        if counterparty.amount_unit is AmountUnit.WHOLE:
            units = _EXACT.scaleb(units, asset.decimals)
        if units != _EXACT.to_integral_value(units) or units >= _UNITS_END:
            return None
        return coin.chain, Money(int(units), asset)


class ExchangeData(msgspec.Struct, frozen=True, kw_only=True):
    """What is sealed of an exchange.

    `url` takes our next message: the inquiry, the answer, or the confirmation. With a connected
    provider it is that of the stated travel address, or empty. `secret` is in the
    URL on which the other provider answers. `comment` is the reason of a rejection.
    """

    ivms101: dict[str, Any]
    url: str
    secret: str
    comment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """Exchange about one transfer; `sealed_data` is None after the erasure of its user.

    `provider` is the connected provider that it goes by, to its end; None for the Travel Rule
    Protocol.
    """

    org_id: UUID
    id: UUID
    direction: ExchangeDirection
    status: ExchangeStatus
    host: str
    request_identifier: str
    is_authenticated: bool
    user_id: UUID | None = None
    transfer_id: UUID | None = None
    screening_id: UUID | None = None
    wallet_address: str | None = None
    token: str | None
    amount: str
    sealed_data: bytes | None = None
    callback_hash: bytes
    pending_message: PendingMessage | None = None
    transaction_hash: str | None = None
    problem: str | None = None
    attempts: int = 0
    next_attempt_at: datetime | None = None
    created_at: datetime
    updated_at: datetime
    version: int = 1
    provider: str | None = None

    @property
    def sealed_by(self) -> UUID:
        """Return the owner of the data key."""
        if self.direction is ExchangeDirection.OUTGOING and self.user_id is not None:
            return self.user_id
        return self.org_id

    @property
    def data_context(self) -> str:
        """Return the context that its data are sealed in."""
        return f"travel_rule_exchanges.data:{self.id}"


def host_of(url: str) -> str:
    """Return the host of a normalised URL, with its port unless that is the usual one."""
    return urlsplit(url).netloc


def payment_wait(exchange: Exchange, *, is_same_wallet: bool) -> ExchangeWait | None:
    """Return what the payment of an exchange waits for; None if it may be sent."""
    match exchange.status:
        case ExchangeStatus.APPROVED | ExchangeStatus.CONFIRMED:
            return None if is_same_wallet else ExchangeWait.OTHER_WALLET
        case ExchangeStatus.REJECTED | ExchangeStatus.CANCELLED:
            return ExchangeWait.REJECTED
        case ExchangeStatus.OPEN:
            is_sent = exchange.pending_message is None
            return ExchangeWait.ANSWER if is_sent else ExchangeWait.DELIVERY


def retry_at(attempts: int, now: datetime) -> datetime:
    """Return when a message that did not arrive is sent again."""
    return now + min(_PAUSE_MIN * 2 ** min(attempts, 20), _PAUSE_MAX)


def follow_at(since: datetime, now: datetime) -> datetime:
    """Return when the payment of an exchange is looked at again."""
    return now + min(max((now - since) / 4, _FOLLOW_MIN), _FOLLOW_MAX)


def message_amount(unit: AmountUnit, money: Money) -> Decimal:
    """Return an amount in the unit of a provider."""
    return money.decimal if unit is AmountUnit.WHOLE else Decimal(money.units)
