"""Delivery queue of one endpoint worker: events to send next, and rows to write.

Guarantees for each object:
- At most one of its events is in flight, and always the earliest unfinished one.
- An object either has events in this queue or is blocked: then its events wait in the table behind
  a pending retry.

Nothing here blocks or writes. The queue belongs to one worker and is used by one task at a time.
"""

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from landbridge.developers.events.model import Event, EventKey
from landbridge.developers.webhooks.delivery.scripted_outcomes import ScriptedDelivery
from landbridge.developers.webhooks.model import Delivery, DeliveryStatus
from landbridge.platform.changes.model import LogPosition

SLOTS = 32
# The other slots are reserved for first attempts, so that retries do not delay new events.
RETRY_SLOTS = 16


@dataclass(frozen=True, slots=True)
class QueuedEvent:
    """An event to send; `data` is None if it has no payload, `row` on the first attempt.

    `scripted` is the sandbox's scripted outcome. `happened_s` is when it happened, by the monotonic
    clock; None if its latency is not measured.
    """

    event: Event
    data: bytes | None
    row: Delivery | None
    scripted: ScriptedDelivery | None
    happened_s: float | None = None

    @property
    def object_id(self) -> UUID:
        """Return the object whose order applies."""
        return self.event.change.object_id


@dataclass(frozen=True, slots=True)
class WriteBatch:
    """Rows to write in one transaction; `read_to` is valid once it is committed."""

    new: Sequence[Delivery]
    changed: Sequence[Delivery]
    read_to: LogPosition


