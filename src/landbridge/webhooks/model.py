"""Endpoints, their keys, and what was delivered to them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

import msgspec

from landbridge.changes.model import Place
from landbridge.events.model import EventKey

# Of the log of changes: endpoints and their keys. No event of the catalogue but the test event.
KIND = "WEBHOOK"
TEST = "test"
# Likewise: a delivery that somebody had sent again.
DELIVERY_KIND = "WEBHOOK.DELIVERY"

# Source: contract, webhooks 2. Tried again after 30 s, then after twice as long each time, up to
# two hours, until 24 hours are over.
ATTEMPT_TIMEOUT_S = 10
ANSWER_BYTES_MAX = 100_000
EXCERPT_LENGTH_MAX = 1_000
FIRST_PAUSE = timedelta(seconds=30)
PAUSE_MAX = timedelta(hours=2)
PATIENCE = timedelta(hours=24)
# Of a delivery's attempts, so many of the last are kept.
ATTEMPTS_KEPT = 30

# More receivers of its own has nobody; each costs a reading of the log.
ENDPOINTS_MAX = 20
# The pattern of every event.
EVERYTHING = "*"
DESCRIPTION_LENGTH_MAX = 200

# A new key is shown for so long before it signs, unless another overlap is asked for; at most a
# week.
OVERLAP_DEFAULT = timedelta(days=1)
OVERLAP_MAX = timedelta(days=7)
# The old one is shown for so much longer than it signs: tokens are good for five minutes, and
# receivers may keep keys for five more.
SHOWN_LONGER = timedelta(hours=1)
# Without an overlap it may have leaked: nobody needs it once what it has signed has expired.
LEAKED_SHOWN_LONGER = timedelta(minutes=5)
# Whoever rotates without an overlap again and again waits until the first is shown no more.
KEYS_MAX = 10


class Status(StrEnum):
    """Whether an endpoint is told of events. A paused one keeps its place in the log."""

    ACTIVE = "ACTIVE"
    PAUSED = "PAUSED"


class Spelling(StrEnum):
    """How ONRAMP.TRANSACTION.CREATE and OFFRAMP.TRANSACTION.CREATE are spelled.

    Source: contract, webhooks 4: spec.md has CREATE, pages beside it CREATED.
    """

    CREATE = "CREATE"
    CREATED = "CREATED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where an organisation wants to be told of events; times are the organisation's."""

    org_id: UUID
    id: UUID
    url: str
    description: str | None
    event_types: tuple[str, ...]
    status: Status
    spelling: Spelling
    has_standard_headers: bool
    version: int
    created_at: datetime
    updated_at: datetime
    flagged_at: datetime | None
    flagged_reason: str | None
    begins_at: datetime
    # How far the log was read for it.
    read_to: Place
    round: int
    # What happened before is tried for 24 hours from then: it was paused, or is sent again.
    tried_from: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKey:
    """What receivers verify with; `pem` is a SubjectPublicKeyInfo."""

    id: UUID
    pem: str
    signs_from: datetime
    shown_until: datetime | None

    def is_shown(self, now: datetime) -> bool:
        """Whether receivers may still look for it."""
        return self.shown_until is None or now < self.shown_until


@dataclass(frozen=True, slots=True)
class KeyRing:
    """The keys of one endpoint, at least one, in the order in which they sign.

    `now` is always the organisation's.
    """

    keys: tuple[PublicKey, ...]

    def shown(self, now: datetime) -> tuple[PublicKey, ...]:
        """Those that receivers should know: of the present, the next and the last ones."""
        return tuple(each for each in self.keys if each.is_shown(now))

    def signing(self, now: datetime) -> PublicKey:
        """The one that signs."""
        begun = [each for each in self.keys if each.signs_from <= now]
        return begun[-1] if begun else self.keys[0]

    def next_at(self, now: datetime) -> datetime | None:
        """When another one signs; None if no other is there."""
        return min((each.signs_from for each in self.keys if each.signs_from > now), default=None)


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One try to deliver. `status` is None where there was no answer, and `error` says why.

    `answer` is the beginning of what was answered, as text.
    """

    at: datetime
    took_ms: int
    status: int | None
    error: str | None
    answer: str | None


class DeliveryStatus(StrEnum):
    """Where a delivery stands."""

    PENDING = "PENDING"  # is tried, again if need be
    DELIVERED = "DELIVERED"  # answered with a 2xx
    REFUSED = "REFUSED"  # answered with a 4xx, which is final
    GIVEN_UP = "GIVEN_UP"  # 24 hours were not enough
    REPLACED = "REPLACED"  # everything since a time is delivered again, this among it


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """An event on its way to an endpoint; times are the organisation's, but for `day`'s real one.

    `due_at` of a pending one is None while an earlier event of the same object is on its way.
    """

    org_id: UUID
    id: UUID
    day: date
    endpoint_id: UUID
    round: int
    tx: int
    key: EventKey
    event_type: str
    event_at: datetime
    status: DeliveryStatus
    due_at: datetime | None
    gives_up_at: datetime
    attempt_count: int
    attempts: tuple[Attempt, ...]
    created_at: datetime
    updated_at: datetime
    # What was answered, and whose that is: `answers` seals and opens it.
    owner_id: UUID | None = None
    sealed_answers: bytes | None = None
    # So many of the attempts, the last, were made since the row was read; some may not be kept.
    new_attempt_count: int = field(default=0, compare=False)


# One request makes so many deliveries pending again.
RESENT_MAX = 10_000
# So many rows at most wait for an endpoint; then its log is not read on, and no more is sent again.
PENDING_MAX = 10_000
# Everything is sent again no more often: each time the log is read anew.
READ_AGAIN_EVERY = timedelta(seconds=10)


class Resending(StrEnum):
    """Which events of a time are delivered again."""

    ALL = "all"  # every one, whatever became of it: the log is read again from there
    FAILED = "failed"  # those that were refused or given up


@dataclass(frozen=True, slots=True, kw_only=True)
class Resent:
    """What is delivered again; `count` is not known of those that the log is read again for."""

    since: datetime
    only: Resending
    count: int | None
    has_more: bool


class DeliveryPosition(NamedTuple):
    """A place in a list of deliveries: right after this one, newest first."""

    created_at: datetime
    id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryFilters:
    """Which deliveries of an endpoint are wanted; None is any."""

    statuses: frozenset[DeliveryStatus] | None = None
    event_types: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryPage:
    """Deliveries, newest first, each with its last attempt; `next` is None at the end."""

    deliveries: Sequence[Delivery]
    next: DeliveryPosition | None
