"""Deliveries are counted as they are recorded, by endpoint and period."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from landbridge.developers.webhooks.model import DeliveryStatus
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.reporting.delivery_counts import (
    DeliveryCount,
    DeliveryCounts,
    DeliveryOutcome,
    count,
    rounded_up,
)
from landbridge.reporting.rollups.model import Interval, Span
from tests.developers.webhooks.test_endpoint_worker import LIFE, swaps
from tests.developers.webhooks.worker_steps import (
    Received,
    hook,
    receiving,
    running_dispatcher,
    until_rows,
)
from tests.tenants import Tenant

_ATTEMPTS = """
select d.endpoint_id::text as endpoint, (a ->> 'status')::integer as status,
    (a ->> 'took_ms')::integer as duration_ms
from webhook_deliveries d
cross join jsonb_array_elements(d.attempts) as a
where d.org_id = $1
"""
_STEPS = (1, 2, 3, 4, 5, 6, 7, 8, 9, *(
    step * 10**power for power in range(7) for step in (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)
))  # fmt: skip


async def _health(org: Tenant, **more: Any) -> dict[str, dict[str, Any]]:
    """Return the template's values per endpoint, over all time."""
    offset = await org.container.orgs.clock_offset(org.org_id)
    caller = replace(org.caller, clock_offset=offset)
    end = (await org.container.orgs.now(org.org_id)).date() + timedelta(days=1)
    params = {
        "createdAfter": f"{end.year - 1}-01-01",
        "createdBefore": f"{end}T00:00:00Z",
        "calculationInterval": "year",
        "breakdowns": ["endpointId"],
        **more,
    }
    result = await org.container.calculator.calculate(caller, "WEBHOOK_HEALTH", params)
    found: dict[str, dict[str, Any]] = {}
    for row in result.rows:
        if row.values["attemptCount"]:
            assert row.dims["endpointId"] not in found, "a year has ended meanwhile"
            found[row.dims["endpointId"]] = dict(row.values)
    return found


