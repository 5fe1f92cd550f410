"""Filters and cursor of list pages, read from the query string."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlencode

from msgspec import UnsetType

from landbridge.dashboard.local_paths import requested_path
from landbridge.dashboard.page_request import PageRequest
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.error_responses import clear_traceback

T = TypeVar("T")

PAGE_SIZE = 25
_CURSOR = "cursor"


@dataclass(frozen=True, slots=True)
class ListQuery:
    """Filters of a list page by name, and its cursor."""

    path: str
    filters: Mapping[str, str]
    cursor: str | None

    def text(self, name: str) -> str:
        """Return a filter's value; an empty string if it is not set."""
        return self.filters.get(name, "")

    def older(self, cursor: str | UnsetType | None) -> str | None:
        """Return the URL of the next page."""
        return self._address({**self.filters, _CURSOR: cursor}) if cursor else None

    def with_filter(self, name: str, value: str, *, drop: Sequence[str] = ()) -> str:
        """Return the URL with this filter and without those of `drop`; "" removes the filter."""
        filters = {each: text for each, text in self.filters.items() if each not in {name, *drop}}
        return self._address(filters | ({name: value} if value else {}))

    @property
    def newest(self) -> str | None:
        """Return the URL of the first page; None on that page."""
        return None if self.cursor is None else self._address(self.filters)

    def _address(self, query: Mapping[str, str]) -> str:
        return f"{self.path}?{urlencode(query)}" if query else self.path


def read_list_query(request: PageRequest, *names: str) -> ListQuery:
    """Return these filters of a request; empty ones are omitted."""
    values = {name: request.query_params.get(name, "").strip() for name in names}
    return ListQuery(
        path=requested_path(request),
        filters={name: value for name, value in values.items() if value},
        cursor=request.query_params.get(_CURSOR) or None,
    )


async def load_list(
    found: Awaitable[T], empty: T, *, inputs: Mapping[str, str] | None = None
) -> tuple[T, FieldInvalid | None]:
    """Return a list and no problem, or `empty` and the problem of an invalid filter.

    `inputs` maps parameters of the API to inputs of the form, where the names differ.
    """
    try:
        return await found, None
    except FieldInvalid as error:
        # Templates keep their values in cycles.
        clear_traceback(error)
        error.field = (inputs or {}).get(error.field or "", error.field)
        return empty, error
