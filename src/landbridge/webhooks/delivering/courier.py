"""One turn at one endpoint: the log is read, events are sent, and what became of them is written.

Guarantees:
- an event has a row once it was tried, and `read_to` never passes one that has none: a courier that
  is killed leaves behind what its successor sends again, under the same id;
- nothing is written by a courier whose turn was taken by another, and nothing is sent after it has
  learned of that, or could not hold on to it in time;
- an endpoint that does not answer holds its own places, and no others.

Three loops share one bag (bag.py): one reads, one sends, one writes.
"""

import asyncio
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import structlog

from landbridge.changes.model import Place
from landbridge.core.bells import bell
from landbridge.core.errors import Busy, ResourceNotFound
from landbridge.db.pool import Tx
from landbridge.events.model import Event
from landbridge.webhooks.delivering import delivery_store, turn_store
from landbridge.webhooks.delivering.bag import Bag, Load, Parcel
from landbridge.webhooks.delivering.counting import count, timed
from landbridge.webhooks.delivering.earlier import Left
from landbridge.webhooks.delivering.outcomes import after, attempt, new_row
from landbridge.webhooks.delivering.packing import (
    Letter,
    Office,
    held_until,
    is_for,
    letters,
    pack,
    post,
    unsent,
)
from landbridge.webhooks.delivering.tempo import Tempo
from landbridge.webhooks.delivering.turn_store import Standing, Turn
from landbridge.webhooks.delivering.writing import Writing, Written
from landbridge.webhooks.model import PENDING_MAX, Delivery, DeliveryStatus, Endpoint
from landbridge.webhooks.signing import Signer

_log = structlog.stdlib.get_logger()

# So long a turn lasts if nobody holds on to it: a worker that was killed is missed for no longer.
LEASE = timedelta(seconds=10)
_HOLD_EVERY = timedelta(seconds=3)
# What an event costs in statements is shared by all that are written at once.
_WRITE_EVERY_S = 0.1
_ROWS_AT_ONCE = 200
# How far reading is known matters only to whoever takes over.
_PLACE_EVERY_S = 1.0
_READ_AT_ONCE = 200
# One lot is signed while the one before is on its way to the threads and back.
_SIGNED_AT_ONCE, _LOTS = 16, 2
_TAKEN_MAX = 64
# Others may have had deliveries sent again.
_COUNT_EVERY_S = 5.0
# A courier with nothing to do stays for a while: the next event is then sent at once.
_LINGER_S = 5.0
_LOOK_AGAIN_S = 1.0
# Where something has just come, more is likely to.
_SOON_S = 0.05