async def _counted(org: Tenant, endpoint: str) -> dict[str, Any]:
    """Return the same values, computed from the deliveries."""
    rows = [
        (row["status"], row["duration_ms"])
        for row in await org.container.database.rows(_ATTEMPTS, org.org_id)
        if row["endpoint"] == endpoint
    ]
    kinds = Counter((status or 0) // 100 for status, _ in rows)
    took = sorted(
        next(step for step in (0, *_STEPS) if step >= ms)
        for status, ms in rows
        if status is not None
    )
    return {
        "attemptCount": len(rows),
        "deliveredCount": kinds[2],
        "refusedCount": kinds[4],
        "failedCount": kinds[5] + kinds[3] + kinds[1],
        "unansweredCount": kinds[0],
        "successRate": Decimal((kinds[2] * 20_000 + len(rows)) // (2 * len(rows))) / 10_000,
        "p50Seconds": Decimal(took[-(-len(took) // 2) - 1]) / 1000,
        "p95Seconds": Decimal(took[-(-len(took) * 95 // 100) - 1]) / 1000,
    }


async def test_endpoint_health_equals_recorded_deliveries(org: Tenant) -> None:
    """One receiver fails at first, one rejects some events, one accepts everything."""
    seen: Counter[str] = Counter()

    def answer(received: Received) -> int:
        seen[received.id] += 1
        if received.type == LIFE[-1]:
            return 410
        return 500 if seen[received.id] == 1 and received.type == LIFE[0] else 200

    async with receiving() as sick, receiving() as well, running_dispatcher(org):
        sick.answers = answer
        ill, good = await hook(org, sick), await hook(org, well)
        await swaps(org, 3)
        await until_rows(org, good, ["DELIVERED"] * 3 * len(LIFE))
        await until_rows(org, ill, ["PENDING"] * 3 * len(LIFE))
        await org.post("/v2/sandbox/clock/advance", {"seconds": 40})
        expected = ["DELIVERED"] * 3 * (len(LIFE) - 1) + ["REFUSED"] * 3
        await until_rows(org, ill, expected)
    health = await _health(org)
    assert health.keys() == {ill, good}
    for endpoint in (ill, good):
        assert health[endpoint] == {**await _counted(org, endpoint), "givenUpCount": 0}
    assert (health[ill]["failedCount"], health[ill]["refusedCount"]) == (3, 3)
    assert health[good]["successRate"] == 1


async def test_an_exhausted_delivery_is_counted_once(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        receiver.answers = lambda _: 503
        made = await hook(org, receiver, LIFE[0])
        await swaps(org)
        await until_rows(org, made, [DeliveryStatus.PENDING])
        await org.post("/v2/sandbox/clock/advance", {"seconds": 25 * 3600})
        await until_rows(org, made, [DeliveryStatus.GIVEN_UP])
    health = await _health(org)
    assert health[made] == {**await _counted(org, made), "givenUpCount": 1}
    assert health[made]["successRate"] == 0


async def test_other_organisations_endpoints_are_not_counted(
    org: Tenant, other_org: Tenant
) -> None:
    await _count(org.container.database, org.org_id, new_id(), [_delivered(datetime.now(UTC))])
    assert await _health(other_org) == {}
    assert len(await _health(org)) == 1


@given(st.integers(0, 10**6))
def test_durations_round_up_to_the_next_step(ms: int) -> None:
    assert rounded_up(ms) == next(step for step in (0, *_STEPS) if step >= ms)


_MOMENTS = st.integers(0, 365 * 24 * 3600).map(
    lambda seconds: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
)
_ZONES = (
    "UTC", "Asia/Kolkata", "Asia/Kathmandu", "Europe/Berlin", "America/Sao_Paulo",
    "Pacific/Apia", "America/St_Johns",
)  # fmt: skip


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None
)
@given(
    moments=st.lists(st.tuples(_MOMENTS, st.sampled_from(DeliveryOutcome)), max_size=30),
    zone=st.sampled_from(_ZONES),
    interval=st.sampled_from(Interval),
    edges=st.tuples(_MOMENTS, st.integers(1, 100)),
)
async def test_periods_are_those_of_the_zone(
    database: Database,
    moments: list[tuple[datetime, DeliveryOutcome]],
    zone: str,
    interval: Interval,
    edges: tuple[datetime, int],
) -> None:
    org_id, endpoint_id = new_id(), new_id()
    await _count(
        database, org_id, endpoint_id, [DeliveryCount(at, outcome, 7) for at, outcome in moments]
    )
    first = edges[0].astimezone(ZoneInfo(zone)).replace(hour=0, minute=0, second=0, microsecond=0)
    after = first.astimezone(UTC)
    before = (first + timedelta(days=edges[1])).astimezone(UTC)
    span = Span(after, before, zone, interval)
    rows = await DeliveryCounts(database).sums(org_id, span, by_endpoint=False)
    found = Counter({(row.period, row.outcome): row.times for row in rows})
    expected = Counter(
        (_start(at.astimezone(ZoneInfo(zone)), interval).date(), outcome)
        for at, outcome in moments
        if after <= at < before
    )
    assert found == expected


def _start(local: datetime, interval: Interval) -> datetime:
    match interval:
        case Interval.DAY:
            return local
        case Interval.WEEK:
            return local - timedelta(days=local.weekday())
        case Interval.MONTH:
            return local.replace(day=1)
        case Interval.QUARTER:
            return local.replace(month=(local.month - 1) // 3 * 3 + 1, day=1)
        case Interval.YEAR:
            return local.replace(month=1, day=1)


def _delivered(at: datetime) -> DeliveryCount:
    return DeliveryCount(at, DeliveryOutcome.DELIVERED, 7)


async def _count(
    database: Database, org_id: UUID, endpoint_id: UUID, delivered: Sequence[DeliveryCount]
) -> None:
    async def work(tx: Tx) -> None:
        await count(tx, org_id, endpoint_id, delivered)

    await database.transact(work)


@pytest.mark.parametrize("is_named", [False, True])
async def test_endpoints_can_be_named(org: Tenant, *, is_named: bool) -> None:
    one, other = new_id(), new_id()
    for endpoint_id in (one, other, other):
        await _count(
            org.container.database, org.org_id, endpoint_id, [_delivered(datetime.now(UTC))]
        )
    named = {"endpointIds": [str(other)]} if is_named else {}
    health = await _health(org, **named)
    counts = {endpoint: each["attemptCount"] for endpoint, each in health.items()}
    assert counts == ({str(other): 2} if is_named else {str(one): 1, str(other): 2})
