"""How deliveries of webhooks went, counted as they are written down.

Whoever writes them down counts them in the same transaction, so that nothing is counted that is
not written. Only a connection that is lost at the very commit may have a load counted twice.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from landbridge.db.pool import Database, Row, Tx
from landbridge.reporting import delivery_tally_store
from landbridge.reporting.delivery_tally_store import Cell, CellRange
from landbridge.reporting.metrics.periods import periods, starts_at
from landbridge.reporting.rollups.model import Span

_QUARTER_S = 15 * 60
# Ten to a power of ten: no more rows than are soon read, none further off than a third.
_STEPS = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)


class DeliveryOutcome(StrEnum):
    """What came of an attempt, but for the last one: that is of a whole delivery."""

    DELIVERED = "delivered"  # answered with a 2xx
    REFUSED = "refused"  # answered with a 4xx
    FAILED = "failed"  # answered with anything else
    NO_ANSWER = "no_answer"
    GIVEN_UP = "given_up"  # no attempt was a success in the time there was


_OUTCOMES = {each.value: each for each in DeliveryOutcome}


@dataclass(frozen=True, slots=True)
class Delivered:
    """Something to count; `at` is in the organisation's time, `took_ms` 0 of what is no attempt."""

    at: datetime
    outcome: DeliveryOutcome
    took_ms: int


class DeliverySum(NamedTuple):
    """How many of a period there were; `endpoint_id` is None unless they were told apart."""

    period: date
    endpoint_id: UUID | None
    outcome: DeliveryOutcome
    took_ms: int
    times: int


async def count(tx: Tx, org_id: UUID, endpoint_id: UUID, delivered: Iterable[Delivered]) -> None:
    """Count these; nobody else counts for this endpoint meanwhile."""
    # What is the same first, since there may be many at once: a cell costs more than a number.
    same: defaultdict[tuple[int, DeliveryOutcome, int], int] = defaultdict(int)
    for each in delivered:
        same[int(each.at.timestamp()) // _QUARTER_S, each.outcome, each.took_ms] += 1
    cells: defaultdict[Cell, int] = defaultdict(int)
    for (quarter, outcome, took_ms), times in same.items():
        start = datetime.fromtimestamp(quarter * _QUARTER_S, UTC)
        rounded_ms = rounded_up(took_ms)
        for frame, first in (
            ("quarter", start),
            ("hour", start.replace(minute=0)),
            ("day", start.replace(hour=0, minute=0)),
        ):
            cells[Cell(frame, first, outcome, rounded_ms)] += times
    if cells:
        await delivery_tally_store.add(tx, org_id, endpoint_id, cells)


@dataclass(frozen=True, slots=True)
class DeliveryTallies:
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
        """Counts by period, outcome and duration, in no order; of all endpoints if None is named.

        The span begins and ends with a quarter of an hour.
        """
        ranges = list(_ranges(span))
        rows = await self.database.single(
            lambda tx: delivery_tally_store.sums(
                tx, org_id, ranges, endpoint_ids, by_endpoint=by_endpoint
            )
        )
        return [_sum(row) for row in rows]


def rounded_up(took_ms: int) -> int:
    """To one of ten steps between powers of ten; to 10 milliseconds it stays as it is."""
    if took_ms <= _STEPS[0]:
        return max(took_ms, 0)
    scale = 1
    while took_ms > _STEPS[-1] * scale:
        scale *= 10
    return next(step * scale for step in _STEPS if step * scale >= took_ms)


def _ranges(span: Span) -> Iterator[CellRange]:
    """What the periods are made of: days of UTC, and hours where they begin within one.

    A period has the days from the midnight nearest to its start to that nearest to its end. What
    lies between a midnight and a start is in the one before and not in the one behind, or the
    other way round.
    """
    found = list(periods(span))[::-1]
    starts = [*(starts_at(each, span) for each in found), span.before]
    midnights = [_midnight(each) for each in starts]
    for place, start in enumerate(starts):
        before = found[place - 1] if place else None
        behind = found[place] if place < len(found) else None
        midnight = midnights[place]
        if midnight < start:
            yield from _ragged(midnight, start, before, behind)
        elif start < midnight:
            yield from _ragged(start, midnight, behind, before)
        if behind is not None and midnight < midnights[place + 1]:
            yield CellRange("day", midnight, midnights[place + 1], behind, None)


def _ragged(
    since: datetime, until: datetime, gains: date | None, loses: date | None
) -> Iterator[CellRange]:
    """Hours, and quarters around them; one of the two ends is a midnight."""
    first = _hour(since + timedelta(hours=1) - timedelta(microseconds=1))
    last = max(first, _hour(until))
    for frame, begin, end in (
        ("quarter", since, min(first, until)),
        ("hour", first, last),
        ("quarter", last, until),
    ):
        if begin < end:
            yield CellRange(frame, begin, end, gains, loses)


def _hour(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def _midnight(moment: datetime) -> datetime:
    """The nearest one of UTC."""
    later = moment.astimezone(UTC) + timedelta(hours=12)
    return later.replace(hour=0, minute=0, second=0, microsecond=0)


def _sum(row: Row) -> DeliverySum:
    return DeliverySum(
        row["period"],
        row["endpoint_id"],
        _OUTCOMES[row["outcome"]],
        row["took_ms"],
        row["count"],
    )
