"""Connections to PostgreSQL.

Guarantees:
- Connections carry no session state, so a pooler in transaction mode may be used, and nothing is
  reset when one is released (that query costs a factor of 1.3 over HTTP).
- If the server has become read-only, all connections are replaced: another one is the primary now.
- Every connection has a statement timeout, a lock timeout and a name in pg_stat_activity.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar, cast

import asyncpg

from landbridge.platform.core.errors import LandbridgeError, ReadOnlyServer
from landbridge.platform.db.commit_proofs import CommitAttempt, attempt
from landbridge.platform.db.one_organisation import VIEWS, OneNodeConnection
from landbridge.platform.db.retry import LOST_CONNECTION, retrying
from landbridge.platform.db.servers import Servers
from landbridge.platform.db.session_settings import (
    ONE_NODE_SETTINGS,
    STATEMENT_TIMEOUT_MS,
    Pooler,
    PoolerSettingsMissing,
    check,
    session_settings,
)

T = TypeVar("T")


# asyncpg ships no types. These protocols declare the part of it that we use, in one place.
class Row(Protocol):
    """Row of a result; values are found by column name."""

    def __getitem__(self, column: str, /) -> Any:
        """Return the column's value as asyncpg decodes it."""
        ...

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return the columns with their values."""
        ...


class Cursor(Protocol):
    """A server-side cursor: the rows of a statement, read in parts."""

    async def fetch(self, n: int) -> list[Row]:
        """Return the next rows, at most `n`; an empty list at the end."""
        ...


class Tx(Protocol):
    """A connection, normally in a transaction that its creator commits."""

    async def execute(self, sql: str, *args: Any) -> str:
        """Execute a statement; return the command tag, as in `UPDATE 1`."""
        ...

    async def fetch(self, sql: str, *args: Any) -> list[Row]:
        """Return all rows."""
        ...

    async def fetchrow(self, sql: str, *args: Any) -> Row | None:
        """Return the first row, if any."""
        ...

    async def fetchval(self, sql: str, *args: Any) -> Any:
        """Return the first column of the first row, or None."""
        ...

    def cursor(self, sql: str, *args: Any) -> Awaitable[Cursor]:
        """Open a cursor, which lives as long as the transaction."""
        ...

    def transaction(self) -> AbstractAsyncContextManager[object]:
        """Open a transaction, or a savepoint within one."""
        ...


class Pool(Protocol):
    """A pool of connections."""

    async def fetch(self, sql: str, *args: Any) -> list[Row]:
        """Return all rows of a statement on any connection."""
        ...

    def acquire(self) -> AbstractAsyncContextManager[Tx]:
        """Take a connection from the pool, and return it when the block ends."""
        ...

    async def expire_connections(self) -> None:
        """Replace each connection when it is returned to the pool."""
        ...

    async def close(self) -> None:
        """Wait for connections in use, then close all."""
        ...


class ReadReplica(Protocol):
    """Copy of the database that only accepts reads (replica.py)."""

    async def read(self, primary: "Database", work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work` if the copy has all commits so far; otherwise raise `ReplicaUnavailable`."""
        ...

    async def close(self) -> None:
        """Wait for running statements, then close every connection."""
        ...


class TransactionBound(Protocol):
    """Bound on concurrent transactions, for example those of one organisation."""

    async def acquire(self) -> None:
        """Wait until another transaction may run."""
        ...

    def release(self) -> None:
        """Release the slot of a transaction that has ended."""
        ...


# Bound on the transactions of the current request; None outside of requests.
TRANSACTION_BOUND: ContextVar[TransactionBound | None] = ContextVar(
    "transaction_bound", default=None
)

_IS_READ_ONLY = """
select pg_is_in_recovery() or current_setting('transaction_read_only')::bool as is_read_only
"""
# Comment on a table, written by `landbridge migrate --distribute` (distribution.py).
_IS_DISTRIBUTED = """
select obj_description(to_regclass('transfers'), 'pg_class') = 'distributed by org_id' as yes
"""
# PgBouncer's message for a refused parameter; other poolers do not name it.
_REFUSED = re.compile(r"unsupported startup parameter[^:]*: (\w+)")
# Attempts, in case the server is being restarted.
_CONNECT_ATTEMPTS = 5
_CONNECT_DELAY_S = 0.3


