"""Reads the records of a kind that wait for people."""

from collections.abc import Collection, Sequence
from uuid import UUID

from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.db.pool import Tx

# Uses the index of records by kind, backwards.
_OLDEST = """
select id
from transfers
where org_id = $1 and kind = $2 and status = any($3::text[])
    and (created_at, id) > ($4, $5) and created_at < $6
order by created_at, id
limit $7
"""


async def oldest(
    tx: Tx, org_id: UUID, kind: str, statuses: Collection[str], window: QueueWindow
) -> Sequence[UUID]:
    """Return the ids of records of a kind and of these statuses, the oldest first."""
    after, before = window.after, window.before
    rows = await tx.fetch(
        _OLDEST, org_id, kind, list(statuses), after.created_at, after.id, before, window.limit
    )
    return [row["id"] for row in rows]
