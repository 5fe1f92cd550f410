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

# Bounds of the growing pause after which an undelivered message is sent again.
_PAUSE_MIN, _PAUSE_MAX = timedelta(seconds=5), timedelta(hours=1)
# Time that a worker may take for a message; afterwards another worker sends it.
LEASE = timedelta(seconds=60)
# Bounds of the pause between checks of a payment, which grows with the time it has waited.
_FOLLOW_MIN, _FOLLOW_MAX = timedelta(seconds=2), timedelta(minutes=5)

# Amounts of messages have at most 38 digits before the point, and 18 after it.
_EXACT = Context(prec=90)
_UNITS_END = Decimal(10) ** 38


class ExchangeDirection(StrEnum):
    """Direction in which the coins go."""

    OUTGOING = "OUTGOING"  # from us: the inquiry is ours
    INCOMING = "INCOMING"  # to us: the inquiry is another provider's


class ExchangeStatus(StrEnum):
    """Status of an exchange: what it waits for."""

    OPEN = "OPEN"  # waits for the answer of the other provider, or of our reviewers
    APPROVED = "APPROVED"  # coins may be sent: waits for the transfer
    REJECTED = "REJECTED"  # incoming: final; outgoing: waits until people end the payment
    CONFIRMED = "CONFIRMED"  # final: the coins were sent by the named transaction
    CANCELLED = "CANCELLED"  # final: no coins are sent


class PendingMessage(StrEnum):
    """Message that has still to be delivered to the other provider."""

    INQUIRY = "INQUIRY"
    RESOLUTION = "RESOLUTION"
    CONFIRMATION = "CONFIRMATION"


class ExchangeWait(StrEnum):
    """Reason for which a payment waits, as shown to clients in `missing`."""

    ADDRESS = "travelAddress"
    COUNTERPARTY = "exchange.counterparty"
    ASSET = "exchange.asset"
    DELIVERY = "exchange.delivery"
    ANSWER = "exchange.answer"
    REJECTED = "exchange.rejection"
    OTHER_WALLET = "exchange.otherWallet"


class AmountUnit(StrEnum):
    """Unit of amounts in a provider's messages; the protocol's sources do not agree on one."""

    WHOLE = "WHOLE"  # whole coins, with decimals
    SMALLEST = "SMALLEST"  # the smallest unit of the coin, without decimals


class InquiryPolicy(StrEnum):
    """Who answers the inquiries of a provider."""

    REVIEW = "REVIEW"  # reviewers
    APPROVE = "APPROVE"  # approved automatically if a certificate proves the sender


class TokenIdentifier(msgspec.Struct, frozen=True, rename="camel"):
    """Digital token identifier (DTI, ISO 24165) of a coin on a chain."""

    chain: str
    currency: str
    identifier: str


class Counterparty(msgspec.Struct, frozen=True, rename="camel"):
    """Provider that personal data may be sent to, identified by the host of its URLs."""

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
        """Return the counterparty with this host; None if there is none."""
        return next((each for each in self.counterparties if each.host == host), None)

    def named(self, name: str | None) -> Counterparty | None:
        """Return the only counterparty with this name; None if there is none, or several."""
        wanted = (name or "").casefold()
        found = [each for each in self.counterparties if each.name.casefold() == wanted]
        return found[0] if len(found) == 1 else None

    def token(self, chain: str, currency: str) -> str | None:
        """Return the token identifier of a coin on a chain; None if there is none."""
        return next(
            (
                each.identifier
                for each in self.assets
                if (each.chain, each.currency) == (chain, currency)
            ),
            None,
        )

    def money(self, host: str, token: str | None, amount: str) -> tuple[str, Money] | None:
        """Return chain and money of an inquiry; None if host, token or amount is not known."""
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
    """Encrypted data of an exchange.

    `url` takes our next message: the inquiry, the answer, or the confirmation. For an exchange by a
    connected provider it is the URL of the stated travel address, or empty. `secret` is part of our
    URL on which the other provider answers. `comment` is the reason of a rejection.
    """

    ivms101: dict[str, Any]
    url: str
    secret: str
    comment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """Exchange about one transfer; `sealed_data` is None after the erasure of its user.

    `provider` is the connected provider that transmits all messages of the exchange; None for the
    Travel Rule Protocol.
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
        """Return the data key's owner: the user of an outgoing exchange, else the organisation."""
        if self.direction is ExchangeDirection.OUTGOING and self.user_id is not None:
            return self.user_id
        return self.org_id

    @property
    def data_context(self) -> str:
        """Return the encryption context of the exchange's data."""
        return f"travel_rule_exchanges.data:{self.id}"


def host_of(url: str) -> str:
    """Return the host of a normalised URL, with the port unless it is 443."""
    return urlsplit(url).netloc


def payment_wait(exchange: Exchange, *, is_same_wallet: bool) -> ExchangeWait | None:
    """Return why the payment of an exchange waits; None if it may be sent."""
    match exchange.status:
        case ExchangeStatus.APPROVED | ExchangeStatus.CONFIRMED:
            return None if is_same_wallet else ExchangeWait.OTHER_WALLET
        case ExchangeStatus.REJECTED | ExchangeStatus.CANCELLED:
            return ExchangeWait.REJECTED
        case ExchangeStatus.OPEN:
            is_sent = exchange.pending_message is None
            return ExchangeWait.ANSWER if is_sent else ExchangeWait.DELIVERY


def retry_at(attempts: int, now: datetime) -> datetime:
    """Return when an undelivered message is sent again."""
    return now + min(_PAUSE_MIN * 2 ** min(attempts, 20), _PAUSE_MAX)


def follow_at(since: datetime, now: datetime) -> datetime:
    """Return when the payment of an exchange is checked again."""
    return now + min(max((now - since) / 4, _FOLLOW_MIN), _FOLLOW_MAX)


def message_amount(unit: AmountUnit, money: Money) -> Decimal:
    """Return an amount in the unit that a provider uses."""
    return money.decimal if unit is AmountUnit.WHOLE else Decimal(money.units)
