"""List of all users, with live search."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from litestar import Controller, Response, get
from litestar.di import NamedDependency

from landbridge.customers.users.model import UserType
from landbridge.customers.users.service import Users
from landbridge.customers.verification.model import KycStatus
from landbridge.dashboard.list_queries import PAGE_SIZE, ListQuery, load_list, read_list_query
from landbridge.dashboard.page_request import PageRequest
from landbridge.dashboard.user_lookup import find_users
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.pagination import PageWindow, parse_moment
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
    users: Users
    user_summaries: UserSummaries

    async def load(self, query: ListQuery) -> UserSummaryPage:
        """Return the users that match; raise `FieldInvalid` for an invalid filter.

        Of the users that a text finds, those with another status are left out afterwards.
        """
        text, flag, kyc = query.text("q"), query.text("flag"), query.text("kyc")
        if flag:
            parse_choice("flag", flag, (_FROZEN,))
        status = parse_choice("kyc", kyc, KycStatus) if kyc else None
        if (flag or status) and not text:
            ids, cursor = await self._chosen(query, status)
        else:
            found = await find_users(
                self.request.interface, text, type_=query.text("type"), cursor=query.cursor
            )
            ids, cursor = [each.id for each in found.users], found.next_cursor
        cards = await self.users.cards(self.request.user.caller.org_id, ids)
        listed = [cards[each] for each in ids if each in cards]
        kept = [each for each in listed if not flag or each.is_frozen]
        today = self.request.now().date()
        summaries = await self.user_summaries.of(kept, today)
        return UserSummaryPage([each for each in summaries if _has(each, status)], cursor)

    async def _chosen(
        self, query: ListQuery, status: KycStatus | None
    ) -> tuple[Sequence[UUID], str | None]:
        """Return the ids of users with these filters, and the cursor of the next page."""
        org_id, before = self.request.user.caller.org_id, _bound(query.cursor)
        type_ = parse_choice("type", query.text("type"), UserType) if query.text("type") else None
        if status is not None:
            page = await self.user_summaries.by_status(
                org_id,
                status,
                is_frozen=bool(query.text("flag")),
                type_=type_,
                before=before,
                limit=PAGE_SIZE,
            )
            return page.ids, page.next_before.isoformat() if page.next_before else None
        ids = await self.user_summaries.frozen(org_id, type_=type_, before=before, limit=PAGE_SIZE)
        if len(ids) < PAGE_SIZE:
            return ids, None
        cards = await self.users.cards(org_id, ids[-1:])
        return ids, cards[ids[-1]].created_at.isoformat()


class UserListPages(Controller):
    """`/dashboard/users`."""

    path = "/users"

    @get("/")
    async def show(
        self,
        request: PageRequest,
        users: NamedDependency[Users],
        user_summaries: NamedDependency[UserSummaries],
    ) -> Response[str]:
        """List users that match the search text and the filters, newest first."""
        query = read_list_query(request, "q", "type", "kyc", "flag")
        reader = UserList(request, users, user_summaries)
        found, filter_error = await load_list(
            reader.load(query),
            UserSummaryPage([], None),
            inputs={"name": "q", "email": "q", "firstName": "q", "lastName": "q"},
        )
        return request.page(
            "users/list.html",
            summaries=found.summaries,
            list_query=query,
            older=query.older(found.next_cursor),
            filter_error=filter_error,
            kyc_statuses=list(KycStatus),
        )


def _has(summary: UserSummary, status: KycStatus | None) -> bool:
    return status is None or (summary.kyc_status or KycStatus.INACTIVE) is status


def _bound(cursor: str | None) -> datetime:
    """Return the moment before which users are listed."""
    if cursor is None:
        return PageWindow(PAGE_SIZE, None, None).position.created_at
    try:
        return parse_moment(cursor)
    except ValueError as error:
        raise FieldInvalid(f"cursor {error}", field="cursor") from None
