"""Every statement on recon_differences that runs on one organisation."""

from collections.abc import Collection, Sequence
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Row, Tx
from landbridge.providers.chains.tokens import Chain
from landbridge.reporting.reconciliation.model import (
    Difference,
    DifferenceKind,
    DifferenceResolution,
    DifferenceStatus,
    FoundDifference,
)

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
    record_id = excluded.record_id, ledger_units = excluded.ledger_units,
    outside_units = excluded.outside_units
where (d.kind, d.ledger_units, d.outside_units, d.status = 'TIMING')
    is distinct from (excluded.kind, excluded.ledger_units, excluded.outside_units,
        excluded.status = 'TIMING')
"""

# Each match is looked up by its key, whatever row count the planner expects.
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

_DIFFERENCES = """
select id, source, kind, status, asset, reference, record_id, ledger_units, outside_units, since,
    due_at, resolution, resolved_at
from recon_differences
where org_id = $1 and ($2 or status <> 'RESOLVED')
order by since desc, id
limit $3
"""


_LOCK = """
select id, source, kind, status, asset, reference, record_id, ledger_units, outside_units, since,
    due_at, resolution, resolved_at
from recon_differences
where org_id = $1 and id = $2
for update
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

_RESOLVE = """
update recon_differences
set status = 'RESOLVED', resolution = $3, resolved_at = $4
where org_id = $1 and id = $2
"""


async def add_findings(
    tx: Tx, org_id: UUID, source: Chain, findings: Sequence[FoundDifference], now: datetime
) -> None:
    """Store differences; those that are known get their current kind, units and status."""
    await tx.execute(
        _ADD_FINDINGS,
        org_id,
        source,
        now,
        [new_id() for _ in findings],
        [each.kind for each in findings],
        [each.asset for each in findings],
        [each.reference for each in findings],
        [each.record_id for each in findings],
        [Decimal(each.ledger_units) for each in findings],
        [Decimal(each.outside_units) for each in findings],
        [each.due_at for each in findings],
    )


async def resolve_matched(tx: Tx, org_id: UUID, source: Chain, now: datetime) -> None:
    """Resolve the differences of references with equal sides."""
    await tx.execute(_RESOLVE_MATCHED, org_id, source, now, DifferenceResolution.MATCHED)


async def resolve_cleared(
    tx: Tx,
    org_id: UUID,
    source: Chain,
    now: datetime,
    *,
    kinds: Collection[DifferenceKind],
    besides: Collection[str],
) -> None:
    """Resolve the differences of these kinds of a whole asset or source, besides some assets."""
    cleared = DifferenceResolution.CLEARED
    await tx.execute(_RESOLVE_CLEARED, org_id, source, now, cleared, list(kinds), list(besides))


async def differences(
    tx: Tx, org_id: UUID, *, is_resolved_included: bool, limit: int
) -> list[Difference]:
    """Return differences, newest first."""
    rows = await tx.fetch(_DIFFERENCES, org_id, is_resolved_included, limit)
    return [_difference(row) for row in rows]


async def lock(tx: Tx, org_id: UUID, difference_id: UUID) -> Difference | None:
    """Lock a difference until the transaction ends."""
    row = await tx.fetchrow(_LOCK, org_id, difference_id)
    return None if row is None else _difference(row)


async def accept_units(tx: Tx, org_id: UUID, difference: Difference) -> bool:
    """Let later runs expect the units of a difference; False if they have changed since."""
    key, units = (org_id, difference.source, difference.asset), Decimal(difference.units)
    if difference.reference:
        return bool(await tx.fetchval(_ACCEPT_MATCH, *key, difference.reference, units))
    return bool(await tx.fetchval(_ACCEPT_POSITION, *key, units))


async def resolve(
    tx: Tx, org_id: UUID, difference_id: UUID, resolution: DifferenceResolution, at: datetime
) -> None:
    """Resolve a locked difference."""
    await tx.execute(_RESOLVE, org_id, difference_id, resolution, at)


def _difference(row: Row) -> Difference:
    return Difference(
        id=row["id"],
        source=Chain(row["source"]),
        kind=DifferenceKind(row["kind"]),
        status=DifferenceStatus(row["status"]),
        asset=row["asset"],
        reference=row["reference"],
        record_id=row["record_id"],
        ledger_units=int(row["ledger_units"]),
        outside_units=int(row["outside_units"]),
        since=row["since"],
        due_at=row["due_at"],
        resolution=row["resolution"],
        resolved_at=row["resolved_at"],
    )
