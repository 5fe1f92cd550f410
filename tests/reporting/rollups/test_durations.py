"""Durations: rounded up as the migration says, added up over days and months, folded or not."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from random import Random
from uuid import UUID

from landbridge.db.pool import Tx
from landbridge.reporting.rollups.model import Interval, Measure, Span, Sum
from landbridge.wiring import House
from tests.make import make_org
from tests.settled import settled

from . import by_hand
from .past import KINDS, add_completed, add_micro_deposit, add_past
from .test_zones import moment

BEGIN = datetime(2026, 1, 20, tzinfo=UTC)
SERIES = (10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82)
# Each of the series in milliseconds, up to some years; as it is, just below it, just above it.
EDGES = [
    timedelta(milliseconds=each * 10**power, microseconds=more)
    for power in range(10)
    for each in SERIES
    for more in (-1000, -1, 0, 1, 1000)
]
SHORT = [timedelta(microseconds=each * 500) for each in range(25)]


async def test_they_are_rounded_up_and_added_up(house: House) -> None:
    org_id = await make_org(house.database)
    lasted = [*SHORT, *EDGES]

    async def work(tx: Tx) -> None:
        for place, took in enumerate(lasted):
            await add_completed(tx, org_id, BEGIN + timedelta(hours=2 * place), took)
        await add_micro_deposit(tx, org_id, BEGIN)

    await house.database.transact(work)
    await settled(house.database)
    build = await house.folding.begin(org_id, "UTC", timedelta(), is_new=False)
    until = BEGIN + timedelta(days=70)
    assert until > BEGIN + timedelta(hours=2 * len(lasted))
    spans = [Span(BEGIN, until, "UTC", interval) for interval in Interval]
    is_over = False
    while not is_over:
        for span in spans:
            await compare(house, org_id, span)
        step = await house.folding.step(org_id, build.build, changes_max=300)
        is_over = step is not None and step.is_last
    found = await house.rollups.durations(org_id, Measure.TIME, spans[-1], ["WALLET.TRANSFER"])
    assert sum(sum(each.counts.values()) for each in found) == len(lasted)
    assert {ms for each in found for ms in each.counts if ms > 9} <= {
        each * 10**power for power in range(11) for each in SERIES
    }
    assert not await house.rollups.durations(org_id, Measure.TIME, spans[-1], ["ONRAMP"])


async def test_only_some_are_summed_and_told_apart(house: House) -> None:
    org_id, dice = await make_org(house.database), Random(2)  # noqa: S311  a repeatable story
    await add_past(house.database, org_id, dice, [moment(dice) for _ in range(60)])
    await settled(house.database)
    begin = datetime(2024, 1, 1, tzinfo=UTC)
    span = Span(begin, begin + timedelta(days=800, hours=5.3), "UTC", Interval.QUARTER)
    for _ in range(2):
        found = await house.rollups.sums(org_id, Measure.STATE, KINDS, span)
        expected: dict[tuple[object, str], int] = {}
        for each in found:
            if each.a in KINDS[1:3] and each.b in {"COMPLETED", "PENDING"}:
                key = (each.period, each.b)
                expected[key] = expected.get(key, 0) + each.count
        only = {"a": ("WALLET.SWAP", *KINDS[1:3]), "b": ("COMPLETED", "PENDING")}
        some = await house.rollups.sums(
            org_id, Measure.STATE, KINDS[1:], span, by=("b",), only={**only, "a": KINDS[1:3]}
        )
        assert {(each.period, each.b): each.count for each in some} == expected
        assert {(each.a, each.c) for each in some} == {("", "")}
        # Kinds that are not asked for are not summed, even if they are named.
        same = await house.rollups.sums(
            org_id, Measure.STATE, KINDS[1:3], span, by=("b",), only=only
        )
        assert set(same) == set(some)
        while await house.folding.run_once({org_id: timedelta()}):
            pass


async def test_of_some_users_only_some_are_summed_and_told_apart(house: House) -> None:
    org_id, dice = await make_org(house.database), Random(3)  # noqa: S311  a repeatable story
    users = await add_past(house.database, org_id, dice, [moment(dice) for _ in range(90)])
    await settled(house.database)
    begin = datetime(2024, 1, 17, 11, tzinfo=UTC)
    only, asked = ("COMPLETED", "PENDING"), (org_id, users[:3], KINDS[1:])
    for _ in range(2):
        for interval in Interval:
            span = Span(begin, begin + timedelta(days=700, hours=5.3), "UTC", interval)
            found = await house.rollups.sums_of_users(*asked, span)
            for by in (("user", "a"), ("user", "b"), ("a", "b"), ("user",), ()):
                expected: dict[object, list[int]] = {}
                for each in found:
                    if each.b in only:
                        seen = expected.setdefault(_key(each, by), [0, 0])
                        seen[0] += each.count
                        seen[1] += each.usd_cents
                some = await house.rollups.sums_of_users(*asked, span, by=by, only={"b": only})
                told = {
                    (each.period, each.user_id, each.a, each.b): [each.count, each.usd_cents]
                    for each in some
                }
                assert told == expected, (span, by)
                assert told
        while await house.folding.run_once({org_id: timedelta()}):
            pass


def _key(each: Sum, by: Collection[str]) -> object:
    """A sum's place, once nothing else is told apart."""
    return (
        each.period,
        each.user_id if "user" in by else None,
        each.a if "a" in by else "",
        each.b if "b" in by else "",
    )


async def compare(house: House, org_id: UUID, span: Span) -> None:
    async def by_hands(tx: Tx) -> object:
        return await by_hand.sums(tx, org_id, Measure.TIME, KINDS, span)

    found = await by_hand.asked(house.rollups, org_id, Measure.TIME, KINDS, span)
    assert found == await house.database.transact(by_hands), span
    together: dict[by_hand.Key, by_hand.Amounts] = {}
    for (period, user_id, _, ms, c), (count, *_) in found.items():
        key = (period, user_id, "", ms, c)
        together[key] = (count + together.get(key, (0,))[0], 0, 0, 0)
    of_all = await house.rollups.durations(org_id, Measure.TIME, span, None)
    assert by_hand.told_durations(of_all) == together, span
