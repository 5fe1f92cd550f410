"""All SQL statements on recon_halts, and those that count missing coins for them."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import read_optional_row, read_row, write_row
from landbridge.providers.chains.tokens import Chain
from landbridge.reporting.reconciliation.halt_model import Halt, HaltStatus, MissingCoins

# Reduces the units covered by a lift, so that coins that returned and are missing again count.
_SHRINK_LIFTED = """
update recon_differences
set lifted_units = greatest(ledger_units - outside_units, 0)
where org_id = $1 and source = $2 and status <> 'RESOLVED'
    and lifted_units > greatest(ledger_units - outside_units, 0)
"""

_MISSING = """
select asset, sum(ledger_units - outside_units - lifted_units) as units,
    (array_agg(id order by since, id) filter (where kind = 'UNKNOWN_OUTSIDE'))[1] as debit_id
from recon_differences
where org_id = $1 and source = $2 and status in ('OPEN', 'PROPOSED') and asset <> ''
    and ledger_units - outside_units > lifted_units
group by asset
order by asset
"""

_COUNT_RUNS = """
update recon_positions
set short_runs = case when asset = any($3::text[]) then short_runs + 1 else 0 end
where org_id = $1 and source = $2 and (asset = any($3::text[]) or short_runs > 0)
returning asset, short_runs
"""

_LIFT_DIFFERENCES = """
update recon_differences
set lifted_units = ledger_units - outside_units
where org_id = $1 and source = $2 and asset = $3 and status in ('OPEN', 'PROPOSED')
    and ledger_units - outside_units > lifted_units
"""

_RESTART_RUNS = """
update recon_positions set short_runs = 0 where org_id = $1 and source = $2 and asset = $3
"""

# Finds a silence without a halt: a lifted one is not imposed again for the same silence.
_SILENCE = """
select d.id
from recon_differences d
where d.org_id = $1 and d.source = $2 and d.kind = 'SOURCE_SILENT' and d.status <> 'RESOLVED'
    and not exists (
        select from recon_halts h where h.org_id = $1 and h.difference_id = d.id
    )
"""

_ADD = """
insert into recon_halts
    (org_id, id, source, asset, cause, status, units, difference_id, halted_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict do nothing
returning true
"""

_IN_FORCE = """
select id, source, asset, cause, status, units, difference_id, halted_at, reason, proposed_by,
    proposed_at, lifted_by, ended_at
from recon_halts
where org_id = $1 and source = $2 and status in ('HALTED', 'PROPOSED')
order by asset
for update
"""

_HALTED_SINCE = """
select min(halted_at)
from recon_halts
where org_id = $1 and source = $2 and asset in ('', $3) and status in ('HALTED', 'PROPOSED')
"""

_GET = """
select id, source, asset, cause, status, units, difference_id, halted_at, reason, proposed_by,
    proposed_at, lifted_by, ended_at
from recon_halts
where org_id = $1 and id = $2
"""

_PAGE = """
select id, source, asset, cause, status, units, difference_id, halted_at, reason, proposed_by,
    proposed_at, lifted_by, ended_at
from recon_halts
where org_id = $1 and status = any($2::text[]) and halted_at >= $3 and (halted_at, id) < ($4, $5)
order by halted_at desc, id desc
limit $6
"""

_SET = """
update recon_halts
set status = $3, units = $4, reason = $5, proposed_by = $6, proposed_at = $7, lifted_by = $8,
    ended_at = $9
where org_id = $1 and id = $2
"""

_COUNT = """
select h.source, count(*) as count
from unnest($1::uuid[]) as o (org_id)
join recon_halts h on h.org_id = o.org_id
where h.status in ('HALTED', 'PROPOSED')
group by h.source
"""


async def missing_coins(tx: Tx, org_id: UUID, source: Chain) -> list[MissingCoins]:
    """Return the assets of which coins are missing after a run."""
    await tx.execute(_SHRINK_LIFTED, org_id, source)
    return [
        MissingCoins(row["asset"], int(row["units"]), row["debit_id"])
        for row in await tx.fetch(_MISSING, org_id, source)
    ]


async def count_runs(
    tx: Tx, org_id: UUID, source: Chain, short_assets: Sequence[str]
) -> dict[str, int]:
    """Count a run for assets with too many missing coins, and end the count of all others."""
    rows = await tx.fetch(_COUNT_RUNS, org_id, source, list(short_assets))
    return {row["asset"]: row["short_runs"] for row in rows}


async def lift_differences(tx: Tx, org_id: UUID, halt: Halt) -> None:
    """Exclude the units that are missing now from the counts of later runs."""
    await tx.execute(_LIFT_DIFFERENCES, org_id, halt.source, halt.asset)
    await tx.execute(_RESTART_RUNS, org_id, halt.source, halt.asset)


async def find_silence(tx: Tx, org_id: UUID, source: Chain) -> UUID | None:
    """Return the id of a source's SOURCE_SILENT difference without a halt; None without one."""
    return await tx.fetchval(_SILENCE, org_id, source)


async def add(tx: Tx, org_id: UUID, halt: Halt) -> bool:
    """Store a halt; False if its asset has one in force."""
    return bool(await write_row(tx, _ADD, halt, org_id=org_id))


async def in_force(tx: Tx, org_id: UUID, source: Chain) -> list[Halt]:
    """Return the halts in force of a source, and lock them."""
    return [read_row(row, Halt) for row in await tx.fetch(_IN_FORCE, org_id, source)]


async def halted_since(tx: Tx, org_id: UUID, source: str, asset: str) -> datetime | None:
    """Return the time since which new payments of an asset wait; None if they do not."""
    return await tx.fetchval(_HALTED_SINCE, org_id, source, asset)


async def get(tx: Tx, org_id: UUID, halt_id: UUID) -> Halt | None:
    """Return a halt; None if there is none."""
    return read_optional_row(await tx.fetchrow(_GET, org_id, halt_id), Halt)


async def page(
    tx: Tx,
    org_id: UUID,
    statuses: Collection[HaltStatus],
    window: PositionWindow,
) -> list[Halt]:
    """Return halts, newest first."""
    rows = await tx.fetch(
        _PAGE,
        org_id,
        list(statuses or HaltStatus),
        window.since,
        *window.bounds,
    )
    return [read_row(row, Halt) for row in rows]


async def write(tx: Tx, org_id: UUID, halt: Halt) -> None:
    """Store the new state of a locked halt."""
    await write_row(tx, _SET, halt, org_id=org_id)


async def count_in_force(tx: Tx, org_ids: Collection[UUID]) -> dict[str, int]:
    """Return the number of halts in force by source."""
    return {row["source"]: row["count"] for row in await tx.fetch(_COUNT, list(org_ids))}
