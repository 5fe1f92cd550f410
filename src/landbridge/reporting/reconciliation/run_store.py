"""All SQL statements on recon_runs, and one that marks sources as compared without a run."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.platform.core.ids import new_id
from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row
from landbridge.providers.chains.records import RecordedBlock
from landbridge.reporting.reconciliation.model import ReconRun
from landbridge.reporting.reconciliation.sources import ReconSourceName, SourceName

# Time that runs are kept. They only show that comparisons took place; closes keep the positions.
RETENTION = timedelta(days=90)

_ADD = """
insert into recon_runs
    (org_id, id, source, compared_at, block_number, block_hash, failure, open_count)
values ($1, $2, $3, $4, $5, $6, $7, $8)
"""

_COUNT_OPEN = """
select count(*) from recon_differences where org_id = $1 and source = $2 and status <> 'RESOLVED'
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

# An organisation without addresses and without an account at a bank has nothing outside. If its log
# has not grown since the last run, either, a run would have the same result. The first run after
# the end of each day takes place nevertheless, because the close of the day needs its cut. Rows
# that another worker is comparing are skipped.
_MARK = """
with compared as (
    select s.org_id, s.source, o.now
    from (
        select g.org_id, g.now, coalesce(b.zone, 'UTC') as zone
        from unnest($1::uuid[], $2::timestamptz[]) as g (org_id, now)
        left join report_builds b on b.org_id = g.org_id and b.is_current
    ) o
    join recon_cursors c on c.org_id = o.org_id
    join recon_sources s on s.org_id = o.org_id
    where s.source = any($3::text[])
        and not exists (select from wallet_seeds w where w.org_id = o.org_id)
        and not exists (select from wallets w where w.org_id = o.org_id)
        and not exists (select from funding_accounts f where f.org_id = o.org_id)
        and not exists (
            select from change_batches b
            where b.org_id = o.org_id and (b.place >= c.read_place or b.place is null)
        )
        and not exists (
            select from recon_differences d where d.org_id = o.org_id and d.status <> 'RESOLVED'
        )
        and cardinality($3::text[]) = (
            select count(*)
            from recon_sources u
            where u.org_id = o.org_id and u.source = any($3::text[])
                and u.failure is null and u.last_good_at is not null
                and (
                    u.opened_at >= date_trunc('day', o.now, o.zone)
                    or exists (
                        select from recon_cutoffs k
                        where k.org_id = u.org_id and k.source = u.source
                            and k.day = (o.now at time zone o.zone)::date - 1
                    )
                )
        )
    order by s.org_id, s.source
    for update of s skip locked
)
update recon_sources s
set last_run_at = c.now, last_good_at = c.now
from compared c
where s.org_id = c.org_id and s.source = c.source
returning s.org_id
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
    count = await tx.fetchval(_COUNT_OPEN, org_id, source)
    await tx.execute(_ADD, org_id, new_id(), source, at, number, block_hash, failure, count)
    await tx.execute(_REMOVE, org_id, at - RETENTION)


async def page(
    tx: Tx,
    org_id: UUID,
    sources: list[ReconSourceName],
    window: PositionWindow,
) -> list[ReconRun]:
    """Return runs, newest first."""
    rows = await tx.fetch(_PAGE, org_id, sources, window.since, *window.bounds)
    return [_run(row) for row in rows]


def _run(row: Row) -> ReconRun:
    block = None
    if row["block_number"] is not None:
        block = RecordedBlock(row["block_number"], row["block_hash"])
    return read_row(row, ReconRun, block=block)


async def mark_empty(
    tx: Tx, clocks: Mapping[UUID, datetime], sources: Collection[str]
) -> set[UUID]:
    """Mark organisations that have nothing to compare as compared, and return these."""
    rows = await tx.fetch(_MARK, list(clocks), list(clocks.values()), list(sources))
    return {row["org_id"] for row in rows}
