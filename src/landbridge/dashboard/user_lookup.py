"""User search by part of a name or e-mail, or by id.

The API filters by one field at a time, so each interpretation of the text is queried, and the
results are merged, newest first.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.customers.users.api import UserPageReply
from landbridge.customers.users.errors import UserNotFound
from landbridge.customers.users.schemas import UserReply
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.http.internal_client import InternalClient

PAGE_SIZE = 25
_QUERY_LENGTH_MAX = 200
_USERS = "/v2/users"


@dataclass(frozen=True, slots=True)
class UserSearchPage:
    """One page of users; `next_cursor` is None on the last page."""

    users: Sequence[UserReply]
    next_cursor: str | None


async def find_users(
    interface: InternalClient, text: str, *, type_: str, cursor: str | None
) -> UserSearchPage:
    """Return users that match a text, newest first; all users for an empty text."""
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


async def find_user_id(interface: InternalClient, text: str) -> str | None:
    """Return the id of the only user with this id, e-mail or name, or part of it.

    For a filter named `user`: None for an empty text. An id is returned as it is.
    """
    if not text:
        return None
    if as_uuid(text) is not None:
        return text
    found = (await find_users(interface, text, type_="", cursor=None)).users
    exact = [each for each in found if text.casefold() in _titles(each)] or found
    if not exact:
        raise FieldInvalid("No user has this name, e-mail or ID.", field="user")
    if len(exact) > 1 and exact[0].email.casefold() == text.casefold():
        raise FieldInvalid("Several users have this e-mail. Enter a user ID.", field="user")
    if len(exact) > 1:
        raise FieldInvalid("Several users match. Enter an e-mail or a user ID.", field="user")
    return str(exact[0].id)


def _titles(user: UserReply) -> tuple[str, str]:
    return user.email.casefold(), user.name.casefold()


def _queries(text: str, type_: str) -> Sequence[Mapping[str, str]]:
    """Return the API filters for each interpretation of the text."""
    if not text:
        return [{}]
    if "@" in text:
        return [{"email": text}]
    queries: list[dict[str, str]] = [{"email": text}]
    if type_ != "individual":
        queries.append({"businessName": text})
    if type_ != "business":
        queries += [{"firstName": text}, {"lastName": text}]
        terms = text.split(" ")
        queries += [
            {"firstName": " ".join(terms[:split_at]), "lastName": " ".join(terms[split_at:])}
            for split_at in range(1, min(len(terms), 4))
        ]
    return queries


async def _page(
    interface: InternalClient, query: Mapping[str, str | None], cursor: str | None
) -> UserPageReply:
    """Return one page of a list, without a cursor if a second request shows that it has ended."""
    page = await interface.read(UserPageReply, _USERS, limit=PAGE_SIZE, cursor=cursor, **query)
    if not page.next_cursor or len(page.users) == PAGE_SIZE:
        return page
    next_page = await interface.read(
        UserPageReply, _USERS, limit=PAGE_SIZE, cursor=page.next_cursor, **query
    )
    found = [*page.users, *next_page.users]
    users = found[:PAGE_SIZE]
    end = users[-1].created_at if len(found) > PAGE_SIZE else next_page.next_cursor
    return UserPageReply(count=len(users), users=users, next_cursor=end)


def _merged(pages: Sequence[UserPageReply]) -> UserSearchPage:
    """Merge pages of several lists, down to the highest of their cursors."""
    # A list with a cursor is complete only down to that cursor.
    cursors = [page.next_cursor for page in pages if page.next_cursor]
    floor = max(map(datetime.fromisoformat, cursors), default=None)
    users = {each.id: each for page in pages for each in page.users}
    ranked = sorted(users.values(), key=_created_at, reverse=True)
    users_of_page = [each for each in ranked if floor is None or _created_at(each) >= floor][
        :PAGE_SIZE
    ]
    if floor is None:
        return UserSearchPage(users_of_page, None)
    is_full = len(users_of_page) == PAGE_SIZE
    return UserSearchPage(
        users_of_page, users_of_page[-1].created_at if is_full else floor.isoformat()
    )


def _created_at(user: UserReply) -> datetime:
    return datetime.fromisoformat(user.created_at)


async def _by_id(interface: InternalClient, user_id: UUID, type_: str) -> UserSearchPage:
    try:
        user = await interface.read(UserReply, f"{_USERS}/{user_id}")
    except UserNotFound:
        return UserSearchPage([], None)
    return UserSearchPage([user] if type_ in {"", user.type} else [], None)
