"""Reads on a replica (`LANDBRIDGE_READ_DATABASE_URL`).

Guarantees:
- A read sees every commit that any process had confirmed before the read began: the replica has
  replayed what the primary had written to its log by then.
- If the replica is behind, fails or is gone, the primary is read. Only one read every five seconds
  then tries the replica, and loses a second at most.
- Only a copy of the primary is read: each new connection compares the system identifiers, and each
  read the timelines, because a server that did not follow a promotion may have changes that were
  never committed.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any, Final, NamedTuple, TypeVar, cast

import asyncpg
import structlog
from prometheus_client import Counter

from landbridge.platform.core.errors import Busy
from landbridge.platform.db.pool import Database, Pool, ReplicaUnavailable, Tx, no_reset
from landbridge.platform.db.retry import LOST_CONNECTION, OUT_OF_TIME
from landbridge.platform.db.servers import Servers
from landbridge.platform.db.session_settings import STATEMENT_TIMEOUT_MS, session_settings

_log = structlog.stdlib.get_logger()

T = TypeVar("T")

READS: Final = Counter(
    "landbridge_replica_reads_total", "Reads for the replica, by the server that ran them.", ["by"]
)
# How long a read waits for the replica, and how often it checks the position.
_PATIENCE_S: Final = 0.25
_POLL_S: Final = 0.005
# Seconds for which a replica that was behind or failed is not used.
_PAUSE_S: Final = 5.0
_CONNECT_S: Final = 1.0

# Returns no row on a standby, which does not know how far the primary is. The name of a log file
# begins with the timeline in hexadecimal digits; a promotion begins another timeline.
_TIMELINE_DIGITS: Final = 8
_POSITION: Final = """
select pg_current_wal_flush_lsn()::text as position,
    pg_walfile_name(pg_current_wal_flush_lsn()) as log_file
where not pg_is_in_recovery()
"""
# False on a server that is not a standby, and on one that did not follow a promotion, which may be
# further in the log of the old primary. Once a standby follows, its control file has the new
# timeline from the next restartpoint on.
_HAS_REPLAYED: Final = """
select pg_is_in_recovery()
    and coalesce(pg_last_wal_replay_lsn() >= $1::text::pg_lsn, false)
    and greatest(c.timeline_id, r.min_recovery_end_timeline) = $2
    as has_replayed
from pg_control_checkpoint() c, pg_control_recovery() r
"""
_IDENTIFIER: Final = "select c.system_identifier from pg_control_system() c"


class LogEnd(NamedTuple):
    """Position up to which the primary has written its log, and the timeline of that log."""

    position: str
    timeline: int


class NotAReplica(ConnectionError):
    """The server is not a copy of the primary."""


class Replica:
    """Pool on a replica of the primary; reads wait until the replica has caught up."""

    def __init__(self) -> None:
        self._pool: Pool | None = None
        self._identifier: str | None = None
        self._tried_again_s: float | None = None

    @classmethod
    async def open(cls, dsn: str, *, name: str, size_max: int) -> "Replica":
        """Create a pool of at most `size_max` connections; it connects on first use."""
        replica = cls()
        pool = await asyncpg.create_pool(  # pyright: ignore[reportUnknownMemberType]  untyped
            min_size=0,
            max_size=size_max,
            connect=Servers(dsn, server_timeout_s=_CONNECT_S).connect,
            init=replica._check_identifier,
            reset=no_reset,
            command_timeout=STATEMENT_TIMEOUT_MS / 1000 + 5,
            server_settings={
                "application_name": f"landbridge {name} reads",
                "default_transaction_read_only": "on",
                **session_settings(is_patient=False),
            },
        )
        replica._pool = cast("Pool", pool)
        return replica

    async def close(self) -> None:
        """Wait for running statements, then close every connection."""
        if self._pool is not None:
            await self._pool.close()

    async def read(self, primary: Database, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work`, which only reads, as soon as the replica has every commit so far.

        Raises `ReplicaUnavailable` if `work` has to run on the primary, and `Busy` if one of its
        statements took too long, which it would there too.
        """
        if self._pool is None or self._is_paused():
            raise _unavailable()
        end = await self._end_of_log(primary)
        if end is None:
            raise _unavailable()
        async with AsyncExitStack() as stack:
            try:
                connection = await stack.enter_async_context(self._pool.acquire())
                await _catch_up(connection, end)
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                raise self._failed(error) from error
            try:
                result = await work(connection)
            except OUT_OF_TIME as error:
                raise Busy(f"the replica took too long: {type(error).__name__}") from error
            # Replay ends a read, or closes its connection, if it removes rows that are being read.
            except (
                *LOST_CONNECTION,
                asyncpg.SerializationError,
                asyncpg.InterfaceError,
            ) as error:
                raise self._failed(error) from error
        self._tried_again_s = None
        READS.labels("replica").inc()
        return result

    async def _end_of_log(self, primary: Database) -> LogEnd | None:
        """Return the log position that a read must see; None if `primary` is a standby."""
        if self._identifier is None:
            self._identifier = str((await primary.rows(_IDENTIFIER))[0]["system_identifier"])
        return await _end_of_log(primary)

    def _is_paused(self) -> bool:
        """Return whether the replica failed lately; one read after each pause tries it again."""
        now_s = time.monotonic()
        if self._tried_again_s is None:
            return False
        if now_s < self._tried_again_s:
            return True
        self._tried_again_s = now_s + _PAUSE_S
        return False

    def _failed(self, error: Exception) -> ReplicaUnavailable:
        """Pause the use of the replica, and log the reason."""
        self._tried_again_s = time.monotonic() + _PAUSE_S
        _log.warning("database.replica_unavailable", reason=type(error).__name__)
        return _unavailable()

    async def _check_identifier(self, connection: Tx) -> None:
        """Raise `NotAReplica` if a new connection leads to a copy of another server."""
        if str(await connection.fetchval(_IDENTIFIER)) != self._identifier:
            raise NotAReplica("this server is not a copy of the primary")


async def await_replay(primary: Database, copy: Database, *, patience_s: float) -> None:
    """Return once the copy has replayed every commit so far.

    Raises `ReplicaUnavailable` if that takes longer than `patience_s` seconds.
    """
    end = await _end_of_log(primary)
    deadline_s = time.monotonic() + patience_s
    while end is None or not (await copy.rows(_HAS_REPLAYED, *end))[0]["has_replayed"]:
        if time.monotonic() > deadline_s:
            raise ReplicaUnavailable(
                f"The replica did not have the newest commits within {patience_s:g} seconds."
            )
        await asyncio.sleep(_POLL_S)


async def _end_of_log(primary: Database) -> LogEnd | None:
    rows = await primary.rows(_POSITION)
    if not rows:
        return None
    return LogEnd(rows[0]["position"], int(rows[0]["log_file"][:_TIMELINE_DIGITS], 16))


def _unavailable() -> ReplicaUnavailable:
    READS.labels("primary").inc()
    return ReplicaUnavailable("the replica can't answer now")


async def _catch_up(connection: Tx, end: LogEnd) -> None:
    """Return once the replica has replayed the log up to `end`; raises `TimeoutError` if late."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            while not await connection.fetchval(_HAS_REPLAYED, *end):  # noqa: ASYNC110  the server sends no event
                await asyncio.sleep(_POLL_S)
    except TimeoutError:
        # A server that does not answer would not answer a cancellation either.
        cast("Any", connection).terminate()
        raise