@dataclass(slots=True)
class DeliveryQueue:
    """`read_to` is the read cursor; `blocked` are the objects with pending rows.

    `pick_count` alternates between kinds of events: odd picks take a retry, every other even pick
    takes the newest event.
    """

    read_to: LogPosition
    pick_count: int = 0
    blocked: set[UUID] = field(default_factory=set[UUID])
    _by_object: dict[UUID, deque[QueuedEvent]] = field(
        default_factory=dict[UUID, deque[QueuedEvent]]
    )
    _first_attempts: deque[QueuedEvent] = field(default_factory=deque[QueuedEvent])
    _retries: deque[QueuedEvent] = field(default_factory=deque[QueuedEvent])
    # Objects of loaded retries, until their outcomes are written.
    _retrying: dict[UUID, UUID] = field(default_factory=dict[UUID, UUID])
    # Events without a row, in the order of the log.
    _unrecorded: dict[EventKey, LogPosition] = field(default_factory=dict[EventKey, LogPosition])
    _new: list[Delivery] = field(default_factory=list[Delivery])
    _changed: list[Delivery] = field(default_factory=list[Delivery])
    _new_in_flight: int = 0
    _retries_in_flight: int = 0
    _waiting: int = 0

    @property
    def waiting(self) -> int:
        """Return how many events are not in flight yet."""
        return self._waiting

    @property
    def first_attempts(self) -> int:
        """Return how many of the waiting events were never attempted."""
        return self._waiting - len(self._retries)

    @property
    def in_flight(self) -> int:
        """Return how many events are in flight."""
        return self._new_in_flight + self._retries_in_flight

    @property
    def unwritten(self) -> int:
        """Return how many rows are to be written."""
        return len(self._new) + len(self._changed)

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to send, await or write."""
        return not (self._waiting or self.in_flight or self.unwritten)

    @property
    def retry_count(self) -> int:
        """Return how many retries are loaded."""
        return len(self._retrying)

    def put(self, queued: QueuedEvent) -> None:
        """Add a new event, in the order of the log; its object must not be blocked."""
        self._unrecorded[queued.event.key] = queued.event.change.position
        self._waiting += 1
        later = self._by_object.get(queued.object_id)
        if later is None:
            self._by_object[queued.object_id] = deque()
            self._first_attempts.append(queued)
        else:
            later.append(queued)

    def defer(self, row: Delivery) -> None:
        """Add the row of a new event that must wait in the table behind an earlier one."""
        self.blocked.add(row.key.object_id)
        self._new.append(row)

    def can_retry(self, row: Delivery) -> bool:
        """Return whether a retry can be loaded: no other event of its object is in the queue."""
        object_id = row.key.object_id
        return object_id not in self._by_object and object_id not in self._retrying

    def retrying_objects(self) -> frozenset[UUID]:
        """Return the objects of loaded retries."""
        return frozenset(self._retrying)

    def drop(self, row: Delivery) -> None:
        """Add a row that is finished without being sent; `can_retry` must have returned true."""
        self._retrying[row.key.object_id] = row.id
        self._changed.append(row)

    def add_retry(self, queued: QueuedEvent) -> None:
        """Add a retry; `can_retry` must have returned true, with no event added since."""
        assert queued.row is not None
        self.blocked.add(queued.object_id)
        self._retrying[queued.object_id] = queued.row.id
        self._waiting += 1
        self._retries.append(queued)

    def next(self, limit: int, *, is_slow: bool = False) -> list[QueuedEvent]:
        """Return the events to send now and mark them in flight, within the free slots.

        New events and retries alternate, so that neither waits for the other. With `is_slow`, the
        newest and the oldest new events alternate too: where many events of one type fail, another
        type gets through early.
        """
        found: list[QueuedEvent] = []
        while len(found) < limit and self.in_flight < SLOTS:
            may_retry = bool(self._retries) and self._retries_in_flight < RETRY_SLOTS
            if may_retry and (self.pick_count % 2 or not self._first_attempts):
                found.append(self._retries.popleft())
                self._retries_in_flight += 1
            elif self._first_attempts:
                found.append(self._next_first_attempt(is_slow=is_slow))
                self._new_in_flight += 1
            else:
                break
            self._waiting -= 1
            self.pick_count += 1
        return found

    def _next_first_attempt(self, *, is_slow: bool) -> QueuedEvent:
        takes_newest = is_slow and self.pick_count % 4 in {1, 2}
        return self._first_attempts.pop() if takes_newest else self._first_attempts.popleft()

    def finish(self, queued: QueuedEvent, row: Delivery) -> list[QueuedEvent]:
        """Record the outcome of an event that was in flight.

        Returns the events behind it that must now wait in the table: `defer` is called for each.
        """
        if queued.row is not None:
            self._retries_in_flight -= 1
            self._changed.append(row)
            return []
        self._new_in_flight -= 1
        del self._unrecorded[queued.event.key]
        self._new.append(row)
        later = self._by_object[queued.object_id]
        if row.status is DeliveryStatus.PENDING:
            del self._by_object[queued.object_id]
            self.blocked.add(queued.object_id)
            self._waiting -= len(later)
            for each in later:
                del self._unrecorded[each.event.key]
            return list(later)
        if later:
            self._first_attempts.append(later.popleft())
        else:
            del self._by_object[queued.object_id]
        return []

    def take_batch(self) -> WriteBatch:
        """Return the rows to write now; the caller returns them with `requeue` on failure."""
        oldest = next(iter(self._unrecorded.values()), None)
        # The position right before a change has the preceding sequence number.
        read_to = self.read_to if oldest is None else oldest._replace(seq=oldest.seq - 1)
        batch = WriteBatch(self._new, self._changed, read_to)
        self._new, self._changed = [], []
        return batch

    def requeue(self, batch: WriteBatch) -> None:
        """Return a batch whose write failed."""
        self._new = [*batch.new, *self._new]
        self._changed = [*batch.changed, *self._changed]

    def confirm(
        self, batch: WriteBatch, *, checked: Iterable[UUID], pending: Collection[UUID]
    ) -> None:
        """Confirm a written batch; release the checked objects without pending rows."""
        for each in batch.changed:
            del self._retrying[each.key.object_id]
        # Events that arrived since wait behind the pending rows.
        newly_pending = {
            each.key.object_id for each in self._new if each.status is DeliveryStatus.PENDING
        }
        for object_id in checked:
            if object_id not in pending and object_id not in newly_pending:
                self.blocked.discard(object_id)
