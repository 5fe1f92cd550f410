"""Whatever comes of what, in whatever order: an object's events go one by one, and none is lost."""

from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from landbridge.changes.model import START, Change, Place
from landbridge.core.ids import new_id
from landbridge.events.model import Event
from landbridge.webhooks.delivering.bag import PLACES, PLACES_AGAIN, Bag, Parcel
from landbridge.webhooks.model import PATIENCE, Delivery, DeliveryStatus

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
OBJECTS = [UUID(int=each) for each in range(1, 6)]
PENDING, DELIVERED = DeliveryStatus.PENDING, DeliveryStatus.DELIVERED


def event(object_id: UUID, seq: int, tx: int) -> Event:
    change = Change(
        org_id=OBJECTS[0],
        object_id=object_id,
        seq=seq,
        kind="USER",
        what="update",
        status_before=None,
        status_after=None,
        actor="test",
        facts={},
        at=AT,
        tx=tx,
        picture=None,
    )
    return Event(change, 0, "USER.UPDATE", "USER", "UPDATE", seq)


def row(told: Event, status: DeliveryStatus, *, due: bool) -> Delivery:
    return Delivery(
        org_id=OBJECTS[0],
        id=new_id(),
        day=AT.date(),
        endpoint_id=OBJECTS[0],
        round=1,
        tx=told.change.tx,
        key=told.key,
        event_type=told.type,
        event_at=AT,
        status=status,
        due_at=AT if due else None,
        gives_up_at=AT + PATIENCE,
        attempt_count=1,
        attempts=(),
        created_at=AT,
        updated_at=AT,
    )


def parcel(told: Event, kept: Delivery | None = None) -> Parcel:
    return Parcel(told, b"{}", kept, None)


@dataclass
class World:
    """A log, a bag, and the rows as `writing` leaves them."""

    bag: Bag = field(default_factory=lambda: Bag(START))
    log: dict[tuple[UUID, int], Event] = field(default_factory=dict[tuple[UUID, int], Event])
    rows: dict[UUID, Delivery] = field(default_factory=dict[UUID, Delivery])
    out: list[Parcel] = field(default_factory=list[Parcel])
    finished: defaultdict[UUID, list[int]] = field(default_factory=lambda: defaultdict(list))
    read_to: Place = START

    def read(self, object_id: UUID) -> None:
        seq = 1 + sum(each == object_id for each, _ in self.log)
        told = event(object_id, seq, len(self.log) + 1)
        self.log[object_id, seq] = told
        if object_id in self.bag.blocked:
            self.bag.put_by(row(told, PENDING, due=False))
        else:
            self.bag.put(parcel(told))
        self.bag.read_to = told.change.place

    def send(self) -> None:
        self.out.extend(self.bag.next(3))
        objects = [each.object_id for each in self.out]
        assert len(objects) == len(set(objects))

    def finish(self, *, is_well: bool) -> None:
        each = self.out.pop(0)
        status = DELIVERED if is_well else PENDING
        if is_well:
            self.finished[each.object_id].append(each.event.change.seq)
        kept = each.row or row(each.event, status, due=not is_well)
        kept = replace(kept, status=status, due_at=None if is_well else AT)
        for behind in self.bag.finish(each, kept):
            self.bag.put_by(row(behind.event, PENDING, due=False))

    def take_up(self) -> None:
        due = [each for each in self.rows.values() if each.status is PENDING and each.due_at]
        for each in sorted(due, key=lambda each: each.tx):
            if self.bag.can_take(each):
                self.bag.take_up(parcel(self.log[each.key.object_id, each.key.seq], each))

    def write(self) -> None:
        load = self.bag.unload()
        self.rows.update({each.id: each for each in (*load.new, *load.changed)})
        self.read_to = load.read_to
        keys = {each.key for each in self.rows.values()}
        for told in self.log.values():
            assert told.change.place > self.read_to or told.key in keys
        checked = {each.key.object_id for each in load.changed if each.status is not PENDING} | {
            each.key.object_id for each in load.new if each.status is PENDING and not each.due_at
        }
        pending = {each for each in checked if self.let_go(each)}
        self.bag.was_written(load, checked=checked, pending=pending)

    def let_go(self, object_id: UUID) -> bool:
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
        """Everything goes well from now on."""
        for _ in range(len(self.log) + 1):
            self.send()
            while self.out:
                self.finish(is_well=True)
                self.send()
            self.write()
            self.take_up()


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
                world.take_up()
            case _:
                if world.out:
                    world.finish(is_well=step == "well")
    world.come_to_rest()
    wanted = defaultdict[UUID, list[int]](list)
    for object_id, seq in world.log:
        wanted[object_id].append(seq)
    assert world.finished == wanted
    assert world.bag.is_empty
    assert not world.bag.blocked
    assert world.read_to == world.bag.read_to


def test_old_trouble_leaves_places_to_what_is_new() -> None:
    bag = Bag(START)
    for _ in range(PLACES):
        told = event(new_id(), 1, 1)
        bag.take_up(parcel(told, row(told, PENDING, due=True)))
    for _ in range(PLACES):
        bag.put(parcel(event(new_id(), 1, 2)))
    sent = bag.next(100)
    assert len(sent) == PLACES
    assert sum(each.row is not None for each in sent) == PLACES_AGAIN
    assert bag.next(100) == []


def test_new_and_old_take_turns_however_few_may_go() -> None:
    bag, old, new = Bag(START), [new_id() for _ in range(4)], [new_id() for _ in range(4)]
    for each in old:
        told = event(each, 1, 1)
        bag.take_up(parcel(told, row(told, PENDING, due=True)))
    for each in new:
        bag.put(parcel(event(each, 1, 2)))
    sent = [bag.next(1, is_seldom=True)[0].object_id for _ in range(8)]
    # Of the new ones the newest as often as the oldest.
    wanted = [new[0], old[0], new[3], old[1], new[1], old[2], new[2], old[3]]
    assert sent == wanted


def test_whose_turn_it_is_goes_on_in_the_next_bag() -> None:
    for turn in range(4):
        bag, told = Bag(START, turn), event(new_id(), 1, 1)
        bag.take_up(parcel(told, row(told, PENDING, due=True)))
        bag.put(parcel(event(new_id(), 1, 2)))
        (sent,) = bag.next(1, is_seldom=True)
        assert (sent.row is not None) is (turn % 2 == 1)


def test_what_could_not_be_written_is_written_next_time() -> None:
    bag = Bag(START)
    first, second = event(OBJECTS[0], 1, 5), event(OBJECTS[1], 1, 6)
    for each in (first, second):
        bag.put(parcel(each))
        bag.read_to = each.change.place
    one, other = bag.next(2)
    bag.finish(other, row(second, DELIVERED, due=False))
    load = bag.unload()
    assert load.read_to == Place(5, OBJECTS[0], 0)
    bag.put_back(load)
    bag.finish(one, row(first, DELIVERED, due=False))
    load = bag.unload()
    assert [each.key for each in load.new] == [second.key, first.key]
    assert load.read_to == second.change.place
