"""Databases whose connections are lost at the commit: before it arrives, or before its answer.

The real `Database` runs on top, with `platform/db/retry.py` and `platform/db/commit_proofs.py`,
without pauses.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from enum import Enum, auto
from functools import partial
from typing import Any, Final, TypeVar, cast

import asyncpg
from typing_extensions import override

from landbridge.platform.core.errors import Busy
from landbridge.platform.db.pool import Database, ReadReplica, Row, Tx
from landbridge.platform.db.retry import ATTEMPTS, LOST_CONNECTION

T = TypeVar("T")
Work = Callable[[Tx], Awaitable[T]]

_WROTE = "select pg_current_xact_id_if_assigned() is not null"
# Statements that PostgreSQL refuses to run inside a transaction.
_ALONE = ("detach partition",)
_CALLING = frozenset({"tests.returned_payments", "tests.receivables"})


class Loss(Enum):
    """Time at which the connection of a writing transaction is lost."""

    BEFORE = auto()  # before the commit arrives: it is rolled back
    AFTER = auto()  # after the commit, before its answer
    NEXT = auto()  # when the next connection checks for the commit


ONCE: Final = (Loss.AFTER,)
REPEATEDLY: Final = (Loss.BEFORE, Loss.AFTER, Loss.NEXT, Loss.AFTER)
# The last attempt is lost as well: the caller gets 503.
TO_THE_END: Final = (Loss.AFTER, *[Loss.NEXT] * (ATTEMPTS - 1))


def lost() -> asyncpg.PostgresError:
    """Return asyncpg's error for a connection that ends in mid-operation."""
    return asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation")


def _nothing() -> None:
    """Do nothing after a loss."""


class Plan:
    """Selection of the next transactions that lose their connection, and when.

    The first `skips` that write something are answered. With `is_single` only one is lost.
    `after_loss` is called after each loss.
    """

    def __init__(
        self, losses: tuple[Loss, ...], *, skips: int = 0, is_single: bool = False
    ) -> None:
        self.losses = losses
        self.skips = skips
        self.is_single = is_single
        self.after_loss: Callable[[], None] = _nothing
        # Number of transactions that have lost their connection.
        self.hit = 0

    def take(self) -> list[Loss]:
        """Return the losses of a transaction that is about to be committed for the first time."""
        if self.skips:
            self.skips -= 1
            return []
        if self.is_single and self.hit:
            return []
        self.hit += 1
        return list(self.losses)


class _Losing:
    """Connections of one call of `transact` or `single`, one per attempt."""

    def __init__(self, pool: Any, plan: Plan) -> None:
        self._pool = pool
        self._plan = plan
        self._losses: list[Loss] | None = None

    @asynccontextmanager
    async def acquire(self) -> AsyncGenerator[Tx]:
        """Give a connection for the next attempt."""
        if self._losses and self._losses[0] is Loss.NEXT:
            self._lose()
        async with self._pool.acquire() as connection:
            yield cast("Tx", _Connection(connection, self))

    def next_loss(self) -> Loss | None:
        """Return the loss of the next commit; the transaction has written something."""
        if self._losses is None:
            self._losses = self._plan.take()
        return self._losses[0] if self._losses else None

    async def run_alone(self, run: Callable[[], Awaitable[T]]) -> T:
        """Run a statement that can't be undone, and lose the connection before or after it."""
        loss = self.next_loss()
        if loss is Loss.BEFORE:
            self._lose()
        result = await run()
        if loss is not None:
            self._lose()
        return result

    def _lose(self) -> None:
        assert self._losses
        self._losses.pop(0)
        self._plan.after_loss()
        raise lost()

    async def commit(self, connection: Tx, transaction: Any) -> None:
        """Commit, or lose the connection before that, or after it."""
        try:
            loss = self.next_loss() if await connection.fetchval(_WROTE) else None
        except BaseException:
            # If cancelled here it would stay open, and hold up all readers of the change log.
            await transaction.rollback()
            raise
        if loss is Loss.BEFORE:
            await transaction.rollback()
        else:
            await transaction.commit()
        if loss is not None:
            self._lose()


