"""Outcomes of delivery attempts. Source: contract, webhooks 2.

2xx is success and 4xx is final. Anything else is retried at growing intervals until the deadline.
No delivery is given up without an attempt, or because we delayed it.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from landbridge.developers.events.model import Event
from landbridge.developers.webhooks.model import (
    ATTEMPTS_STORED,
    FIRST_PAUSE,
    PAUSE_MAX,
    RETRY_WINDOW,
    Delivery,
    DeliveryAttempt,
    DeliveryStatus,
    Endpoint,
)
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import new_id
from landbridge.platform.http.egress import EgressResponse

# Beyond this the pause exceeds PAUSE_MAX anyway.
_DOUBLINGS_MAX = 16
# Jitter of a tenth, so that deliveries that failed together do not come back together. It is
# derived from the random end of the row's id.
_JITTER_STEPS = 256
_JITTER = 0.1
# A request that we could not send is no attempt and no failure of the endpoint.
_NOT_SENT_PAUSE = timedelta(seconds=5)
# An event read later than this has waited in the log (endpoint unreachable, clock advanced).
_READ_LATE = timedelta(hours=1)


def new_row(endpoint: Endpoint, event: Event, clock: Clock, *, at: datetime) -> Delivery:
    """Return a new delivery, not due and not attempted; `at` is the organisation's present time."""
    return Delivery(
        org_id=endpoint.org_id,
        id=new_id(),
        day=clock.now().astimezone(UTC).date(),
        endpoint_id=endpoint.id,
        round=endpoint.round,
        place=event.change.place,
        key=event.key,
        event_type=event.type,
        event_at=event.change.occurred_at,
        status=DeliveryStatus.PENDING,
        due_at=None,
        deadline_at=_retry_window_start(endpoint, event, at) + RETRY_WINDOW,
        attempt_count=0,
        attempts=(),
        created_at=at,
        updated_at=at,
        owner_id=None if event.change.snapshot is None else event.change.snapshot.owner_id,
    )


def _retry_window_start(endpoint: Endpoint, event: Event, at: datetime) -> datetime:
    """Return the start of the 24 hours in which a delivery is retried."""
    happened = event.change.occurred_at
    start = max(happened, endpoint.retry_window_starts_at or happened)
    return at if at - start > _READ_LATE else start


def attempt(answer: EgressResponse, *, at: datetime) -> DeliveryAttempt:
    """Return an attempt as it is stored."""
    return DeliveryAttempt(
        at=at,
        took_ms=answer.took_ms,
        status=answer.status,
        error=answer.error,
        answer=answer.text,
    )


def after(row: Delivery, attempts: tuple[DeliveryAttempt, ...], *, now: datetime) -> Delivery:
    """Return the delivery after these attempts; the first one decides, and without any it waits."""
    if not attempts:
        return replace(row, due_at=now + _NOT_SENT_PAUSE, updated_at=now)
    status = status_of_attempt(attempts[0])
    if status is DeliveryStatus.PENDING and now >= row.deadline_at:
        status = DeliveryStatus.GIVEN_UP
    all_attempts = (*row.attempts, *attempts)
    due_at = None
    if status is DeliveryStatus.PENDING:
        # A resent delivery starts with short intervals again.
        count = sum(each.at >= row.deadline_at - RETRY_WINDOW for each in all_attempts)
        due_at = min(now + pause(row.id, max(count, 1)), row.deadline_at)
    return replace(
        row,
        status=status,
        due_at=due_at,
        attempt_count=row.attempt_count + len(attempts),
        attempts=all_attempts[-ATTEMPTS_STORED:],
        updated_at=now,
        new_attempt_count=len(attempts),
    )


def pause(delivery_id: UUID, attempt_count: int) -> timedelta:
    """Return the interval after this number of attempts."""
    doublings = min(attempt_count - 1, _DOUBLINGS_MAX)
    step = (delivery_id.int >> doublings) % _JITTER_STEPS
    jitter = (step / (_JITTER_STEPS - 1) * 2 - 1) * _JITTER
    return min(FIRST_PAUSE * 2**doublings, PAUSE_MAX) * (1 + jitter)


def status_of_attempt(attempt_: DeliveryAttempt) -> DeliveryStatus:
    """Return the status that one attempt leads to."""
    match (attempt_.status or 0) // 100:
        case 2:
            return DeliveryStatus.DELIVERED
        case 4:
            return DeliveryStatus.REFUSED
        case _:
            return DeliveryStatus.PENDING
