"""SQL statements on the differences of one organisation, and on units that people accept."""

from collections.abc import Collection, Sequence
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from landbridge.platform.core.ids import new_id
from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import column_arrays, read_optional_row, read_row, write_row
from landbridge.reporting.reconciliation.model import (
    Difference,
    DifferenceFilters,
    DifferenceKind,
    DifferenceResolution,
    DifferenceStatus,
    FoundDifference,
)
from landbridge.reporting.reconciliation.sources import ReconSourceName, SourceName

_ADD_FINDINGS = """
insert into recon_differences as d
    (org_id, id, source, kind, status, asset, reference, record_id, ledger_units, outside_units,
    since, due_at)
select $1, n.id, $2, n.kind, case when n.due_at > $3 then 'TIMING' else 'OPEN' end, n.asset,
    n.reference, n.record_id, n.ledger_units, n.outside_units, $3, n.due_at
from unnest(
    $4::uuid[], $5::text[], $6::text[], $7::text[], $8::uuid[], $9::numeric[], $10::numeric[],
    $11::timestamptz[]
) as n (id, kind, asset, reference, record_id, ledger_units, outside_units, due_at)
order by n.asset, n.reference
on conflict (org_id, source, asset, reference) where status <> 'RESOLVED' do update
set kind = excluded.kind,
    status = case when d.status = 'TIMING' then excluded.status else d.status end,
    due_at = case when d.status = 'TIMING' then excluded.due_at else d.due_at end,
    record_id = excluded.record_id, ledger_units = excluded.ledger_units,
    outside_units = excluded.outside_units
where (d.kind, d.ledger_units, d.outside_units, d.status = 'TIMING')
    is distinct from (excluded.kind, excluded.ledger_units, excluded.outside_units,
        excluded.status = 'TIMING')
    or (d.status = 'TIMING' and d.due_at <> excluded.due_at)
"""

# The lateral join looks up each match by its key, even if the planner expects many rows.
_RESOLVE_MATCHED = """
update recon_differences d
set status = 'RESOLVED', resolution = $4, resolved_at = $3
where d.org_id = $1 and d.source = $2 and d.status <> 'RESOLVED' and d.reference <> ''
    and (
        select m.ledger_units = m.outside_units
        from recon_matches m
        where m.org_id = $1 and m.source = $2 and m.reference = d.reference and m.asset = d.asset
    )
"""

_RESOLVE_CLEARED = """
update recon_differences d
set status = 'RESOLVED', resolution = $4, resolved_at = $3
where d.org_id = $1 and d.source = $2 and d.status <> 'RESOLVED' and d.reference = ''
    and d.kind = any($5::text[]) and d.asset <> all($6::text[])
"""

# Resolves differences of payouts in transit, for which neither side has a movement.
_RESOLVE_UNBOOKED = """
update recon_differences d
set status = 'RESOLVED', resolution = $4, resolved_at = $3
where d.org_id = $1 and d.source = $2 and d.status <> 'RESOLVED' and d.reference <> ''
    and d.reference <> all($5::text[])
    and not exists (
        select from recon_matches m
        where m.org_id = $1 and m.source = $2 and m.reference = d.reference and m.asset = d.asset
    )
"""

_DIFFERENCES = """
select id, source, kind, status, asset, reference, record_id, ledger_units, outside_units, since,
    due_at, resolution, resolved_at, assignee_id, reason, proposed_by, proposed_at, accepted_by,
    adjusts_ledger
from recon_differences
where org_id = $1 and ($2 or status <> 'RESOLVED')
order by since desc, id
limit $3
"""


# A separate statement for unresolved differences uses their own index, as most are resolved.
_UNRESOLVED_PAGE = """
select id, source, kind, status, asset, reference, record_id, ledger_units, outside_units, since,
    due_at, resolution, resolved_at, assignee_id, reason, proposed_by, proposed_at, accepted_by,
    adjusts_ledger
from recon_differences
where org_id = $1 and status <> 'RESOLVED' and status = any($2::text[])
    and kind = any($3::text[]) and source = any($4::text[])
    and ($5::uuid is null or assignee_id = $5) and ($6::uuid is null or record_id = $6)
    and since >= $7 and (since, id) < ($8, $9)
order by since desc, id desc
limit $10
"""

_PAGE = """
select id, source, kind, status, asset, reference, record_id, ledger_units, outside_units, since,
    due_at, resolution, resolved_at, assignee_id, reason, proposed_by, proposed_at, accepted_by,
    adjusts_ledger
from recon_differences
where org_id = $1 and status = any($2::text[])
    and kind = any($3::text[]) and source = any($4::text[])
    and ($5::uuid is null or assignee_id = $5) and ($6::uuid is null or record_id = $6)
    and since >= $7 and (since, id) < ($8, $9)
order by since desc, id desc
limit $10
"""

