"""All SQL statements on recon_sources, recon_positions and recon_matches."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import column_arrays, read_optional_row, read_row
from landbridge.providers.chains.records import RecordedBlock
from landbridge.reporting.reconciliation.model import (
    BookedPosition,
    ComparedPosition,
    MovementMatch,
    MovementSum,
    ReconSource,
)
from landbridge.reporting.reconciliation.sources import ReconSourceName, SourceName

# An organisation is due if it was never compared, if it was last compared a cadence ago, or if
# timing no longer explains one of its differences. Differences at banks are excluded, because a
# retry brings no statement, and so are sources that are no longer compared.
_DUE = """
select o.org_id
from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, now)
where not exists (select from recon_cursors c where c.org_id = o.org_id)
    or exists (
        select from recon_sources s
        where s.org_id = o.org_id and s.source = any($5::text[])
            and s.last_run_at <= o.now - case
                when s.failure is null or starts_with(s.source, 'BANK_') then $3::interval
                else $4
            end
    )
    or exists (
        select from recon_differences d
        where d.org_id = o.org_id and d.status = 'TIMING' and d.due_at <= o.now
    )
"""

_FOLLOWED = "select chain from chain_cursors where chain = any($1::text[]) order by chain"

_SOURCES = """
select source, block_number, block_hash, last_run_at, last_good_at, failure
from recon_sources
where org_id = $1
order by source
"""

_ADD_SOURCE = """
insert into recon_sources
    (org_id, source, block_number, block_hash, opened_at, last_run_at)
values ($1, $2, $3, $4, $5, $5)
on conflict (org_id, source) do nothing
"""

_LOCK_SOURCE = """
select source, block_number, block_hash, last_run_at, last_good_at, failure
from recon_sources
where org_id = $1 and source = $2
for update
"""

_OPENED_AT = "select opened_at from recon_sources where org_id = $1 and source = $2"

_FORGET_MATCHES = "delete from recon_matches where org_id = $1 and source = $2"

_MOVE_SOURCE = """
update recon_sources set block_number = $3, block_hash = $4 where org_id = $1 and source = $2
"""

_MARK_GOOD = """
update recon_sources set last_run_at = $3, last_good_at = $3, failure = null
where org_id = $1 and source = $2
"""

_MARK_FAILED = """
update recon_sources set last_run_at = $3, failure = $4 where org_id = $1 and source = $2
"""

_ADD_LEDGER_UNITS = """
insert into recon_positions as p (org_id, source, asset, ledger_units)
select $1, n.source, n.asset, n.units
from unnest($2::text[], $3::text[], $4::numeric[]) as n (source, asset, units)
order by n.source, n.asset
on conflict (org_id, source, asset) do update
set ledger_units = p.ledger_units + excluded.ledger_units
"""

_ADD_SUMS = """
insert into recon_matches as m
    (org_id, source, reference, asset, record_id, ledger_units, outside_units, first_seen_at,
    outside_moved_at)
select $1, n.source, n.reference, n.asset, n.record_id, n.ledger_units, n.outside_units,
    $2::timestamptz,
    case when n.outside_units <> 0 then $2::timestamptz end
from unnest($3::text[], $4::text[], $5::text[], $6::uuid[], $7::numeric[], $8::numeric[])
    as n (source, reference, asset, record_id, ledger_units, outside_units)
order by n.source, n.reference, n.asset
on conflict (org_id, source, reference, asset) do update
set record_id = coalesce(m.record_id, excluded.record_id),
    ledger_units = m.ledger_units + excluded.ledger_units,
    outside_units = m.outside_units + excluded.outside_units,
    outside_moved_at = coalesce(excluded.outside_moved_at, m.outside_moved_at)
"""

# One statement has one snapshot, so both sums are up to the same place in the log.
_BOOKED = """
select a.asset, coalesce(p.ledger_units, 0) as ledger_units,
    coalesce(p.accepted_units, 0) as accepted_units, coalesce(m.units, 0) as explained_units
