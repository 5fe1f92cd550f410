"""Owners whose data keys seal receiver responses."""

from collections.abc import Collection, Mapping
from uuid import UUID

from landbridge.platform.db.pool import Tx

# Owner of an event without a snapshot: the payer of a payment, or of the payment that a request for
# information is about, or the object's own, as with links. Queried in this order, and no further
# than needed. The inner ordering makes each lookup use its primary key, however few rows there were
# when it was planned.
_OWNERS = """
select e.object_id, coalesce(
    (
        select t.user_id
        from (
            select id, user_id from transfers
            where org_id = $1 and id >= e.object_id
            order by id
            limit 1
        ) t
        where t.id = e.object_id
    ),
    (
        select r.user_id
        from (
            select id, user_id from rfis
            where org_id = $1 and id >= e.object_id
            order by id
            limit 1
        ) r
        where r.id = e.object_id
    ),
    e.object_id
) as owner_id
from unnest($2::uuid[]) as e (object_id)
"""


async def owners(tx: Tx, org_id: UUID, object_ids: Collection[UUID]) -> Mapping[UUID, UUID]:
    """Return the owner of each of these objects, by object."""
    rows = await tx.fetch(_OWNERS, org_id, list(object_ids))
    return {row["object_id"]: row["owner_id"] for row in rows}
