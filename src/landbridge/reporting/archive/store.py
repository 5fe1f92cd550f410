"""Reads of records for the archive."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx
from landbridge.reporting.archive.model import EndedRecord

_BEGINNING = """
select min(occurred_at)
from changes
where org_id = $1 and is_settled
"""

# Records that have not ended are due, or wait for people. Each part has an index of its own.
_WAITING = """
select w.id, w.kind, w.status
from (
    select t.id, t.kind, t.status, t.created_at
    from transfers t
    where t.org_id = $1 and t.due_at is not null
    union all
    select t.id, t.kind, t.status, t.created_at
    from transfers t
    where t.org_id = $1 and t.due_at is null and t.status = 'IN_REVIEW'
    union all
    select t.id, t.kind, t.status, t.created_at
    from transfers t
    where t.org_id = $1 and t.due_at is null and t.status = 'OPEN'
) w
where w.created_at < $2
order by w.created_at, w.id
"""

_RECORDS = """
select t.id::text as id, t.kind, t.user_id::text as user_id, t.request_id::text as request_id,
    t.status, t.version, t.source_asset, t.source_units::text as source_units,
    t.destination_asset, t.destination_units::text as destination_units, t.created_at,
    t.updated_at, t.request::text as request, t.details::text as details, t.facts::text as facts
from transfers t
where t.org_id = $1 and t.id = any($2::uuid[])
"""


async def beginning(tx: Tx, org_id: UUID) -> datetime | None:
    """Return when an organisation's first change happened."""
    return await tx.fetchval(_BEGINNING, org_id)


async def waiting(tx: Tx, org_id: UUID, before: datetime) -> list[Row]:
    """Return records from before a time that may not have ended, the oldest first."""
    return await tx.fetch(_WAITING, org_id, before)


async def records(tx: Tx, org_id: UUID, ids: Collection[UUID]) -> dict[UUID, EndedRecord]:
    """Return records by id."""
    rows = await tx.fetch(_RECORDS, org_id, list(ids))
    return {UUID(row["id"]): EndedRecord(_values(row)) for row in rows}


def _values(row: Row) -> tuple[str | int | datetime | None, ...]:
    return (
        row["id"],
        row["kind"],
        row["user_id"],
        row["request_id"],
        row["status"],
        row["version"],
        row["source_asset"],
        row["source_units"],
        row["destination_asset"],
        row["destination_units"],
        row["created_at"],
        row["updated_at"],
        row["request"],
        row["details"],
        row["facts"],
    )
