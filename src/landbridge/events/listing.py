"""Lists of events: page by page, in the order of the log or from its end, with filters.

Guarantees:
- whoever goes on with the cursor of a page, for as long as they like, sees every event exactly
  once, also one whose transaction was committed late;
- a page looks through a bounded stretch of the log: where what is wanted is rare it ends early,
  with a cursor to go on from.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from struct import Struct
from struct import error as StructError  # noqa: N812  a class, whatever its name
from typing import NamedTuple
from uuid import UUID

from landbridge.changes.model import START, Place
from landbridge.changes.service import SPREAD
from landbridge.core.errors import FieldInvalid
from landbridge.events.model import PARTS_MAX, Event
from landbridge.events.names import is_wanted
from landbridge.events.service import Events, Reading

# Changes that one page looks through, and how many of them at a time: some tens of milliseconds.
CHANGES_MAX = 2_000
_BATCH = 200

_TEXT = Struct(">Q16sIB")
_SEQ_MAX = (1 << 31) - 2
_TX_MAX = (1 << 63) - 1


class Position(NamedTuple):
    """A place in a list: at this event of this change. What is wanted is behind or before it."""

    place: Place
    part: int

    @property
    def text(self) -> str:
        """As a cursor.

        Whoever takes it apart finds the number of a transaction, of all that the database had, and
        so how much is written here altogether; of whom and what, it says nothing.
        """
        place = self.place
        packed = _TEXT.pack(place.tx, place.object_id.bytes, place.seq, self.part)
        return urlsafe_b64encode(packed).decode().rstrip("=")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What is wanted; None for whatever there is. `since` is inclusive, `until` exclusive."""

    patterns: Sequence[str] | None = None
    object_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Events in the order asked; `end` is where to go on, None if nothing more can come."""

    events: Sequence[Event]
    end: Position | None


@dataclass(frozen=True, slots=True)
class _Search:
    """What is looked for, in the organisation's own time."""

    org_id: UUID
    filters: Filters
    since: datetime
    until: datetime | None
    limit: int

    def wants(self, event: Event) -> bool:
        at, patterns = event.change.at, self.filters.patterns
        return (
            at >= self.since
            and (self.until is None or at < self.until)
            and (patterns is None or is_wanted(patterns, event.type))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Lists of all organisations' events."""

    events: Events
    changes_max: int = CHANGES_MAX

    async def oldest_first(
        self, org_id: UUID, filters: Filters, after: Position | None, *, limit: int, now: datetime
    ) -> Page:
        """The next events behind a position, or the first that are kept.

        `now` is the organisation's time. There is no end but that of a search with `until`. Raises
        `FieldInvalid` for a position that the log has not reached.
        """
        search = self._search(org_id, filters, limit, now)
        begin = START if after is None else after.place
        if after is not None and after.part < PARTS_MAX - 1:
            begin = begin._replace(seq=begin.seq - 1)
        elif after is None and filters.object_id is None:
            begin = await self.events.place_of(org_id, search.since)
        found: list[Event] = []
        end = after or Position(begin, PARTS_MAX - 1)
        for _ in range(0, self.changes_max, _BATCH):
            reading = await self.events.read(
                org_id, begin, limit=_BATCH, object_id=filters.object_id
            )
            behind = [each for each in reading.events if after is None or _position(each) > after]
            if _take(search, behind, found):
                return Page(found, _position(found[-1]))
            begin = reading.end
            end = max(end, Position(begin, PARTS_MAX - 1))
            if await self._is_over(search, reading, now):
                return Page(found, None)
            if reading.is_end:
                await self._check_known(after)
                break
            if reading.events and reading.events[-1].change.at < search.since:
                # An old cursor: what is not kept any more is passed over.
                begin = max(begin, await self.events.place_of(org_id, search.since))
        return Page(found, end)

    async def newest_first(
        self, org_id: UUID, filters: Filters, before: Position | None, *, limit: int, now: datetime
    ) -> Page:
        """The last events before a position, or before the end of the log."""
        search = self._search(org_id, filters, limit, now)
        if before is not None:
            begin = before.place._replace(seq=before.place.seq + 1)
        elif search.until is None:
            begin = await self.events.end()
        else:
            begin = await self.events.place_behind(org_id, search.until)
        found: list[Event] = []
        for _ in range(0, self.changes_max, _BATCH):
            reading = await self.events.read_back(
                org_id, begin, limit=_BATCH, object_id=filters.object_id
            )
            ahead = [each for each in reading.events if before is None or _position(each) < before]
            if _take(search, ahead, found):
                return Page(found, _position(found[-1]))
            begin = reading.end
            last_at = reading.events[-1].change.at if reading.events else None
            if reading.is_end or (last_at is not None and last_at < search.since - SPREAD):
                return Page(found, None)
        return Page(found, Position(begin, 0))

    async def _check_known(self, after: Position | None) -> None:
        """Refuse a cursor beyond the end of the log: the order of events was numbered anew.

        That is so after some restores of a backup. Nothing would ever be found behind it.
        """
        if after is not None and after.place.tx > (await self.events.end()).tx:
            raise FieldInvalid(
                "cursor is of before the database was restored; begin with createdAfter",
                field="cursor",
            )

    def _search(self, org_id: UUID, filters: Filters, limit: int, now: datetime) -> _Search:
        kept_since = now - self.events.kept
        since = kept_since if filters.since is None else max(filters.since, kept_since)
        return _Search(org_id, filters, since, filters.until, limit)

    async def _is_over(self, search: _Search, reading: Reading, now: datetime) -> bool:
        """Whether all that happened before `until` was read, and is settled."""
        until = search.until
        if until is None:
            return False
        # Taken from what is, because `until` may be the last moment that there is.
        if reading.events and reading.events[-1].change.at - SPREAD >= until:
            return True
        if not reading.is_end or now - SPREAD < until:
            return False
        return await self.events.place_behind(search.org_id, until) <= await self.events.end()


def position(text: str, *, field: str) -> Position:
    """The position that a cursor spells; raises `FieldInvalid`."""
    found = None
    try:
        tx, object_id, seq, part = _TEXT.unpack(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        found = Position(Place(tx, UUID(bytes=object_id), seq), part)
    except (ValueError, StructError):
        pass  # told below
    # Compared, because decoding passes over what is no digit.
    if found is None or found.text != text or _is_beyond(found.place):
        raise FieldInvalid(f"{field} is not the nextCursor of a page", field=field)
    return found


def _is_beyond(place: Place) -> bool:
    """Whether the database has no such numbers."""
    return place.tx > _TX_MAX or place.seq > _SEQ_MAX


def _take(search: _Search, events: Sequence[Event], found: list[Event]) -> bool:
    """Add what is wanted to what was found; whether that is as much as was asked for."""
    for each in events:
        if search.wants(each):
            found.append(each)
            if len(found) == search.limit:
                return True
    return False


def _position(event: Event) -> Position:
    return Position(event.change.place, event.part)
