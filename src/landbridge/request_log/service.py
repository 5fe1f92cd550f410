"""The last requests of each organisation, for the people who integrate.

Written each second, so a process that is killed loses what it heard in the last one; one that ends
by itself loses nothing. The log is a convenience: what the database does not take is left out,
which stands in the process's own log, and no request fails or waits for it.
"""

import asyncio
from collections.abc import AsyncGenerator, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import structlog

from landbridge.core.bells import bell
from landbridge.core.clock import Clock
from landbridge.core.errors import Busy, ResourceNotFound
from landbridge.core.ids import new_id
from landbridge.core.pages import Window
from landbridge.db.pool import Database
from landbridge.request_log import store
from landbridge.request_log.listening import Bounds, Listener, Share
from landbridge.request_log.model import Filters, Heard, Line, Page
from landbridge.request_log.redaction import bare, told

_log = structlog.stdlib.get_logger()

_FLUSH_EVERY_S = 1.0
# Rows of one transaction.
_ROWS_MAX = 100
# Bodies between which others get their turn: a few tenths of a millisecond each.
_BODIES_AT_ONCE = 4
# Of the newest lines, for one page of a search.
LOOKED_AT_MAX = 10_000
SWEEP_MAX = 1_000
UNKNOWN = "there is no such request in the log"


class RequestLog:
    """What was asked, and what was answered; `kept` is for how long, nothing at all if zero."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        kept: timedelta,
        bounds: Bounds = Bounds(),  # noqa: B008  frozen
        looked_at_max: int = LOOKED_AT_MAX,
    ) -> None:
        self._database = database
        self._clock = clock
        self._kept = kept
        self._looked_at_max = looked_at_max
        self._flushing = asyncio.Lock()
        self.listener = Listener(clock, bounds)

    @property
    def is_on(self) -> bool:
        """Whether requests are kept."""
        return bool(self._kept)

    async def page(self, org_id: UUID, filters: Filters, window: Window) -> Page:
        """Lines, newest first. A search through very many may end a page early."""
        lines = await self._database.single(
            lambda tx: store.page(tx, org_id, filters, window, looked_at_max=self._looked_at_max)
        )
        if len(lines) == window.limit:
            return Page(lines, lines[-1].at)
        end = await self._database.single(
            lambda tx: store.end(tx, org_id, window, looked_at_max=self._looked_at_max)
        )
        return Page(lines, end)

    async def get(self, org_id: UUID, x_request_id: str) -> Line:
        """The newest line of this request id; raises `ResourceNotFound`."""
        found = await self._database.single(lambda tx: store.find(tx, org_id, x_request_id))
        if found is None:
            raise ResourceNotFound(UNKNOWN)
        return found

    async def flush(self) -> None:
        """Write what was heard so far; what can't be written is left out.

        Also what another call has taken already: whoever flushes waits for it.
        """
        async with self._flushing:
            await self._write(self.listener.take())

    async def _write(self, heard: Mapping[UUID, Share]) -> None:
        lines: list[Line] = []
        for share in heard.values():
            kept = [line async for line in _redacted(share.lines)]
            if kept:
                kept[-1] = replace(kept[-1], left_out=share.left_out)
            lines += kept
        try:
            for part in _parts(lines):
                await self._database.single(lambda tx, part=part: store.add(tx, part))
        except Busy as error:
            _log.warning("request_log.left_out", count=len(lines), reason=str(error))

    @asynccontextmanager
    async def flushing(self, *, every_s: float = _FLUSH_EVERY_S) -> AsyncGenerator[None]:
        """Write now and then, and once more at the end."""
        stop = asyncio.Event()

        async def flush() -> None:
            while not stop.is_set():
                await bell(stop, every_s)
                try:
                    await self.flush()
                except Exception as error:  # noqa: BLE001  one failure must not end the rest
                    _log.error("request_log.failed", exc_info=error)

        task = asyncio.create_task(flush())
        try:
            yield
        finally:
            # Not cancelled: what it has just taken would be lost.
            stop.set()
            await task
            await self.flush()

    async def sweep(self, org_ids: Collection[UUID], *, limit: int = SWEEP_MAX) -> bool:
        """Remove what is older than it is kept; whether there may be more."""
        until = self._clock.now() - self._kept
        swept = await self._database.single(
            lambda tx: store.sweep(tx, list(org_ids), until, limit=limit)
        )
        return swept == limit


async def _redacted(lines: Sequence[Heard]) -> AsyncGenerator[Line]:
    """The lines without anything personal, a few at a time."""
    for place, heard in enumerate(lines):
        if place % _BODIES_AT_ONCE == 0:
            await asyncio.sleep(0)
        yield _line(heard)


def _line(heard: Heard) -> Line:
    try:
        kept = told(heard)
    except Exception as error:  # noqa: BLE001  one request must not hide those of others
        _log.error("request_log.unread", route=heard.route, exc_info=error)
        kept = bare(heard)
    return Line(
        org_id=heard.org_id,
        id=new_id(),
        at=heard.at,
        x_request_id=heard.x_request_id,
        request_id=UUID(kept.request_id) if kept.request_id else None,
        method=heard.method,
        route=heard.route,
        path=kept.path,
        query=kept.query,
        status=heard.status,
        took=heard.took,
        key_id=heard.key_id,
        request_body=kept.request_body,
        answer_body=kept.answer_body,
        left_out=0,
    )


def _parts(lines: Sequence[Line]) -> Iterator[Sequence[Line]]:
    for start in range(0, len(lines), _ROWS_MAX):
        yield lines[start : start + _ROWS_MAX]
