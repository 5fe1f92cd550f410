"""Endpoint worker: delivers events to one webhook endpoint while it holds the endpoint's lease.

Guarantees: the read cursor never passes an event without a delivery row, so after a kill the
successor sends the rest again under the same ids. A worker that lost its lease, or could not renew
it in time, sends and writes nothing more. A slow endpoint occupies only its own slots.
Three tasks share one delivery queue: a reader, a sender and a writer.
"""

import asyncio
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import structlog

from landbridge.developers.events.model import Event
from landbridge.developers.webhooks.delivery import delivery_store, lease_store
from landbridge.developers.webhooks.delivery.backoff import EndpointBackoff
from landbridge.developers.webhooks.delivery.counts import count, timed
from landbridge.developers.webhooks.delivery.deduplication import RecordedDeliveries
from landbridge.developers.webhooks.delivery.delivery_queue import (
    DeliveryQueue,
    QueuedEvent,
    WriteBatch,
)
from landbridge.developers.webhooks.delivery.delivery_writer import DeliveryWriter, WriteResult
from landbridge.developers.webhooks.delivery.lease_store import EndpointLease, LeaseState
from landbridge.developers.webhooks.delivery.outcomes import after, attempt, new_row
from landbridge.developers.webhooks.delivery.serialization import (
    SignedRequest,
    WorkerDependencies,
    delayed_until,
    is_for,
    post,
    queue_events,
    sign_requests,
    unsent_outcome,
)
from landbridge.developers.webhooks.model import PENDING_MAX, Delivery, DeliveryStatus, Endpoint
from landbridge.developers.webhooks.signing import Signer
from landbridge.platform.changes.model import LogPosition
from landbridge.platform.core.errors import Busy, ResourceNotFound
from landbridge.platform.core.event_wait import wait_for_event
from landbridge.platform.db.pool import Tx

_log = structlog.stdlib.get_logger()

# A killed worker's endpoint is taken over after this long.
LEASE = timedelta(seconds=10)
_RENEW_EVERY = timedelta(seconds=3)
# Batching shares the cost of statements among all events written together.
_WRITE_EVERY_S = 0.1
_ROWS_AT_ONCE = 200
# The stored read cursor matters only to a successor.
_POSITION_EVERY_S = 1.0
_READ_AT_ONCE = 200
# One batch is prepared while another is signed in the threads.
_SIGNED_AT_ONCE, _SIGNING_BATCHES = 16, 2
_RETRIES_MAX = 64
# Deliveries may be resent through the API at any time.
_COUNT_EVERY_S = 5.0
# An idle worker stays for a while: the next event is then sent at once.
_IDLE_EXIT_S = 5.0
_RECHECK_S = 1.0
# More events are likely to follow one that was read.
_RECHECK_SOON_S = 0.05


