"""For any outcomes in any order, an object's events are sent in order, and none is lost."""

from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from landbridge.developers.events.model import Event
from landbridge.developers.webhooks.delivery.delivery_queue import (
    RETRY_SLOTS,
    SLOTS,
    DeliveryQueue,
    QueuedEvent,
)
from landbridge.developers.webhooks.model import RETRY_WINDOW, Delivery, DeliveryStatus
from landbridge.platform.changes.model import START, Change, LogPosition
from landbridge.platform.core.ids import new_id

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
OBJECTS = [UUID(int=each) for each in range(1, 6)]
PENDING, DELIVERED = DeliveryStatus.PENDING, DeliveryStatus.DELIVERED


def event(object_id: UUID, seq: int, place: int) -> Event:
    change = Change(
        org_id=OBJECTS[0],
        object_id=object_id,
        seq=seq,
        kind="USER",
        change_type="update",
        status_before=None,
        status_after=None,
        actor="test",
        facts={},
        occurred_at=AT,
        place=place,
        snapshot=None,
    )
    return Event(change, 0, "USER.UPDATE", "USER", "UPDATE", seq)


def row(event_: Event, status: DeliveryStatus, *, due: bool) -> Delivery:
    return Delivery(
        org_id=OBJECTS[0],
        id=new_id(),
        day=AT.date(),
        endpoint_id=OBJECTS[0],
        round=1,
        place=event_.change.place,
        key=event_.key,
        event_type=event_.type,
        event_at=AT,
        status=status,
        due_at=AT if due else None,
        deadline_at=AT + RETRY_WINDOW,
        attempt_count=1,
        attempts=(),
        created_at=AT,
        updated_at=AT,
    )


def queued(event_: Event, kept: Delivery | None = None) -> QueuedEvent:
    return QueuedEvent(event_, b"{}", kept, None)


@dataclass
class World:
    """A log, a queue, and the delivery rows as the writer stores them."""

    queue: DeliveryQueue = field(default_factory=lambda: DeliveryQueue(START))
    log: dict[tuple[UUID, int], Event] = field(default_factory=dict[tuple[UUID, int], Event])
    rows: dict[UUID, Delivery] = field(default_factory=dict[UUID, Delivery])
    out: list[QueuedEvent] = field(default_factory=list[QueuedEvent])
    finished: defaultdict[UUID, list[int]] = field(default_factory=lambda: defaultdict(list))
    read_to: LogPosition = START

    def read(self, object_id: UUID) -> None:
        seq = 1 + sum(each == object_id for each, _ in self.log)
        event_ = event(object_id, seq, len(self.log) + 1)
        self.log[object_id, seq] = event_
        if object_id in self.queue.blocked:
            self.queue.defer(row(event_, PENDING, due=False))
        else:
            self.queue.put(queued(event_))
        self.queue.read_to = event_.change.position

    def send(self) -> None:
        self.out.extend(self.queue.next(3))
        objects = [each.object_id for each in self.out]
        assert len(objects) == len(set(objects))

    def finish(self, *, is_well: bool) -> None:
        each = self.out.pop(0)
        status = DELIVERED if is_well else PENDING
        if is_well:
            self.finished[each.object_id].append(each.event.change.seq)
        delivery = each.row or row(each.event, status, due=not is_well)
        delivery = replace(delivery, status=status, due_at=None if is_well else AT)
        for behind in self.queue.finish(each, delivery):
            self.queue.defer(row(behind.event, PENDING, due=False))

    def add_retry(self) -> None:
        due = [each for each in self.rows.values() if each.status is PENDING and each.due_at]
        for each in sorted(due, key=lambda each: each.place):
            if self.queue.can_retry(each):
                self.queue.add_retry(queued(self.log[each.key.object_id, each.key.seq], each))

    def write(self) -> None:
        batch = self.queue.take_batch()
        self.rows.update({each.id: each for each in (*batch.new, *batch.changed)})
        self.read_to = batch.read_to
        keys = {each.key for each in self.rows.values()}
        for event_ in self.log.values():
            assert event_.change.position > self.read_to or event_.key in keys
        checked = {each.key.object_id for each in batch.changed if each.status is not PENDING} | {
            each.key.object_id for each in batch.new if each.status is PENDING and not each.due_at
        }
        pending = {each for each in checked if self.release_waiting(each)}
        self.queue.confirm(batch, checked=checked, pending=pending)

    def release_waiting(self, object_id: UUID) -> bool:
        waiting = [
            each
            for each in self.rows.values()
            if each.key.object_id == object_id and each.status is PENDING
        ]
        if waiting:
            first = min(waiting, key=lambda each: each.key.seq)
            self.rows[first.id] = replace(first, due_at=AT)
        return bool(waiting)

    def come_to_rest(self) -> None:
        """Complete all deliveries successfully from now on."""
        for _ in range(len(self.log) + 1):
            self.send()
            while self.out:
                self.finish(is_well=True)
                self.send()
            self.write()
            self.add_retry()


