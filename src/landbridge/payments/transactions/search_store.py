"""Reads that find payments by references of deposits."""

from collections.abc import Sequence
from uuid import UUID

from landbridge.platform.db.pool import Tx

# Both references have a unique key.
_FIND_BY_REFERENCES = """
select r.transfer_id
from onramp_references r
where r.org_id = $1 and r.reference = any($2::text[])
union
select p.transfer_id
from incoming_payments p
where p.org_id = $1 and p.bank_reference = any($2::text[]) and p.transfer_id is not null
"""


async def find_by_references(tx: Tx, org_id: UUID, references: Sequence[str]) -> Sequence[UUID]:
    """Return the payments with these deposit references, or bank references of their credits."""
    rows = await tx.fetch(_FIND_BY_REFERENCES, org_id, references)
    return [row["transfer_id"] for row in rows]
