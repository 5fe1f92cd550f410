"""Counts of webhook deliveries, updated as deliveries are recorded.

The writer of deliveries counts them in the same transaction, so only recorded deliveries are
counted. If a connection is lost during a commit, that batch may be counted twice.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from landbridge.platform.db.pool import Database, Row, Tx
from landbridge.platform.db.rows import column_arrays
from landbridge.reporting.metrics.periods import periods, starts_at
from landbridge.reporting.rollups.model import Span

_ADD = """
insert into report_delivery_counts (org_id, granularity, start, endpoint_id, outcome, duration_ms,
    count)
select $1, n.granularity, n.start, $2, n.outcome, n.duration_ms, n.count
from unnest($3::text[], $4::timestamptz[], $5::text[], $6::integer[], $7::bigint[])
    as n (granularity, start, outcome, duration_ms, count)
on conflict (org_id, granularity, start, endpoint_id, outcome, duration_ms) do update
set count = report_delivery_counts.count + excluded.count
"""

# Sums each range before the sum is added to one period and subtracted from another. The lateral
# join looks up ranges one by one, even if the planner expects many rows.
_SUMS = """
with part as (
    select r.gains, r.loses, d.endpoint_id, d.outcome, d.duration_ms, d.count
    from unnest($2::text[], $3::timestamptz[], $4::timestamptz[], $5::date[], $6::date[])
        as r (granularity, since, until, gains, loses)
    cross join lateral (
        select case when $8 then x.endpoint_id end as endpoint_id, x.outcome, x.duration_ms,
            sum(x.count)::bigint as count
        from report_delivery_counts x
        where x.org_id = $1 and x.granularity = r.granularity
            and x.start >= r.since and x.start < r.until
            and ($7::uuid[] is null or x.endpoint_id = any($7))
        group by 1, x.outcome, x.duration_ms
    ) d
)
select s.period, p.endpoint_id, p.outcome, p.duration_ms, sum(s.sign * p.count)::bigint as count
from part p
cross join lateral (values (p.gains, 1), (p.loses, -1)) as s (period, sign)
where s.period is not null
group by s.period, p.endpoint_id, p.outcome, p.duration_ms
having sum(s.sign * p.count) <> 0
"""

_QUARTER_S = 15 * 60
# Rounded durations, ten per power of ten: few rows to read, and rounding adds at most a third.
_STEPS = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)


class DeliveryCountRange(NamedTuple):
    """Counter cells of one granularity, from `since` (inclusive) to `until` (exclusive).

    They are added to the report period `gains` and subtracted from the period `loses`.
    """

    granularity: str
    since: datetime
    until: datetime
    gains: date | None
    loses: date | None


class DeliveryCountRow(NamedTuple):
    """Counter cell; `start` is truncated to the granularity, `duration_ms` is rounded up."""

    granularity: str
    start: datetime
    outcome: str
    duration_ms: int


class DeliveryOutcome(StrEnum):
    """Outcome of an attempt; the last member is the outcome of a whole delivery."""

    DELIVERED = "delivered"  # 2xx response
    REFUSED = "refused"  # 4xx response
    FAILED = "failed"  # any other response
    NO_ANSWER = "no_answer"
    GIVEN_UP = "given_up"  # all attempts failed until the deadline


_OUTCOMES = {each.value: each for each in DeliveryOutcome}


@dataclass(frozen=True, slots=True)
class DeliveryCount:
    """Counted outcome; `at` is organisation time, `duration_ms` is 0 without an attempt."""

    at: datetime
    outcome: DeliveryOutcome
    duration_ms: int


class DeliverySum(NamedTuple):
    """Number of outcomes in a period; `endpoint_id` is None unless broken down by endpoint."""

    period: date
    endpoint_id: UUID | None
    outcome: DeliveryOutcome
    duration_ms: int
    times: int


async def count(
    tx: Tx, org_id: UUID, endpoint_id: UUID, delivered: Iterable[DeliveryCount]
) -> None:
    """Count deliveries; the caller holds the endpoint's lease, so no other writer counts for it."""
    # Group equal entries first, so that fewer cells have to be written.
    same: defaultdict[tuple[int, DeliveryOutcome, int], int] = defaultdict(int)
    for each in delivered:
        same[int(each.at.timestamp()) // _QUARTER_S, each.outcome, each.duration_ms] += 1
    cells: defaultdict[DeliveryCountRow, int] = defaultdict(int)
    for (quarter, outcome, duration_ms), times in same.items():
        start = datetime.fromtimestamp(quarter * _QUARTER_S, UTC)
        rounded_ms = rounded_up(duration_ms)
        for granularity, first in (
            ("quarter", start),
            ("hour", start.replace(minute=0)),
            ("day", start.replace(hour=0, minute=0)),
        ):
            cells[DeliveryCountRow(granularity, first, outcome, rounded_ms)] += times
    if cells:
        await tx.execute(
            _ADD, org_id, endpoint_id, *column_arrays(_ADD, list(cells), count=list(cells.values()))
        )


@dataclass(frozen=True, slots=True)
class DeliveryCounts:
    """Counts of attempts and deliveries, by quarters of an hour of the organisation's time."""

    database: Database

    async def sums(
        self,
        org_id: UUID,
        span: Span,
        endpoint_ids: Collection[UUID] | None = None,
        *,
        by_endpoint: bool,
    ) -> Sequence[DeliverySum]:
        """Return counts by period, outcome and duration; of all endpoints if None is given.

        The span starts and ends on a quarter of an hour.
        """
        # This runs in a thread, because ten thousand days take a while.
        ranges = await asyncio.to_thread(lambda: list(_ranges(span)))
        rows = await self.database.read_on_replica(
            lambda tx: tx.fetch(
                _SUMS,
                org_id,
                *column_arrays(_SUMS, ranges),
                None if endpoint_ids is None else list(endpoint_ids),
                by_endpoint,
            )
        )
        return [_sum(row) for row in rows]


def rounded_up(duration_ms: int) -> int:
    """Round up to one of ten steps between powers of ten; values up to 10 ms stay exact."""
    if duration_ms <= _STEPS[0]:
        return max(duration_ms, 0)
    scale = 1
    while duration_ms > _STEPS[-1] * scale:
        scale *= 10
    return next(step * scale for step in _STEPS if step * scale >= duration_ms)


def _ranges(span: Span) -> Iterator[DeliveryCountRange]:
    """Split periods into UTC days, and into hours where they start within a day.

    A period consists of the UTC days from the midnight nearest to its start to the one nearest to
    its end. The hours between a midnight and a start are added to one period and subtracted from
    its neighbour.
    """
    found = list(periods(span))[::-1]
    starts = [*(starts_at(each, span) for each in found), span.before]
    midnights = [_midnight(each) for each in starts]
    for index, start in enumerate(starts):
        before = found[index - 1] if index else None
        following = found[index] if index < len(found) else None
        midnight = midnights[index]
        if midnight < start:
            yield from _ragged(midnight, start, before, following)
        elif start < midnight:
            yield from _ragged(start, midnight, following, before)
        if following is not None and midnight < midnights[index + 1]:
            yield DeliveryCountRange("day", midnight, midnights[index + 1], following, None)


def _ragged(
    since: datetime, until: datetime, gains: date | None, loses: date | None
) -> Iterator[DeliveryCountRange]:
    """Return a range as hours and quarters of an hour; one of its bounds is a midnight."""
    first = _hour(since + timedelta(hours=1) - timedelta(microseconds=1))
    last = max(first, _hour(until))
    for granularity, begin, end in (
        ("quarter", since, min(first, until)),
        ("hour", first, last),
        ("quarter", last, until),
    ):
        if begin < end:
            yield DeliveryCountRange(granularity, begin, end, gains, loses)


def _hour(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def _midnight(moment: datetime) -> datetime:
    """Return the nearest UTC midnight."""
    later = moment.astimezone(UTC) + timedelta(hours=12)
    return later.replace(hour=0, minute=0, second=0, microsecond=0)


def _sum(row: Row) -> DeliverySum:
    return DeliverySum(
        row["period"],
        row["endpoint_id"],
        _OUTCOMES[row["outcome"]],
        row["duration_ms"],
        row["count"],
    )
