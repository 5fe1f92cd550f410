"""Transactions whose connection is lost at the commit, and their results."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, cast
from uuid import UUID

import pytest

from landbridge.platform.changes.service import append_change, append_next_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.orgs.clock_nodes import take_node
from tests.lost_commits.database import (
    ONCE,
    REPEATEDLY,
    TO_THE_END,
    Loss,
    LostCommits,
    Plan,
    lost,
)
from tests.make import make_org
from tests.waiting import waits_for


class Counter:
    """Transaction body that records a change of its own object, and counts its runs."""

    def __init__(self, org_id: UUID, clock: Clock) -> None:
        self.org_id = org_id
        self.object_id = new_id()
        self.clock = clock
        # Timestamp of the change, if all runs use the same.
        self.at: datetime | None = None
        self.runs = 0

    async def __call__(self, tx: Tx) -> int:
        self.runs += 1
        at = self.at or self.clock.stamp()
        await append_next_change(
            tx,
            org_id=self.org_id,
            object_id=self.object_id,
            kind="X",
            change_type="y",
            actor="z",
            at=at,
        )
        return self.runs

    async def seqs(self, database: Database) -> list[int]:
        """Return the committed changes."""
        rows = await database.rows(
            "select seq from changes where org_id = $1 and object_id = $2 order by seq",
            self.org_id,
            self.object_id,
        )
        return [row["seq"] for row in rows]


# The harness loses no commits of bodies defined in tests.
Counter.__module__ = "landbridge.counter"


@pytest.fixture
async def losing(dsn: str) -> AsyncIterator[LostCommits]:
    database = cast("LostCommits", await LostCommits.connect(dsn, name="tests", size_max=3))
    yield database
    await database.close()


@pytest.fixture
async def counter(losing: LostCommits) -> Counter:
    return Counter(await make_org(losing), Clock(await take_node(losing)))


async def test_committed_transaction_is_answered_and_not_repeated(
    losing: LostCommits, counter: Counter
) -> None:
    losing.plan = Plan(ONCE)
    assert await losing.transact(counter) == 1
    assert (counter.runs, await counter.seqs(losing)) == (1, [1])
    assert await losing.transact(counter) == 2
    assert await counter.seqs(losing) == [1, 2]


async def test_uncommitted_transaction_is_repeated(losing: LostCommits, counter: Counter) -> None:
    losing.plan = Plan((Loss.BEFORE, Loss.BEFORE))
    assert await losing.transact(counter) == 3
    assert await counter.seqs(losing) == [1]


async def test_proof_is_looked_up_until_it_can_be(losing: LostCommits, counter: Counter) -> None:
    losing.plan = Plan(REPEATEDLY)
    assert await losing.transact(counter) == 2
    assert (counter.runs, await counter.seqs(losing)) == (2, [1])


async def test_moment_shared_by_all_attempts_is_a_proof_too(
    losing: LostCommits, counter: Counter
) -> None:
    counter.at = counter.clock.stamp()
    losing.plan = Plan(REPEATEDLY)
    assert await losing.transact(counter) == 2
    assert (counter.runs, await counter.seqs(losing)) == (2, [1])


async def test_outcome_is_unknown_while_the_database_is_away(
    losing: LostCommits, counter: Counter
) -> None:
    losing.plan = Plan(TO_THE_END)
    with pytest.raises(Busy):
        await losing.transact(counter)
    assert (counter.runs, await counter.seqs(losing)) == (1, [1])


async def test_without_a_proof_the_body_runs_again(losing: LostCommits, counter: Counter) -> None:
    async def silent(tx: Tx) -> None:
        counter.runs += 1
        await tx.execute("update orgs set name = name where id = $1", counter.org_id)

    silent.__module__ = counter.__module__
    losing.plan = Plan(ONCE)
    await losing.transact(silent)
    assert counter.runs == 2


async def test_proof_undone_by_a_savepoint_proves_nothing(
    losing: LostCommits, counter: Counter
) -> None:
    async def half(tx: Tx) -> int:
        savepoint = tx.transaction()
        await savepoint.__aenter__()
        await counter(tx)
        await savepoint.__aexit__(ValueError, ValueError(), None)
        return await Counter.__call__(other, tx)

    other = Counter(counter.org_id, counter.clock)
    half.__module__ = counter.__module__
    losing.plan = Plan(ONCE)
    assert await losing.transact(half) == 1
    assert (await counter.seqs(losing), await other.seqs(losing)) == ([], [1])


class _Slow:
    """Pool whose first connection is lost while the server still commits."""

    def __init__(self, pool: Any, started: asyncio.Event, ended: asyncio.Event) -> None:
        self._pool = pool
        self._begun, self._ended = started, ended
        self.quote_acceptance: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def acquire(self) -> AsyncGenerator[Any]:
        if self.quote_acceptance is not None:
            async with self._pool.acquire() as connection:
                yield connection
            return
        lent = asyncio.get_running_loop().create_future()
        self.quote_acceptance = asyncio.create_task(self._commit(lent))
        connection = await lent
        yield _ConnectionLostAtCommit(connection, self._begun)

    async def _commit(self, lent: "asyncio.Future[Any]") -> None:
        async with self._pool.acquire() as connection, connection.transaction():
            lent.set_result(connection)
            await self._ended.wait()


class _ConnectionLostAtCommit:
    """Connection that is lost by its client at the commit."""

    def __init__(self, inner: Any, started: asyncio.Event) -> None:
        self._inner = inner
        self._begun = started

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[None]:
        yield
        self._begun.set()
        raise lost()


@pytest.mark.parametrize("fails", [False, True])
async def test_unfinished_commit_is_awaited(
    losing: LostCommits, counter: Counter, *, fails: bool
) -> None:
    started, ended = asyncio.Event(), asyncio.Event()
    pids: list[int] = []

    async def work(tx: Tx) -> int:
        pids.append(await tx.fetchval("select pg_backend_pid()"))
        await tx.fetchval("select 1 from orgs where id = $1 for update", counter.org_id)
        if fails and counter.runs:
            raise ValueError("it is done already")
        return await counter(tx)

    slow = _Slow(cast("Any", losing)._pool, started, ended)
    running = asyncio.create_task(Database(cast("Any", slow)).transact(work))
    await started.wait()
    await waits_for(losing, pids[0])
    ended.set()
    assert await running == 1
    assert slow.quote_acceptance is not None
    await slow.quote_acceptance
    assert (len(pids), await counter.seqs(losing)) == (2, [1])


async def test_each_change_is_a_proof(losing: LostCommits, counter: Counter) -> None:
    async def write_change(tx: Tx) -> None:
        counter.runs += 1
        at = counter.clock.stamp()
        await append_change(
            tx,
            org_id=counter.org_id,
            object_id=counter.object_id,
            seq=1,
            kind="X",
            change_type="y",
            actor="z",
            at=at,
        )

    write_change.__module__ = counter.__module__
    losing.plan = Plan(ONCE)
    await losing.transact(write_change)
    assert counter.runs == 1
