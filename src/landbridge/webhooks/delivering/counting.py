"""What is counted of deliveries: attempts and how late events come, for operators and reports."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from prometheus_client import Counter, Histogram

from landbridge.reporting.deliveries import Delivered, DeliveryOutcome
from landbridge.webhooks.delivering.bag import Parcel
from landbridge.webhooks.delivering.outcomes import judge
from landbridge.webhooks.model import Attempt, Delivery, DeliveryStatus, Endpoint

ATTEMPTS = Counter(
    "landbridge_webhook_attempts_total", "Attempts to deliver an event.", ["outcome"]
)
SECONDS = Histogram(
    "landbridge_webhook_delivery_seconds",
    "From an event to the answer to its first attempt, where that was a success"
    " and the event was read within ten minutes.",
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600),
)


# What is older when it is read was not read late by us: it was sent again, or the endpoint was
# away, or the clock of a sandbox was moved on.
_OLD = timedelta(minutes=10)


def timed(parcel: Parcel, endpoint: Endpoint, now: datetime) -> Parcel:
    """A parcel of the log with its time, unless how long it takes says nothing of us.

    `now` is the organisation's.
    """
    happened = parcel.event.change.at
    age = now - happened
    is_resumed = endpoint.tried_from is not None and happened < endpoint.tried_from
    if is_resumed or age > _OLD:
        return parcel
    return replace(parcel, happened_s=time.monotonic() - age.total_seconds())


def count(tried: Sequence[Attempt], row: Delivery, *, happened_s: float | None) -> None:
    """Count attempts, and how long the event took if it got there with them."""
    for each in tried:
        ATTEMPTS.labels(_outcome(each).value).inc()
    if happened_s is not None and row.status is DeliveryStatus.DELIVERED:
        SECONDS.observe(max(time.monotonic() - happened_s, 0.0))


def delivered(rows: Iterable[Delivery]) -> Iterator[Delivered]:
    """What reports count of these rows: their new attempts, and whether they were given up."""
    for row in rows:
        if row.new_attempt_count:
            for each in row.attempts[-row.new_attempt_count :]:
                yield Delivered(each.at, _outcome(each), each.took_ms)
        if row.status is DeliveryStatus.GIVEN_UP:
            yield Delivered(row.updated_at, DeliveryOutcome.GIVEN_UP, 0)


def _outcome(tried: Attempt) -> DeliveryOutcome:
    match judge(tried):
        case DeliveryStatus.DELIVERED:
            return DeliveryOutcome.DELIVERED
        case DeliveryStatus.REFUSED:
            return DeliveryOutcome.REFUSED
        case _ if tried.status is None:
            return DeliveryOutcome.NO_ANSWER
        case _:
            return DeliveryOutcome.FAILED
