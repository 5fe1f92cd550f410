"""Users of an organisation as values of a parameter: their number, pages of ids, those in a result.

Users are counted by day from the roll-ups, so that many users slow down neither the number nor a
late page.
"""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from uuid import UUID

from landbridge.customers.users.model import USER_KIND
from landbridge.platform.core.pagination import BEGINNING
from landbridge.reporting.date_params import start_of_day
from landbridge.reporting.metrics.model import MetricQuery, MetricSources
from landbridge.reporting.rollups.model import UTC_ZONE, Interval, RollupMeasure, RollupSum, Span

# Range of all creation times: sample data starts no earlier, and clocks advance no further.
_FIRST, _END = datetime(2010, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


async def user_count(sources: MetricSources, org_id: UUID) -> int:
    """Return the number of users, including erased ones."""
    return sum(each.count for each in await _arrivals(sources, org_id, Interval.YEAR))


async def user_page(
    sources: MetricSources, org_id: UUID, *, offset: int, limit: int
) -> tuple[list[UUID], int]:
    """Return a page of ids, oldest first, so that new users do not change it; and the total."""
    days = sorted(await _arrivals(sources, org_id, Interval.DAY), key=lambda each: each.period)
    total = sum(each.count for each in days)
    if offset >= total:
        return [], total
    since, skipped = BEGINNING, 0
    for each in days:
        since = start_of_day(each.period, UTC_ZONE)
        if skipped + each.count > offset:
            break
        skipped += each.count
    found = await sources.users.ids(org_id, since=since, offset=offset - skipped, limit=limit)
    return found, total


async def users_within_limit(
    sources: MetricSources,
    org_id: UUID,
    query: MetricQuery,
    kinds: Collection[str],
    statuses: Collection[str] | None,
) -> Sequence[UUID]:
    """Return the users with records, in row order, at most one more than the limit of rows.

    The additional user shows that a result has more rows than its limit.
    """
    users = await sources.users.ids(org_id)
    return await sources.rollups.active_users(
        org_id, users, kinds, statuses, query.span, limit=query.limit + 1
    )


async def _arrivals(
    sources: MetricSources, org_id: UUID, interval: Interval
) -> Sequence[RollupSum]:
    span = Span(_FIRST, _END, UTC_ZONE, interval)
    return await sources.rollups.sums(org_id, RollupMeasure.USER, [USER_KIND], span, by=())
