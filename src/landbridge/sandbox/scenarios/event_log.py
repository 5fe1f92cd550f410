"""Client of `GET /v2/events`: finds the end of the log, and reads events after a cursor."""

from dataclasses import dataclass
from typing import Any

import msgspec

from landbridge.sandbox.scenarios.client import ScenarioClient

EVENTS = "/v2/events"
_PAGE = 100


class EventLogPage(msgspec.Struct, frozen=True, rename="camel"):
    """Events as received, so that they are forwarded unchanged."""

    records: list[msgspec.Raw]
    next_cursor: str | None = None


class EventHeader(msgspec.Struct, frozen=True, rename="camel"):
    """Fields of an event that the client reads."""

    event_id: str
    event_type: str
    object_id: str
    sequence: int
    created_at: str
    data: Any = None


@dataclass(slots=True)
class EventLogCursor:
    """Cursor in the log, advanced page by page; `patterns` are event types."""

    client: ScenarioClient
    patterns: str | None = None
    cursor: str | None = None

    async def go_to_end(self) -> None:
        """Move to the last event. Times cannot do that, since the log is not ordered by time."""
        newest = await self._page(order="desc", limit=1)
        since = {}
        if newest.records:
            since = {"createdAfter": heading(newest.records[0]).created_at}
        while True:
            before = self.cursor
            page = await self._page(**self._cursor_query(), **since, limit=_PAGE)
            self.cursor = page.next_cursor or before
            # A page may be empty because it covered only events of other types.
            if not page.records and self.cursor == before:
                return

    async def next(self) -> list[bytes]:
        """Return the next events, oldest first; none if there is nothing new."""
        filters = {} if self.patterns is None else {"eventType": self.patterns}
        page = await self._page(**self._cursor_query(), **filters, limit=_PAGE)
        self.cursor = page.next_cursor or self.cursor
        return [bytes(each) for each in page.records]

    def _cursor_query(self) -> dict[str, str]:
        return {} if self.cursor is None else {"cursor": self.cursor}

    async def _page(self, **query: str | int) -> EventLogPage:
        return msgspec.json.decode(await self.client.raw(EVENTS, **query), type=EventLogPage)


def heading(event: bytes | msgspec.Raw) -> EventHeader:
    """Return the type and the id of an event."""
    return msgspec.json.decode(event, type=EventHeader)
