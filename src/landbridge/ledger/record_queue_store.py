"""Reads the records of a kind that wait for people."""

from collections.abc import Collection, Sequence
from uuid import UUID

from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Tx

# Uses the index of records by kind, backwards.
_OLDEST = """
select id
from transfers
where org_id = $1 and kind = $2 and status = any($3::text[])
    and created_at >= $4 and created_at < $5
order by created_at, id
limit $6
"""


async def oldest(
    tx: Tx, org_id: UUID, kind: str, statuses: Collection[str], window: PageWindow
) -> Sequence[UUID]:
    """Return the ids of records of a kind and of these statuses, the oldest first."""
    since, before = window.since, window.position.created_at
    rows = await tx.fetch(_OLDEST, org_id, kind, list(statuses), since, before, window.limit)
    return [row["id"] for row in rows]
