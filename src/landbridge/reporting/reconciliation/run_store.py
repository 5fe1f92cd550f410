"""Every statement on recon_runs."""

from datetime import datetime, timedelta
from uuid import UUID

from landbridge.platform.core.ids import new_id
from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row
from landbridge.providers.chains.records import RecordedBlock
from landbridge.reporting.reconciliation.model import ReconRun
from landbridge.reporting.reconciliation.sources import ReconSourceName, SourceName

# Closes keep what the books of a day said; runs show that comparisons have happened.
RETENTION = timedelta(days=90)

_ADD = """
insert into recon_runs
    (org_id, id, source, compared_at, block_number, block_hash, failure, open_count)
select $1, $2, $3, $4, $5, $6, $7, count(*)
from recon_differences
where org_id = $1 and source = $3 and status <> 'RESOLVED'
"""

_REMOVE = "delete from recon_runs where org_id = $1 and compared_at < $2"

_PAGE = """
select id, source, compared_at, block_number, block_hash, failure, open_count
from recon_runs
where org_id = $1 and source = any($2::text[])
    and compared_at >= $3 and (compared_at, id) < ($4, $5)
order by compared_at desc, id desc
limit $6
"""


async def add(
    tx: Tx,
    org_id: UUID,
    source: SourceName,
    at: datetime,
    *,
    block: RecordedBlock | None,
    failure: str | None,
) -> None:
    """Store a run after its differences, and remove the organisation's old ones."""
    number, block_hash = (None, None) if block is None else (block.number, block.hash)
    await tx.execute(_ADD, org_id, new_id(), source, at, number, block_hash, failure)
    await tx.execute(_REMOVE, org_id, at - RETENTION)


async def page(
    tx: Tx,
    org_id: UUID,
    sources: list[ReconSourceName],
    window: PositionWindow,
) -> list[ReconRun]:
    """Return runs, newest first."""
    before = window.before
    rows = await tx.fetch(
        _PAGE, org_id, sources, window.since, before.created_at, before.id, window.limit
    )
    return [_run(row) for row in rows]


def _run(row: Row) -> ReconRun:
    block = None
    if row["block_number"] is not None:
        block = RecordedBlock(row["block_number"], row["block_hash"])
    return read_row(row, ReconRun, block=block)
