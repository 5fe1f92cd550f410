"""Statements that list deliveries; those of endpoint workers are in `delivery_store`."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.developers.events.model import EventKey
from landbridge.developers.webhooks.model import Delivery, DeliveryFilters, DeliveryStatus
from landbridge.developers.webhooks.rows import as_delivery
from landbridge.platform.core.pagination import PagePosition
from landbridge.platform.db.pool import Tx

# Scans a bounded number of the newest rows, so that a search without matches ends.
_PAGE = """
select d.org_id, d.id, d.day, d.endpoint_id, d.round, d.place, d.object_id, d.seq, d.part,
    d.event_type, d.event_at, d.status, d.due_at, d.deadline_at, d.attempt_count,
    jsonb_path_query_array(d.attempts, '$[last]')::text as attempts, d.created_at, d.updated_at,
    d.owner_id, d.sealed_responses
from (
    select org_id, id, day, endpoint_id, round, place, object_id, seq, part, event_type, event_at,
        status, due_at, deadline_at, attempt_count, attempts, created_at, updated_at, owner_id,
        sealed_responses
    from webhook_deliveries
    where org_id = $1 and endpoint_id = $2 and (created_at, id) < ($3, $4) and created_at >= $5
    order by created_at desc, id desc
    limit $6
) d
where d.org_id = $1
    and ($7::text[] is null or d.status = any($7))
    and ($8::text[] is null or d.event_type = any($8))
order by d.created_at desc, d.id desc
limit $9
"""

# The same by an index of the few undelivered ones.
_PAGE_OF_UNDELIVERED = """
select d.org_id, d.id, d.day, d.endpoint_id, d.round, d.place, d.object_id, d.seq, d.part,
    d.event_type, d.event_at, d.status, d.due_at, d.deadline_at, d.attempt_count,
    jsonb_path_query_array(d.attempts, '$[last]')::text as attempts, d.created_at, d.updated_at,
    d.owner_id, d.sealed_responses
from (
    select org_id, id, day, endpoint_id, round, place, object_id, seq, part, event_type, event_at,
        status, due_at, deadline_at, attempt_count, attempts, created_at, updated_at, owner_id,
        sealed_responses
    from webhook_deliveries
    where org_id = $1 and endpoint_id = $2 and (created_at, id) < ($3, $4) and created_at >= $5
        and status <> 'DELIVERED'
    order by created_at desc, id desc
    limit $6
) d
where d.org_id = $1
    and ($7::text[] is null or d.status = any($7))
    and ($8::text[] is null or d.event_type = any($8))
order by d.created_at desc, d.id desc
limit $9
"""

# The position where such a search stopped, if more rows may follow.
_END = """
select created_at, id
from webhook_deliveries
where org_id = $1 and endpoint_id = $2 and (created_at, id) < ($3, $4) and created_at >= $5
order by created_at desc, id desc
offset $6 - 1
limit 1
"""

_END_OF_UNDELIVERED = """
select created_at, id
from webhook_deliveries
where org_id = $1 and endpoint_id = $2 and (created_at, id) < ($3, $4) and created_at >= $5
    and status <> 'DELIVERED'
order by created_at desc, id desc
offset $6 - 1
limit 1
"""

_FIND = """
select org_id, id, day, endpoint_id, round, place, object_id, seq, part, event_type, event_at,
    status, due_at, deadline_at, attempt_count, attempts::text, created_at, updated_at, owner_id,
    sealed_responses
from webhook_deliveries
where org_id = $1 and id = $2 and endpoint_id = $3 and created_at >= $4
"""

# Includes deliveries to endpoints deleted since.
_OF_EVENT = """
select d.org_id, d.id, d.day, d.endpoint_id, d.round, d.place, d.object_id, d.seq, d.part,
    d.event_type, d.event_at, d.status, d.due_at, d.deadline_at, d.attempt_count,
    jsonb_path_query_array(d.attempts, '$[last]')::text as attempts, d.created_at, d.updated_at,
    d.owner_id, d.sealed_responses
from webhook_endpoints e
join webhook_deliveries d on d.org_id = e.org_id and d.endpoint_id = e.id
where e.org_id = $1 and d.place = $2 and d.object_id = $3 and d.seq = $4 and d.part = $5
order by d.created_at desc, d.id desc
limit $6
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliverySearch:
    """Search for deliveries to an endpoint: before a position, and at most `scan_max` rows."""

    org_id: UUID
    endpoint_id: UUID
    filters: DeliveryFilters
    before: PagePosition
    since: datetime
    scan_max: int

    @property
    def is_undelivered(self) -> bool:
        """Return whether an index has all that it may find."""
        statuses = self.filters.statuses
        return statuses is not None and DeliveryStatus.DELIVERED not in statuses

    @property
    def bounds(self) -> tuple[object, ...]:
        """Return the first arguments of its statements."""
        before = self.before
        position = (before.created_at, before.id)
        return (self.org_id, self.endpoint_id, *position, self.since, self.scan_max)


async def page(tx: Tx, search: DeliverySearch, limit: int) -> list[Delivery]:
    """Return deliveries to an endpoint, newest first, each with its last attempt."""
    statuses, types = search.filters.statuses, search.filters.event_types
    rows = await tx.fetch(
        _PAGE_OF_UNDELIVERED if search.is_undelivered else _PAGE,
        *search.bounds,
        None if statuses is None else [each.value for each in statuses],
        None if types is None else list(types),
        limit,
    )
    return [as_delivery(each) for each in rows]


async def end(tx: Tx, search: DeliverySearch) -> PagePosition | None:
    """Return the last row that such a page scanned, if it reached its scan limit."""
    sql = _END_OF_UNDELIVERED if search.is_undelivered else _END
    row = await tx.fetchrow(sql, *search.bounds)
    return None if row is None else PagePosition(row["created_at"], row["id"])


async def find(
    tx: Tx, org_id: UUID, endpoint_id: UUID, delivery_id: UUID, *, since: datetime
) -> Delivery | None:
    """Return a delivery with its attempts, if it was created since then."""
    row = await tx.fetchrow(_FIND, org_id, delivery_id, endpoint_id, since)
    return None if row is None else as_delivery(row)


async def of_event(
    tx: Tx, org_id: UUID, key: EventKey, *, place: int, limit: int
) -> list[Delivery]:
    """Return an event's deliveries to all endpoints, newest first, with their last attempts."""
    rows = await tx.fetch(_OF_EVENT, org_id, place, key.object_id, key.seq, key.part, limit)
    return [as_delivery(each) for each in rows]