@dataclass(slots=True, kw_only=True)
class Courier:
    """Delivers to one endpoint for one turn; `offset` is its organisation's clock."""

    office: Office
    turn: Turn
    endpoint: Endpoint
    signer: Signer
    offset: timedelta
    # As the courier before has left it.
    tempo: Tempo = field(default_factory=Tempo)
    _bag: Bag = field(init=False)
    _place_written: Place = field(init=False)
    _left: Left = field(init=False)
    _pending: int = field(default=0, init=False)
    _counted_s: float = field(default=0.0, init=False)
    _error: BaseException | None = field(default=None, init=False)
    _is_flagged: bool = field(init=False)
    _is_due: bool = field(default=True, init=False)
    _is_ending: bool = field(default=False, init=False)
    _is_lost: bool = field(default=False, init=False)
    _out: set[asyncio.Task[None]] = field(default_factory=set["asyncio.Task[None]"], init=False)
    _signers: asyncio.Semaphore = field(
        default_factory=lambda: asyncio.Semaphore(_LOTS), init=False
    )
    _news: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _room: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _work: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _written: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    def __post_init__(self) -> None:
        # Whose turn it is goes on from courier to courier, each of which may try but one.
        self._bag = Bag(self.endpoint.read_to, self.tempo.failures)
        self._place_written = self.endpoint.read_to
        self._left = Left(self.endpoint)
        self._is_flagged = self.endpoint.flagged_at is not None

    @property
    def _now(self) -> datetime:
        return self.office.clock.now(self.offset)

    def ring(self, *, is_due: bool = False) -> None:
        """Something waits here: in the log, or (`is_due`) to be tried again."""
        self._is_due = self._is_due or is_due
        self._news.set()

    def stop(self) -> None:
        """Send nothing more; what is under way is waited for and written, the turn given back."""
        self._is_ending = True
        for each in (self._news, self._room, self._work):
            each.set()

    async def run(self) -> None:
        """Deliver until there is nothing to do, the endpoint changes, or the turn is lost."""
        await self._look_around()
        try:
            async with asyncio.TaskGroup() as loops:
                loops.create_task(self._read_on())
                loops.create_task(self._send_on())
                loops.create_task(self._write_on())
        finally:
            for each in self._out:
                each.cancel()

    async def _look_around(self) -> None:
        """What a courier before has left."""
        turn = self.turn

        async def work(tx: Tx) -> None:
            pending = await delivery_store.pending(tx, turn.org_id, turn.endpoint_id)
            self._pending = sum(pending.values())
            self._bag.blocked.update(pending)
            await self._left.look(tx)

        await self.office.database.transact(work)

    # Reading.

    async def _read_on(self) -> None:
        idle_since_s = time.monotonic()
        while not self._is_ending:
            self._news.clear()
            self._room.clear()
            if self._bag.fresh >= self.tempo.room(time.monotonic()):
                await bell(self._room, _LOOK_AGAIN_S)
                continue
            before = self._bag.read_to
            try:
                is_end = await self._read_all()
            except Busy as error:
                self._complain(error)
                is_end = True
            if not self._bag.is_empty:
                idle_since_s = time.monotonic()
            elif time.monotonic() - idle_since_s >= _LINGER_S:
                self.stop()
            if is_end:
                has_come = self._bag.read_to != before
                await bell(self._news, _SOON_S if has_come else _LOOK_AGAIN_S)

    async def _read_all(self) -> bool:
        """Old and new, as far as there is room; whether there is nothing more at present."""
        if self._is_due:
            self._is_due = False
            await self._take_up()
        return self._pending >= PENDING_MAX or await self._read()

    async def _read(self) -> bool:
        """Take the next events of the log into the bag; whether that was all there is."""
        bag, org_id, before = self._bag, self.turn.org_id, self._bag.read_to
        most = min(_READ_AT_ONCE, self.tempo.room(time.monotonic()))
        reading = await self.office.events.read(org_id, before, limit=most)
        # Looked at after that: what is read was there while the endpoint was what it is here.
        if self._has_changed(
            await self.office.database.single(lambda tx: turn_store.look(tx, self.turn))
        ):
            self.stop()
            return True
        wanted = [each for each in self._left.sift(reading) if is_for(self.endpoint, each)]
        free = [each for each in wanted if each.change.object_id not in bag.blocked]
        packed = await pack(self.office, org_id, free, [None] * len(free))
        parcels = {each.event.key: timed(each, self.endpoint, self._now) for each in packed}
        for each in wanted:
            parcel = parcels.get(each.key)
            if parcel is None or each.change.object_id in bag.blocked:
                bag.put_by(self._new_row(each))
                self._pending += 1
            else:
                bag.put(parcel)
        bag.read_to = reading.end
        self._work.set()
        return reading.is_end

    async def _take_up(self) -> None:
        """Take rows into the bag that are to be tried again."""
        bag, org_id, endpoint_id = self._bag, self.turn.org_id, self.turn.endpoint_id
        most = min(_TAKEN_MAX, self.tempo.room(time.monotonic()))
        if bag.taken >= most:
            return
        # What is in hand now may be written meanwhile, and is then not what is read here.
        in_hand = bag.objects_taken()
        now, single = self._now, self.office.database.single
        due = await single(
            lambda tx: delivery_store.due(tx, org_id, endpoint_id, now, limit=most * 2)
        )
        if time.monotonic() - self._counted_s >= _COUNT_EVERY_S:
            self._counted_s = time.monotonic()
            self._pending = await single(lambda tx: delivery_store.count(tx, org_id, endpoint_id))
        rows = [each for each in due if each.key.object_id not in in_hand and bag.can_take(each)]
        found = await self.office.events.find(org_id, [each.key for each in rows])
        known = [each for each in rows if each.key in found]
        parcels = await pack(self.office, org_id, [found[each.key] for each in known], known)
        packed = {parcel.row.id: parcel for parcel in parcels if parcel.row is not None}
        for row in rows:
            if bag.taken >= most:
                break
            if not bag.can_take(row):
                continue
            if row.id in packed:
                bag.take_up(packed[row.id])
            else:
                # A name that is none any more.
                bag.drop(replace(row, status=DeliveryStatus.GIVEN_UP, due_at=None, updated_at=now))
        self._work.set()

    # Sending.

    async def _send_on(self) -> None:
        while not self._is_ending:
            self._work.clear()
            now_s = time.monotonic()
            if self.tempo.rests_long(now_s) and not self._bag.out:
                self.stop()
                return
            most, is_seldom = self.tempo.allow(_SIGNED_AT_ONCE, now_s), self.tempo.is_seldom(now_s)
            parcels = self._bag.next(most, is_seldom=is_seldom) if await self._may_send() else []
            if not parcels:
                await bell(self._work, self.tempo.wait_s(now_s, _LOOK_AGAIN_S))
                continue
            self.tempo.tried(now_s)
            self._room.set()
            going = [each for each in parcels if not self._holds_back(each)]
            if going:
                await self._signers.acquire()
                self._let_go(self._send(going))

    async def _may_send(self) -> bool:
        """Whether it is our turn still, and there is who signs."""
        if self.office.clock.now() >= self.turn.until:
            return False  # until it was held on to again
        good_until = self.signer.good_until
        if good_until is not None and self._now >= good_until:
            try:
                self.signer = await self.office.endpoints.signer(self.endpoint, self._now)
            except Busy as error:
                self._complain(error)
                return False
            except ResourceNotFound:
                self.stop()
                return False
        return True

    def _complain(self, error: Busy) -> None:
        _log.warning("webhooks.busy", endpoint=str(self.endpoint.id), reason=str(error))

    async def _send(self, parcels: Sequence[Parcel]) -> None:
        try:
            real, now = self.office.clock.now(), self._now
            ready = await letters(self.endpoint, self.signer, parcels, now=now, real=real)
        finally:
            self._signers.release()
        for parcel, letter in zip(parcels, ready, strict=True):
            self._let_go(self._carry(parcel, letter))

    def _let_go(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._out.add(task)
        task.add_done_callback(self._came_back)

    async def _carry(self, parcel: Parcel, letter: Letter) -> None:
        at = self._now
        before = parcel.row or self._new_row(parcel.event, at=at)
        if (why_not := unsent(parcel, at)) is not None:
            answers = [why_not]
        else:
            answers = await post(self.office, self.endpoint, parcel, letter)
            if not answers[0].is_ours:
                self.tempo.heard(answers[0].status, time.monotonic())
        tried = tuple(attempt(each, at=at) for each in answers if not each.is_ours)
        row = after(before, tried, now=max(self._now, at))
        count(tried, row, happened_s=parcel.happened_s)
        self._finish(parcel, row)

    def _came_back(self, task: "asyncio.Task[None]") -> None:
        self._out.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._error = error
            self._written.set()

    def _holds_back(self, parcel: Parcel) -> bool:
        """Whether it is to wait for its time, untried; it does then."""
        now = self._now
        if (due_at := held_until(parcel, now)) is None:
            return False
        row = parcel.row or self._new_row(parcel.event, at=now)
        self._finish(parcel, replace(row, due_at=due_at, updated_at=now))
        return True

    def _finish(self, parcel: Parcel, row: Delivery) -> None:
        behind = self._bag.finish(parcel, row)
        is_pending = row.status is DeliveryStatus.PENDING
        self._pending += int(is_pending) - int(parcel.row is not None) + len(behind)
        for each in behind:
            self._bag.put_by(self._new_row(each.event))
        self._work.set()
        if self._bag.unwritten >= _ROWS_AT_ONCE:
            self._written.set()

    def _new_row(self, event: Event, *, at: datetime | None = None) -> Delivery:
        return new_row(self.endpoint, event, self.office.clock, at=at or self._now)

    # Writing.

    async def _write_on(self) -> None:
        placed_s = time.monotonic()
        while True:
            await bell(self._written, _WRITE_EVERY_S)
            self._written.clear()
            if self._error is not None:
                raise self._error
            is_over = self._is_ending and not self._bag.out
            has_moved = self._bag.read_to != self._place_written
            is_time = has_moved and time.monotonic() - placed_s >= _PLACE_EVERY_S
            must_hold = self.turn.until - self.office.clock.now() <= LEASE - _HOLD_EVERY
            if is_over or is_time or must_hold or self._bag.unwritten:
                await self._write()
                placed_s = time.monotonic()
            if self._is_lost:
                return
            if is_over and not self._bag.unwritten:
                await self.office.database.single(lambda tx: turn_store.give_back(tx, self.turn))
                return

    async def _write(self) -> None:
        load, office, now = self._bag.unload(), self.office, self._now
        writing = Writing(
            turn=self.turn,
            endpoint=self.endpoint,
            load=load,
            until=office.clock.now() + LEASE,
            at=now,
            is_flagged=self._is_flagged,
            vault=office.endpoints.vault,
        )
        try:
            await office.partitions.make()
            written = await office.database.transact(lambda tx: writing.write(tx, office.flags))
        except Busy as error:
            self._bag.put_back(load)
            self._complain(error)
            if office.clock.now() >= self.turn.until:
                self._lose()
            return
        if written is None:
            self._lose()
        else:
            self.turn = replace(self.turn, until=writing.until)
            self._place_written = load.read_to
            self._go_on(load, written)

    def _go_on(self, load: Load, written: Written) -> None:
        self._is_flagged = written.is_flagged
        self._bag.was_written(load, checked=written.checked, pending=written.pending)
        if written.pending or load.changed:
            self.ring(is_due=True)
        if self._has_changed(written.standing):
            self.stop()
        elif written.version is not None:
            self.endpoint = replace(self.endpoint, version=written.version)

    def _has_changed(self, standing: Standing | None) -> bool:
        """Whether the endpoint is another than the one that is delivered to, or not ours."""
        return standing != Standing(self.endpoint.version, is_served=True)

    def _lose(self) -> None:
        """Somebody else delivers here by now, or may."""
        self._is_lost = True
        self.stop()
        for each in self._out:
            each.cancel()
