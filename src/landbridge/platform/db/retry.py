"""Bounded retry around every transaction.

Retried are serialization failures, deadlocks, lost connections, and write refusals of a standby, or
of a primary that has become one. Work on a lost connection may have been committed, so only
idempotent work runs with a retry: request ids make creations idempotent, and record versions make
transitions so.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import asyncpg

from landbridge.platform.core.errors import Busy, LockTimeout, ReadOnlyServer

T = TypeVar("T")

ATTEMPTS = 6
_FIRST_DELAY_S = 0.01

# asyncpg raises InternalClientError if a connection ended in the middle of a protocol message.
LOST_CONNECTION = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InternalClientError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.IdleSessionTimeoutError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
)
# The connected server is no longer the primary. Nothing was written.
READ_ONLY = (asyncpg.ReadOnlySQLTransactionError,)
LOST_RACE = (
    asyncpg.SerializationError,
    asyncpg.DeadlockDetectedError,
)
# A timeout is not retried: six attempts would take six times as long.
OUT_OF_TIME = (TimeoutError, asyncpg.QueryCanceledError)
# An operator has to free space; after that the same request can be sent again.
OUT_OF_SPACE = (asyncpg.DiskFullError, asyncpg.OutOfMemoryError)


async def retrying(
    work: Callable[[], Awaitable[T]], on_read_only: Callable[[], Awaitable[None]] | None = None
) -> T:
    """Run `work()` at most six times over about a second; then raise `Busy`.

    `on_read_only` runs after a standby has refused a write, so that the next attempt can use
    another connection. Raises subclasses of `Busy`: `LockTimeout` if the database responds but a
    lock is not free in time, `ReadOnlyServer` if no attempt reached a server that takes writes.
    """
    for attempt in range(ATTEMPTS):
        try:
            return await work()
        except asyncpg.LockNotAvailableError as error:
            raise LockTimeout("another transaction held a lock for too long") from error
        except OUT_OF_TIME as error:
            raise Busy(f"the database took too long: {type(error).__name__}") from error
        except OUT_OF_SPACE as error:
            raise Busy(f"the database has no room: {type(error).__name__}") from error
        except (*LOST_CONNECTION, *LOST_RACE, *READ_ONLY, asyncpg.InterfaceError) as error:
            if isinstance(error, asyncpg.InterfaceError) and "clos" not in str(error):
                raise  # asyncpg was called wrongly; the connection is not closed
            if isinstance(error, READ_ONLY) and on_read_only is not None:
                await on_read_only()
            if attempt == ATTEMPTS - 1 and isinstance(error, READ_ONLY):
                raise ReadOnlyServer from error
            if attempt == ATTEMPTS - 1:
                raise Busy(f"the database did not answer: {type(error).__name__}") from error
            delay_s = _FIRST_DELAY_S * 2**attempt
            await asyncio.sleep(delay_s * (0.5 + random.random()))  # noqa: S311  jitter, no secret
    raise AssertionError  # the loop above returns or raises
