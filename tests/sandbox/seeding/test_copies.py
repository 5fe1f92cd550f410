"""Copies that the benchmark writes with SQL count like the records that the ledger wrote."""

from collections import Counter
from datetime import timedelta
from uuid import UUID

from bench.copies import add_copies

from landbridge.app.container import AUDIT_RULES, TRANSITIONS, Container
from landbridge.ledger.audit import audit, table
from landbridge.reporting.metrics.builtin.kinds import TYPES
from landbridge.reporting.rollups.model import TIMED, Interval, RollupMeasure, Span
from landbridge.sandbox.seeding.service import SeedProgress, SeedRequest, seed
from tests.change_log import placed
from tests.reporting.rollups import brute_force

COPIES = 2


def _ignore(count: int) -> None:
    del count


async def _fold(container: Container, org_id: UUID) -> None:
    await placed(container.database)
    while await container.rollup_updater.run_once({org_id: timedelta()}):
        pass


async def _sums(container: Container, org_id: UUID, span: Span) -> Counter[object]:
    """Return the counts and amounts of every measure except users, which are not copied."""
    found: Counter[object] = Counter()
    for measure in RollupMeasure:
        if measure in TIMED:
            for each in await container.rollups.durations(org_id, measure, span, list(TYPES)):
                for ms, times in each.counts.items():
                    found[measure, each.period, each.a, ms] += times
        elif measure is not RollupMeasure.USER:
            for one in await container.rollups.sums(org_id, measure, list(TYPES), span):
                key = (measure, one.period, one.a, one.b, one.c)
                found[key, "count"] += one.count
                found[key, "units"] += one.units
                found[key, "other"] += one.other_units
                found[key, "cents"] += one.usd_cents
    return found


async def test_copies_count_like_records_of_the_ledger(container: Container) -> None:
    request = SeedRequest(name="Copied", payments=300, people=7, days=90, random_seed=5)
    progress = SeedProgress(people=_ignore, payments=_ignore, reach=_ignore, folded=_ignore)
    org_id = (await seed(container, request, progress)).org_id
    await _fold(container, org_id)
    now = container.clock.now()
    day = timedelta(days=1)
    end = now.replace(hour=0, minute=0, second=0, microsecond=0) + day
    span = Span(end - 100 * day, end, "UTC", Interval.DAY)
    part = await _sums(container, org_id, span)
    await add_copies(container.database, org_id, COPIES)
    expected_sums = Counter({key: (COPIES + 1) * number for key, number in part.items()})
    users = await container.users.ids(org_id)
    expected_of_users = await container.database.transact(
        lambda tx: brute_force.sums_of_users(tx, org_id, users, list(TYPES), span)
    )
    # Copied cells, and those of a rebuild from the log.
    for _ in range(2):
        assert await _sums(container, org_id, span) == expected_sums
        of_users = await container.rollups.sums_of_users(org_id, users, list(TYPES), span)
        assert brute_force.comparable(of_users) == expected_of_users
        await container.rollup_updater.begin(org_id, "UTC", timedelta(), is_new=True)
        await _fold(container, org_id)
    audited = await audit(container.database, TRANSITIONS, AUDIT_RULES, org_id=org_id)
    assert audited.is_clean, table(audited)
