"""Lists of reviews by status: one page of the API, with the filter chosen in the query string."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from msgspec import UnsetType

from landbridge.dashboard.approvals.payment_cards import user_names
from landbridge.dashboard.list_queries import PAGE_SIZE, load_list, read_list_query
from landbridge.dashboard.page_request import PageRequest

_FILTER = "show"


class _PageReply(Protocol):
    @property
    def count(self) -> int: ...

    @property
    def next_cursor(self) -> str | UnsetType: ...


class _OfUser(Protocol):
    @property
    def user_id(self) -> UUID | None: ...


P = TypeVar("P", bound=_PageReply)


async def review_users(request: PageRequest, rows: Iterable[_OfUser]) -> Mapping[str, str]:
    """Return the names of the users of these rows by id; erased users have none."""
    return await user_names(
        request.interface, {str(each.user_id) for each in rows if each.user_id is not None}
    )


@dataclass(frozen=True, slots=True)
class LoadedReviews(Generic[P]):
    """A page, and what every template of a list needs beside it."""

    page: P
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ReviewList(Generic[P]):
    """A list of the API: its route, an empty page, and the statuses of each filter.

    The first filter is the default.
    """

    route: str
    empty: P
    filters: Mapping[str, Sequence[str]]

    async def load(self, request: PageRequest) -> LoadedReviews[P]:
        """Load the requested page."""
        query = read_list_query(request, *([_FILTER] if self.filters else []))
        chosen = query.text(_FILTER)
        status_filter = chosen if chosen in self.filters else next(iter(self.filters), "")
        found, filter_error = await load_list(
            request.interface.read(
                type(self.empty),
                self.route,
                status=self.filters.get(status_filter),
                limit=PAGE_SIZE,
                cursor=query.cursor,
            ),
            self.empty,
        )
        is_full = found.count == PAGE_SIZE
        return LoadedReviews(
            found,
            {
                "list_query": query,
                "status_filter": status_filter,
                "next": query.older(found.next_cursor) if is_full else None,
                "filter_error": filter_error,
            },
        )
