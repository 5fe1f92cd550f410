"""Lists of events: paginated and filtered, in log order or newest first.

Guarantees:
- A client that continues with a page's cursor, at any later time, sees every event exactly once,
  including events whose transaction was committed late.
- A page scans a bounded stretch of the log. Where matches are rare it ends early, with a cursor to
  continue from.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from struct import Struct
from struct import error as StructError  # noqa: N812  a class, whatever its name
from typing import NamedTuple
from uuid import UUID

from landbridge.developers.events.model import PARTS_MAX, Event
from landbridge.developers.events.names import matches_any
from landbridge.developers.events.service import EventBatch, Events
from landbridge.platform.changes.model import START, UNPLACED, LogPosition
from landbridge.platform.changes.service import SPREAD
from landbridge.platform.core.errors import FieldInvalid

# Changes that one page scans, and the size of each batch: some tens of milliseconds.
CHANGES_MAX = 2_000
_BATCH = 200

_TEXT = Struct(">Q16sIB")
_SEQ_MAX = (1 << 31) - 2
# Base 64 of the 29 bytes. A well-formed position without an event finds nothing.
CURSOR_FORM = "^[A-Za-z0-9_-]{39}$"


class EventPosition(NamedTuple):
    """Position in a list: one event of one change. Results lie after it or before it."""

    log_position: LogPosition
    part: int

    @property
    def text(self) -> str:
        """Encode the position as a cursor.

        A decoded cursor reveals how many batches of changes the organisation has, and no other.
        """
        log_position = self.log_position
        packed = _TEXT.pack(
            log_position.place, log_position.object_id.bytes, log_position.seq, self.part
        )
        return urlsafe_b64encode(packed).decode().rstrip("=")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilters:
    """Filters of a list; None matches everything. `since` is inclusive, `until` exclusive."""

    patterns: Sequence[str] | None = None
    object_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class EventListPage:
    """Events in the requested order; `end` is the next cursor, None if nothing more can follow."""

    events: Sequence[Event]
    end: EventPosition | None


@dataclass(frozen=True, slots=True)
class _EventQuery:
    """Search criteria, in the organisation's own time."""

    org_id: UUID
    filters: EventFilters
    since: datetime
    until: datetime | None
    limit: int

    def wants(self, event: Event) -> bool:
        at, patterns = event.change.occurred_at, self.filters.patterns
        return (
            at >= self.since
            and (self.until is None or at < self.until)
            and (patterns is None or matches_any(patterns, event.type))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EventListing:
    """Lists of all organisations' events."""

    events: Events
    changes_max: int = CHANGES_MAX

    async def oldest_first(
        self,
        org_id: UUID,
        filters: EventFilters,
        after: EventPosition | None,
        *,
        limit: int,
        now: datetime,
    ) -> EventListPage:
        """Return the next events after a position, or the oldest retained ones.

        `now` is the organisation's time. Only a search with `until` ever ends. Raises
        `FieldInvalid` for a position that the log has not reached.
        """
        search = self._search(org_id, filters, limit, now)
        begin = START if after is None else after.log_position
        if after is not None and after.part < PARTS_MAX - 1:
            begin = begin._replace(seq=begin.seq - 1)
        elif after is None and filters.object_id is None:
            begin = await self.events.position_at(org_id, search.since)
        found: list[Event] = []
        end = after or EventPosition(begin, PARTS_MAX - 1)
        for _ in range(0, self.changes_max, _BATCH):
            batch = await self.events.read(org_id, begin, limit=_BATCH, object_id=filters.object_id)
            later = [each for each in batch.events if after is None or _position(each) > after]
            if _take(search, later, found):
                return EventListPage(found, _position(found[-1]))
            begin = batch.end
            end = max(end, EventPosition(begin, PARTS_MAX - 1))
            if await self._is_over(search, batch, now):
                return EventListPage(found, None)
            if batch.is_end:
                await self._check_known(org_id, after)
                break
            if batch.events and batch.events[-1].change.occurred_at < search.since:
                # An old cursor skips events that are no longer retained.
                begin = max(begin, await self.events.position_at(org_id, search.since))
        return EventListPage(found, end)

    async def newest_first(
        self,
        org_id: UUID,
        filters: EventFilters,
        before: EventPosition | None,
        *,
        limit: int,
        now: datetime,
    ) -> EventListPage:
        """Return the latest events before a position, or before the end of the log."""
        search = self._search(org_id, filters, limit, now)
        if before is not None:
            begin = before.log_position._replace(seq=before.log_position.seq + 1)
        elif search.until is None:
            begin = await self.events.end(org_id)
        else:
            begin = await self.events.position_after(org_id, search.until)
        found: list[Event] = []
        for _ in range(0, self.changes_max, _BATCH):
            batch = await self.events.read_back(
                org_id, begin, limit=_BATCH, object_id=filters.object_id
            )
            ahead = [each for each in batch.events if before is None or _position(each) < before]
            if _take(search, ahead, found):
                return EventListPage(found, _position(found[-1]))
            begin = batch.end
            last_at = batch.events[-1].change.occurred_at if batch.events else None
            if batch.is_end or (last_at is not None and last_at < search.since - SPREAD):
                return EventListPage(found, None)
        return EventListPage(found, EventPosition(begin, 0))

    async def _check_known(self, org_id: UUID, after: EventPosition | None) -> None:
        """Reject a cursor beyond the end of the log, which a restored backup does not reach.

        Such a cursor would skip what happens next.
        """
        if after is not None and after.log_position > await self.events.end(org_id):
            raise FieldInvalid(
                "cursor is of before the database was restored; begin with createdAfter",
                field="cursor",
            )

    def _search(
        self, org_id: UUID, filters: EventFilters, limit: int, now: datetime
    ) -> _EventQuery:
        retained_since = now - self.events.retention
        since = retained_since if filters.since is None else max(filters.since, retained_since)
        return _EventQuery(org_id, filters, since, filters.until, limit)

    async def _is_over(self, search: _EventQuery, batch: EventBatch, now: datetime) -> bool:
        """Return whether everything before `until` was read and is committed."""
        until = search.until
        if until is None:
            return False
        # Subtracted from the present, because `until` may be the greatest representable time.
        if batch.events and batch.events[-1].change.occurred_at - SPREAD >= until:
            return True
        if not batch.is_end or now - SPREAD < until:
            return False
        return await self.events.position_after(search.org_id, until) <= await self.events.end(
            search.org_id
        )


def position(text: str, *, field: str) -> EventPosition:
    """Decode a cursor; raises `FieldInvalid`."""
    found = None
    try:
        place, object_id, seq, part = _TEXT.unpack(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        found = EventPosition(LogPosition(place, UUID(bytes=object_id), seq), part)
    except (ValueError, StructError):
        pass  # reported below
    # Compared with the re-encoded text, because decoding ignores invalid characters.
    if found is None or found.text != text or _is_beyond(found.log_position):
        raise FieldInvalid(f"{field} is not the nextCursor of a page", field=field)
    return found


def _is_beyond(log_position: LogPosition) -> bool:
    """Return whether the numbers exceed what the database can hold."""
    return log_position.place > UNPLACED or log_position.seq > _SEQ_MAX


def _take(search: _EventQuery, events: Sequence[Event], found: list[Event]) -> bool:
    """Add matching events to the results; return whether the page is full."""
    for each in events:
        if search.wants(each):
            found.append(each)
            if len(found) == search.limit:
                return True
    return False


def _position(event: Event) -> EventPosition:
    return EventPosition(event.change.position, event.part)
