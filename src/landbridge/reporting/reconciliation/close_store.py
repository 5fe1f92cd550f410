"""All SQL statements on recon_cutoffs and recon_closes, and other reads for a close."""

from collections.abc import Collection, Sequence
from datetime import date, datetime
from uuid import UUID

from landbridge.ledger.corrections import KIND as CORRECTION
from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import column_arrays, read_row, write_row
from landbridge.providers.chains.records import RecordedBlock
from landbridge.reporting.reconciliation.close_model import (
    CloseCorrection,
    ClosePosition,
    DailyClose,
)
from landbridge.reporting.reconciliation.model import ComparedPosition, Difference
from landbridge.reporting.reconciliation.sources import ReconSourceName, SourceName

# Stores no cut of a source that was opened after the end of the day.
_ADD_CUTOFF = """
insert into recon_cutoffs
    (org_id, day, source, asset, block_number, block_hash, compared_at, ledger_units, outside_units,
    unexplained_units, accepted_units)
select s.org_id, $2, s.source, n.asset, $4, $5, $6, n.ledger_units, n.outside_units,
    n.unexplained_units, n.accepted_units
from recon_sources s
cross join unnest($7::text[], $8::numeric[], $9::numeric[], $10::numeric[], $11::numeric[])
    as n (asset, ledger_units, outside_units, unexplained_units, accepted_units)
where s.org_id = $1 and s.source = $3 and s.opened_at < $12
    and not exists (
        select from recon_cutoffs c where c.org_id = $1 and c.day = $2 and c.source = $3
    )
returning true
"""

_IS_CUT_DUE = """
select exists (
        select from recon_sources s where s.org_id = $1 and s.source = $3 and s.opened_at < $4
    )
    and not exists (
        select from recon_cutoffs c where c.org_id = $1 and c.day = $2 and c.source = $3
    )
"""

# Locks the sources, so that no comparison is stored while a close reads positions and differences.
_SOURCES = """
select source from recon_sources where org_id = $1 and opened_at < $2 order by source for share
"""

_CUTOFFS = """
select source, asset, block_number, block_hash, compared_at, ledger_units, outside_units,
    unexplained_units, accepted_units
from recon_cutoffs
where org_id = $1 and day = $2
order by source, asset
"""

_UNRESOLVED = """
select d.id, d.source, d.kind, d.status, d.asset, d.reference, d.record_id, d.ledger_units,
    d.outside_units, d.since, d.due_at, d.resolution, d.resolved_at, d.assignee_id, d.reason,
    d.proposed_by, d.proposed_at, d.accepted_by, d.adjusts_ledger
from recon_differences d
where d.org_id = $1 and d.status <> 'RESOLVED' and d.since <= $2
order by d.since, d.id
"""

_DIFFERENCES = """
select id, source, kind, status, asset, reference, record_id, ledger_units, outside_units, since,
    due_at, resolution, resolved_at, assignee_id, reason, proposed_by, proposed_at, accepted_by,
    adjusts_ledger
from recon_differences
where org_id = $1 and id = any($2::uuid[])
order by since, id
"""

_CORRECTIONS = """
select id, request ->> 'transfer' as record_id, created_at
from transfers
where org_id = $1 and kind = $2 and created_at > $3 and created_at <= $4
order by created_at, id
"""

_ADD = """
insert into recon_closes (org_id, id, day, status, content, digest, signed_by, signed_at)
values ($1, $2, $3, 'PREPARED', $4, $5, $6, $7)
on conflict (org_id, day) where status <> 'REJECTED' do nothing
returning true
"""

_LATEST = """
select id, day, status, content, digest, signed_by, signed_at, decided_by, decided_at,
    rejection_reason
from recon_closes
where org_id = $1 and status <> 'REJECTED'
order by day desc
limit 1
"""

_LAST_COMPLETED = """
select o.org_id, c.decided_at
from unnest($1::uuid[]) as o (org_id)
cross join lateral (
    select n.decided_at
    from recon_closes n
    where n.org_id = o.org_id and n.status <> 'REJECTED' and n.status = 'COMPLETED'
    order by n.day desc
    limit 1
) as c
"""

_GET = """
select id, day, status, content, digest, signed_by, signed_at, decided_by, decided_at,
    rejection_reason
from recon_closes
where org_id = $1 and id = $2
"""

_LOCK = """
select id, day, status, content, digest, signed_by, signed_at, decided_by, decided_at,
    rejection_reason
from recon_closes
where org_id = $1 and id = $2
for update
"""

# The only statement that changes a close. It does so once, and never the signed content.
_DECIDE = """
update recon_closes
set status = $3, decided_by = $4, decided_at = $5, rejection_reason = $6
where org_id = $1 and id = $2 and status = 'PREPARED'
"""

