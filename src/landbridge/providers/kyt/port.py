"""Port to the screening of deposits and payments, by a connected provider or by the sandbox.

A missing answer decides nothing: the deposit or payment waits, and the provider is asked again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Protocol
from uuid import UUID

from landbridge.platform.core.errors import Unavailable
from landbridge.platform.core.money import Money

# Time after which a provider without an answer is reported as stuck; it is still asked again.
SCREENED_WITHIN = timedelta(hours=1)


class ScreeningDirection(StrEnum):
    """Direction of the money: incoming or outgoing."""

    DEPOSIT = "deposit"  # from outside to a wallet of ours
    PAYMENT = "payment"  # from a wallet of ours to outside


class ScreenedKind(StrEnum):
    """Kind of money that a provider screens."""

    COINS = "coins"
    FIAT = "fiat"


class ScreeningVerdict(StrEnum):
    """What a provider says about a deposit or payment."""

    PENDING = "PENDING"  # the provider has not decided: ask again
    CLEAR = "CLEAR"  # final: nothing speaks against it
    HIT = "HIT"  # final: people have to decide


class RiskCategory(StrEnum):
    """What a hit is about. No text of a provider is stored: it may name people."""

    SANCTIONS = "sanctions"
    TERRORISM = "terrorism"
    CHILD_ABUSE = "child_abuse"
    DARKNET = "darknet"
    FRAUD = "fraud"
    MIXER = "mixer"
    RANSOMWARE = "ransomware"
    THEFT = "theft"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class DepositParty:
    """Sender of fiat as the bank reported it. Personal data, which is sent but not stored."""

    name: str | None = None
    bank_name: str | None = None
    routing_number: str | None = None
    account_number: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenedTransfer:
    """Deposit or payment to screen. `key` is ours, and the same for every attempt.

    Coins have a chain and addresses, and deposits of coins a transaction. Fiat has a rail; a
    deposit of fiat has its `sender` if it is known, a payout its `payee` as in `RailPayment`. `at`
    is when it arrived or was first due to be sent, `now` when it is screened, both in the
    organisation's time. `user_id` is the owner of the money: the organisation's id if it
    belongs to no user yet.
    """

    org_id: UUID
    key: UUID
    user_id: UUID
    money: Money
    at: datetime
    now: datetime
    direction: ScreeningDirection = ScreeningDirection.DEPOSIT
    chain: str | None = None
    transaction_hash: str | None = None
    source_address: str | None = None
    destination_address: str | None = None
    rail: str | None = None
    sender: DepositParty | None = None
    payee: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreeningReport:
    """Answer of a provider; `expected_at` is when a pending answer may have changed.

    `missing` lists data that the travel rule requires and that are missing. Until they are
    complete, a payment is pending, and a deposit has a hit.
    """

    verdict: ScreeningVerdict
    provider: str
    categories: tuple[RiskCategory, ...] = ()
    missing: tuple[str, ...] = ()
    reference: str | None = None
    expected_at: datetime | None = None


class TransferScreener(Protocol):
    """Screens deposits and payments. Never called inside a transaction."""

    def screens(self, org_id: UUID, currency: str, direction: ScreeningDirection) -> bool:
        """Return whether an organisation's deposits or payments in a currency are screened."""
        ...

    async def screen(self, transfer: ScreenedTransfer) -> ScreeningReport:
        """Return the answer; a final one never changes, however often it is requested.

        Raises `Unavailable` and `Unclear`, after which it is requested again.
        """
        ...


class NotScreened(Unavailable):
    """No provider screens this transfer, so none was asked."""


class PaymentAwaitsScreening(Unavailable):
    """The payment was not sent: its screening is pending, or people have to decide about a hit.

    Send it again at `retry_at`. `attention` is why it needs a person; None if it does not yet.
    """

    def __init__(self, retry_at: datetime, attention: str | None) -> None:
        self.retry_at = retry_at
        self.attention = attention
        super().__init__(attention or "the screening of the payment has no answer yet")
