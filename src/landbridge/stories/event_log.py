"""The log of events as `GET /v2/events` answers it: where it ends, and what came after a place."""

from dataclasses import dataclass
from typing import Any

import msgspec

from landbridge.stories.client import Client

EVENTS = "/v2/events"
_PAGE = 100


class Page(msgspec.Struct, frozen=True, rename="camel"):
    """Events as they came, so that what is passed on is what was sent."""

    records: list[msgspec.Raw]
    next_cursor: str | None = None


class Heading(msgspec.Struct, frozen=True, rename="camel"):
    """What of an event is looked at here."""

    event_id: str
    event_type: str
    object_id: str
    sequence: int
    created_at: str
    data: Any = None


@dataclass(slots=True)
class Reading:
    """A place in the log, which moves on as pages are read; `patterns` are types of events."""

    client: Client
    patterns: str | None = None
    cursor: str | None = None

    async def go_to_end(self) -> None:
        """Pass over all that there is: from the last event on, since places are not times."""
        newest = await self._page(order="desc", limit=1)
        since = {}
        if newest.records:
            since = {"createdAfter": heading(newest.records[0]).created_at}
        while True:
            before = self.cursor
            page = await self._page(**self._place(), **since, limit=_PAGE)
            self.cursor = page.next_cursor or before
            # A page may be empty because it looked at nothing but events of other types.
            if not page.records and self.cursor == before:
                return

    async def next(self) -> list[bytes]:
        """The events that follow, oldest first; none if there is nothing new."""
        wanted = {} if self.patterns is None else {"eventType": self.patterns}
        page = await self._page(**self._place(), **wanted, limit=_PAGE)
        self.cursor = page.next_cursor or self.cursor
        return [bytes(each) for each in page.records]

    def _place(self) -> dict[str, str]:
        return {} if self.cursor is None else {"cursor": self.cursor}

    async def _page(self, **query: str | int) -> Page:
        return msgspec.json.decode(await self.client.raw(EVENTS, **query), type=Page)


def heading(event: bytes | msgspec.Raw) -> Heading:
    """What an event is called."""
    return msgspec.json.decode(event, type=Heading)