class DatabaseUnreachable(LandbridgeError):
    """No connection is available; the message contains neither the address nor the password."""


class ReplicaUnavailable(LandbridgeError):
    """The replica can't serve the read now; the primary can."""


async def no_reset(_connection: object) -> None:
    """Do nothing: connections carry no session state, so there is nothing to reset."""


class Database:
    """Pool of connections, and the only way to run a transaction."""

    def __init__(self, pool: Pool, replica: ReadReplica | None = None) -> None:
        self._pool = pool
        self._replica = replica
        # True if the rows of organisations are spread over several nodes (docs/guides/citus.md).
        self.is_distributed = False
        # True in a process that reads on a standby: its writes are refused without a retry.
        self.is_standby = False
        self._watching = AsyncExitStack()

    @classmethod
    async def connect(
        cls,
        dsn: str,
        *,
        name: str,
        size_max: int,
        is_patient: bool = False,
        pooler: Pooler | None = None,
        replica: ReadReplica | None = None,
    ) -> "Database":
        """Open a pool of at most `size_max` connections, named `landbridge <name>`.

        `replica` serves `read_on_replica`, and is closed with the pool.

        With `is_patient` statements have no timeout: for commands that read everything, never for
        requests. Raises `DatabaseUnreachable` after a second or two of attempts, and
        `PoolerSettingsMissing` if `dsn` is a pooler's and its role lacks settings.
        """
        for number in range(_CONNECT_ATTEMPTS):
            try:
                servers = Servers(dsn)
                pool, is_distributed = await cls._open(
                    servers, name=name, size_max=size_max, is_patient=is_patient, pooler=pooler
                )
            except ValueError:
                # The error's message quotes the address, so it is not passed on.
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
            else:
                database = cls(pool, replica)
                database.is_distributed = is_distributed
                await database._watching.enter_async_context(servers.watched())
                if pooler is not None:
                    await database._check_sessions()
                return database
        raise AssertionError  # the loop above returns or raises

    @staticmethod
    async def _open(
        servers: Servers, *, name: str, size_max: int, is_patient: bool, pooler: Pooler | None
    ) -> tuple[Pool, bool]:
        """Return the pool, and whether the database is distributed over several nodes."""
        timeout_ms = 0 if is_patient else STATEMENT_TIMEOUT_MS

        async def create(**options: Any) -> Pool:
            pool = await asyncpg.create_pool(  # pyright: ignore[reportUnknownMemberType]  untyped
                min_size=1,
                max_size=size_max,
                connect=servers.connect,
                reset=no_reset,
                # The timeout on the server is shorter, so that its error is raised rather than
                # asyncpg's.
                command_timeout=timeout_ms / 1000 + 5 if timeout_ms else None,
                **options,
            )
            return cast("Pool", pool)

        options = _sessions(name, pooler, is_patient=is_patient)
        pool = await create(**options)
        if not (await pool.fetch(_IS_DISTRIBUTED))[0]["yes"]:
            return pool, False
        connection_class = OneNodeConnection.with_views(await pool.fetch(VIEWS))
        await pool.close()
        options["server_settings"] |= ONE_NODE_SETTINGS
        return await create(connection_class=connection_class, **options), True

    async def _check_sessions(self) -> None:
        try:
            await check(self.rows)
        except PoolerSettingsMissing:
            await self.close()
            raise

    async def close(self) -> None:
        """Wait for running statements, then close every connection."""
        await self._pool.close()
        if self._replica is not None:
            await self._replica.close()
        await self._watching.aclose()

    async def transact(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work` in one transaction, and retry a bounded number of times if it lost a race.

        `work` must be safe to run again from its beginning: it decides from what it reads in this
        transaction and calls nothing outside the database. If the connection is lost during the
        commit, and the proof that `work` set (`platform/db/commit_proofs.py`) shows that it was
        committed, the result of that attempt is returned. `TRANSACTION_BOUND` may make it wait for
        other transactions.
        """
        # Last attempt with a body that ended, but a connection that was lost before the commit was
        # confirmed.
        unanswered: CommitAttempt[T] | None = None

        async def once() -> T:
            nonlocal unanswered
            before = unanswered
            async with self._pool.acquire() as connection:
                if before is not None and await before.is_committed(connection):
                    return before.result
                try:
                    async with connection.transaction():
                        finished = await attempt(connection, work)
                        # The server may have committed the earlier attempt; our locks made us wait
                        # for its end.
                        await finished.check_before(connection, before)
                        unanswered = finished
                except LOST_CONNECTION:
                    raise
                except Exception:
                    if before is not None and await before.is_committed(connection):
                        return before.result
                    raise
                return finished.result

        bound = TRANSACTION_BOUND.get()
        if bound is None:
            return await self._retry(once)
        await bound.acquire()
        try:
            return await self._retry(once)
        finally:
            bound.release()

    async def transact_once(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work` in one transaction without a retry, for work that can't be repeated."""
        async with self._pool.acquire() as connection, connection.transaction():
            return await work(connection)

    async def single(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work`, a single statement and therefore a transaction of its own."""

        async def once() -> T:
            async with self._pool.acquire() as connection:
                return await work(connection)

        return await self._retry(once)

    async def read(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work`, which only reads, on one connection and outside a transaction.

        Each statement sees what was committed before it, as in a read committed transaction, and
        the two round trips for begin and commit are saved.
        """
        return await self.single(work)

    async def read_on_replica(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        """Run `work`, which only reads, on the replica if it has all commits so far.

        Otherwise runs it as `read` does. For lists, reports and files, which cost more than the two
        additional round trips.
        """
        if self._replica is not None:
            with suppress(ReplicaUnavailable):
                return await self._replica.read(self, work)
        return await self.read(work)

    async def _retry(self, once: Callable[[], Awaitable[T]]) -> T:
        """Run `once` with the policy of `platform/db/retry.py`."""
        return await retrying(once, self._replace_connections)

    async def _replace_connections(self) -> None:
        if self.is_standby:
            raise ReadOnlyServer
        await self.replace_connections()

    async def replace_connections(self) -> None:
        """Replace each connection as soon as it is not in use."""
        await self._pool.expire_connections()

    async def rows(self, sql: str, *args: Any) -> list[Row]:
        """Return all rows of one statement, run outside a transaction with retries."""
        return await self._retry(lambda: self._pool.fetch(sql, *args))

    async def is_writable(self) -> bool:
        """Return whether the server accepts writes, and this process may write.

        If it does not, the next statement opens a new connection, and finds the primary if
        `LANDBRIDGE_DATABASE_URL` names several servers or a pooler.
        """
        row = (await self.rows(_IS_READ_ONLY))[0]
        if self.is_standby:
            return False
        if row["is_read_only"]:
            await self.replace_connections()
        return not row["is_read_only"]


def _sessions(name: str, pooler: Pooler | None, *, is_patient: bool) -> dict[str, Any]:
    """Return asyncpg's options for sessions, of a direct connection or through a pooler."""
    settings = {"application_name": f"landbridge {name}"}
    if pooler is None:
        return {"server_settings": settings | session_settings(is_patient=is_patient)}
    options: dict[str, Any] = {"server_settings": settings}
    return options if pooler.keeps_statements else options | {"statement_cache_size": 0}


def _unreachable(error: Exception) -> DatabaseUnreachable:
    """Describe a connection error without the server's message, which may quote names."""
    match error:
        case asyncpg.InvalidAuthorizationSpecificationError():
            reason = "refuses this user or password"
        case asyncpg.InvalidCatalogNameError():
            reason = "server has no database of that name"
        case asyncpg.ProtocolViolationError() if refused := _REFUSED.search(str(error)):
            return DatabaseUnreachable(
                f"The pooler refuses the startup parameter {refused[1]}. Set LANDBRIDGE_POOLER_URL "
                "to its address, and LANDBRIDGE_DATABASE_URL to the server's own."
            )
        case _:
            reason = f"does not answer ({type(error).__name__})"
    return DatabaseUnreachable(
        f"The database {reason}. Does it run, is LANDBRIDGE_DATABASE_URL right?"
    )
