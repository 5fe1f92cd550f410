"""Reports during payments, with two rollup updaters, kills and a late commit."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from landbridge.platform.core.clock import ReadingClock
from landbridge.platform.db.pool import Database, Tx
from landbridge.reporting.rollups import duration_store, sum_store
from landbridge.reporting.rollups.model import TIMED, Interval, RollupMeasure, RollupQuery, Span
from landbridge.reporting.rollups.service import Rollups
from landbridge.reporting.rollups.updater import RollupUpdater
from tests.change_log import placed
from tests.long import few_of
from tests.make import make_org
from tests.races import racing_processes, rollup_worker
from tests.reporting.rollups import brute_force
from tests.reporting.rollups.log_history import KINDS, add_past, add_record

# Number of kills; the second in `make test-long`.
ROUNDS = few_of([2, 8])
# Records that may be written for each comparison: on a slow machine, writers without a bound leave
# the updaters behind, and every report reads all that is not in a roll-up yet.
RECORDS = 100
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
ODD = Span(BEGIN + timedelta(hours=7, minutes=13), BEGIN + timedelta(days=9.4), "UTC", Interval.DAY)
DAYS = Span(BEGIN, BEGIN + timedelta(days=12), "UTC", Interval.WEEK)
MONTHS = Span(BEGIN, BEGIN + timedelta(days=35), "UTC", Interval.QUARTER)


class Writers:
    """Two tasks that write as many records as they are allowed."""

    def __init__(self, write: Callable[[], Awaitable[None]]) -> None:
        self._write, self._allowed, self._is_over = write, asyncio.Semaphore(0), False
        self._tasks = [asyncio.create_task(self._run()) for _ in range(2)]

    def allow(self, count: int) -> None:
        for _ in range(count):
            self._allowed.release()

    async def end(self) -> None:
        self._is_over = True
        self.allow(len(self._tasks))
        await asyncio.gather(*self._tasks)

    async def _run(self) -> None:
        while await self._allowed.acquire() and not self._is_over:
            await self._write()


@pytest.mark.long
@pytest.mark.parametrize("rounds", ROUNDS)
async def test_rollups_stay_exact_while_workers_are_killed(
    own_dsn: str, own_database: Database, rounds: int
) -> None:
    database, dice = own_database, random.Random(0)  # noqa: S311  a repeatable story
    org_id = await make_org(database)
    folding = RollupUpdater(database, ReadingClock())
    users = await add_past(database, org_id, dice, [moment(dice) for _ in range(60)])
    # As autovacuum does within a minute: plans of empty tables use an arbitrary index.
    await database.rows("analyze")

    async def write() -> None:
        await database.transact(lambda tx: add_record(tx, org_id, dice, users, moment(dice)))

    writers = Writers(write)

    async def write_and_compare() -> None:
        writers.allow(RECORDS)
        await compare(database, org_id)

    await folding.begin(org_id, "UTC", timedelta(), is_new=False)
    for index in range(rounds):
        hired = [
            racing_processes.start_process(rollup_worker.fold, own_dsn, org_id) for _ in range(2)
        ]
        for each in hired:
            await asyncio.to_thread(each.wait_until_started)
        if index % 3 == 1:
            await folding.begin(org_id, "UTC", timedelta(), is_new=True)
        for _ in range(3):
            await write_and_compare()
        for each in hired:
            each.kill()
        await write_and_compare()
    await writers.end()
    await placed(database)
    while await folding.run_once({org_id: timedelta()}):
        pass
    await compare(database, org_id)
    assert len(await Rollups(database).builds(org_id)) == 1


async def test_late_commit_is_not_skipped(own_database: Database) -> None:
    database, dice = own_database, random.Random(1)  # noqa: S311  a repeatable story
    org_id = await make_org(database)
    folding = RollupUpdater(database, ReadingClock())
    build = await folding.begin(org_id, "UTC", timedelta(), is_new=False)
    users = await add_past(database, org_id, dice, [moment(dice) for _ in range(20)])
    has_begun, may_end = asyncio.Event(), asyncio.Event()

    async def late(tx: Tx) -> None:
        await add_record(tx, org_id, dice, users, moment(dice))
        has_begun.set()
        await may_end.wait()

    waiting = asyncio.create_task(database.transact(late))
    await has_begun.wait()
    await add_past(database, org_id, dice, [moment(dice) for _ in range(20)])
    for _ in range(3):
        await folding.step(org_id, build.build)
        await compare(database, org_id)
    may_end.set()
    await waiting
    await compare(database, org_id)
    await placed(database)
    while (step := await folding.step(org_id, build.build)) and not step.is_last:
        pass
    await compare(database, org_id)


def moment(dice: random.Random) -> datetime:
    return BEGIN + timedelta(seconds=dice.randrange(10 * 24 * 3600))


async def compare(database: Database, org_id: UUID) -> None:
    """Compare the report with a direct calculation at one moment."""

    async def work(tx: Tx) -> None:
        await tx.execute("set transaction isolation level repeatable read")
        for measure, span in (
            *((RollupMeasure.STATE, ODD), (RollupMeasure.SWAP, DAYS), (RollupMeasure.SWAP, MONTHS)),
            *((RollupMeasure.TIME, DAYS), (RollupMeasure.TIME, MONTHS)),
        ):
            if measure in TIMED:
                durations = await duration_store.durations(tx, org_id, measure, KINDS, span)
                found = brute_force.comparable_durations(durations)
            else:
                query = RollupQuery(measure, KINDS, by=("a", "b", "c"), only={}, names={})
                found = brute_force.comparable(await sum_store.sums(tx, org_id, query, span))
            expected = await brute_force.sums(tx, org_id, measure, KINDS, span)
            assert found == expected, measure

    await database.transact(work)
