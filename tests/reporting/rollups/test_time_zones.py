"""Sums of any range, in zones with unusual day starts or days of 23 and 25 hours."""

from datetime import UTC, datetime, time, timedelta
from random import Random
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from landbridge.app.container import Container
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Tx
from landbridge.reporting.rollups.model import Interval, RollupMeasure, Span
from tests.change_log import placed
from tests.make import make_org
from tests.reporting.rollups import brute_force
from tests.reporting.rollups.log_history import KINDS, add_past

ZONES = [
    "UTC",
    "Asia/Kolkata",  # half an hour
    "Asia/Kathmandu",  # three quarters
    "America/Sao_Paulo",
    "Europe/Berlin",
    "Pacific/Apia",
    "Australia/Lord_Howe",  # half an hour of summer time
    "Africa/Cairo",  # no midnight when summer time starts, two when it ends
    "America/Havana",  # likewise
    "America/Santiago",
]
BEGIN, END = datetime(2024, 1, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.long
@pytest.mark.parametrize("zone", ZONES)
async def test_any_range_equals_brute_force_before_during_and_after_folding(
    container: Container, zone: str
) -> None:
    dice = Random(zone)  # noqa: S311  a repeatable story
    org_id = await make_org(container.database)
    moments = [*odd_moments(zone), *(moment(dice) for _ in range(100))]
    dice.shuffle(moments)
    users = await add_past(container.database, org_id, dice, moments)
    await placed(container.database)
    build = await container.time_zones.set(org_id, zone, offset=timedelta(), actor="test")
    assert build.is_current
    edges = [*moments, *odd_moments(zone)]
    await compare(container, org_id, users, [span(dice, zone, edges) for _ in range(4)])
    for _ in range(3):
        await container.rollup_updater.step(org_id, build.build, changes_max=100)
        await compare(container, org_id, users, [span(dice, zone, edges) for _ in range(4)])
    while (
        not (step := await container.rollup_updater.step(org_id, build.build)) or not step.is_last
    ):
        pass
    await compare(container, org_id, users, [span(dice, zone, edges) for _ in range(40)])
    await compare_days(container, org_id, [span(dice, zone, edges) for _ in range(20)])
    # Some more that is not folded yet.
    more = await add_past(container.database, org_id, dice, odd_moments(zone)[:30])
    both = [users[0], more[0]]
    await compare(container, org_id, both, [span(dice, zone, edges) for _ in range(20)])
    await compare_days(container, org_id, [span(dice, zone, edges) for _ in range(20)])


async def test_a_zone_without_days_is_refused(container: Container) -> None:
    org_id = await make_org(container.database)
    requested_span = Span(BEGIN, END, "Europe/Berlin", Interval.DAY)
    with pytest.raises(ResourceConflict):
        await container.rollups.sums(org_id, RollupMeasure.STATE, KINDS, requested_span)
    with pytest.raises(ResourceConflict):
        await container.rollups.sums_of_users(org_id, [org_id], KINDS, requested_span)


def moment(dice: Random) -> datetime:
    return BEGIN + dice.random() * (END - BEGIN)


def odd_moments(zone: str) -> list[datetime]:
    """Around each change of clocks."""
    hours = [BEGIN + timedelta(hours=each) for each in range((END - BEGIN) // timedelta(hours=1))]
    offsets = [each.astimezone(ZoneInfo(zone)).utcoffset() for each in hours]
    return [
        hours[index] + timedelta(minutes=minutes)
        for index in range(1, len(hours))
        if offsets[index] != offsets[index - 1]
        for minutes in (-91, -60, -30, 0, 1, 30, 60, 61, 120, 1439)
    ]


def span(dice: Random, zone: str, moments: list[datetime]) -> Span:
    ends: list[datetime] = []
    while len(set(ends)) < 2:
        at = dice.choice((moment(dice), dice.choice(moments)))
        ends = [*ends[-1:], dice.choice((at, at.replace(minute=0, second=0, microsecond=0)))]
        if dice.random() < 0.3:
            ends[-1] = ends[0] + timedelta(hours=dice.randrange(1, 60))
    return Span(min(ends), max(ends), zone, dice.choice(list(Interval)))


async def compare_days(container: Container, org_id: UUID, spans: list[Span]) -> None:
    """Compare whole days, the only ranges that some measures have."""
    for some in spans:
        zone = ZoneInfo(some.zone)
        ends = [
            datetime.combine(at.astimezone(zone).date() + timedelta(days), time(), zone)
            for at, days in ((some.after, 0), (some.before, 1))
        ]
        each = Span(ends[0].astimezone(UTC), ends[1].astimezone(UTC), some.zone, some.interval)
        for measure in (RollupMeasure.STATE, RollupMeasure.TIME, RollupMeasure.SWAP):

            async def by_hands(
                tx: Tx, each: Span = each, measure: RollupMeasure = measure
            ) -> object:
                return await brute_force.sums(tx, org_id, measure, KINDS[:3], each)

            found = await brute_force.query_sums(
                container.rollups, org_id, measure, KINDS[:3], each
            )
            assert found == await container.database.transact(by_hands), (measure, each)


async def compare(container: Container, org_id: UUID, users: list[UUID], spans: list[Span]) -> None:
    for each in spans:

        async def by_hands(tx: Tx, each: Span = each) -> tuple[object, object, object]:
            arrivals = "select occurred_at from changes where org_id = $1 and kind = 'USER'"
            lines: list[brute_force.Line] = [
                (row["occurred_at"], None, "", "", "", (1, 0, 0, 0))
                for row in await tx.fetch(arrivals, org_id)
            ]
            return (
                await brute_force.sums(tx, org_id, RollupMeasure.STATE, KINDS[:3], each),
                await brute_force.sums_of_users(tx, org_id, users[:2], KINDS[1:], each),
                brute_force.summed(lines, each),
            )

        state, of_users, arrived = await container.database.transact(by_hands)
        rollups = container.rollups
        found = await rollups.sums(org_id, RollupMeasure.STATE, KINDS[:3], each)
        assert brute_force.comparable(found) == state, each
        found = await rollups.sums_of_users(org_id, users[:2], KINDS[1:], each)
        assert brute_force.comparable(found) == of_users, each
        for statuses in (None, ["COMPLETED"], ["PENDING", "FAILED"]):
            active, last = [
                await rollups.active_users(org_id, users, KINDS[1:], statuses, each, limit=limit)
                for limit in (len(users), 1)
            ]
            sums = await rollups.sums_of_users(
                org_id, users, KINDS[1:], each, only={} if statuses is None else {"b": statuses}
            )
            expected = {one.user_id for one in sums if one.user_id is not None}
            assert list(active) == sorted(expected, reverse=True), (each, statuses)
            assert list(last) == list(active)[:1], (each, statuses)
        found = await rollups.sums(org_id, RollupMeasure.USER, ["USER"], each)
        assert brute_force.comparable(found) == arrived, each
