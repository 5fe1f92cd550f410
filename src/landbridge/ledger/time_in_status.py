"""Time in status: the status history of records, and records that are overdue."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.platform.core.pagination import PagePosition
from landbridge.platform.db.pool import Database
from landbridge.platform.db.rows import read_row

STATUS_HISTORY = """
select status_after as status, actor, occurred_at
from changes
where org_id = $1 and object_id = $2 and status_after is not null
order by seq
"""

# Records that wait have a due time or, in review or owed by a user, none: see FIND_PAYING. Both
# indexes have no other records. A record with an attention mark (payments/engine/attention.py) of
# its current version needs a person, however short it has waited.
OVERDUE = """
select w.org_id, w.id, w.kind, w.status, w.updated_at, w.due_at, w.attention,
    w.source_asset, w.source_units
from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) as o (org_id, now, due_before)
cross join lateral (
    select t.org_id, t.id, t.kind, t.status, t.updated_at, t.due_at, t.source_asset,
        t.source_units,
        case when (t.facts -> 'attention' ->> 'version')::integer = t.version
            then t.facts -> 'attention' ->> 'reason' end as attention
    from transfers t
    where t.org_id = o.org_id and t.due_at is not null
    union all
    select t.org_id, t.id, t.kind, t.status, t.updated_at, t.due_at, t.source_asset,
        t.source_units, null
    from transfers t
    where t.org_id = o.org_id and t.due_at is null and t.status = 'IN_REVIEW'
    union all
    select t.org_id, t.id, t.kind, t.status, t.updated_at, t.due_at, t.source_asset,
        t.source_units, null
    from transfers t
    where t.org_id = o.org_id and t.due_at is null and t.status = 'OPEN'
) w
join unnest($4::text[], $5::text[], $6::double precision[], $7::boolean[], $8::boolean[])
    as p (kind, status, within_s, is_listed, is_listed_with_attention)
    on p.kind = w.kind and p.status = w.status
where (
        w.due_at < o.due_before or extract(epoch from o.now - w.updated_at) > p.within_s
        or w.attention is not null
    )
    and case when w.attention is null then p.is_listed else p.is_listed_with_attention end
    and (w.updated_at, w.id) > ($9, $10)
order by w.updated_at, w.id
limit $11
"""


@dataclass(frozen=True, slots=True)
class StatusEntry:
    """Status that a record reached, when, and by whom."""

    status: str
    actor: str
    at: datetime


@dataclass(frozen=True, slots=True)
class StatusTimeLimit:
    """Maximum time in a status, per kind of record; None means that only the due time limits it.

    `is_listed` and `is_listed_with_attention` say whether records at this status are listed,
    without and with an attention mark.
    """

    kind: str
    status: str
    within: timedelta | None
    is_listed: bool = True
    is_listed_with_attention: bool = True


@dataclass(frozen=True, slots=True)
class OverdueTransfer:
    """Overdue record: too long in its status, long past its due time, or in need of a person.

    `attention` is the reason why it needs a person; None unless the worker has marked it.
    `source_units` are smallest units of `source_asset`, an asset code.
    """

    org_id: UUID
    id: UUID
    kind: str
    status: str
    since: datetime
    due_at: datetime | None
    source_asset: str
    source_units: int
    attention: str | None = None


class TimeInStatus:
    """Reads status histories and overdue records of all organisations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def status_history(self, org_id: UUID, transfer_id: UUID) -> Sequence[StatusEntry]:
        """Return every status that a record reached, oldest first."""
        rows = await self._database.single(lambda tx: tx.fetch(STATUS_HISTORY, org_id, transfer_id))
        return [StatusEntry(row["status"], row["actor"], row["occurred_at"]) for row in rows]

    async def overdue(
        self,
        clocks: Mapping[UUID, datetime],
        time_limits: Sequence[StatusTimeLimit],
        *,
        grace: timedelta,
        after: PagePosition,
        limit: int,
    ) -> Sequence[OverdueTransfer]:
        """Return records that exceed these limits, the longest waiting first.

        `after` is the position before the page: the time since which a record waits, and its id.
        """
        rows = await self._database.single(
            lambda tx: tx.fetch(
                OVERDUE,
                list(clocks),
                list(clocks.values()),
                [now - grace for now in clocks.values()],
                [each.kind for each in time_limits],
                [each.status for each in time_limits],
                [
                    None if each.within is None else each.within.total_seconds()
                    for each in time_limits
                ],
                [each.is_listed for each in time_limits],
                [each.is_listed_with_attention for each in time_limits],
                after.created_at,
                after.id,
                limit,
            )
        )
        return [read_row(row, OverdueTransfer, since=row["updated_at"]) for row in rows]
