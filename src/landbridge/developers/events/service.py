"""Events as a view of the change log: their types, payloads and envelopes.

Guarantees:
- An event is derived from a change, so it exists exactly if the change was committed, and is the
  same at each read.
- The order is that of the log (`LogPosition`): nothing ever appears before a position that was
  read, and the events of one object come in their sequence.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.customers.wallets.deposits import WalletDeposits
from landbridge.developers.events.model import Event, EventKey
from landbridge.developers.events.names import events_of, family, makes_deposits
from landbridge.platform.changes import service as log
from landbridge.platform.changes.model import Change, LogPosition
from landbridge.platform.changes.placing import place_changes
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.responses import encode

# Returns the payloads of events of one family, in the order given, as the matching retrieve route
# does: response structs, or None for an object that can no longer be shown. All events belong to
# one organisation.
PayloadBuilder = Callable[[UUID, Sequence[Event]], Awaitable[Sequence[Any]]]


@dataclass(frozen=True, slots=True)
class EventBatch:
    """Events of a stretch of the log; `end` is the position to continue from.

    `is_end` means that there was nothing more to read.
    """

    events: Sequence[Event]
    end: LogPosition
    is_end: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """Events of all organisations; `payload_builders` by family (`names.family`)."""

    database: Database
    clock: Clock
    deposits: WalletDeposits
    payload_builders: Mapping[str, PayloadBuilder]
    retention: timedelta

    async def read(
        self, org_id: UUID, after: LogPosition, *, limit: int, object_id: UUID | None = None
    ) -> EventBatch:
        """Return the events of the next `limit` changes after a position, or of one object."""

        async def read(tx: Tx) -> Sequence[Change]:
            if object_id is None:
                return await log.read(tx, org_id, after, limit=limit)
            return await log.read_object(tx, org_id, object_id, after, limit=limit)

        await place_changes(self.database, [org_id])
        changes = await self.database.single(read)
        return EventBatch(
            events=await self._events(org_id, changes),
            end=changes[-1].position if changes else after,
            is_end=len(changes) < limit,
        )

    async def read_back(
        self, org_id: UUID, before: LogPosition, *, limit: int, object_id: UUID | None = None
    ) -> EventBatch:
        """Return the events of the last `limit` changes before a position, newest first."""

        async def read(tx: Tx) -> Sequence[Change]:
            if object_id is None:
                return await log.read_back(tx, org_id, before, limit=limit)
            return await log.read_object_back(tx, org_id, object_id, before, limit=limit)

        changes = await self.database.single(read)
        events = await self._events(org_id, changes[::-1])
        return EventBatch(
            events=events[::-1],
            end=changes[-1].position if changes else before,
            is_end=len(changes) < limit,
        )

    async def find(self, org_id: UUID, keys: Collection[EventKey]) -> Mapping[EventKey, Event]:
        """Return the existing events among these keys, placed or not, of any age."""
        versions = {(key.object_id, key.seq) for key in keys}
        found = await self.database.single(lambda tx: log.find(tx, org_id, versions))
        events = {each.key: each for each in await self._events(org_id, list(found.values()))}
        return {key: events[key] for key in keys if key in events}

    async def payloads(self, org_id: UUID, events: Sequence[Event]) -> Sequence[bytes]:
        """Return each event's payload: the `data` of its envelope, as JSON."""
        families: dict[str, list[int]] = {}
        for index, event in enumerate(events):
            families.setdefault(family(event), []).append(index)
        payloads: list[bytes] = [b""] * len(events)
        for name, indexes in families.items():
            payload_builders = self.payload_builders.get(name)
            if payload_builders is None:
                raise InvariantBroken(f"no payload builder for events of {name}")
            replies = await payload_builders(org_id, [events[index] for index in indexes])
            for index, each in zip(indexes, replies, strict=True):
                payloads[index] = encode(each)
        return payloads

    async def end(self, org_id: UUID) -> LogPosition:
        """Return the end of the log of an organisation: after everything committed so far."""
        await place_changes(self.database, [org_id])
        return await self.database.single(lambda tx: log.end_of_log(tx, org_id))

    async def position_at(self, org_id: UUID, at: datetime) -> LogPosition:
        """Return a position before everything that happened at or after this organisation time."""
        return await self.database.single(lambda tx: log.position_before(tx, org_id, at))

    async def position_after(self, org_id: UUID, at: datetime) -> LogPosition:
        """Return a position after everything that happened before this organisation time.

        Changes that are committed more than a minute later may be missed.
        """
        await place_changes(self.database, [org_id])
        return await self.database.single(lambda tx: log.position_after(tx, org_id, at))

    async def _events(self, org_id: UUID, changes: Sequence[Change]) -> list[Event]:
        paying = [(each.object_id, each.seq) for each in changes if makes_deposits(each)]
        deposits = await self.deposits.count_by_change(org_id, paying)
        return [
            event
            for each in changes
            for event in events_of(each, deposits=deposits.get((each.object_id, each.seq), 0))
        ]
