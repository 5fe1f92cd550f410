"""Reports while payments go on, two fold, folders die with -9, and one commits late."""

import asyncio
import random
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from landbridge.core.clock import ReadingClock
from landbridge.db.pool import Database, Tx
from landbridge.reporting.rollups import duration_store, sum_store
from landbridge.reporting.rollups.folding import Folding
from landbridge.reporting.rollups.model import TIMED, Asked, Interval, Measure, Span
from landbridge.reporting.rollups.service import Rollups
from tests.make import make_org
from tests.races import clerk, folders
from tests.reporting.rollups import by_hand
from tests.reporting.rollups.past import KINDS, add_past, add_record
from tests.settled import settled

ROUNDS = 8
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
ODD = Span(BEGIN + timedelta(hours=7, minutes=13), BEGIN + timedelta(days=9.4), "UTC", Interval.DAY)
DAYS = Span(BEGIN, BEGIN + timedelta(days=12), "UTC", Interval.WEEK)
MONTHS = Span(BEGIN, BEGIN + timedelta(days=35), "UTC", Interval.QUARTER)


@pytest.mark.slow
async def test_killed_again_and_again_under_load_sums_are_exact_at_every_moment(
    own_dsn: str, own_database: Database
) -> None:
    database, dice = own_database, random.Random(0)  # noqa: S311  a repeatable story
    org_id = await make_org(database)
    folding, over = Folding(database, ReadingClock()), asyncio.Event()
    users = await add_past(database, org_id, dice, [moment(dice) for _ in range(60)])
    # As autovacuum does within a minute: plans of empty tables take whichever index comes first.
    await database.rows("analyze")

    async def go_on() -> None:
        while not over.is_set():
            await database.transact(lambda tx: add_record(tx, org_id, dice, users, moment(dice)))

    loads = [asyncio.create_task(go_on()) for _ in range(2)]
    await folding.begin(org_id, "UTC", timedelta(), is_new=False)
    for place in range(ROUNDS):
        hired = [clerk.hire(folders.fold, own_dsn, org_id) for _ in range(2)]
        for each in hired:
            await asyncio.to_thread(each.wait_until_started)
        if place % 3 == 1:
            await folding.begin(org_id, "UTC", timedelta(), is_new=True)
        for _ in range(3):
            await compare(database, org_id)
        for each in hired:
            each.kill()
        await compare(database, org_id)
    over.set()
    await asyncio.gather(*loads)
    await settled(database)
    while await folding.run_once({org_id: timedelta()}):
        pass
    await compare(database, org_id)
    assert len(await Rollups(database).builds(org_id)) == 1


async def test_what_began_first_and_commits_last_is_not_skipped(own_database: Database) -> None:
    database, dice = own_database, random.Random(1)  # noqa: S311  a repeatable story
    org_id = await make_org(database)
    folding = Folding(database, ReadingClock())
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
    await settled(database)
    while (step := await folding.step(org_id, build.build)) and not step.is_last:
        pass
    await compare(database, org_id)


def moment(dice: random.Random) -> datetime:
    return BEGIN + timedelta(seconds=dice.randrange(10 * 24 * 3600))


async def compare(database: Database, org_id: UUID) -> None:
    """Both at one moment: what is read, and what is worked out by hand."""

    async def work(tx: Tx) -> None:
        await tx.execute("set transaction isolation level repeatable read")
        for measure, span in (
            *((Measure.STATE, ODD), (Measure.SWAP, DAYS), (Measure.SWAP, MONTHS)),
            *((Measure.TIME, DAYS), (Measure.TIME, MONTHS)),
        ):
            if measure in TIMED:
                durations = await duration_store.durations(tx, org_id, measure, KINDS, span)
                found = by_hand.told_durations(durations)
            else:
                asked = Asked(measure, KINDS, by=("a", "b", "c"), only={}, names={})
                found = by_hand.told(await sum_store.sums(tx, org_id, asked, span))
            expected = await by_hand.sums(tx, org_id, measure, KINDS, span)
            assert found == expected, measure

    await database.transact(work)
