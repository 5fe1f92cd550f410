"""Statements on resolutions."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Tx

_ADD = """
insert into resolutions (org_id, id, transfer_id, user_id, sealed_evidence, created_at)
values ($1, $2, $3, $4, $5, $6)
"""

_GET = """
select id, transfer_id, user_id, sealed_evidence
from resolutions
where org_id = $1 and id = any($2::uuid[])
"""

_OF_TRANSFER = """
select id
from resolutions
where org_id = $1 and transfer_id = $2
order by created_at desc, id desc
limit $3
"""

# Uses the index of records by kind, backwards.
_PAGE = """
select id
from transfers
where org_id = $1 and kind = 'RESOLUTION' and status = any($2::text[])
    and created_at >= $3 and created_at < $4
order by created_at desc, id desc
limit $5
"""

_ERASE = "update resolutions set sealed_evidence = null where org_id = $1 and user_id = $2"


async def add(
    tx: Tx,
    org_id: UUID,
    resolution_id: UUID,
    *,
    transfer_id: UUID,
    user_id: UUID,
    sealed_evidence: bytes,
    at: datetime,
) -> None:
    """Store the evidence of a resolution."""
    await tx.execute(_ADD, org_id, resolution_id, transfer_id, user_id, sealed_evidence, at)


async def get(
    tx: Tx, org_id: UUID, ids: Collection[UUID]
) -> Mapping[UUID, tuple[UUID, UUID, bytes | None]]:
    """Return (transfer, user, sealed evidence) by resolution."""
    rows = await tx.fetch(_GET, org_id, list(ids))
    return {row["id"]: (row["transfer_id"], row["user_id"], row["sealed_evidence"]) for row in rows}


async def of_transfer(tx: Tx, org_id: UUID, transfer_id: UUID, *, limit: int) -> Sequence[UUID]:
    """Return the resolutions of a payment, newest first."""
    return [row["id"] for row in await tx.fetch(_OF_TRANSFER, org_id, transfer_id, limit)]


async def page(
    tx: Tx, org_id: UUID, statuses: Collection[str], window: PageWindow
) -> Sequence[UUID]:
    """Return the resolutions of these statuses, newest first."""
    rows = await tx.fetch(
        _PAGE, org_id, list(statuses), window.since, window.position.created_at, window.limit
    )
    return [row["id"] for row in rows]


async def erase(tx: Tx, org_id: UUID, user_id: UUID) -> None:
    """Blank the evidence of a user's payments."""
    await tx.execute(_ERASE, org_id, user_id)
