"""SQL statements on the tables of reconciliation that only bank accounts need."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from landbridge.payments.bank_files.counted_lines import BankMovement
from landbridge.platform.db.pool import Tx
from landbridge.reporting.reconciliation.sources import ReconSourceName

_LOCK_READ = """
select coalesce(read_place, 0) from recon_sources where org_id = $1 and source = $2 for update
"""

_MOVE_READ = """
update recon_sources set read_place = $3 where org_id = $1 and source = $2
"""

# Has no effect on a match that was removed, because only the balance covers it.
_TAKE_BACK = """
update recon_matches m
set outside_units = m.outside_units - n.units, outside_moved_at = $3
from (
    select i.reference, sum(i.units) as units
    from unnest($5::text[], $6::numeric[]) as i (reference, units)
    group by i.reference
) as n
where m.org_id = $1 and m.source = $2 and m.asset = $4 and m.reference = n.reference
"""

# Stores what moved in gaps; a known gap gets the new units.
_SET_GAPS = """
insert into recon_matches as m
    (org_id, source, reference, asset, record_id, ledger_units, outside_units, first_seen_at,
    outside_moved_at)
select $1, $2, n.reference, $4, null, 0, n.units, $3, $3
from unnest($5::text[], $6::numeric[]) as n (reference, units)
order by n.reference
on conflict (org_id, source, reference, asset) do update
set outside_units = excluded.outside_units, outside_moved_at = excluded.outside_moved_at
where m.outside_units <> excluded.outside_units
"""

# Sets gaps to zero, because the missing statement has arrived.
_END_GAPS = """
update recon_matches
set outside_units = 0, outside_moved_at = $3
where org_id = $1 and source = $2 and asset = $4 and reference = any($5::text[])
    and outside_units <> 0
"""

_UNEQUAL = """
select reference, ledger_units = 0 as is_unknown
from recon_matches
where org_id = $1 and source = $2 and ledger_units <> outside_units
order by reference
"""

_KEEP = """
delete from recon_matches where org_id = $1 and source = $2 and reference <> all($3::text[])
"""

_SET_BASELINE = """
update recon_positions set accepted_units = unexplained_units where org_id = $1 and source = $2
"""


async def lock_read_place(tx: Tx, org_id: UUID, source: ReconSourceName) -> int:
    """Return the place up to which the log was read for an open source, and lock the source."""
    return await tx.fetchval(_LOCK_READ, org_id, source)


async def move_read_place(tx: Tx, org_id: UUID, source: ReconSourceName, read_place: int) -> None:
    """Store the place up to which the log was read for a locked source."""
    await tx.execute(_MOVE_READ, org_id, source, read_place)


async def take_back(
    tx: Tx,
    org_id: UUID,
    source: ReconSourceName,
    asset: str,
    movements: Sequence[BankMovement],
    *,
    at: datetime,
) -> None:
    """Subtract movements that were counted under these references."""
    await tx.execute(
        _TAKE_BACK,
        org_id,
        source,
        at,
        asset,
        [each.reference for each in movements],
        [Decimal(each.units) for each in movements],
    )


async def set_gaps(
    tx: Tx,
    org_id: UUID,
    source: ReconSourceName,
    asset: str,
    gaps: Mapping[str, int],
    *,
    at: datetime,
) -> None:
    """Store what moved in gaps between statements, by reference."""
    ended = [reference for reference, units in gaps.items() if units == 0]
    opened = {reference: units for reference, units in gaps.items() if units != 0}
    if ended:
        await tx.execute(_END_GAPS, org_id, source, at, asset, ended)
    if opened:
        units = [Decimal(each) for each in opened.values()]
        await tx.execute(_SET_GAPS, org_id, source, at, asset, list(opened), units)


async def unequal(tx: Tx, org_id: UUID, source: ReconSourceName) -> Mapping[str, bool]:
    """Return references with unequal sides, and for each whether the ledger's side is empty."""
    return {row["reference"]: row["is_unknown"] for row in await tx.fetch(_UNEQUAL, org_id, source)}


async def keep_matches(
    tx: Tx, org_id: UUID, source: ReconSourceName, references: Collection[str]
) -> None:
    """Remove all other matches, so that from then on only the balance covers them."""
    await tx.execute(_KEEP, org_id, source, list(references))


async def set_baseline(tx: Tx, org_id: UUID, source: ReconSourceName) -> None:
    """Accept the unexplained units of a source: the organisation's own money in the account."""
    await tx.execute(_SET_BASELINE, org_id, source)
