"""Port to the screening of deposits: by a connected provider, or by the sandbox.

Silence is no answer: a deposit without one waits, and is asked about again.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from landbridge.platform.core.money import Money


class ScreeningVerdict(StrEnum):
    """What a provider says about a deposit."""

    PENDING = "PENDING"  # it has not decided yet: ask again
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
    """Sender of fiat as the bank reported it. Personal data: it is sent, and not stored."""

    name: str | None = None
    bank_name: str | None = None
    routing_number: str | None = None
    account_number: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenedDeposit:
    """Deposit to screen. `key` is ours, and the same for every attempt.

    Coins have a chain, a transaction and addresses; fiat has a rail, and a sender if it is known.
    It arrived at `at`, and is screened at `now`, both in the organisation's time.
    """

    org_id: UUID
    key: UUID
    money: Money
    at: datetime
    now: datetime
    transaction_hash: str | None = None
    source_address: str | None = None
    destination_address: str | None = None
    rail: str | None = None
    sender: DepositParty | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreeningReport:
    """Answer of a provider; `expected_at` is when an answer that is pending may have changed."""

    verdict: ScreeningVerdict
    provider: str
    categories: tuple[RiskCategory, ...] = ()
    reference: str | None = None
    expected_at: datetime | None = None


class DepositScreener(Protocol):
    """Screens deposits. Never called inside a transaction."""

    def screens(self, org_id: UUID, currency: str) -> bool:
        """Return whether deposits of an organisation in a currency wait for an answer."""
        ...

    async def screen(self, deposit: ScreenedDeposit) -> ScreeningReport:
        """Return the answer about a deposit; a final one never changes, however often it is asked.

        Raises `Unavailable` and `Unclear`: ask again.
        """
        ...
