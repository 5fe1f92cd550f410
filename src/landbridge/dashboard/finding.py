"""Finding users by what somebody types: a part of a name, of an e-mail, or an id.

The interface looks into one field at a time, so each way in which a text can be meant is asked of
it, and the answers are made one list, newest first.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.core.ids import as_uuid
from landbridge.users.errors import UserNotFound
from landbridge.web.inside import Interface

PAGE_SIZE = 25
_QUERY_LENGTH_MAX = 200


@dataclass(frozen=True, slots=True)
class Found:
    """A page of users; `next_cursor` is where to go on, None at the end."""

    users: Sequence[Mapping[str, Any]]
    next_cursor: str | None


async def find_users(interface: Interface, text: str, *, type_: str, cursor: str | None) -> Found:
    """Users that a text means, newest first; all of them if there is no text."""
    text = " ".join(text.split())[:_QUERY_LENGTH_MAX]
    if (user_id := as_uuid(text)) is not None:
        return await _by_id(interface, user_id, type_)
    pages = await asyncio.gather(
        *(
            _page(interface, {"type": type_ or None, **query}, cursor or None)
            for query in _queries(text, type_)
        )
    )
    return _merged(pages)


def _queries(text: str, type_: str) -> Sequence[Mapping[str, str]]:
    """Every way in which the text can be meant."""
    if not text:
        return [{}]
    if "@" in text:
        return [{"email": text}]
    queries: list[dict[str, str]] = [{"email": text}]
    if type_ != "individual":
        queries.append({"businessName": text})
    if type_ != "business":
        queries += [{"firstName": text}, {"lastName": text}]
        words = text.split(" ")
        queries += [
            {"firstName": " ".join(words[:place]), "lastName": " ".join(words[place:])}
            for place in range(1, min(len(words), 4))
        ]
    return queries


async def _page(
    interface: Interface, query: Mapping[str, str | None], cursor: str | None
) -> Mapping[str, Any]:
    """A page of one list; without a cursor where a second look finds that it has ended."""
    page = await interface.get("/v2/users", limit=PAGE_SIZE, cursor=cursor, **query)
    if page["nextCursor"] is None or len(page["users"]) == PAGE_SIZE:
        return page
    more = await interface.get("/v2/users", limit=PAGE_SIZE, cursor=page["nextCursor"], **query)
    users = [*page["users"], *more["users"]][:PAGE_SIZE]
    is_cut = len(page["users"]) + len(more["users"]) > PAGE_SIZE
    return {
        "users": users,
        "nextCursor": users[-1]["createdAt"] if is_cut else more["nextCursor"],
    }


def _merged(pages: Sequence[Mapping[str, Any]]) -> Found:
    """One page of several lists; no further down than the list that has told the least."""
    # A list that may go on has told everything down to its cursor, and nothing below it.
    cursors = [page["nextCursor"] for page in pages if page["nextCursor"] is not None]
    floor = max(map(datetime.fromisoformat, cursors), default=None)
    users = {each["id"]: each for page in pages for each in page["users"]}
    ranked = sorted(users.values(), key=_created_at, reverse=True)
    shown = [each for each in ranked if floor is None or _created_at(each) >= floor][:PAGE_SIZE]
    if floor is None:
        return Found(shown, None)
    is_full = len(shown) == PAGE_SIZE
    return Found(shown, shown[-1]["createdAt"] if is_full else floor.isoformat())


def _created_at(user: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(user["createdAt"])


async def _by_id(interface: Interface, user_id: UUID, type_: str) -> Found:
    try:
        user = await interface.get(f"/v2/users/{user_id}")
    except UserNotFound:
        return Found([], None)
    return Found([user] if type_ in {"", user["type"]} else [], None)
