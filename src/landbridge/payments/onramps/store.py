"""SQL statements on onramp_references."""

from uuid import UUID

from landbridge.platform.db.pool import Tx

# Returns no row if the record has this reference already, or another record has it.
_ADD = """
insert into onramp_references (org_id, reference, transfer_id) values ($1, $2, $3)
on conflict do nothing
returning true
"""

_FIND = "select transfer_id from onramp_references where org_id = $1 and reference = $2"


async def add(tx: Tx, org_id: UUID, reference: str, transfer_id: UUID) -> bool:
    """Assign a reference to a record; False if another record has it."""
    if await tx.fetchval(_ADD, org_id, reference, transfer_id):
        return True
    return await find(tx, org_id, reference) == transfer_id


async def find(tx: Tx, org_id: UUID, reference: str) -> UUID | None:
    """Find the record of a reference."""
    found: UUID | None = await tx.fetchval(_FIND, org_id, reference)
    return found
