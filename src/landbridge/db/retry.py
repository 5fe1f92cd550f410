"""The bounded retry around every transaction.

What is tried again: serialization failures, deadlocks and lost connections. A lost
connection may have committed, so only work that is idempotent runs under this: creations by their
request id, moves by the version they were read at.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import asyncpg

from landbridge.core.errors import Busy, LockTimeout

T = TypeVar("T")

ATTEMPTS = 6
_FIRST_DELAY_S = 0.01

# An InternalClientError is how asyncpg reports a connection that died in mid-protocol.
LOST_CONNECTION = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InternalClientError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
)
LOST_RACE = (
    asyncpg.SerializationError,
    asyncpg.DeadlockDetectedError,
)
# What has used up its whole time is not tried again: that would take six times as long.
OUT_OF_TIME = (TimeoutError, asyncpg.QueryCanceledError)
# Somebody has to make room; until then the same request can be sent again.
OUT_OF_ROOM = (asyncpg.DiskFullError, asyncpg.OutOfMemoryError)


async def retrying(work: Callable[[], Awaitable[T]]) -> T:
    """`work()`, tried at most six times over about a second; then `Busy`.

    Raises `LockTimeout`, a kind of `Busy`, if the database answers but a lock is not free in time.
    """
    for attempt in range(ATTEMPTS):
        try:
            return await work()
        except asyncpg.LockNotAvailableError as error:
            raise LockTimeout("another transaction held a lock for too long") from error
        except OUT_OF_TIME as error:
            raise Busy(f"the database took too long: {type(error).__name__}") from error
        except OUT_OF_ROOM as error:
            raise Busy(f"the database has no room: {type(error).__name__}") from error
        except (*LOST_CONNECTION, *LOST_RACE, asyncpg.InterfaceError) as error:
            if isinstance(error, asyncpg.InterfaceError) and "clos" not in str(error):
                raise  # not a closed connection: a call that asyncpg can't make sense of
            if attempt == ATTEMPTS - 1:
                raise Busy(f"the database did not answer: {type(error).__name__}") from error
            delay_s = _FIRST_DELAY_S * 2**attempt
            await asyncio.sleep(delay_s * (0.5 + random.random()))  # noqa: S311  jitter, no secret
    raise AssertionError  # the loop above returns or raises
