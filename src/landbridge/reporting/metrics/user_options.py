"""The users of an organisation, as the values of a parameter: how many, and page by page.

Counted by days from the roll-ups, so that neither the number nor a late page takes longer the more
users there are.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from landbridge.core.pages import BEGINNING
from landbridge.reporting.metrics.model import Sources
from landbridge.reporting.moments import start_of_day
from landbridge.reporting.rollups.model import UTC_ZONE, Interval, Measure, Span, Sum
from landbridge.users.model import USER_KIND

# No seed goes back further, and no clock is set on by more than a century. Each period between them
# is counted through.
_FIRST, _END = datetime(2010, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


async def user_count(sources: Sources, org_id: UUID) -> int:
    """How many users there are, erased ones among them."""
    return sum(each.count for each in await _arrivals(sources, org_id, Interval.YEAR))


async def user_page(
    sources: Sources, org_id: UUID, *, offset: int, limit: int
) -> tuple[list[UUID], int]:
    """Ids, oldest first, so that pages stay as they are while users are added; and how many all."""
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


async def _arrivals(sources: Sources, org_id: UUID, interval: Interval) -> Sequence[Sum]:
    span = Span(_FIRST, _END, UTC_ZONE, interval)
    return await sources.rollups.sums(org_id, Measure.USER, [USER_KIND], span, by=())