_GET = """
select id, source, kind, status, asset, reference, record_id, ledger_units, outside_units, since,
    due_at, resolution, resolved_at, assignee_id, reason, proposed_by, proposed_at, accepted_by,
    adjusts_ledger
from recon_differences
where org_id = $1 and id = $2
"""

# Reopens differences if a person has explained other units than those found now.
_REOPEN = """
update recon_differences d
set status = 'OPEN', proposed_by = null, proposed_at = null, reason = null,
    adjusts_ledger = false
from unnest($3::text[], $4::text[], $5::text[], $6::numeric[], $7::numeric[])
    as n (kind, asset, reference, ledger_units, outside_units)
where d.org_id = $1 and d.source = $2 and d.status = 'PROPOSED'
    and d.asset = n.asset and d.reference = n.reference
    and (d.kind, d.ledger_units, d.outside_units)
        is distinct from (n.kind, n.ledger_units, n.outside_units)
returning d.id
"""


async def add_findings(
    tx: Tx, org_id: UUID, source: SourceName, findings: Sequence[FoundDifference], now: datetime
) -> None:
    """Store differences; known ones are updated with their present kind, units and status."""
    await tx.execute(
        _ADD_FINDINGS,
        org_id,
        source,
        now,
        *column_arrays(_ADD_FINDINGS, findings, id=[new_id() for _ in findings]),
    )


async def resolve_matched(tx: Tx, org_id: UUID, source: SourceName, now: datetime) -> None:
    """Resolve the differences of references with equal sides."""
    await tx.execute(_RESOLVE_MATCHED, org_id, source, now, DifferenceResolution.MATCHED)


async def resolve_cleared(
    tx: Tx,
    org_id: UUID,
    source: SourceName,
    now: datetime,
    *,
    kinds: Collection[DifferenceKind],
    besides: Collection[str],
) -> None:
    """Resolve differences of these kinds, which concern a whole asset or source, except some."""
    cleared = DifferenceResolution.CLEARED
    await tx.execute(_RESOLVE_CLEARED, org_id, source, now, cleared, list(kinds), list(besides))


async def resolve_unbooked(
    tx: Tx, org_id: UUID, source: SourceName, now: datetime, *, besides: Collection[str]
) -> None:
    """Resolve differences of an account's payouts in transit, except these references."""
    cleared = DifferenceResolution.CLEARED
    await tx.execute(_RESOLVE_UNBOOKED, org_id, source, now, cleared, list(besides))


async def differences(
    tx: Tx, org_id: UUID, *, is_resolved_included: bool, limit: int
) -> list[Difference]:
    """Return differences, newest first."""
    rows = await tx.fetch(_DIFFERENCES, org_id, is_resolved_included, limit)
    return [read_row(row, Difference) for row in rows]


async def page(
    tx: Tx,
    org_id: UUID,
    filters: DifferenceFilters,
    window: PositionWindow,
) -> list[Difference]:
    """Return the differences that match, newest first."""
    statuses = filters.statuses or DifferenceStatus
    rows = await tx.fetch(
        _PAGE if DifferenceStatus.RESOLVED in statuses else _UNRESOLVED_PAGE,
        org_id,
        list(statuses),
        list(filters.kinds or DifferenceKind),
        list(filters.sources or ReconSourceName),
        filters.assignee_id,
        filters.record_id,
        window.since,
        *window.bounds,
    )
    return [read_row(row, Difference) for row in rows]


async def get(tx: Tx, org_id: UUID, difference_id: UUID) -> Difference | None:
    """Return a difference; None if there is none."""
    return read_optional_row(await tx.fetchrow(_GET, org_id, difference_id), Difference)


async def reopen(
    tx: Tx, org_id: UUID, source: SourceName, findings: Sequence[FoundDifference]
) -> list[UUID]:
    """Reopen explained differences that have other units now; return their ids."""
    rows = await tx.fetch(_REOPEN, org_id, source, *column_arrays(_REOPEN, findings))
    return [row["id"] for row in rows]


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

# Updates only a match with the units that were found, not one that has changed in the meantime.
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
    """Lock a difference until the transaction ends, and return it; None if there is none."""
    return read_optional_row(await tx.fetchrow(_LOCK, org_id, difference_id), Difference)


async def write(tx: Tx, org_id: UUID, difference: Difference) -> None:
    """Store a decision on a locked difference."""
    await write_row(tx, _SET, difference, org_id=org_id)


async def accept_units(tx: Tx, org_id: UUID, difference: Difference) -> bool:
    """Accept the units of a difference for later runs; False if they have changed since."""
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