@given(st.data())
def test_events_of_an_object_go_one_by_one_and_in_order(data: st.DataObject) -> None:
    world = World()
    steps = st.sampled_from(["read", "send", "well", "badly", "write", "take up"])
    for step in data.draw(st.lists(steps, max_size=60)):
        match step:
            case "read":
                world.read(data.draw(st.sampled_from(OBJECTS)))
            case "send":
                world.send()
            case "write":
                world.write()
            case "take up":
                world.add_retry()
            case _:
                if world.out:
                    world.finish(is_well=step == "well")
    world.come_to_rest()
    expected = defaultdict[UUID, list[int]](list)
    for object_id, seq in world.log:
        expected[object_id].append(seq)
    assert world.finished == expected
    assert world.queue.is_empty
    assert not world.queue.blocked
    assert world.read_to == world.queue.read_to


def test_failing_deliveries_leave_slots_for_new_events() -> None:
    queue = DeliveryQueue(START)
    for _ in range(SLOTS):
        event_ = event(new_id(), 1, 1)
        queue.add_retry(queued(event_, row(event_, PENDING, due=True)))
    for _ in range(SLOTS):
        queue.put(queued(event(new_id(), 1, 2)))
    sent = queue.next(100)
    assert len(sent) == SLOTS
    assert sum(each.row is not None for each in sent) == RETRY_SLOTS
    assert queue.next(100) == []


def test_new_and_old_take_turns_however_few_may_go() -> None:
    queue, old, new = (
        DeliveryQueue(START),
        [new_id() for _ in range(4)],
        [new_id() for _ in range(4)],
    )
    for each in old:
        event_ = event(each, 1, 1)
        queue.add_retry(queued(event_, row(event_, PENDING, due=True)))
    for each in new:
        queue.put(queued(event(each, 1, 2)))
    sent = [queue.next(1, is_slow=True)[0].object_id for _ in range(8)]
    # Of the new ones the newest as often as the oldest.
    expected = [new[0], old[0], new[3], old[1], new[1], old[2], new[2], old[3]]
    assert sent == expected


def test_the_turn_continues_in_the_next_queue() -> None:
    for pick_count in range(4):
        queue, event_ = DeliveryQueue(START, pick_count), event(new_id(), 1, 1)
        queue.add_retry(queued(event_, row(event_, PENDING, due=True)))
        queue.put(queued(event(new_id(), 1, 2)))
        (sent,) = queue.next(1, is_slow=True)
        assert (sent.row is not None) is (pick_count % 2 == 1)


def test_unwritten_lines_are_written_next_time() -> None:
    queue = DeliveryQueue(START)
    first, second = event(OBJECTS[0], 1, 5), event(OBJECTS[1], 1, 6)
    for each in (first, second):
        queue.put(queued(each))
        queue.read_to = each.change.position
    one, other = queue.next(2)
    queue.finish(other, row(second, DELIVERED, due=False))
    batch = queue.take_batch()
    assert batch.read_to == LogPosition(5, OBJECTS[0], 0)
    queue.requeue(batch)
    queue.finish(one, row(first, DELIVERED, due=False))
    batch = queue.take_batch()
    assert [each.key for each in batch.new] == [second.key, first.key]
    assert batch.read_to == second.change.position
