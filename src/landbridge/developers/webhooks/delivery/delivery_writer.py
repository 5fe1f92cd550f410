"""Delivery writer: stores the read cursor and the outcomes of deliveries in one transaction."""

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from prometheus_client import Counter, Histogram

from landbridge.developers.webhooks import receiver_responses
from landbridge.developers.webhooks.delivery import delivery_store, lease_store
from landbridge.developers.webhooks.delivery.delivery_queue import QueuedEvent, WriteBatch
from landbridge.developers.webhooks.delivery.lease_store import EndpointLease, LeaseState
from landbridge.developers.webhooks.delivery.outcomes import status_of_attempt
from landbridge.developers.webhooks.flags import EndpointFlags
from landbridge.developers.webhooks.model import (
    Delivery,
    DeliveryAttempt,
    DeliveryStatus,
    Endpoint,
)
from landbridge.platform.db.pool import Tx
from landbridge.platform.encryption.service import Vault
from landbridge.reporting import delivery_counts
from landbridge.reporting.delivery_counts import DeliveryCount, DeliveryOutcome


@dataclass(frozen=True, slots=True)
class WriteResult:
    """Result of a write.

    `checked` are the objects that were checked, `pending` those that still have pending rows.
    `version` is the endpoint's if we changed its flag.
    """

    lease_state: LeaseState
    checked: Collection[UUID]
    pending: Collection[UUID]
    is_flagged: bool
    version: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryWriter:
    """One batch for one transaction; `until` is real time, `at` the organisation's."""

    lease: EndpointLease
    endpoint: Endpoint
    batch: WriteBatch
    until: datetime
    at: datetime
    is_flagged: bool
    vault: Vault

    async def write(self, tx: Tx, flags: EndpointFlags) -> WriteResult | None:
        """Write the whole batch; return None and write nothing if the lease is lost."""
        lease_state = await lease_store.renew(
            tx,
            self.lease,
            round_=self.endpoint.round,
            version=self.endpoint.version,
            until=self.until,
            read_to=self.batch.read_to,
        )
        if lease_state is None:
            return None
        ids = (self.endpoint.org_id, self.endpoint.id)
        new, changed = self.batch.new, self.batch.changed
        sealed = await receiver_responses.seal(
            tx, self.vault, self.endpoint.org_id, (*new, *changed)
        )
        if new:
            await delivery_store.add(tx, *ids, sealed[: len(new)])
        if changed:
            await delivery_store.change(tx, *ids, sealed[len(new) :])
        retried = [each for each in changed if each.status is DeliveryStatus.PENDING]
        if retried:
            await delivery_store.wait_behind(tx, *ids, retried)
        await delivery_counts.count(tx, *ids, delivered((*new, *changed)))
        checked = self._objects_to_check()
        pending = await self._release_waiting(tx, checked) if checked else ()
        is_flagged, version = await self._flag(tx, flags)
        return WriteResult(lease_state, checked, pending, is_flagged, version)

    def _objects_to_check(self) -> set[UUID]:
        """Return the objects whose next event may now be first."""
        finished = [
            each for each in self.batch.changed if each.status is not DeliveryStatus.PENDING
        ]
        waiting_rows = [
            each
            for each in self.batch.new
            if each.status is DeliveryStatus.PENDING and each.due_at is None
        ]
        return {each.key.object_id for each in (*finished, *waiting_rows)}

    async def _release_waiting(self, tx: Tx, objects: Collection[UUID]) -> set[UUID]:
        """Make the first pending row of each object due; return the objects that have any."""
        ids = (self.endpoint.org_id, self.endpoint.id)
        firsts = await delivery_store.first(tx, *ids, objects)
        waiting = [each for each in firsts if each.due_at is None]
        if waiting:
            await delivery_store.make_due(tx, *ids, waiting, self.at)
        return {each.object_id for each in firsts}

    async def _flag(self, tx: Tx, flags: EndpointFlags) -> tuple[bool, int | None]:
        """Update the endpoint's flag; return whether it is set, and its version if changed."""
        rows = (*self.batch.new, *self.batch.changed)
        given_up = [each for each in rows if each.status is DeliveryStatus.GIVEN_UP]
        if given_up:
            return True, await flags.set_flag(tx, self.endpoint, _reason(given_up[-1]), self.at)
        if self.is_flagged and any(each.status is DeliveryStatus.DELIVERED for each in rows):
            version = await flags.clear_flag(tx, self.endpoint, self.at)
            return version is None, version
        return self.is_flagged, None


def _reason(row: Delivery) -> str:
    last = row.attempts[-1] if row.attempts else None
    if last is None or last.status is None:
        return last.error if last is not None and last.error is not None else "never tried"
    return f"answered {last.status}"


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
