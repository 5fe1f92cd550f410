"""Delivery metrics: attempts and latency of events, for operators and reports."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from prometheus_client import Counter, Histogram

from landbridge.developers.webhooks.delivery.delivery_queue import QueuedEvent
from landbridge.developers.webhooks.delivery.outcomes import status_of_attempt
from landbridge.developers.webhooks.model import Delivery, DeliveryAttempt, DeliveryStatus, Endpoint
from landbridge.reporting.delivery_counts import DeliveryCount, DeliveryOutcome

ATTEMPTS = Counter(
    "landbridge_webhook_attempts_total", "Attempts to deliver an event.", ["outcome"]
)
SECONDS = Histogram(
    "landbridge_webhook_delivery_seconds",
    "From an event to the answer to its first attempt, where that was a success"
    " and the event was read within ten minutes.",
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600),
)


# An older event does not measure our latency: it was resent, its endpoint was unreachable, or a
# sandbox clock was advanced.
_OLD = timedelta(minutes=10)


def timed(queued: QueuedEvent, endpoint: Endpoint, now: datetime) -> QueuedEvent:
    """Set the start time of an event from the log, if its latency is ours to measure.

    `now` is the organisation's.
    """
    happened = queued.event.change.occurred_at
    age = now - happened
    is_resumed = (
        endpoint.retry_window_starts_at is not None and happened < endpoint.retry_window_starts_at
    )
    if is_resumed or age > _OLD:
        return queued
    return replace(queued, happened_s=time.monotonic() - age.total_seconds())


def count(attempts: Sequence[DeliveryAttempt], row: Delivery, *, happened_s: float | None) -> None:
    """Count attempts, and observe the latency of an event that they delivered."""
    for each in attempts:
        ATTEMPTS.labels(_outcome(each).value).inc()
    if happened_s is not None and row.status is DeliveryStatus.DELIVERED:
        SECONDS.observe(max(time.monotonic() - happened_s, 0.0))


def delivered(rows: Iterable[Delivery]) -> Iterator[DeliveryCount]:
    """Return the report counts of these rows: new attempts, and exhausted deliveries."""
    for row in rows:
        if row.new_attempt_count:
            for each in row.attempts[-row.new_attempt_count :]:
                yield DeliveryCount(each.at, _outcome(each), each.took_ms)
        if row.status is DeliveryStatus.GIVEN_UP:
            yield DeliveryCount(row.updated_at, DeliveryOutcome.GIVEN_UP, 0)


def _outcome(attempt: DeliveryAttempt) -> DeliveryOutcome:
    match status_of_attempt(attempt):
        case DeliveryStatus.DELIVERED:
            return DeliveryOutcome.DELIVERED
        case DeliveryStatus.REFUSED:
            return DeliveryOutcome.REFUSED
        case _ if attempt.status is None:
            return DeliveryOutcome.NO_ANSWER
        case _:
            return DeliveryOutcome.FAILED
