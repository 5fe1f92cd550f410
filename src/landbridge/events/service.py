"""Events as they are read from the log: which there are, what they show, how they look.

Guarantees:
- an event is a reading of a change, so there is one exactly if the change was committed, and it is
  the same whenever it is read;
- the order is that of the log (`changes.Place`): nothing ever comes up behind a place that was
  read, and the events of one object come in their sequence.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.changes import service as log
from landbridge.changes.model import Change, Place
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken
from landbridge.db.pool import Database, Tx
from landbridge.events.model import Event, EventKey
from landbridge.events.names import events_of, family, makes_deposits
from landbridge.wallets.deposits import Deposits
from landbridge.web.reply import encode

# What events of one family show, in the order asked, as the matching retrieve answers it: structs
# of the wire, or None for an object of which nothing can be shown any more. All of one
# organisation.
Portraits = Callable[[UUID, Sequence[Event]], Awaitable[Sequence[Any]]]


@dataclass(frozen=True, slots=True)
class Reading:
    """The events of a stretch of the log; `end` is where to go on.

    `is_end` says that there was nothing more to read.
    """

    events: Sequence[Event]
    end: Place
    is_end: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """Events of all organisations; `portraits` by family (`names.family`)."""

    database: Database
    clock: Clock
    deposits: Deposits
    portraits: Mapping[str, Portraits]
    kept: timedelta

    async def read(
        self, org_id: UUID, after: Place, *, limit: int, object_id: UUID | None = None
    ) -> Reading:
        """The events of the next `limit` changes behind a place; with an id, of that object's."""

        async def read(tx: Tx) -> Sequence[Change]:
            if object_id is None:
                return await log.read(tx, org_id, after, limit=limit)
            return await log.read_object(tx, org_id, object_id, after, limit=limit)

        changes = await self.database.single(read)
        return Reading(
            events=await self._events(org_id, changes),
            end=changes[-1].place if changes else after,
            is_end=len(changes) < limit,
        )

    async def read_back(
        self, org_id: UUID, before: Place, *, limit: int, object_id: UUID | None = None
    ) -> Reading:
        """The events of the last `limit` changes before a place, newest first; as `read` does."""

        async def read(tx: Tx) -> Sequence[Change]:
            if object_id is None:
                return await log.read_back(tx, org_id, before, limit=limit)
            return await log.read_object_back(tx, org_id, object_id, before, limit=limit)

        changes = await self.database.single(read)
        events = await self._events(org_id, changes[::-1])
        return Reading(
            events=events[::-1],
            end=changes[-1].place if changes else before,
            is_end=len(changes) < limit,
        )

    async def find(self, org_id: UUID, keys: Collection[EventKey]) -> Mapping[EventKey, Event]:
        """Those of these events that there are; settled or not, however old."""
        wanted = {(key.object_id, key.seq) for key in keys}
        found = await self.database.single(lambda tx: log.find(tx, org_id, wanted))
        events = {each.key: each for each in await self._events(org_id, list(found.values()))}
        return {key: events[key] for key in keys if key in events}

    async def shown(self, org_id: UUID, events: Sequence[Event]) -> Sequence[bytes]:
        """What each event shows: the `data` of its envelope, as JSON."""
        families: dict[str, list[int]] = {}
        for place, event in enumerate(events):
            families.setdefault(family(event), []).append(place)
        shown: list[bytes] = [b""] * len(events)
        for name, places in families.items():
            portraits = self.portraits.get(name)
            if portraits is None:
                raise Broken(f"nobody knows how to show events of {name}")
            drawn = await portraits(org_id, [events[place] for place in places])
            for place, each in zip(places, drawn, strict=True):
                shown[place] = encode(each)
        return shown

    async def end(self) -> Place:
        """The end of every organisation's log: behind all that can be read now."""
        return await self.database.single(log.end_of_log)

    async def place_of(self, org_id: UUID, at: datetime) -> Place:
        """A place before everything that happened at this moment of the organisation or later."""
        return await self.database.single(lambda tx: log.place_before(tx, org_id, at))

    async def place_behind(self, org_id: UUID, at: datetime) -> Place:
        """A place behind what had happened before this moment of the organisation.

        But for what is not settled a minute later.
        """
        return await self.database.single(lambda tx: log.place_behind(tx, org_id, at))

    async def _events(self, org_id: UUID, changes: Sequence[Change]) -> list[Event]:
        paying = [(each.object_id, each.seq) for each in changes if makes_deposits(each)]
        deposits = await self.deposits.count_made(org_id, paying)
        return [
            event
            for each in changes
            for event in events_of(each, deposits=deposits.get((each.object_id, each.seq), 0))
        ]
