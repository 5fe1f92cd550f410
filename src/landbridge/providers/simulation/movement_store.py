"""Statements on sandbox_blocks, sandbox_movements and sandbox_balances.

Orders write their movements in the statement that stores them (store.py).
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import write_row
from landbridge.providers.simulation.model import SimulatedMovement

# Maximum movements of a block; the others wait for the next one.
BLOCK_MAX = 1_000

_ADD = """
insert into sandbox_movements
    (org_id, chain, transaction_hash, log_index, asset, units, source, destination, settles_at)
values ($1, $2, $3, 0, $4, $5, $6, $7, $8)
on conflict (org_id, chain, transaction_hash, log_index) do nothing
"""

# Lock by which blocks of one chain are made one after the other.
_LOCK = "select pg_advisory_xact_lock(hashtextextended($1::uuid::text || $2::text, 38))"

_HEAD = """
select number, hash from sandbox_blocks
where org_id = $1 and chain = $2
order by number desc
limit 1
"""

# Finds movements by place: without statistics, PostgreSQL would join the table with itself row by
# row. No other statement changes a row that is in no block.
_TAKE = """
update sandbox_movements m set block_number = $4::bigint + 1
where m.org_id = $1 and m.ctid = any(array(
    select p.ctid
    from sandbox_movements p
    where p.org_id = $1 and p.chain = $2 and p.block_number is null and p.settles_at <= $3
    order by p.settles_at, p.transaction_hash, p.log_index
    limit $5
))
returning m.transaction_hash, m.log_index, m.asset, m.units, m.source, m.destination
"""

_ADD_BALANCES = """
insert into sandbox_balances as b (org_id, chain, address, asset, units)
select $1, $2, s.address, s.asset, sum(s.units)
from unnest($3::text[], $4::text[], $5::numeric[]) as s (address, asset, units)
group by s.address, s.asset
on conflict (org_id, chain, address, asset) do update set units = b.units + excluded.units
"""

_ADD_BLOCK = "insert into sandbox_blocks (org_id, chain, number, hash) values ($1, $2, $3, $4)"

_HASH = "select hash from sandbox_blocks where org_id = $1 and chain = $2 and number = $3"

# Current balances less the movements in blocks after $4.
_POSITION = """
select p.asset, sum(p.units) as units
from (
    select b.asset, b.units
    from sandbox_balances b
    where b.org_id = $1 and b.chain = $2 and b.address = any($3::text[])
    union all
    select m.asset, case when m.source = any($3) then m.units else 0 end
        - case when m.destination = any($3) then m.units else 0 end
    from sandbox_movements m
    where m.org_id = $1 and m.chain = $2 and m.block_number > $4
) as p
group by p.asset
"""

# Returns whole blocks, with at least $6 movements if there are as many.
_MOVEMENTS = """
select m.block_number, b.hash, m.transaction_hash, m.asset,
    sum(case when m.destination = any($3::text[]) then m.units else 0 end
        - case when m.source = any($3) then m.units else 0 end) as units
from sandbox_movements m
join sandbox_blocks b on b.org_id = m.org_id and b.chain = m.chain and b.number = m.block_number
where m.org_id = $1 and m.chain = $2 and m.block_number > $4 and m.block_number <= least($5, (
    select max(f.block_number)
    from (
        select n.block_number
        from sandbox_movements n
        where n.org_id = $1 and n.chain = $2 and n.block_number > $4
        order by n.block_number
        limit $6
    ) as f
))
group by m.block_number, b.hash, m.transaction_hash, m.asset
order by m.block_number
"""


async def add(tx: Tx, movement: SimulatedMovement) -> None:
    """Store a transaction of one movement, once."""
    await write_row(tx, _ADD, movement)


async def mine(tx: Tx, org_id: UUID, chain: str, at: datetime) -> tuple[int, str] | None:
    """Put settled movements into a new block, and return it; None if there are none."""
    await tx.execute(_LOCK, org_id, chain)
    number, block_hash = await head(tx, org_id, chain) or (0, "")
    mined = await tx.fetch(_TAKE, org_id, chain, at, number, BLOCK_MAX)
    if not mined:
        return None
    moved = [(row["destination"], row["asset"], row["units"]) for row in mined]
    moved += [(row["source"], row["asset"], -row["units"]) for row in mined]
    legs = [each for each in moved if each[0] is not None]
    await tx.execute(_ADD_BALANCES, org_id, chain, *map(list, zip(*legs, strict=True)))
    block = (number + 1, _block_hash(block_hash, mined))
    await tx.execute(_ADD_BLOCK, org_id, chain, *block)
    return block


def _block_hash(hash_before: str, mined: Sequence[Row]) -> str:
    rows = sorted(mined, key=lambda row: (row["transaction_hash"], row["log_index"]))
    columns = ("transaction_hash", "log_index", "asset", "units", "source", "destination")
    texts = ("/".join(str(row[each]) for each in columns if row[each] is not None) for row in rows)
    return f"0x{sha256((hash_before + ' '.join(texts)).encode()).hexdigest()}"


async def head(tx: Tx, org_id: UUID, chain: str) -> tuple[int, str] | None:
    """Return number and hash of the last block; None if there is none."""
    row = await tx.fetchrow(_HEAD, org_id, chain)
    return None if row is None else (row["number"], row["hash"])


async def find_hash(tx: Tx, org_id: UUID, chain: str, number: int) -> str | None:
    """Return the hash of a block; None if there is none."""
    found: str | None = await tx.fetchval(_HASH, org_id, chain, number)
    return found


async def position(
    tx: Tx, org_id: UUID, chain: str, addresses: Collection[str], number: int
) -> Mapping[str, int]:
    """Return the total balance of the addresses at a block, by asset code, in units."""
    rows = await tx.fetch(_POSITION, org_id, chain, list(addresses), number)
    return {row["asset"]: int(row["units"]) for row in rows}


async def movements(
    tx: Tx, org_id: UUID, chain: str, addresses: Collection[str], *, after: int, until: int
) -> Sequence[Row]:
    """Return the signed units that each transaction of the next blocks moved into the addresses."""
    return await tx.fetch(_MOVEMENTS, org_id, chain, list(addresses), after, until, BLOCK_MAX)