@dataclass(slots=True, kw_only=True)
class EndpointWorker:
    """Delivers to one endpoint during one lease; `offset` is its organisation's clock offset."""

    deps: WorkerDependencies
    lease: EndpointLease
    endpoint: Endpoint
    signer: Signer
    offset: timedelta
    # As left by the previous worker.
    backoff: EndpointBackoff = field(default_factory=EndpointBackoff)
    _queue: DeliveryQueue = field(init=False)
    _position_written: LogPosition = field(init=False)
    _recorded: RecordedDeliveries = field(init=False)
    _pending: int = field(default=0, init=False)
    _counted_s: float = field(default=0.0, init=False)
    _error: BaseException | None = field(default=None, init=False)
    _is_flagged: bool = field(init=False)
    _is_due: bool = field(default=True, init=False)
    _is_ending: bool = field(default=False, init=False)
    _is_lost: bool = field(default=False, init=False)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set["asyncio.Task[None]"], init=False)
    _signers: asyncio.Semaphore = field(
        default_factory=lambda: asyncio.Semaphore(_SIGNING_BATCHES), init=False
    )
    _wakeup: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _capacity_freed: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _sendable: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _write_requested: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    def __post_init__(self) -> None:
        # The alternation continues from worker to worker, each of which may send only one event.
        self._queue = DeliveryQueue(self.endpoint.read_to, self.backoff.failures)
        self._position_written = self.endpoint.read_to
        self._recorded = RecordedDeliveries(self.endpoint)
        self._is_flagged = self.endpoint.flagged_at is not None

    @property
    def _now(self) -> datetime:
        return self.deps.clock.now(self.offset)

    def notify(self, *, is_due: bool = False) -> None:
        """Wake the worker: new events are in the log or, with `is_due`, retries are due."""
        self._is_due = self._is_due or is_due
        self._wakeup.set()

    def stop(self) -> None:
        """Send nothing more; attempts in flight are awaited and written, the lease released."""
        self._is_ending = True
        for each in (self._wakeup, self._capacity_freed, self._sendable):
            each.set()

    async def run(self) -> None:
        """Deliver until there is nothing to do, the endpoint changes, or the lease is lost."""
        await self._load_state()
        try:
            async with asyncio.TaskGroup() as loops:
                loops.create_task(self._read_loop())
                loops.create_task(self._send_loop())
                loops.create_task(self._write_loop())
        finally:
            for each in self._tasks:
                each.cancel()

    async def _load_state(self) -> None:
        """Load what the previous worker left."""

        async def work(tx: Tx) -> None:
            pending = await delivery_store.pending(tx, self.lease.org_id, self.lease.endpoint_id)
            self._pending = sum(pending.values())
            self._queue.blocked.update(pending)
            await self._recorded.load(tx)

        await self.deps.database.transact(work)

    # Reading.

    async def _read_loop(self) -> None:
        idle_since_s = time.monotonic()
        while not self._is_ending:
            self._wakeup.clear()
            self._capacity_freed.clear()
            if self._queue.first_attempts >= self.backoff.capacity(time.monotonic()):
                await wait_for_event(self._capacity_freed, _RECHECK_S)
                continue
            before = self._queue.read_to
            try:
                is_end = await self._read_all()
            except Busy as error:
                self._log_busy(error)
                is_end = True
            if not self._queue.is_empty:
                idle_since_s = time.monotonic()
            elif time.monotonic() - idle_since_s >= _IDLE_EXIT_S:
                self.stop()
            if is_end:
                has_read = self._queue.read_to != before
                await wait_for_event(self._wakeup, _RECHECK_SOON_S if has_read else _RECHECK_S)

    async def _read_all(self) -> bool:
        """Read retries and new events up to capacity; return whether nothing more is available."""
        if self._is_due:
            self._is_due = False
            await self._queue_retries()
        return self._pending >= PENDING_MAX or await self._read()

    async def _read(self) -> bool:
        """Queue the next events of the log; return whether the end was reached."""
        queue, org_id, before = self._queue, self.lease.org_id, self._queue.read_to
        limit = min(_READ_AT_ONCE, self.backoff.capacity(time.monotonic()))
        page = await self.deps.events.read(org_id, before, limit=limit)
        # Checked after the read: the events were read while the endpoint was unchanged.
        state = await self.deps.database.single(lambda tx: lease_store.get_state(tx, self.lease))
        if self._has_changed(state):
            self.stop()
            return True
        unrecorded = self._recorded.unrecorded(page)
        events = [each for each in unrecorded if is_for(self.endpoint, each)]
        free = [each for each in events if each.change.object_id not in queue.blocked]
        queued_events = await queue_events(self.deps, org_id, free, [None] * len(free))
        by_key = {each.event.key: timed(each, self.endpoint, self._now) for each in queued_events}
        for each in events:
            queued = by_key.get(each.key)
            if queued is None or each.change.object_id in queue.blocked:
                queue.defer(self._new_row(each))
                self._pending += 1
            else:
                queue.put(queued)
        queue.read_to = page.end
        self._sendable.set()
        return page.is_end

    async def _queue_retries(self) -> None:
        """Queue rows that are due for a retry."""
        queue, org_id, endpoint_id = self._queue, self.lease.org_id, self.lease.endpoint_id
        limit = min(_RETRIES_MAX, self.backoff.capacity(time.monotonic()))
        if queue.retry_count >= limit:
            return
        # Rows in the queue may be written concurrently; the rows read here would then be outdated.
        busy = queue.retrying_objects()
        now, single = self._now, self.deps.database.single
        due = await single(
            lambda tx: delivery_store.due(tx, org_id, endpoint_id, now, limit=limit * 2)
        )
        if time.monotonic() - self._counted_s >= _COUNT_EVERY_S:
            self._counted_s = time.monotonic()
            self._pending = await single(lambda tx: delivery_store.count(tx, org_id, endpoint_id))
        rows = [each for each in due if each.key.object_id not in busy and queue.can_retry(each)]
        found = await self.deps.events.find(org_id, [each.key for each in rows])
        existing = [each for each in rows if each.key in found]
        events = [found[each.key] for each in existing]
        batch = await queue_events(self.deps, org_id, events, existing)
        by_row_id = {queued.row.id: queued for queued in batch if queued.row is not None}
        for row in rows:
            if queue.retry_count >= limit:
                break
            if not queue.can_retry(row):
                continue
            if row.id in by_row_id:
                queue.add_retry(by_row_id[row.id])
            else:  # the event's name no longer exists
                given_up = DeliveryStatus.GIVEN_UP
                queue.drop(replace(row, status=given_up, due_at=None, updated_at=now))
        self._sendable.set()

    # Sending.

    async def _send_loop(self) -> None:
        while not self._is_ending:
            self._sendable.clear()
            now_s = time.monotonic()
            if self.backoff.is_paused_long(now_s) and not self._queue.in_flight:
                self.stop()
                return
            limit, is_slow = self.backoff.allow(_SIGNED_AT_ONCE, now_s), self.backoff.is_slow(now_s)
            batch = self._queue.next(limit, is_slow=is_slow) if await self._may_send() else []
            if not batch:
                await wait_for_event(self._sendable, self.backoff.wait_s(now_s, _RECHECK_S))
                continue
            self.backoff.schedule_next(now_s)
            self._capacity_freed.set()
            sendable = [each for each in batch if not self._postpone_scripted(each)]
            if sendable:
                await self._signers.acquire()
                self._spawn(self._send(sendable))

    async def _may_send(self) -> bool:
        """Return whether the lease is still held and a signer exists."""
        if self.deps.clock.now() >= self.lease.until:
            return False  # until the lease is renewed
        good_until = self.signer.good_until
        if good_until is not None and self._now >= good_until:
            try:
                self.signer = await self.deps.endpoints.signer(self.endpoint, self._now)
            except Busy as error:
                self._log_busy(error)
                return False
            except ResourceNotFound:
                self.stop()
                return False
        return True

    def _log_busy(self, error: Busy) -> None:
        _log.warning("webhooks.busy", endpoint=str(self.endpoint.id), reason=str(error))

    async def _send(self, batch: Sequence[QueuedEvent]) -> None:
        try:
            at, now = self.deps.clock.now(), self._now
            ready = await sign_requests(self.endpoint, self.signer, batch, now=now, signed_at=at)
        finally:
            self._signers.release()
        for queued, signed in zip(batch, ready, strict=True):
            self._spawn(self._deliver(queued, signed))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._on_task_done)

    async def _deliver(self, queued: QueuedEvent, signed: SignedRequest) -> None:
        at = self._now
        before = queued.row or self._new_row(queued.event, at=at)
        if (outcome := unsent_outcome(queued, at)) is not None:
            responses = [outcome]
        else:
            responses = await post(self.deps, self.endpoint, queued, signed)
            if not responses[0].is_ours:
                self.backoff.record_attempt(responses[0].status, time.monotonic())
        attempts = tuple(attempt(each, at=at) for each in responses if not each.is_ours)
        row = after(before, attempts, now=max(self._now, at))
        count(attempts, row, happened_s=queued.happened_s)
        self._finish(queued, row)

    def _on_task_done(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._error = error
            self._write_requested.set()

    def _postpone_scripted(self, queued: QueuedEvent) -> bool:
        """Return whether a scripted outcome delays the event, which is then stored unattempted."""
        now = self._now
        if (due_at := delayed_until(queued, now)) is None:
            return False
        row = queued.row or self._new_row(queued.event, at=now)
        self._finish(queued, replace(row, due_at=due_at, updated_at=now))
        return True

    def _finish(self, queued: QueuedEvent, row: Delivery) -> None:
        waiting_events = self._queue.finish(queued, row)
        is_pending = row.status is DeliveryStatus.PENDING
        self._pending += int(is_pending) - int(queued.row is not None) + len(waiting_events)
        for each in waiting_events:
            self._queue.defer(self._new_row(each.event))
        self._sendable.set()
        if self._queue.unwritten >= _ROWS_AT_ONCE:
            self._write_requested.set()

    def _new_row(self, event: Event, *, at: datetime | None = None) -> Delivery:
        return new_row(self.endpoint, event, self.deps.clock, at=at or self._now)

    # Writing.

    async def _write_loop(self) -> None:
        written_s = time.monotonic()
        while True:
            await wait_for_event(self._write_requested, _WRITE_EVERY_S)
            self._write_requested.clear()
            if self._error is not None:
                raise self._error
            is_over = self._is_ending and not self._queue.in_flight
            has_moved = self._queue.read_to != self._position_written
            is_time = has_moved and time.monotonic() - written_s >= _POSITION_EVERY_S
            must_renew = self.lease.until - self.deps.clock.now() <= LEASE - _RENEW_EVERY
            if is_over or is_time or must_renew or self._queue.unwritten:
                await self._write()
                written_s = time.monotonic()
            if self._is_lost:
                return
            if is_over and not self._queue.unwritten:
                await self.deps.database.single(lambda tx: lease_store.release(tx, self.lease))
                return

    async def _write(self) -> None:
        batch, deps, now = self._queue.take_batch(), self.deps, self._now
        writer = DeliveryWriter(
            lease=self.lease,
            endpoint=self.endpoint,
            batch=batch,
            until=deps.clock.now() + LEASE,
            at=now,
            is_flagged=self._is_flagged,
            vault=deps.endpoints.vault,
        )
        try:
            result = await writer.commit(deps)
        except Busy as error:
            self._queue.requeue(batch)
            self._log_busy(error)
            if deps.clock.now() >= self.lease.until:
                self._stop_without_lease()
            return
        if result is None:
            self._stop_without_lease()
        else:
            self.lease = replace(self.lease, until=writer.until)
            self._position_written = batch.read_to
            self._apply_result(batch, result)

    def _apply_result(self, batch: WriteBatch, result: WriteResult) -> None:
        self._is_flagged = result.is_flagged
        self._queue.confirm(batch, checked=result.checked, pending=result.pending)
        if result.pending or batch.changed:
            self.notify(is_due=True)
        if self._has_changed(result.lease_state):
            self.stop()
        elif result.version is not None:
            self.endpoint = replace(self.endpoint, version=result.version)

    def _has_changed(self, lease_state: LeaseState | None) -> bool:
        """Return whether the endpoint has changed or the lease is lost."""
        return lease_state != LeaseState(self.endpoint.version, is_served=True)

    def _stop_without_lease(self) -> None:
        """Stop: another worker delivers here by now, or may."""
        self._is_lost = True
        self.stop()
        for each in self._tasks:
            each.cancel()
