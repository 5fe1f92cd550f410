"""What one courier has in hand: what is to be sent next, and what is to be written down.

Guarantees, each of an object:
- at most one of its events is under way, and always the earliest that is not finished;
- an object either has events waiting here, or is blocked: its events wait in the table behind one
  that is tried again.

Nothing here waits or writes; all of it is one courier's, in one task at a time.
"""

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from landbridge.changes.model import Place
from landbridge.events.model import Event, EventKey
from landbridge.webhooks.delivering.forced import ForcedDelivery
from landbridge.webhooks.model import Delivery, DeliveryStatus

PLACES = 32
# The rest is kept for what is tried for the first time, so that old trouble delays nothing new.
PLACES_AGAIN = 16


@dataclass(frozen=True, slots=True)
class Parcel:
    """An event to be sent; `data` is None if it could not be shown, `row` if it is the first try.

    `forced` is what a sandbox makes of it. `happened_s` is when it happened, by the monotonic
    clock; None if how long it takes says nothing.
    """

    event: Event
    data: bytes | None
    row: Delivery | None
    forced: ForcedDelivery | None
    happened_s: float | None = None

    @property
    def object_id(self) -> UUID:
        """Whose turn it is."""
        return self.event.change.object_id


@dataclass(frozen=True, slots=True)
class Load:
    """What is to be written in one go; `read_to` is true once it is."""

    new: Sequence[Delivery]
    changed: Sequence[Delivery]
    read_to: Place


@dataclass(slots=True)
class Bag:
    """`read_to` is how far the log was read; `blocked` by objects with pending rows.

    `turn` is whose it is: odd, of what failed before; of the even ones every other, of the newest.
    """

    read_to: Place
    turn: int = 0
    blocked: set[UUID] = field(default_factory=set[UUID])
    _lanes: dict[UUID, deque[Parcel]] = field(default_factory=dict[UUID, deque[Parcel]])
    _fresh: deque[Parcel] = field(default_factory=deque[Parcel])
    _again: deque[Parcel] = field(default_factory=deque[Parcel])
    # Objects of rows that were taken up again, until what became of these is written.
    _taken: dict[UUID, UUID] = field(default_factory=dict[UUID, UUID])
    # Events without a row, in the order of the log.
    _open: dict[EventKey, Place] = field(default_factory=dict[EventKey, Place])
    _new: list[Delivery] = field(default_factory=list[Delivery])
    _changed: list[Delivery] = field(default_factory=list[Delivery])
    _fresh_out: int = 0
    _again_out: int = 0
    _waiting: int = 0

    @property
    def waiting(self) -> int:
        """How many parcels are not under way yet."""
        return self._waiting

    @property
    def fresh(self) -> int:
        """How many of these were never tried."""
        return self._waiting - len(self._again)

    @property
    def out(self) -> int:
        """How many parcels are under way."""
        return self._fresh_out + self._again_out

    @property
    def unwritten(self) -> int:
        """How many rows are to be written."""
        return len(self._new) + len(self._changed)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to send, to wait for or to write."""
        return not (self._waiting or self.out or self.unwritten)

    @property
    def taken(self) -> int:
        """How many rows were taken up again."""
        return len(self._taken)

    def put(self, parcel: Parcel) -> None:
        """Something new of the log, in its order; its object is not blocked."""
        self._open[parcel.event.key] = parcel.event.change.place
        self._waiting += 1
        lane = self._lanes.get(parcel.object_id)
        if lane is None:
            self._lanes[parcel.object_id] = deque()
            self._fresh.append(parcel)
        else:
            lane.append(parcel)

    def put_by(self, row: Delivery) -> None:
        """Something new of the log that waits in the table for one before."""
        self.blocked.add(row.key.object_id)
        self._new.append(row)

    def can_take(self, row: Delivery) -> bool:
        """Whether a row can be taken up again: nothing else of its object is in hand."""
        object_id = row.key.object_id
        return object_id not in self._lanes and object_id not in self._taken

    def objects_taken(self) -> frozenset[UUID]:
        """Whose rows were taken up again."""
        return frozenset(self._taken)

    def drop(self, row: Delivery) -> None:
        """A row that `can_take` said yes to, and that is finished without being sent."""
        self._taken[row.key.object_id] = row.id
        self._changed.append(row)

    def take_up(self, parcel: Parcel) -> None:
        """Something that is tried again; `can_take` said yes, and nothing was put since."""
        assert parcel.row is not None
        self.blocked.add(parcel.object_id)
        self._taken[parcel.object_id] = parcel.row.id
        self._waiting += 1
        self._again.append(parcel)

    def next(self, most: int, *, is_seldom: bool = False) -> list[Parcel]:
        """What to send now, and from now on under way; never more than there are places.

        What is new and what failed before take turns, so that neither waits for the other. With
        `is_seldom` so do the newest and the oldest of what is new: where a lot of one kind fails,
        another kind is not found at the end of it only.
        """
        found: list[Parcel] = []
        while len(found) < most and self.out < PLACES:
            may_again = bool(self._again) and self._again_out < PLACES_AGAIN
            if may_again and (self.turn % 2 or not self._fresh):
                found.append(self._again.popleft())
                self._again_out += 1
            elif self._fresh:
                found.append(self._next_fresh(is_seldom=is_seldom))
                self._fresh_out += 1
            else:
                break
            self._waiting -= 1
            self.turn += 1
        return found

    def _next_fresh(self, *, is_seldom: bool) -> Parcel:
        is_newests_turn = is_seldom and self.turn % 4 in {1, 2}
        return self._fresh.pop() if is_newests_turn else self._fresh.popleft()

    def finish(self, parcel: Parcel, row: Delivery) -> list[Parcel]:
        """What became of a parcel that was under way.

        Answers those that waited for it and have to wait longer: `put_by` is called for each.
        """
        if parcel.row is not None:
            self._again_out -= 1
            self._changed.append(row)
            return []
        self._fresh_out -= 1
        del self._open[parcel.event.key]
        self._new.append(row)
        lane = self._lanes[parcel.object_id]
        if row.status is DeliveryStatus.PENDING:
            del self._lanes[parcel.object_id]
            self.blocked.add(parcel.object_id)
            self._waiting -= len(lane)
            for each in lane:
                del self._open[each.event.key]
            return list(lane)
        if lane:
            self._fresh.append(lane.popleft())
        else:
            del self._lanes[parcel.object_id]
        return []

    def unload(self) -> Load:
        """What is to be written now; comes back by `put_back` if it can't be."""
        oldest = next(iter(self._open.values()), None)
        # Right before a change, that is: before the number that it has.
        read_to = self.read_to if oldest is None else oldest._replace(seq=oldest.seq - 1)
        load = Load(self._new, self._changed, read_to)
        self._new, self._changed = [], []
        return load

    def put_back(self, load: Load) -> None:
        """It was not written."""
        self._new = [*load.new, *self._new]
        self._changed = [*load.changed, *self._changed]

    def was_written(
        self, load: Load, *, checked: Iterable[UUID], pending: Collection[UUID]
    ) -> None:
        """Of the objects that were checked, these have pending rows still; others may go on."""
        for each in load.changed:
            del self._taken[each.key.object_id]
        # What came meanwhile waits behind what it found.
        come = {each.key.object_id for each in self._new if each.status is DeliveryStatus.PENDING}
        for object_id in checked:
            if object_id not in pending and object_id not in come:
                self.blocked.discard(object_id)
