"""List of all users, with live search."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from litestar import Controller, Response, get
from litestar.di import NamedDependency

from landbridge.customers.users.model import UserType
from landbridge.customers.users.service import Users
from landbridge.dashboard.list_queries import PAGE_SIZE, ListQuery, load_list, read_list_query
from landbridge.dashboard.page_visitor import PageRequest
from landbridge.dashboard.rendering import Renderer
from landbridge.dashboard.user_lookup import find_users
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.pagination import PageWindow, parse_moment
from landbridge.platform.http.internal_client import InternalClient
from landbridge.platform.http.list_query import parse_choice
from landbridge.reporting.user_summaries import UserSummaries, UserSummary

_FROZEN = "frozen"


@dataclass(frozen=True, slots=True)
class UserSummaryPage:
    """One page of users; `next_cursor` is None on the last page."""

    summaries: Sequence[UserSummary]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class UserList:
    """Reads the list of users of a visitor's organisation."""

    request: PageRequest
    interface: InternalClient
    users: Users
    user_summaries: UserSummaries

    async def load(self, query: ListQuery, renderer: Renderer) -> UserSummaryPage:
        """Return the users that match; raise `FieldInvalid` for an invalid filter.

        Of the users that a text finds, those that are not frozen are left out afterwards.
        """
        text, flag = query.text("q"), query.text("flag")
        if flag:
            parse_choice("flag", flag, (_FROZEN,))
        if flag and not text:
            ids, cursor = await self._frozen(query)
        else:
            found = await find_users(
                self.interface, text, type_=query.text("type"), cursor=query.cursor
            )
            ids, cursor = [UUID(each["id"]) for each in found.users], found.next_cursor
        cards = await self.users.cards(self.request.user.caller.org_id, ids)
        listed = [cards[each] for each in ids if each in cards]
        kept = [each for each in listed if not flag or each.is_frozen]
        today = renderer.now(self.request).date()
        return UserSummaryPage(await self.user_summaries.of(kept, today), cursor)

    async def _frozen(self, query: ListQuery) -> tuple[Sequence[UUID], str | None]:
        type_ = query.text("type")
        ids = await self.user_summaries.frozen(
            self.request.user.caller.org_id,
            type_=parse_choice("type", type_, UserType) if type_ else None,
            before=_bound(query.cursor),
            limit=PAGE_SIZE,
        )
        if len(ids) < PAGE_SIZE:
            return ids, None
        cards = await self.users.cards(self.request.user.caller.org_id, ids[-1:])
        return ids, cards[ids[-1]].created_at.isoformat()


class UserListPages(Controller):
    """`/dashboard/users`."""

    path = "/users"

    @get("/")
    async def show(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
        users: NamedDependency[Users],
        user_summaries: NamedDependency[UserSummaries],
    ) -> Response[str]:
        """List users that match the search text, the type and the flag, newest first."""
        query = read_list_query(request, "q", "type", "flag")
        reader = UserList(request, interface, users, user_summaries)
        found, filter_error = await load_list(
            reader.load(query, renderer),
            UserSummaryPage([], None),
            inputs={"name": "q", "email": "q", "firstName": "q", "lastName": "q"},
        )
        return renderer.page(
            request,
            "users/list.html",
            summaries=found.summaries,
            list_query=query,
            older=query.older(found.next_cursor),
            filter_error=filter_error,
        )


def _bound(cursor: str | None) -> datetime:
    """Return the moment before which users are listed."""
    if cursor is None:
        return PageWindow(PAGE_SIZE, None, None).position.created_at
    try:
        return parse_moment(cursor)
    except ValueError as error:
        raise FieldInvalid(f"cursor {error}", field="cursor") from None