from unnest($3::text[]) as a (asset)
left join recon_positions p on p.org_id = $1 and p.source = $2 and p.asset = a.asset
left join (
    select n.asset, sum(n.outside_units - n.ledger_units) as units
    from recon_matches n
    where n.org_id = $1 and n.source = $2 and n.ledger_units <> n.outside_units
    group by n.asset
) as m on m.asset = a.asset
"""

_SET_POSITIONS = """
insert into recon_positions
    (org_id, source, asset, outside_units, unexplained_units, compared_at)
select $1, $2, n.asset, n.outside_units, n.unexplained_units, $6
from unnest($3::text[], $4::numeric[], $5::numeric[])
    as n (asset, outside_units, unexplained_units)
order by n.asset
on conflict (org_id, source, asset) do update
set outside_units = excluded.outside_units, unexplained_units = excluded.unexplained_units,
    compared_at = excluded.compared_at
"""

_POSITIONS = """
select source, asset, ledger_units, outside_units, unexplained_units, accepted_units
from recon_positions
where org_id = $1 and outside_units is not null
order by source, asset
"""

_OPEN_MATCHES = """
select reference, asset, record_id, ledger_units, outside_units, first_seen_at, outside_moved_at
from recon_matches
where org_id = $1 and source = $2 and ledger_units <> outside_units
    and outside_units - ledger_units <> accepted_units and (reference, asset) > ($3, $4)
order by reference, asset
limit $5
"""

_SECONDS_SINCE_GOOD = """
select s.source,
    extract(epoch from max(o.now - coalesce(s.last_good_at, s.opened_at)))::bigint as seconds
from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, now)
join recon_sources s on s.org_id = o.org_id
group by s.source
"""

_OPEN_UNITS = """
select d.asset, sum(abs(d.outside_units - d.ledger_units)) as units, count(*) as count
from unnest($1::uuid[]) as o (org_id)
join recon_differences d on d.org_id = o.org_id
where d.status not in ('TIMING', 'RESOLVED')
group by d.asset
"""

_OLDEST_SECONDS = """
select d.source, extract(epoch from max(o.now - d.since))::bigint as seconds
from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, now)
join recon_differences d on d.org_id = o.org_id
where d.status not in ('TIMING', 'RESOLVED')
group by d.source
"""


async def due(
    tx: Tx,
    clocks: Mapping[UUID, datetime],
    cadence: timedelta,
    retry: timedelta,
    *,
    sources: Collection[SourceName],
) -> list[UUID]:
    """Return the organisations to compare at these times with these sources."""
    rows = await tx.fetch(_DUE, list(clocks), list(clocks.values()), cadence, retry, list(sources))
    return [row["org_id"] for row in rows]


async def followed(tx: Tx, chains: Sequence[str]) -> list[str]:
    """Return those of these chains that a worker follows on a node."""
    return [row["chain"] for row in await tx.fetch(_FOLLOWED, chains)]


async def sources(tx: Tx, org_id: UUID) -> list[ReconSource]:
    """Return the organisation's sources."""
    return [read_row(row, ReconSource) for row in await tx.fetch(_SOURCES, org_id)]


async def add_source(
    tx: Tx, org_id: UUID, source: SourceName, block: RecordedBlock, at: datetime
) -> None:
    """Open a source at a block, once."""
    await tx.execute(_ADD_SOURCE, org_id, source, block.number, block.hash, at)


async def lock_source(tx: Tx, org_id: UUID, source: SourceName) -> ReconSource | None:
    """Return a source, and lock it; None if it is not open."""
    return read_optional_row(await tx.fetchrow(_LOCK_SOURCE, org_id, source), ReconSource)


async def opened_at(tx: Tx, org_id: UUID, source: SourceName) -> datetime:
    """Return when an open source was opened."""
    return await tx.fetchval(_OPENED_AT, org_id, source)


async def forget_matches(tx: Tx, org_id: UUID, source: SourceName) -> None:
    """Remove all matches of a source, so that from then on only the balance covers them."""
    await tx.execute(_FORGET_MATCHES, org_id, source)


