"""Webhook endpoints, their keys and their deliveries."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.developers.events.model import EventKey
from landbridge.platform.changes.model import LogPosition
from landbridge.platform.core.pagination import PagePosition

# Kind in the change log: endpoints and their keys. Only the test event is an event of the
# catalogue.
KIND = "WEBHOOK"
TEST = "test"
# Likewise: a delivery that a member resent.
DELIVERY_KIND = "WEBHOOK.DELIVERY"

# Source: contract, webhooks 2. Retried after 30 s, then after twice as long each time, up to two
# hours, until 24 hours have passed.
ATTEMPT_TIMEOUT_S = 10
ANSWER_BYTES_MAX = 100_000
EXCERPT_LENGTH_MAX = 1_000
FIRST_PAUSE = timedelta(seconds=30)
PAUSE_MAX = timedelta(hours=2)
RETRY_WINDOW = timedelta(hours=24)
# The number of most recent attempts that a delivery retains.
ATTEMPTS_STORED = 30

# Organisations have no more receivers than this; each costs a read of the log.
ENDPOINTS_MAX = 20
# The pattern that matches every event.
ALL_EVENTS = "*"
DESCRIPTION_LENGTH_MAX = 200

# Time for which a new key is published before it signs, unless requested otherwise; at most a week.
OVERLAP_DEFAULT = timedelta(days=1)
OVERLAP_MAX = timedelta(days=7)
# An old key stays published this long after its last signature: tokens are valid for five minutes,
# and receivers may cache keys for five more.
KEY_GRACE_PERIOD = timedelta(hours=1)
# Without an overlap the key may have leaked: it is withdrawn once its tokens have expired.
LEAKED_KEY_GRACE_PERIOD = timedelta(minutes=5)
# Repeated rotations without an overlap wait until the first key is withdrawn.
KEYS_MAX = 10


class WebhookStatus(StrEnum):
    """Whether an endpoint receives events. A paused one keeps its read cursor."""

    ACTIVE = "ACTIVE"
    PAUSED = "PAUSED"


class EventNameSpelling(StrEnum):
    """Spelling of ONRAMP.TRANSACTION.CREATE and OFFRAMP.TRANSACTION.CREATE.

    Source: contract, webhooks 4: spec.md has CREATE, other pages have CREATED.
    """

    CREATE = "CREATE"
    CREATED = "CREATED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An organisation's webhook endpoint; times are the organisation's."""

    org_id: UUID
    id: UUID
    url: str
    description: str | None
    event_types: tuple[str, ...]
    status: WebhookStatus
    event_name_spelling: EventNameSpelling
    has_standard_headers: bool
    version: int
    created_at: datetime
    updated_at: datetime
    flagged_at: datetime | None
    flagged_reason: str | None
    starts_at: datetime
    # The read cursor in the log.
    read_to: LogPosition
    round: int
    # Earlier events are retried for 24 hours from then: it was paused, or they are resent.
    retry_window_starts_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKey:
    """Public key that receivers verify with; `pem` is a SubjectPublicKeyInfo."""

    id: UUID
    pem: str
    signs_from: datetime
    shown_until: datetime | None

    def is_published(self, now: datetime) -> bool:
        """Return whether the key is still published."""
        return self.shown_until is None or now < self.shown_until


@dataclass(frozen=True, slots=True)
class KeyRing:
    """Keys of one endpoint, at least one, in the order in which they sign.

    `now` is always the organisation's.
    """

    keys: tuple[PublicKey, ...]

    def published(self, now: datetime) -> tuple[PublicKey, ...]:
        """Return the published keys: current, next and previous ones."""
        return tuple(each for each in self.keys if each.is_published(now))

    def signing(self, now: datetime) -> PublicKey:
        """Return the key that signs."""
        active = [each for each in self.keys if each.signs_from <= now]
        return active[-1] if active else self.keys[0]

    def next_at(self, now: datetime) -> datetime | None:
        """Return when another key starts to sign; None without one."""
        return min((each.signs_from for each in self.keys if each.signs_from > now), default=None)


class DeliveryAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt. `status` is None without a response, and `error` is why.

    `answer` is the beginning of the response body, as text.
    """

    at: datetime
    took_ms: int
    status: int | None
    error: str | None
    answer: str | None


class DeliveryStatus(StrEnum):
    """Status of a delivery."""

    PENDING = "PENDING"  # waits for its first attempt or a retry
    DELIVERED = "DELIVERED"  # the response was a 2xx
    REFUSED = "REFUSED"  # the response was a 4xx, which is final
    GIVEN_UP = "GIVEN_UP"  # 24 hours were not enough
    REPLACED = "REPLACED"  # superseded: all events since a time are delivered again


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Delivery of an event to an endpoint; times are the organisation's, except the real `day`.

    `due_at` of a pending one is None while it waits for an earlier event of the same object.
    """

    org_id: UUID
    id: UUID
    day: date
    endpoint_id: UUID
    round: int
    place: int
    key: EventKey
    event_type: str
    event_at: datetime
    status: DeliveryStatus
    due_at: datetime | None
    deadline_at: datetime
    attempt_count: int
    attempts: tuple[DeliveryAttempt, ...]
    created_at: datetime
    updated_at: datetime
    # Sealed responses and their owner: `answers` seals and opens them.
    owner_id: UUID | None = None
    sealed_responses: bytes | None = None
    # How many attempts were made since the row was read; not all of them are retained.
    new_attempt_count: int = field(default=0, compare=False)


# Deliveries that one request makes pending again.
RESENT_MAX = 10_000
# Pending rows of an endpoint beyond which its log is not read and nothing more is resent.
PENDING_MAX = 10_000
# Minimum time between two full replays: each reads the log again.
READ_AGAIN_EVERY = timedelta(seconds=10)


class ResendSelection(StrEnum):
    """Which events of a time are delivered again."""

    ALL = "all"  # every event, whatever its status: the log is read again from there
    FAILED = "failed"  # refused or exhausted deliveries


@dataclass(frozen=True, slots=True, kw_only=True)
class ResendResult:
    """Result of a resend; `count` is unknown if the log is read again."""

    since: datetime
    only: ResendSelection
    count: int | None
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryFilters:
    """Filters of an endpoint's deliveries; None matches everything."""

    statuses: frozenset[DeliveryStatus] | None = None
    event_types: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryPage:
    """Deliveries, newest first, each with its last attempt; `next` is None at the end."""

    deliveries: Sequence[Delivery]
    next: PagePosition | None


def change_name(before: WebhookStatus, after: WebhookStatus) -> str:
    """Return the name of an endpoint's change."""
    match before, after:
        case WebhookStatus.ACTIVE, WebhookStatus.PAUSED:
            return "pause"
        case WebhookStatus.PAUSED, WebhookStatus.ACTIVE:
            return "resume"
        case _:
            return "update"