class _Connection:
    """Connection whose transactions are committed by `_Losing`."""

    def __init__(self, inner: Any, losing: _Losing) -> None:
        self._inner = inner
        self._losing = losing
        self._is_open = False

    def transaction(self) -> AbstractAsyncContextManager[object]:
        """Return a transaction, or a savepoint within one."""
        return self._inner.transaction() if self._is_open else self._transaction()

    @asynccontextmanager
    async def _transaction(self) -> AsyncGenerator[None]:
        transaction = self._inner.transaction()
        await transaction.start()
        self._is_open = True
        try:
            yield
        except BaseException:
            await transaction.rollback()
            raise
        finally:
            self._is_open = False
        await self._losing.commit(self._inner, transaction)

    def cursor(self, sql: str, *args: Any) -> Awaitable[Any]:
        """Open a cursor, in a transaction."""
        return self._inner.cursor(sql, *args)

    async def execute(self, sql: str, *args: Any) -> str:
        """Run a statement."""
        return await self._run(self._inner.execute, sql, *args)

    async def fetch(self, sql: str, *args: Any) -> list[Row]:
        """Return all rows."""
        return await self._run(self._inner.fetch, sql, *args)

    async def fetchrow(self, sql: str, *args: Any) -> Row | None:
        """Return the first row."""
        return await self._run(self._inner.fetchrow, sql, *args)

    async def fetchval(self, sql: str, *args: Any) -> Any:
        """Return the first column of the first row."""
        return await self._run(self._inner.fetchval, sql, *args)

    async def _run(self, call: Callable[..., Awaitable[T]], sql: str, *args: Any) -> T:
        """Run a statement; outside a transaction it is one by itself."""
        if self._is_open:
            return await call(sql, *args)
        if any(each in sql for each in _ALONE):
            return await self._losing.run_alone(lambda: call(sql, *args))
        async with self.transaction():
            return await call(sql, *args)


class LostCommits(Database):
    """Database that loses connections at its commits, according to its `plan`.

    Bodies defined in tests run normally, and so does everything without a plan.
    """

    losses: tuple[Loss, ...] = ()

    def __init__(self, pool: Any, replica: ReadReplica | None = None) -> None:
        super().__init__(pool, replica)
        self.plan = Plan(self.losses) if self.losses else None

    @override
    async def transact(self, work: Work[T]) -> T:
        return await self._database(work).transact(work)

    @override
    async def single(self, work: Work[T]) -> T:
        return await self._database(work).single(work)

    def _database(self, work: Work[Any]) -> Database:
        if self.plan is None or _is_of_tests(_module(work)):
            return Database(self._pool)
        return _NoBackoffDatabase(cast("Any", _Losing(self._pool, self.plan)))


class _NoBackoffDatabase(Database):
    """Database that retries without delay; other tasks run in between."""

    @override
    async def _retry(self, once: Callable[[], Awaitable[T]]) -> T:
        async def hasty() -> T:
            for _ in range(ATTEMPTS - 1):
                try:
                    return await once()
                except LOST_CONNECTION:
                    await asyncio.sleep(0)
            try:
                return await once()
            except LOST_CONNECTION as error:
                raise Busy(f"the database did not answer: {type(error).__name__}") from error

        return await super()._retry(hasty)


class LostOnce(LostCommits):
    """Database that commits and loses the answer once per transaction."""

    losses = ONCE


class LostRepeatedly(LostCommits):
    """Each transaction loses several connections in a row."""

    losses = REPEATEDLY


# Modes for existing suites: `pytest --lost-commits=once`.
MODES: Final[dict[str | None, type[Database]]] = {
    None: Database,
    "once": LostOnce,
    "repeatedly": LostRepeatedly,
}


def _is_of_tests(module: str) -> bool:
    """Return whether a body may not run twice; those of `_CALLING` only call services."""
    return module.startswith("tests.") and module not in _CALLING


def _module(work: object) -> str:
    """Return the name of the module that defines a body."""
    while isinstance(work, partial):
        work = cast("partial[object]", work).func
    return str(getattr(work, "__module__", ""))