async def move_source(tx: Tx, org_id: UUID, source: SourceName, block: RecordedBlock) -> None:
    """Store the block up to which a source was read; the caller has locked the source."""
    await tx.execute(_MOVE_SOURCE, org_id, source, block.number, block.hash)


async def mark_good(tx: Tx, org_id: UUID, source: SourceName, at: datetime) -> None:
    """Store that a run has read the source to its end."""
    await tx.execute(_MARK_GOOD, org_id, source, at)


async def mark_failed(tx: Tx, org_id: UUID, source: SourceName, at: datetime, failure: str) -> None:
    """Store why a run failed."""
    await tx.execute(_MARK_FAILED, org_id, source, at, failure)


async def add_ledger_units(
    tx: Tx, org_id: UUID, units: Mapping[tuple[ReconSourceName, str], int]
) -> None:
    """Add to the ledger's OUTSIDE units, by source and asset."""
    await tx.execute(
        _ADD_LEDGER_UNITS,
        org_id,
        [source for source, _ in units],
        [asset for _, asset in units],
        [Decimal(each) for each in units.values()],
    )


async def add_sums(
    tx: Tx, org_id: UUID, sums: Sequence[tuple[SourceName, MovementSum]], at: datetime
) -> None:
    """Add sums to their matches; each reference and asset at most once."""
    sources, movements = [source for source, _ in sums], [each for _, each in sums]
    arrays = column_arrays(_ADD_SUMS, movements, source=sources)
    await tx.execute(_ADD_SUMS, org_id, at, *arrays)


async def booked_positions(
    tx: Tx, org_id: UUID, source: SourceName, assets: Sequence[str]
) -> list[BookedPosition]:
    """Return the ledger's units of each asset, and the units that open matches explain."""
    return [
        read_row(row, BookedPosition)
        for row in await tx.fetch(_BOOKED, org_id, source, list(assets))
    ]


async def set_positions(
    tx: Tx, org_id: UUID, source: SourceName, positions: Sequence[ComparedPosition], at: datetime
) -> None:
    """Store the positions of a run."""
    await tx.execute(
        _SET_POSITIONS,
        org_id,
        source,
        [each.asset for each in positions],
        [Decimal(each.outside_units) for each in positions],
        [Decimal(each.unexplained_units) for each in positions],
        at,
    )


async def positions(tx: Tx, org_id: UUID) -> list[tuple[ReconSourceName, ComparedPosition]]:
    """Return the last position of each source and asset."""
    return [
        (ReconSourceName(row["source"]), read_row(row, ComparedPosition))
        for row in await tx.fetch(_POSITIONS, org_id)
    ]


async def open_matches(
    tx: Tx, org_id: UUID, source: SourceName, *, after: tuple[str, str], limit: int
) -> list[MovementMatch]:
    """Return matches with unequal sides, by (reference, asset) from `after` on."""
    return [
        read_row(row, MovementMatch)
        for row in await tx.fetch(_OPEN_MATCHES, org_id, source, *after, limit)
    ]


async def seconds_since_good(tx: Tx, clocks: Mapping[UUID, datetime]) -> dict[str, int]:
    """Return the seconds since each source's last good run, of the organisation waiting longest."""
    rows = await tx.fetch(_SECONDS_SINCE_GOOD, list(clocks), list(clocks.values()))
    return {row["source"]: row["seconds"] for row in rows}


async def open_units(tx: Tx, org_ids: Collection[UUID]) -> dict[str, tuple[int, int]]:
    """Return absolute units and number of open differences, by asset."""
    rows = await tx.fetch(_OPEN_UNITS, list(org_ids))
    return {row["asset"]: (int(row["units"]), row["count"]) for row in rows}


async def oldest_seconds(tx: Tx, clocks: Mapping[UUID, datetime]) -> dict[str, int]:
    """Return the age in seconds of the oldest open difference, by source."""
    rows = await tx.fetch(_OLDEST_SECONDS, list(clocks), list(clocks.values()))
    return {row["source"]: row["seconds"] for row in rows}
