"""Reads of the queue of screenings. The ledger writes screenings."""

from collections.abc import Collection, Sequence
from uuid import UUID

from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Tx

# Uses the index of records by kind, backwards.
_QUEUE = """
select id
from transfers
where org_id = $1 and kind = 'DEPOSIT.SCREENING' and status = any($2::text[])
    and created_at >= $3 and created_at < $4
order by created_at, id
limit $5
"""


async def queue(
    tx: Tx, org_id: UUID, statuses: Collection[str], window: PageWindow
) -> Sequence[UUID]:
    """Return the ids of screenings of these statuses, the oldest first."""
    rows = await tx.fetch(
        _QUEUE, org_id, list(statuses), window.since, window.position.created_at, window.limit
    )
    return [row["id"] for row in rows]
