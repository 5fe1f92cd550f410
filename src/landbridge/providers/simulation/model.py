"""Stored state of the sandbox's chains and banks."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from landbridge.platform.core.errors import Unavailable

# Time after which a silent order is queried, if it is silent for longer.
_STATUS_CHECK_AFTER = timedelta(minutes=1)


class SimulatedSystem(StrEnum):
    """Simulated counterparty."""

    CHAIN = "chain"
    BANK = "bank"


class LatencyProfile(StrEnum):
    """Latency of the sandbox's chains or banks."""

    INSTANT = "instant"
    """Everything is final at once."""
    REAL = "real"
    """Realistic delays: confirmations, cut-off times, weekends and bank holidays."""


class OrderResult(StrEnum):
    """Final result of an order."""

    DONE = "DONE"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class LatencyProfiles:
    """Latency profiles of an organisation."""

    chains: LatencyProfile = LatencyProfile.INSTANT
    rails: LatencyProfile = LatencyProfile.INSTANT


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedOrder:
    """One order as it was accepted.

    `request` has the amounts and parties, `response` the references of the chain or the bank;
    neither has personal data. Times are the organisation's. An order that is not `is_paced` settles
    at its own time, whatever the organisation's latency profile. Queries about an order that is
    `is_silent` fail until it settles.
    """

    org_id: UUID
    system: SimulatedSystem
    key: UUID
    request: Mapping[str, Any]
    response: Mapping[str, Any]
    accepted_at: datetime
    settles_at: datetime
    result: OrderResult = OrderResult.DONE
    reason: str | None = None
    is_paced: bool = True
    is_silent: bool = False

    @property
    def expected_at(self) -> datetime:
        """Return the earliest useful time of the next query."""
        checked_at = self.accepted_at + _STATUS_CHECK_AFTER
        return min(checked_at, self.settles_at) if self.is_silent else self.settles_at

    def is_final(self, at: datetime) -> bool:
        """Return whether the order's result is known at `at`."""
        return self.settles_at <= at

    def check_answers(self, at: datetime) -> None:
        """Raise `Unavailable` while queries about a silent order fail.

        An order that is sent again before the expected time gets the first response again.
        """
        if self.is_silent and self.expected_at <= at < self.settles_at:
            raise Unavailable("no answer, as scripted in the sandbox")


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedMovement:
    """Transaction on a sandbox chain that moved coins between two addresses.

    `asset` is an asset code. `settles_at` is the organisation time at which it becomes final.
    """

    org_id: UUID
    chain: str
    transaction_hash: str
    asset: str
    units: int
    source: str
    destination: str
    settles_at: datetime
