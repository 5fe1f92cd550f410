"""Pagination: page size, bounds and cursor of a list.

Source: contract, lists. `createdAfter` is inclusive, `createdBefore` exclusive, a bare date means
00:00 UTC of that day, and the newest row comes first.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Protocol
from uuid import UUID

LIMIT_DEFAULT = 10
LIMIT_MAX = 100

# Times before and after any record's.
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
END = datetime(9999, 1, 1, tzinfo=UTC)
_LEAST_ID = UUID(int=0)


class ListedRecord(Protocol):
    """Row of a list. Rows of the same time are ordered by their ids."""

    @property
    def id(self) -> UUID:
        """Return its id."""
        ...


class PositionedRow(ListedRecord, Protocol):
    """Row of a list that is ordered by the time of its creation."""

    @property
    def created_at(self) -> datetime:
        """Return the time it is ordered by."""
        ...


@dataclass(frozen=True, slots=True)
class PagePosition:
    """Position in a list ordered newest first: right after the row with this time and id."""

    created_at: datetime
    id: UUID

    def precedes(self, row: PositionedRow) -> bool:
        """Return whether a row comes after the position in the list."""
        return (row.created_at, row.id) < (self.created_at, self.id)


@dataclass(frozen=True, slots=True)
class PositionWindow:
    """The requested part of a list with the newest first that orders rows of one time by id."""

    limit: int
    since: datetime = BEGINNING
    before: PagePosition = PagePosition(END, _LEAST_ID)

    @property
    def bounds(self) -> tuple[datetime, UUID, int]:
        """Return the position and the limit, as statements take them."""
        return self.before.created_at, self.before.id, self.limit


@dataclass(frozen=True, slots=True)
class PageWindow:
    """Requested part of a list; each list decides whether `before` is a cursor or a bound."""

    limit: int
    after: datetime | None
    before: datetime | None

    @property
    def since(self) -> datetime:
        """Return the earliest requested time; `BEGINNING` if there is none."""
        return self.after or BEGINNING

    @property
    def position(self) -> PagePosition:
        """Return the position after which rows are requested, if `before` is a bound."""
        return PagePosition(self.before or END, _LEAST_ID)

    @property
    def positions(self) -> PositionWindow:
        """Return the part, if `before` is a bound."""
        return PositionWindow(self.limit, self.since, self.position)


@dataclass(frozen=True, slots=True)
class QueueWindow:
    """Requested part of a list that is ordered oldest first: the rows behind `after`."""

    limit: int
    after: PagePosition
    before: datetime

    @property
    def bounds(self) -> tuple[datetime, UUID, datetime, int]:
        """Return both ends and the limit, as statements take them."""
        return self.after.created_at, self.after.id, self.before, self.limit


def queue_window(
    limit: int, after: datetime | PagePosition | None = None, before: datetime | None = None
) -> QueueWindow:
    """Return a window of a queue; `after` is the last row of the previous page, or a time."""
    if not isinstance(after, PagePosition):
        after = PagePosition(after or BEGINNING, _LEAST_ID)
    return QueueWindow(limit, after, before or END)


def parse_moment(text: str) -> datetime:
    """Parse a date or an ISO 8601 timestamp with an offset; raises ValueError with a sentence."""
    try:
        # The hyphens distinguish it from a week date of the same length.
        if len(text) == len("2026-01-05") and text[4] == text[7] == "-":
            return datetime.combine(date.fromisoformat(text), datetime.min.time(), tzinfo=UTC)
        # A plus sign that was not percent-encoded in a URL arrives as a space.
        moment = datetime.fromisoformat(text.replace(" ", "+") if "T" in text else text)
        if moment.tzinfo is None:
            raise ValueError(text)  # noqa: TRY301  same sentence as any other wrong form
        return moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(
            "is neither a date, as in 2026-01-31, nor a time with an offset, as in "
            "2026-01-31T12:00:00Z"
        ) from error
