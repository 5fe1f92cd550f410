"""Connections to PostgreSQL.

Guarantees:
- connections carry no session state, so a pooler in transaction mode may stand in between, and
  nothing is reset when one is given back (that query is worth 1.3x over HTTP);
- every connection has a statement timeout, a lock timeout and a name in pg_stat_activity.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeVar, cast

import asyncpg

from landbridge.core.errors import LandbridgeError
from landbridge.db.proofs import Attempt, attempt
from landbridge.db.retry import LOST_CONNECTION, retrying

T = TypeVar("T")


# asyncpg ships no types; these protocols are what we use of it, and keep that fact in one place.
class Row(Protocol):
    """One row, by column name."""

    def __getitem__(self, column: str, /) -> Any:
        """The column's value as asyncpg decodes it."""
        ...


class Cursor(Protocol):
    """A server-side cursor: the rows of a statement, read in parts."""

    async def fetch(self, n: int) -> list[Row]:
        """Return the next rows, at most `n`; none at the end."""
        ...


class Tx(Protocol):
    """A connection, normally in a transaction that somebody else commits."""

    async def execute(self, sql: str, *args: Any) -> str:
        """Run; answers the command tag, as in `UPDATE 1`."""
        ...

    async def fetch(self, sql: str, *args: Any) -> list[Row]:
        """All rows."""
        ...

    async def fetchrow(self, sql: str, *args: Any) -> Row | None:
        """The first row, if any."""
        ...

    async def fetchval(self, sql: str, *args: Any) -> Any:
        """The first column of the first row, or None."""
        ...

    def cursor(self, sql: str, *args: Any) -> Awaitable[Cursor]:
        """Open a cursor, which lives as long as the transaction."""
        ...

    def transaction(self) -> AbstractAsyncContextManager[object]:
        """A transaction, or a savepoint within one."""
        ...


class _Pool(Protocol):
    async def fetch(self, sql: str, *args: Any) -> list[Row]: ...
    def acquire(self) -> AbstractAsyncContextManager[Tx]: ...
    async def close(self) -> None: ...


# A statement of ours takes milliseconds; one that takes this long is stuck, and the caller's
# client has given up.
STATEMENT_TIMEOUT_MS = 20_000
LOCK_TIMEOUT_MS = 10_000
IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000
_CONNECT_TIMEOUT_S = 10
# A server that is just being started again is waited for.
_CONNECT_ATTEMPTS = 5
_CONNECT_DELAY_S = 0.3


class DatabaseUnreachable(LandbridgeError):
    """There is no connection to be had; the sentence shows neither address nor password."""


async def _no_reset(_connection: object) -> None:
    """Connections carry no state, so there is nothing to reset."""


class Database:
    """A pool and the one way to run a transaction on it."""

    def __init__(self, pool: _Pool) -> None:
        self._pool = pool

    @classmethod
    async def connect(
        cls, dsn: str, *, name: str, size_max: int, is_patient: bool = False
    ) -> "Database":
        """Open a pool of at most `size_max` connections that show up as `landbridge <name>`.

        A patient one lets statements take as long as they need; for commands that read all there
        is, never for requests. Raises `DatabaseUnreachable` after a second or two of trying.
        """
        for number in range(_CONNECT_ATTEMPTS):
            try:
                pool = await cls._open(dsn, name=name, size_max=size_max, is_patient=is_patient)
                return cls(cast("_Pool", pool))
            except ValueError:
                # Its message quotes the address.
                raise DatabaseUnreachable(
                    "The address of the database can't be read: see LANDBRIDGE_DATABASE_URL."
                ) from None
            except TimeoutError as error:
                raise _unreachable(error) from error
            except LOST_CONNECTION as error:
                if number == _CONNECT_ATTEMPTS - 1:
                    raise _unreachable(error) from error
                await asyncio.sleep(_CONNECT_DELAY_S)
            except (asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                raise _unreachable(error) from error
        raise AssertionError  # the loop above returns or raises

    @staticmethod
    async def _open(dsn: str, *, name: str, size_max: int, is_patient: bool) -> object:
        timeout_ms = 0 if is_patient else STATEMENT_TIMEOUT_MS
        return await asyncpg.create_pool(  # pyright: ignore[reportUnknownMemberType]  untyped
            dsn,
            min_size=1,
            max_size=size_max,
            timeout=_CONNECT_TIMEOUT_S,
            reset=_no_reset,
            # The server gives up first, so that its error is the one that is seen.
            command_timeout=timeout_ms / 1000 + 5 if timeout_ms else None,
            server_settings={
                "application_name": f"landbridge {name}",
                "timezone": "UTC",
                "statement_timeout": str(timeout_ms),
                "lock_timeout": str(LOCK_TIMEOUT_MS),
                "idle_in_transaction_session_timeout": str(IDLE_IN_TRANSACTION_TIMEOUT_MS),
                # Compiling a statement costs more than any statement of ours.
                "jit": "off",
                # So does planning one again: each has one good plan, whatever its arrays hold.
                "plan_cache_mode": "force_generic_plan",
                # That plan is kept while tables grow, so it must not be one that was good for a
                # small table: by an index, always (all measured: docs/internals/speed.md).
                "enable_seqscan": "on" if is_patient else "off",
                # Helpers cost more to start than such a statement takes.
                "max_parallel_workers_per_gather": "2" if is_patient else "0",
            },
        )

    async def close(self) -> None:
        """Wait for running statements, then close every connection."""
        await self._pool.close()

    async def transact(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work` in one transaction, again if it lost a race, a bounded number of times.

        `work` must be safe to run again from its beginning: it decides from what it reads in this
        transaction and calls nothing outside the database. If the connection is lost at the commit,
        and `work` left a proof (`db/proofs.py`) that shows it was committed, the result of that
        attempt is returned.
        """
        # The last attempt whose body ended; its connection was lost before the commit's answer.
        lost: Attempt[T] | None = None

        async def once() -> T:
            nonlocal lost
            before = lost
            async with self._pool.acquire() as connection:
                if before is not None and await before.is_committed(connection):
                    return before.result
                try:
                    async with connection.transaction():
                        made = await attempt(connection, work)
                        # The server may have been committing still; our locks waited for its end.
                        await made.check_before(connection, before)
                        lost = made
                except LOST_CONNECTION:
                    raise
                except Exception:
                    if before is not None and await before.is_committed(connection):
                        return before.result
                    raise
                return made.result

        return await self._retry(once)

    async def transact_once(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work` in one transaction and never again: for what can't be repeated."""
        async with self._pool.acquire() as connection, connection.transaction():
            return await work(connection)

    async def single(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work`, which is one statement and therefore a transaction of its own."""

        async def once() -> T:
            async with self._pool.acquire() as connection:
                return await work(connection)

        return await self._retry(once)

    async def _retry(self, once: Callable[[], Awaitable[T]]) -> T:
        """Run `once` as `db/retry.py` says."""
        return await retrying(once)

    async def rows(self, sql: str, *args: Any) -> list[Row]:
        """Read outside a transaction."""
        return await retrying(lambda: self._pool.fetch(sql, *args))


def _unreachable(error: Exception) -> DatabaseUnreachable:
    """What went wrong, in words of ours: the server's own may quote names."""
    match error:
        case asyncpg.InvalidAuthorizationSpecificationError():
            why = "refuses this user or password"
        case asyncpg.InvalidCatalogNameError():
            why = "server has no database of that name"
        case _:
            why = f"does not answer ({type(error).__name__})"
    return DatabaseUnreachable(
        f"The database {why}. Does it run, is LANDBRIDGE_DATABASE_URL right?"
    )
