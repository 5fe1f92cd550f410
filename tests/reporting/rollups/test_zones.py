"""Sums of any range, in zones whose days begin at odd times, or last for 23 and 25 hours."""

from datetime import UTC, datetime, time, timedelta
from random import Random
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from landbridge.core.errors import ResourceConflict
from landbridge.db.pool import Tx
from landbridge.reporting.rollups.model import Interval, Measure, Span
from landbridge.wiring import House
from tests.make import make_org
from tests.settled import settled

from . import by_hand
from .past import KINDS, add_past

ZONES = [
    "UTC",
    "Asia/Kolkata",  # half an hour
    "Asia/Kathmandu",  # three quarters
    "America/Sao_Paulo",
    "Europe/Berlin",
    "Pacific/Apia",
    "Australia/Lord_Howe",  # half an hour of summer time
    "Africa/Cairo",  # no midnight when summer begins, two when it ends
    "America/Havana",  # likewise
    "America/Santiago",
]
BEGIN, END = datetime(2024, 1, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize("zone", ZONES)
async def test_any_range_is_summed_as_by_hand_before_amid_and_after_folding(
    house: House, zone: str
) -> None:
    dice = Random(zone)  # noqa: S311  a repeatable story
    org_id = await make_org(house.database)
    moments = [*odd_moments(zone), *(moment(dice) for _ in range(100))]
    dice.shuffle(moments)
    users = await add_past(house.database, org_id, dice, moments)
    await settled(house.database)
    build = await house.time_zones.set(org_id, zone, offset=timedelta(), actor="test")
    assert build.is_current
    edges = [*moments, *odd_moments(zone)]
    await compare(house, org_id, users, [span(dice, zone, edges) for _ in range(4)])
    for _ in range(3):
        await house.folding.step(org_id, build.build, changes_max=100)
        await compare(house, org_id, users, [span(dice, zone, edges) for _ in range(4)])
    while not (step := await house.folding.step(org_id, build.build)) or not step.is_last:
        pass
    await compare(house, org_id, users, [span(dice, zone, edges) for _ in range(40)])
    await compare_days(house, org_id, [span(dice, zone, edges) for _ in range(20)])
    # Some more that is not folded yet.
    more = await add_past(house.database, org_id, dice, odd_moments(zone)[:30])
    both = [users[0], more[0]]
    await compare(house, org_id, both, [span(dice, zone, edges) for _ in range(20)])
    await compare_days(house, org_id, [span(dice, zone, edges) for _ in range(20)])


async def test_days_of_a_zone_that_has_none_are_refused(house: House) -> None:
    org_id = await make_org(house.database)
    asked = Span(BEGIN, END, "Europe/Berlin", Interval.DAY)
    with pytest.raises(ResourceConflict):
        await house.rollups.sums(org_id, Measure.STATE, KINDS, asked)
    with pytest.raises(ResourceConflict):
        await house.rollups.sums_of_users(org_id, [org_id], KINDS, asked)


def moment(dice: Random) -> datetime:
    return BEGIN + dice.random() * (END - BEGIN)


def odd_moments(zone: str) -> list[datetime]:
    """Around each change of clocks."""
    hours = [BEGIN + timedelta(hours=each) for each in range((END - BEGIN) // timedelta(hours=1))]
    offsets = [each.astimezone(ZoneInfo(zone)).utcoffset() for each in hours]
    return [
        hours[place] + timedelta(minutes=minutes)
        for place in range(1, len(hours))
        if offsets[place] != offsets[place - 1]
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


async def compare_days(house: House, org_id: UUID, spans: list[Span]) -> None:
    """Of whole days, which are all that some measures have."""
    for some in spans:
        zone = ZoneInfo(some.zone)
        ends = [
            datetime.combine(at.astimezone(zone).date() + timedelta(days), time(), zone)
            for at, days in ((some.after, 0), (some.before, 1))
        ]
        each = Span(ends[0].astimezone(UTC), ends[1].astimezone(UTC), some.zone, some.interval)
        for measure in (Measure.STATE, Measure.TIME, Measure.SWAP):

            async def by_hands(tx: Tx, each: Span = each, measure: Measure = measure) -> object:
                return await by_hand.sums(tx, org_id, measure, KINDS[:3], each)

            found = await by_hand.asked(house.rollups, org_id, measure, KINDS[:3], each)
            assert found == await house.database.transact(by_hands), (measure, each)


async def compare(house: House, org_id: UUID, users: list[UUID], spans: list[Span]) -> None:
    for each in spans:

        async def by_hands(tx: Tx, each: Span = each) -> tuple[object, object, object]:
            arrivals = "select at from changes where org_id = $1 and kind = 'USER'"
            lines: list[by_hand.Line] = [
                (row["at"], None, "", "", "", (1, 0, 0, 0))
                for row in await tx.fetch(arrivals, org_id)
            ]
            return (
                await by_hand.sums(tx, org_id, Measure.STATE, KINDS[:3], each),
                await by_hand.sums_of_users(tx, org_id, users[:2], KINDS[1:], each),
                by_hand.summed(lines, each),
            )

        state, of_users, arrived = await house.database.transact(by_hands)
        rollups = house.rollups
        found = await rollups.sums(org_id, Measure.STATE, KINDS[:3], each)
        assert by_hand.told(found) == state, each
        found = await rollups.sums_of_users(org_id, users[:2], KINDS[1:], each)
        assert by_hand.told(found) == of_users, each
        found = await rollups.sums(org_id, Measure.USER, ["USER"], each)
        assert by_hand.told(found) == arrived, each
