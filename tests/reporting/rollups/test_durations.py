"""Durations: rounded up as the migration states, added up over days and months, folded or not."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from random import Random
from uuid import UUID

from landbridge.app.container import Container
from landbridge.platform.db.pool import Tx
from landbridge.reporting.rollups.model import Interval, RollupMeasure, RollupSum, Span
from tests.change_log import placed
from tests.make import make_org
from tests.reporting.rollups import brute_force
from tests.reporting.rollups.log_history import KINDS, add_completed, add_micro_deposit, add_past
from tests.reporting.rollups.test_time_zones import moment

BEGIN = datetime(2026, 1, 20, tzinfo=UTC)
SERIES = (10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82)
# Each step of the series in milliseconds, up to some years: exact, just below, just above.
EDGES = [
    timedelta(milliseconds=each * 10**power, microseconds=more)
    for power in range(10)
    for each in SERIES
    for more in (-1000, -1, 0, 1, 1000)
]
SHORT = [timedelta(microseconds=each * 500) for each in range(25)]


async def test_durations_are_rounded_up_and_added_up(container: Container) -> None:
    org_id = await make_org(container.database)
    lasted = [*SHORT, *EDGES]

    async def work(tx: Tx) -> None:
        for index, took in enumerate(lasted):
            await add_completed(tx, org_id, BEGIN + timedelta(hours=2 * index), took)
        await add_micro_deposit(tx, org_id, BEGIN)

    await container.database.transact(work)
    await placed(container.database)
    build = await container.rollup_updater.begin(org_id, "UTC", timedelta(), is_new=False)
    until = BEGIN + timedelta(days=70)
    assert until > BEGIN + timedelta(hours=2 * len(lasted))
    spans = [Span(BEGIN, until, "UTC", interval) for interval in Interval]
    is_over = False
    while not is_over:
        for span in spans:
            await compare(container, org_id, span)
        step = await container.rollup_updater.step(org_id, build.build, changes_max=300)
        is_over = step is not None and step.is_last
    found = await container.rollups.durations(
        org_id, RollupMeasure.TIME, spans[-1], ["WALLET.TRANSFER"]
    )
    assert sum(sum(each.counts.values()) for each in found) == len(lasted)
    assert {ms for each in found for ms in each.counts if ms > 9} <= {
        each * 10**power for power in range(11) for each in SERIES
    }
    assert not await container.rollups.durations(org_id, RollupMeasure.TIME, spans[-1], ["ONRAMP"])


async def test_filters_and_breakdowns_of_durations(container: Container) -> None:
    org_id, dice = await make_org(container.database), Random(2)  # noqa: S311  a repeatable story
    await add_past(container.database, org_id, dice, [moment(dice) for _ in range(60)])
    await placed(container.database)
    begin = datetime(2024, 1, 1, tzinfo=UTC)
    span = Span(begin, begin + timedelta(days=800, hours=5.3), "UTC", Interval.QUARTER)
    for _ in range(2):
        found = await container.rollups.sums(org_id, RollupMeasure.STATE, KINDS, span)
        expected: dict[tuple[object, str], int] = {}
        for each in found:
            if each.a in KINDS[1:3] and each.b in {"COMPLETED", "PENDING"}:
                key = (each.period, each.b)
                expected[key] = expected.get(key, 0) + each.count
        only = {"a": ("WALLET.SWAP", *KINDS[1:3]), "b": ("COMPLETED", "PENDING")}
        some = await container.rollups.sums(
            org_id, RollupMeasure.STATE, KINDS[1:], span, by=("b",), only={**only, "a": KINDS[1:3]}
        )
        assert {(each.period, each.b): each.count for each in some} == expected
        assert {(each.a, each.c) for each in some} == {("", "")}
        # Kinds that are not requested are not summed, even if named.
        same = await container.rollups.sums(
            org_id, RollupMeasure.STATE, KINDS[1:3], span, by=("b",), only=only
        )
        assert set(same) == set(some)
        while await container.rollup_updater.run_once({org_id: timedelta()}):
            pass


async def test_filters_and_breakdowns_of_some_users(container: Container) -> None:
    org_id, dice = await make_org(container.database), Random(3)  # noqa: S311  a repeatable story
    users = await add_past(container.database, org_id, dice, [moment(dice) for _ in range(90)])
    await placed(container.database)
    begin = datetime(2024, 1, 17, 11, tzinfo=UTC)
    only, users_and_kinds = ("COMPLETED", "PENDING"), (org_id, users[:3], KINDS[1:])
    for _ in range(2):
        for interval in Interval:
            span = Span(begin, begin + timedelta(days=700, hours=5.3), "UTC", interval)
            found = await container.rollups.sums_of_users(*users_and_kinds, span)
            for by in (("user", "a"), ("user", "b"), ("a", "b"), ("user",), ()):
                expected: dict[object, list[int]] = {}
                for each in found:
                    if each.b in only:
                        totals = expected.setdefault(_key(each, by), [0, 0])
                        totals[0] += each.count
                        totals[1] += each.usd_cents
                some = await container.rollups.sums_of_users(
                    *users_and_kinds, span, by=by, only={"b": only}
                )
                values = {
                    (each.period, each.user_id, each.a, each.b): [each.count, each.usd_cents]
                    for each in some
                }
                assert values == expected, (span, by)
                assert values
        while await container.rollup_updater.run_once({org_id: timedelta()}):
            pass


def _key(each: RollupSum, by: Collection[str]) -> object:
    """Return the key of a sum without further breakdowns."""
    return (
        each.period,
        each.user_id if "user" in by else None,
        each.a if "a" in by else "",
        each.b if "b" in by else "",
    )


async def compare(container: Container, org_id: UUID, span: Span) -> None:
    async def by_hands(tx: Tx) -> object:
        return await brute_force.sums(tx, org_id, RollupMeasure.TIME, KINDS, span)

    found = await brute_force.query_sums(container.rollups, org_id, RollupMeasure.TIME, KINDS, span)
    assert found == await container.database.transact(by_hands), span
    together: dict[brute_force.Key, brute_force.Amounts] = {}
    for (period, user_id, _, ms, c), (count, *_) in found.items():
        key = (period, user_id, "", ms, c)
        together[key] = (count + together.get(key, (0,))[0], 0, 0, 0)
    of_all = await container.rollups.durations(org_id, RollupMeasure.TIME, span, None)
    assert brute_force.comparable_durations(of_all) == together, span
