"""Query parameters of lists, parsed in one place: bounds, ids and words."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, Any, TypeVar
from uuid import UUID

from litestar import Request
from litestar.params import QueryParameter

from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import as_uuid
from landbridge.core.pages import LIMIT_DEFAULT, LIMIT_MAX, Window, parse_moment

W = TypeVar("W", bound=str)

AnyRequest = Request[Any, Any, Any]

Limit = Annotated[
    str | None,
    QueryParameter(name="limit", description="Records per page, 1 to 100; 10 if left out."),
]
CreatedBefore = Annotated[
    str | None,
    QueryParameter(
        name="createdBefore",
        description="Only records created before this: a date (00:00 UTC), a time, or the "
        "nextCursor of the page before.",
    ),
]
CreatedAfter = Annotated[
    str | None,
    QueryParameter(
        name="createdAfter", description="Only records created at this date or time, or later."
    ),
]
Cursor = Annotated[
    str | None,
    QueryParameter(name="cursor", description="The nextCursor of the page before."),
]


def provide_window(
    limit: Limit = None,
    created_before: CreatedBefore = None,
    created_after: CreatedAfter = None,
    cursor: Cursor = None,
) -> Window:
    """The part of a list that the query asks for; `cursor` wins over `createdBefore`."""
    bound = _moment("createdBefore", created_before)
    return Window(
        limit=_limit(limit),
        after=_moment("createdAfter", created_after),
        before=_moment("cursor", cursor) or bound,
    )


async def check_query(request: AnyRequest) -> None:
    """Refuse a NUL character, which no text in the database can hold."""
    if b"%00" in request.scope["query_string"]:
        raise FieldInvalid("the query has a NUL character")


def optional_id(name: str, text: str | None) -> UUID | None:
    """A query parameter that is an id, or left out."""
    if text is None:
        return None
    found = as_uuid(text)
    if found is None:
        raise FieldInvalid(f"{name} is not a UUID", field=name)
    return found


def word(name: str, text: str, known: Iterable[W]) -> W:
    """A query parameter that is one of these words."""
    known = tuple(known)
    if text not in known:
        raise FieldInvalid(f"{name} must be one of {', '.join(known)}", field=name)
    return known[known.index(text)]


def words(name: str, texts: Sequence[str] | None, known: Iterable[W]) -> frozenset[W] | None:
    """The words of a parameter, repeated or with commas between them; None if it was left out.

    A blank between two commas is no word.
    """
    if texts is None:
        return None
    known = tuple(known)
    parts = [part.strip() for text in texts for part in text.split(",")]
    return frozenset(word(name, part, known) for part in parts)


def _limit(text: str | None) -> int:
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
