"""Query parameters of lists, parsed in one place: bounds, ids and enumerations."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, TypeVar
from uuid import UUID

import msgspec
from litestar import Request

from landbridge.platform.core.choices import case_hint
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.core.pagination import (
    LIMIT_DEFAULT,
    LIMIT_MAX,
    ListedRecord,
    PagePosition,
    PageWindow,
    PositionedRow,
    PositionWindow,
    QueueWindow,
    parse_moment,
    queue_window,
)
from landbridge.platform.http.constraints import (
    DATE_OR_TIME,
    IDENTIFIER,
    integer,
    pattern_schema,
    query,
)

W = TypeVar("W", bound=str)

AnyRequest = Request[Any, Any, Any]


R = TypeVar("R", bound=ListedRecord)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MOMENT_DIGITS, _ID_DIGITS = 16, 32
_HEX = frozenset("0123456789abcdef")
# The first half counts microseconds; its leading zeros keep it within the calendar.
_POSITION_FORM = f"^000[0-3][0-9a-f]{{{_MOMENT_DIGITS + _ID_DIGITS - 4}}}$"

Limit = Annotated[
    str | None,
    query(
        "limit", integer(1, LIMIT_MAX), description="Records per page, 1 to 100; 10 if left out."
    ),
]
CreatedBefore = Annotated[
    str | None,
    query(
        "createdBefore",
        DATE_OR_TIME,
        description="Only records created before this: a date (00:00 UTC), a time, or the "
        "nextCursor of the page before.",
    ),
]
CreatedAfter = Annotated[
    str | None,
    query(
        "createdAfter",
        DATE_OR_TIME,
        description="Only records created at this date or time, or later.",
    ),
]
# Filter for the records of one user.
UserFilter = Annotated[str | None, query("userId", IDENTIFIER)]
Cursor = Annotated[
    str | None,
    query("cursor", DATE_OR_TIME, description="The nextCursor of the page before."),
]

# Cursor of lists that order rows of the same time by id.
PositionCursor = Annotated[
    str | None,
    query(
        "cursor", pattern_schema(_POSITION_FORM), description="The nextCursor of the page before."
    ),
]


def provide_window(
    limit: Limit = None,
    created_before: CreatedBefore = None,
    created_after: CreatedAfter = None,
    cursor: Cursor = None,
) -> PageWindow:
    """Return the requested part of a list; `cursor` takes precedence over `createdBefore`."""
    before = _moment("createdBefore", created_before)
    return PageWindow(
        limit=parse_limit(limit),
        after=_moment("createdAfter", created_after),
        before=_moment("cursor", cursor) or before,
    )


def provide_position_window(
    limit: Limit = None,
    created_before: CreatedBefore = None,
    created_after: CreatedAfter = None,
    cursor: PositionCursor = None,
) -> PositionWindow:
    """Return the requested part of a keyset list; `cursor` wins over `createdBefore`."""
    window = provide_window(limit, created_before, created_after)
    return PositionWindow(window.limit, window.since, parse_position(cursor) or window.position)


def provide_queue_window(
    limit: Limit = None,
    created_before: CreatedBefore = None,
    created_after: CreatedAfter = None,
    cursor: PositionCursor = None,
) -> QueueWindow:
    """Return the requested part of a queue; `cursor` takes precedence over `createdAfter`."""
    after = _moment("createdAfter", created_after)
    return queue_window(
        parse_limit(limit),
        parse_position(cursor) or after,
        _moment("createdBefore", created_before),
    )


def provide_bounds(
    limit: Limit = None, created_before: CreatedBefore = None, created_after: CreatedAfter = None
) -> PageWindow:
    """Return the requested part of a list; its route parses the cursor itself."""
    return provide_window(limit, created_before, created_after)


def window_before(cursor: str | None, bounds: PageWindow) -> PageWindow:
    """Return the part of a list after a cursor that is a time, newest first."""
    try:
        return bounds if cursor is None else replace(bounds, before=parse_moment(cursor))
    except ValueError:
        raise FieldInvalid(
            "cursor is no nextCursor of a list with this sort", field="cursor"
        ) from None


def position_text(position: PagePosition) -> str:
    """Return the cursor that continues after this position."""
    microseconds = (position.created_at - _EPOCH) // _MICROSECOND
    return f"{microseconds:0{_MOMENT_DIGITS}x}{position.id.hex}"


def cursor_after(rows: Sequence[PositionedRow]) -> str | msgspec.UnsetType:
    """Return the cursor that continues after the last of these rows; UNSET if there are no rows."""
    return position_after(rows, lambda row: row.created_at)


def position_after(rows: Sequence[R], time_of: Callable[[R], datetime]) -> str | msgspec.UnsetType:
    """Return the cursor after the last row, ordered by this time; UNSET without rows."""
    if not rows:
        return msgspec.UNSET
    return position_text(PagePosition(time_of(rows[-1]), rows[-1].id))


def parse_position(cursor: str | None) -> PagePosition | None:
    """Parse a cursor of `position_text`; None without one. Raises `FieldInvalid` if malformed."""
    if cursor is None:
        return None
    digits, id_digits = cursor[:_MOMENT_DIGITS], cursor[_MOMENT_DIGITS:]
    if len(cursor) == _MOMENT_DIGITS + _ID_DIGITS and _HEX.issuperset(cursor):
        try:
            at = _EPOCH + int(digits, 16) * _MICROSECOND
        except OverflowError:
            pass
        else:
            return PagePosition(at, UUID(id_digits))
    raise FieldInvalid("cursor is no nextCursor of this list", field="cursor")


async def check_query(request: AnyRequest) -> None:
    """Refuse a query with a NUL character, which texts of the database can't contain."""
    if b"%00" in request.scope["query_string"]:
        raise FieldInvalid("the query has a NUL character")


