"""Lists and their filters: what stands behind the question mark of a page, and where it goes on."""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from landbridge.core.errors import FieldInvalid
from landbridge.dashboard.visitors import PageRequest

PAGE_SIZE = 25
_CURSOR = "cursor"


@dataclass(frozen=True, slots=True)
class Asked:
    """The filters of a list that were told, by name, and where its page begins."""

    path: str
    filters: Mapping[str, str]
    cursor: str | None

    def text(self, name: str) -> str:
        """What a filter was set to; nothing where it was not."""
        return self.filters.get(name, "")

    def older(self, cursor: str | None) -> str | None:
        """The address of the page after this one."""
        return None if cursor is None else self._address({**self.filters, _CURSOR: cursor})

    @property
    def newest(self) -> str | None:
        """The address of the first page; None on that page."""
        return None if self.cursor is None else self._address(self.filters)

    def _address(self, query: Mapping[str, str]) -> str:
        return f"{self.path}?{urlencode(query)}" if query else self.path


def asked(request: PageRequest, *names: str) -> Asked:
    """These filters of an address; empty ones were left out by a form."""
    told = {name: request.query_params.get(name, "").strip() for name in names}
    return Asked(
        path=request.url.path,
        filters={name: value for name, value in told.items() if value},
        cursor=request.query_params.get(_CURSOR) or None,
    )


async def listed(found: Awaitable[Any], empty: Mapping[str, Any]) -> tuple[Any, str | None]:
    """A list, and what is wrong with its filters; `empty` is the list if anything is."""
    try:
        return await found, None
    except FieldInvalid as error:
        return empty, error.message
