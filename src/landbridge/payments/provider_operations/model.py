"""State of a connected provider, as an organisation sees it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from landbridge.providers.sidecar.calls import CallCounts


class ProviderKind(StrEnum):
    """How a provider is connected."""

    SIDECAR = "SIDECAR"
    PACKAGE = "PACKAGE"
    FILES = "FILES"
    MANUAL = "MANUAL"
    SANDBOX = "SANDBOX"


class ProviderService(StrEnum):
    """What a provider does for an organisation."""

    PAYOUTS = "PAYOUTS"
    DEPOSITS = "DEPOSITS"
    IDENTITY = "IDENTITY"
    SCREENING = "SCREENING"  # screening of deposits
    PAYMENT_SCREENING = "PAYMENT_SCREENING"
    RATES = "RATES"  # market prices, for all organisations
    TRAVEL_RULE = "TRAVEL_RULE"  # travel rule data, to and from other providers


class ProviderHealth(StrEnum):
    """Health of a provider, by its last call."""

    HEALTHY = "HEALTHY"  # the last call was answered
    FAILING = "FAILING"  # the last call has no valid answer
    UNKNOWN = "UNKNOWN"  # it was not called yet, or is not called at all


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedRoute:
    """Payments or users that a provider serves; None includes all.

    With `is_fallback`, it serves only those that no other route names.
    """

    service: ProviderService
    rails: frozenset[str] | None = None
    countries: frozenset[str] | None = None
    currencies: frozenset[str] | None = None
    is_fallback: bool = False


@dataclass(frozen=True, slots=True)
class WaitingItem:
    """Payment, screening or user that waits for a provider. `problem` is a code."""

    since: datetime
    is_stuck: bool
    record_id: UUID | None = None
    user_id: UUID | None = None
    screening_id: UUID | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderState:
    """Provider with its state. Calls have real times, `waiting` the organisation's.

    `waiting` has the oldest of `waiting_count` items. `calls` is None for a provider that is not
    called. `has_run_live` is True once it has moved real money.
    """

    name: str
    kind: ProviderKind
    serves: Sequence[ServedRoute]
    health: ProviderHealth
    last_answer_at: datetime | None
    calls: CallCounts | None
    waiting_count: int
    waiting: Sequence[WaitingItem]
    problem_count: int
    has_run_live: bool