_PAGE = """
select id, day, status, content, digest, signed_by, signed_at, decided_by, decided_at,
    rejection_reason
from recon_closes
where org_id = $1 and signed_at >= $2 and (signed_at, id) < ($3, $4)
order by signed_at desc, id desc
limit $5
"""


async def is_cut_due(
    tx: Tx, org_id: UUID, source: SourceName, day: date, *, ended_at: datetime
) -> bool:
    """Return whether the ended day still lacks the cut of a source that was open by then."""
    return bool(await tx.fetchval(_IS_CUT_DUE, org_id, day, source, ended_at))


async def add_cutoff(
    tx: Tx,
    org_id: UUID,
    source: SourceName,
    day: date,
    *,
    ended_at: datetime,
    block: RecordedBlock,
    compared_at: datetime,
    positions: Sequence[ComparedPosition],
) -> bool:
    """Store a run's positions as the cut of the ended day; False if an earlier run has done so."""
    added = await tx.fetch(
        _ADD_CUTOFF,
        org_id,
        day,
        source,
        block.number,
        block.hash,
        compared_at,
        *column_arrays(_ADD_CUTOFF, positions),
        ended_at,
    )
    return bool(added)


async def lock_sources(tx: Tx, org_id: UUID, opened_before: datetime) -> list[ReconSourceName]:
    """Return and lock the sources that were opened before the end of a day."""
    return [
        ReconSourceName(row["source"]) for row in await tx.fetch(_SOURCES, org_id, opened_before)
    ]


async def cutoffs(tx: Tx, org_id: UUID, day: date) -> list[ClosePosition]:
    """Return the positions at the cut of a day."""
    return [
        read_row(
            row,
            ClosePosition,
            ledger_units=str(int(row["ledger_units"])),
            outside_units=str(int(row["outside_units"])),
            unexplained_units=str(int(row["unexplained_units"])),
            accepted_units=str(int(row["accepted_units"])),
        )
        for row in await tx.fetch(_CUTOFFS, org_id, day)
    ]


async def unresolved(tx: Tx, org_id: UUID, until: datetime) -> list[Difference]:
    """Return the differences up to a time that are not resolved now, oldest first."""
    return [read_row(row, Difference) for row in await tx.fetch(_UNRESOLVED, org_id, until)]


async def differences(tx: Tx, org_id: UUID, ids: Collection[UUID]) -> list[Difference]:
    """Return these differences, oldest first."""
    return [read_row(row, Difference) for row in await tx.fetch(_DIFFERENCES, org_id, list(ids))]


async def corrections(
    tx: Tx, org_id: UUID, after: datetime, until: datetime
) -> list[CloseCorrection]:
    """Return corrections posted after one time and up to another."""
    return [
        CloseCorrection(id=row["id"], record_id=UUID(row["record_id"]), posted_at=row["created_at"])
        for row in await tx.fetch(_CORRECTIONS, org_id, CORRECTION, after, until)
    ]


async def add(tx: Tx, org_id: UUID, close: DailyClose) -> bool:
    """Store a signed close; False if the day has one."""
    return bool(await write_row(tx, _ADD, close, org_id=org_id, content=close.text))


async def latest(tx: Tx, org_id: UUID) -> DailyClose | None:
    """Return the latest close that is not rejected, by day; None without one."""
    row = await tx.fetchrow(_LATEST, org_id)
    return None if row is None else _close(row)


async def last_completed(tx: Tx, org_ids: Collection[UUID]) -> dict[UUID, datetime]:
    """Return when the last close of each organisation was confirmed."""
    rows = await tx.fetch(_LAST_COMPLETED, list(org_ids))
    return {row["org_id"]: row["decided_at"] for row in rows}


async def get(tx: Tx, org_id: UUID, close_id: UUID) -> DailyClose | None:
    """Return a close."""
    row = await tx.fetchrow(_GET, org_id, close_id)
    return None if row is None else _close(row)


async def lock(tx: Tx, org_id: UUID, close_id: UUID) -> DailyClose | None:
    """Lock a close until the transaction ends."""
    row = await tx.fetchrow(_LOCK, org_id, close_id)
    return None if row is None else _close(row)


async def decide(tx: Tx, org_id: UUID, close: DailyClose) -> None:
    """Store the decision on a locked close."""
    await write_row(tx, _DECIDE, close, org_id=org_id)


async def page(tx: Tx, org_id: UUID, window: PositionWindow) -> list[DailyClose]:
    """Return closes, the latest signature first."""
    rows = await tx.fetch(_PAGE, org_id, window.since, *window.bounds)
    return [_close(row) for row in rows]


def _close(row: Row) -> DailyClose:
    return read_row(row, DailyClose, text=row["content"])
