"""What comes of an attempt to deliver. Source: contract, webhooks 2.

2xx is success and 4xx is final; anything else is tried again, at growing intervals, until the
delivery's time is over. Nothing is given up that was not tried, nor because it had waited for us.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from landbridge.core.clock import Clock
from landbridge.core.ids import new_id
from landbridge.events.model import Event
from landbridge.web.outbound import Answer
from landbridge.webhooks.model import (
    ATTEMPTS_KEPT,
    FIRST_PAUSE,
    PATIENCE,
    PAUSE_MAX,
    Attempt,
    Delivery,
    DeliveryStatus,
    Endpoint,
)

# Doubled so often, the pause is longer than the longest.
_DOUBLINGS_MAX = 16
# A pause is up to a tenth shorter or longer, so that what failed together does not come back
# together. It is taken from the row's own id, the end of which is random.
_JITTER_STEPS = 256
_JITTER = 0.1
# Nothing could be sent from here; it is no attempt, and says nothing of the endpoint.
_NO_ROOM_PAUSE = timedelta(seconds=5)
# What is later than that has waited in the log (the endpoint was away, or the clock was moved on).
_PROMPT = timedelta(hours=1)


def new_row(endpoint: Endpoint, event: Event, clock: Clock, *, at: datetime) -> Delivery:
    """A delivery that is not due and was not tried yet; `at` is now, the organisation's."""
    return Delivery(
        org_id=endpoint.org_id,
        id=new_id(),
        day=clock.now().astimezone(UTC).date(),
        endpoint_id=endpoint.id,
        round=endpoint.round,
        tx=event.change.tx,
        key=event.key,
        event_type=event.type,
        event_at=event.change.at,
        status=DeliveryStatus.PENDING,
        due_at=None,
        gives_up_at=_tried_from(endpoint, event, at) + PATIENCE,
        attempt_count=0,
        attempts=(),
        created_at=at,
        updated_at=at,
        owner_id=None if event.change.picture is None else event.change.picture.owner_id,
    )


def _tried_from(endpoint: Endpoint, event: Event, at: datetime) -> datetime:
    """From when its 24 hours are counted."""
    happened = event.change.at
    from_ = max(happened, endpoint.tried_from or happened)
    return at if at - from_ > _PROMPT else from_


def attempt(answer: Answer, *, at: datetime) -> Attempt:
    """An attempt as it is kept."""
    return Attempt(
        at=at,
        took_ms=answer.took_ms,
        status=answer.status,
        error=answer.error,
        answer=answer.text,
    )


def after(row: Delivery, attempts: tuple[Attempt, ...], *, now: datetime) -> Delivery:
    """The delivery after these attempts, of which the first decides; without any it waits."""
    if not attempts:
        return replace(row, due_at=now + _NO_ROOM_PAUSE, updated_at=now)
    status = judge(attempts[0])
    if status is DeliveryStatus.PENDING and now >= row.gives_up_at:
        status = DeliveryStatus.GIVEN_UP
    all_attempts = (*row.attempts, *attempts)
    due_at = None
    if status is DeliveryStatus.PENDING:
        # What was sent again begins with short pauses again.
        count = sum(each.at >= row.gives_up_at - PATIENCE for each in all_attempts)
        due_at = min(now + pause(row.id, max(count, 1)), row.gives_up_at)
    return replace(
        row,
        status=status,
        due_at=due_at,
        attempt_count=row.attempt_count + len(attempts),
        attempts=all_attempts[-ATTEMPTS_KEPT:],
        updated_at=now,
        new_attempt_count=len(attempts),
    )


def pause(delivery_id: UUID, attempt_count: int) -> timedelta:
    """How long nothing is tried after so many attempts."""
    doublings = min(attempt_count - 1, _DOUBLINGS_MAX)
    step = (delivery_id.int >> doublings) % _JITTER_STEPS
    jitter = (step / (_JITTER_STEPS - 1) * 2 - 1) * _JITTER
    return min(FIRST_PAUSE * 2**doublings, PAUSE_MAX) * (1 + jitter)


def judge(tried: Attempt) -> DeliveryStatus:
    """Where an attempt alone leaves a delivery."""
    match (tried.status or 0) // 100:
        case 2:
            return DeliveryStatus.DELIVERED
        case 4:
            return DeliveryStatus.REFUSED
        case _:
            return DeliveryStatus.PENDING