def required_text(name: str, text: str | None) -> str:
    """Return a required query parameter; raises `FieldInvalid` if it is missing."""
    if text is None:
        raise FieldInvalid(f"{name} is required", field=name)
    return text


def optional_id(name: str, text: str | None) -> UUID | None:
    """Parse a query parameter that is an id; None if it is missing. Raises `FieldInvalid`."""
    if text is None:
        return None
    found = as_uuid(text)
    if found is None:
        raise FieldInvalid(f"{name} is not a UUID", field=name)
    return found


def parse_choice(name: str, text: str, known: Iterable[W]) -> W:
    """Parse a query parameter that is one of `known`; raises `FieldInvalid` for any other."""
    known = tuple(known)
    if text in known:
        return known[known.index(text)]
    # An enumeration may accept earlier names of its values.
    if isinstance(known[0], StrEnum):
        with suppress(ValueError):
            return type(known[0])(text)
    raise FieldInvalid(
        f"{name} must be one of {', '.join(known)}{case_hint(text, known)}", field=name
    )


def parse_choices(
    name: str, texts: Sequence[str] | None, known: Iterable[W]
) -> frozenset[W] | None:
    """Parse the values of a parameter, repeated or separated by commas; None if it is missing.

    An empty value between two commas is ignored.
    """
    if texts is None:
        return None
    known = tuple(known)
    parts = [part.strip() for text in texts for part in text.split(",")]
    return frozenset(parse_choice(name, part, known) for part in parts)


def parse_limit(text: str | None) -> int:
    """Parse the number of records of a page; the default if it is missing.

    Raises `FieldInvalid`.
    """
    if text is None:
        return LIMIT_DEFAULT
    is_short = len(text) <= len(str(LIMIT_MAX))
    if not (is_short and text.isascii() and text.isdigit() and 1 <= int(text) <= LIMIT_MAX):
        raise FieldInvalid(f"limit must be a whole number from 1 to {LIMIT_MAX}", field="limit")
    return int(text)


def _moment(name: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return parse_moment(text)
    except ValueError as error:
        raise FieldInvalid(f"{name} {error}", field=name) from error
