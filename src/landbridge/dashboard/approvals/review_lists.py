"""Lists of reviews by status: one page of the API, with the filter chosen in the query string."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from landbridge.dashboard.list_queries import PAGE_SIZE, load_list, read_list_query
from landbridge.dashboard.page_visitor import PageRequest
from landbridge.platform.http.internal_client import InternalClient

_FILTER = "show"


@dataclass(frozen=True, slots=True)
class LoadedReviews:
    """Rows of a page, and what every template of a list needs beside them."""

    rows: Sequence[Any]
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ReviewList:
    """A list of the API: its route, and the statuses of each filter, the default first.

    `member` is the list's field in the response.
    """

    route: str
    filters: Mapping[str, Sequence[str]]
    member: str = "reviews"

    async def load(self, request: PageRequest, interface: InternalClient) -> LoadedReviews:
        """Load the requested page."""
        query = read_list_query(request, *([_FILTER] if self.filters else []))
        chosen = query.text(_FILTER)
        status_filter = chosen if chosen in self.filters else next(iter(self.filters), "")
        found, filter_error = await load_list(
            interface.get(
                self.route,
                status=self.filters.get(status_filter),
                limit=PAGE_SIZE,
                cursor=query.cursor,
            ),
            {self.member: [], "count": 0},
        )
        is_full = found["count"] == PAGE_SIZE
        return LoadedReviews(
            rows=found[self.member],
            values={
                "list_query": query,
                "status_filter": status_filter,
                "next": query.older(found.get("nextCursor")) if is_full else None,
                "filter_error": filter_error,
            },
        )
