"""Shares: several workers divide their work.

Each worker has one more connection, and the others find it by its name in `pg_stat_activity`.
Nothing is written, and PostgreSQL ends the connection of a killed worker. Records and organisations
are divided by the last byte of their ids, which is random.

Guarantees:
- Correctness never depends on shares: workers that take the same record race as before, and one of
  them wins.
- No work stays undone: the share of a worker that ended is taken over within two seconds, of one
  that does not answer within five more, and every worker checks everything at intervals.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import asyncpg
import structlog

from landbridge.platform.core.background_task import running
from landbridge.platform.db.servers import SERVER_TIMEOUT_S, Servers

_log = structlog.stdlib.get_logger()

_NAME: Final = "landbridge worker share"
_CHECK_EVERY_S: Final = 1.0
# A job checks all ids again after this many checks of its part and this many seconds.
_WHOLE_EVERY: Final = 10
_WHOLE_EVERY_S: Final = 30.0
_SILENCE_MAX: Final = timedelta(seconds=5)
# Each worker runs this query every second, so the time of its last query shows that it is alive.
# That time is null if the worker's role may not see it. All workers see the same order.
_WORKERS: Final = """
select a.pid = pg_backend_pid() as is_self, a.query_start
from pg_stat_activity a
where a.datname = current_database() and a.application_name = $1
order by a.pid
"""


@dataclass(frozen=True, slots=True)
class WorkPart:
    """One of `count` equal parts of all ids."""

    index: int
    count: int

    def has(self, each: UUID) -> bool:
        """Return whether an id is in this part."""
        return self.count == 1 or each.bytes[-1] % self.count == self.index


WHOLE: Final = WorkPart(0, 1)


class WorkerShare:
    """Part of the ids that this worker works on: all ids, unless `dividing` keeps it up to date."""

    def __init__(self) -> None:
        self.part = WHOLE
        # By job: number of checks of a part since the last check of everything, and the time of
        # that.
        self._partial_checks: defaultdict[str, int] = defaultdict(int)
        self._whole_s: dict[str, float] = {}

    def next_part(self, job: str) -> WorkPart:
        """Return the part to check now: this worker's own, or at intervals everything."""
        now_s = time.monotonic()
        since_s = now_s - self._whole_s.setdefault(job, now_s)
        if self._partial_checks[job] >= _WHOLE_EVERY and since_s >= _WHOLE_EVERY_S:
            self._partial_checks[job], self._whole_s[job] = 0, now_s
            return WHOLE
        self._partial_checks[job] += 1
        return self.part


@asynccontextmanager
async def dividing(dsn: str, share: WorkerShare) -> AsyncGenerator[None]:
    """Take part in the division of work, and keep `share` up to date.

    `dsn` is the address of the server itself, not of a pooler.
    """
    async with running(_follow(dsn, share)):
        yield


async def _follow(dsn: str, share: WorkerShare) -> None:
    servers = Servers(dsn)
    while True:
        try:
            await _follow_once(servers, share)
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError) as error:
            _log.info("worker.share_lost", reason=type(error).__name__)
        await asyncio.sleep(_CHECK_EVERY_S)


async def _follow_once(servers: Servers, share: WorkerShare) -> None:
    connection: Any = await servers.connect(server_settings={"application_name": _NAME})
    try:
        while True:
            rows = await connection.fetch(_WORKERS, _NAME, timeout=SERVER_TIMEOUT_S)
            part = _part(rows)
            if part != share.part:
                _log.info("worker.share", count=part.count)
                share.part = part
            await asyncio.sleep(_CHECK_EVERY_S)
    finally:
        # The other workers no longer see this one. It may see none of them, so it works on
        # everything.
        share.part = WHOLE
        connection.terminate()


def _part(workers: Sequence[Mapping[str, Any]]) -> WorkPart:
    """Return the part of this worker among those that are alive; everything if it is not listed.

    The server's clock is taken from the time of this worker's own query.
    """
    now = next((each["query_start"] for each in workers if each["is_self"]), None)
    alive = [
        each["is_self"]
        for each in workers
        if now is None or each["query_start"] is None or now - each["query_start"] < _SILENCE_MAX
    ]
    return WorkPart(alive.index(True), len(alive)) if True in alive else WHOLE
