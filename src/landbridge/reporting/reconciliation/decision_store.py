"""Statements on recon_differences by which people decide, and on the units that they accept."""

from decimal import Decimal
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.reporting.reconciliation.difference_store import as_difference
from landbridge.reporting.reconciliation.model import Difference

_LOCK = """
select id, source, kind, status, asset, reference, record_id, ledger_units, outside_units, since,
    due_at, resolution, resolved_at, assignee_id, reason, proposed_by, proposed_at, accepted_by,
    adjusts_ledger
from recon_differences
where org_id = $1 and id = $2
for update
"""

_SET = """
update recon_differences
set status = $3, assignee_id = $4, reason = $5, proposed_by = $6, proposed_at = $7,
    accepted_by = $8, resolution = $9, resolved_at = $10, adjusts_ledger = $11
where org_id = $1 and id = $2
"""

# As it was found: units that have changed meanwhile are not accepted.
_ACCEPT_MATCH = """
update recon_matches
set accepted_units = $5
where org_id = $1 and source = $2 and asset = $3 and reference = $4
    and outside_units - ledger_units = $5
returning true
"""

_ACCEPT_POSITION = """
update recon_positions
set accepted_units = unexplained_units
where org_id = $1 and source = $2 and asset = $3 and unexplained_units - accepted_units = $4
returning true
"""

_HAS_MATCH = """
select true
from recon_matches
where org_id = $1 and source = $2 and asset = $3 and reference = $4
    and outside_units - ledger_units = $5
"""

_HAS_POSITION = """
select true
from recon_positions
where org_id = $1 and source = $2 and asset = $3 and unexplained_units - accepted_units = $4
"""


async def lock(tx: Tx, org_id: UUID, difference_id: UUID) -> Difference | None:
    """Lock a difference until the transaction ends."""
    row = await tx.fetchrow(_LOCK, org_id, difference_id)
    return None if row is None else as_difference(row)


async def write(tx: Tx, org_id: UUID, difference: Difference) -> None:
    """Store what people have decided on a locked difference."""
    await tx.execute(
        _SET,
        org_id,
        difference.id,
        difference.status,
        difference.assignee_id,
        difference.reason,
        difference.proposed_by,
        difference.proposed_at,
        difference.accepted_by,
        difference.resolution,
        difference.resolved_at,
        difference.adjusts_ledger,
    )


async def accept_units(tx: Tx, org_id: UUID, difference: Difference) -> bool:
    """Let later runs expect the units of a difference; False if they have changed since."""
    key, units = (org_id, difference.source, difference.asset), Decimal(difference.units)
    if difference.reference:
        return bool(await tx.fetchval(_ACCEPT_MATCH, *key, difference.reference, units))
    return bool(await tx.fetchval(_ACCEPT_POSITION, *key, units))


async def has_units(tx: Tx, org_id: UUID, difference: Difference) -> bool:
    """Return whether a difference still has these units; the caller has locked its source."""
    key, units = (org_id, difference.source, difference.asset), Decimal(difference.units)
    if difference.reference:
        return bool(await tx.fetchval(_HAS_MATCH, *key, difference.reference, units))
    return bool(await tx.fetchval(_HAS_POSITION, *key, units))
