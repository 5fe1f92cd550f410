"""All SQL statements on the tables of reserves, and the count of balances."""

from collections.abc import Collection, Sequence
from datetime import date
from decimal import Decimal
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import read_row
from landbridge.reporting.reserves.liabilities import LiabilityTree, WalletBalance
from landbridge.reporting.reserves.model import CountedLiabilities, StoredReserve
from landbridge.reporting.reserves.sum_tree import SumNode, parse_nodes, rows_of

_UNITS_BYTES = 16
_BALANCE_BYTES = 16 + _UNITS_BYTES

# Present balances minus the entries of later changes, in one statement and so in one snapshot. The
# upper bound only helps the planner, as in the ledger's statement on house accounts.
_BALANCES = """
select a.asset, a.wallet_id, w.user_id,
    (a.available + a.held - coalesce(l.units, 0))::text as units
from accounts a
join wallets w on w.org_id = a.org_id and w.id = a.wallet_id
left join (
    select e.account_id, sum(e.available + e.held) as units
    from change_batches b
    cross join lateral (
        select x.object_id, x.seq
        from changes x
        where x.org_id = b.org_id and x.batch = b.number
        offset 0
    ) c
    cross join lateral (
        select x.account_id, x.available, x.held
        from entries x
        where x.org_id = b.org_id and x.transfer_id = c.object_id and x.seq = c.seq
            and x.account_id is not null
        offset 0
    ) e
    where b.org_id = $1
        and (b.place >= $2 and b.place <= 9223372036854775807 or b.place is null)
    group by e.account_id
) l on l.account_id = a.id
where a.org_id = $1 and a.asset = any($3::text[])
"""

_ADD_TREE = """
insert into reserve_trees
    (org_id, day, asset, source, owed_units, open_units, piece_count, root, row_nodes)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
"""

_ADD_PIECES = """
insert into reserve_pieces (org_id, day, asset, number, first_hash, nodes)
select $1, $2, $3, n.number - 1, substring(n.nodes for 32), n.nodes
from unnest($4::bytea[]) with ordinality as n (nodes, number)
"""

_ADD_BALANCES = """
insert into reserve_balances (org_id, day, asset, first_wallet_id, balances)
select $1, $2, $3, n.first_wallet_id, n.balances
from unnest($4::uuid[], $5::bytea[]) as n (first_wallet_id, balances)
"""

_ADD_ADDRESSES = """
insert into reserve_addresses (org_id, day, source, addresses, address_count, digest)
values ($1, $2, $3, $4, $5, $6)
"""

_OF_DAY = """
select t.asset, t.source, t.owed_units, t.open_units, t.piece_count as pieces, t.root,
    a.address_count as addresses, a.digest as addresses_digest
from reserve_trees t
join reserve_addresses a on a.org_id = t.org_id and a.day = t.day and a.source = t.source
where t.org_id = $1 and t.day = $2
order by t.source, t.asset
"""

_ADDRESSES = """
select source, addresses from reserve_addresses where org_id = $1 and day = $2 order by source
"""

_ROW_NODES = """
select row_nodes from reserve_trees where org_id = $1 and day = $2 and asset = $3
"""

_ROW = """
select nodes from reserve_pieces where org_id = $1 and day = $2 and asset = $3 and number = $4
"""

_ROW_OF_HASH = """
select number, nodes
from reserve_pieces
where org_id = $1 and day = $2 and asset = $3 and first_hash <= $4
order by first_hash desc
limit 1
"""

_ROW_OF_WALLET = """
select balances
from reserve_balances
where org_id = $1 and day = $2 and asset = $3 and first_wallet_id <= $4
order by first_wallet_id desc
limit 1
"""


async def count_balances(
    tx: Tx, org_id: UUID, assets: Collection[str], *, read_place: int
) -> dict[str, list[WalletBalance]]:
    """Return wallet balances by asset, after all changes at places below `read_place`."""
    found: dict[str, list[WalletBalance]] = {each: [] for each in assets}
    for row in await tx.fetch(_BALANCES, org_id, read_place, list(assets)):
        balance = WalletBalance(row["wallet_id"], row["user_id"], int(row["units"]))
        found[row["asset"]].append(balance)
    return found


async def add_tree(
    tx: Tx, org_id: UUID, day: date, tree: LiabilityTree, *, source: str, open_units: int
) -> None:
    """Store the liabilities of an asset."""
    name = org_id, day, tree.asset
    await tx.execute(
        _ADD_TREE,
        *name,
        source,
        Decimal(tree.root.units),
        Decimal(open_units),
        tree.piece_count,
        tree.root.hash,
        _content(tree.row_nodes),
    )
    await tx.execute(_ADD_PIECES, *name, [_content(each) for each in tree.rows])
    rows = rows_of(tree.balances)
    await tx.execute(
        _ADD_BALANCES,
        *name,
        [each[0].wallet_id for each in rows],
        [b"".join(map(_balance, each)) for each in rows],
    )


async def add_addresses(
    tx: Tx, org_id: UUID, day: date, source: str, counted: CountedLiabilities
) -> None:
    """Store the addresses of a source."""
    await tx.execute(
        _ADD_ADDRESSES,
        *(org_id, day, source, "\n".join(counted.addresses), len(counted.addresses)),
        counted.addresses_digest,
    )


async def of_day(tx: Tx, org_id: UUID, day: date) -> list[StoredReserve]:
    """Return the liabilities at the cut of a day, by source and asset."""
    return [read_row(row, StoredReserve) for row in await tx.fetch(_OF_DAY, org_id, day)]


async def addresses(tx: Tx, org_id: UUID, day: date) -> dict[str, list[str]]:
    """Return the addresses at the cut of a day, by source."""
    rows = await tx.fetch(_ADDRESSES, org_id, day)
    return {row["source"]: row["addresses"].splitlines() for row in rows}


async def row_nodes(tx: Tx, org_id: UUID, day: date, asset: str) -> list[SumNode]:
    """Return the node above each row of an asset's pieces."""
    return parse_nodes(await tx.fetchval(_ROW_NODES, org_id, day, asset))


async def row(tx: Tx, org_id: UUID, day: date, asset: str, number: int) -> list[SumNode]:
    """Return a row of an asset's pieces; empty after the last one."""
    return parse_nodes(await tx.fetchval(_ROW, org_id, day, asset, number) or b"")


async def row_of_hash(
    tx: Tx, org_id: UUID, day: date, asset: str, piece: bytes
) -> tuple[int, list[SumNode]]:
    """Return number and nodes of the row with a piece, by the piece's hash."""
    found = await tx.fetchrow(_ROW_OF_HASH, org_id, day, asset, piece)
    return (0, []) if found is None else (found["number"], parse_nodes(found["nodes"]))


async def balance_of(tx: Tx, org_id: UUID, day: date, asset: str, wallet_id: UUID) -> int:
    """Return the balance of a wallet in smallest units of an asset; 0 without one."""
    stored = await tx.fetchval(_ROW_OF_WALLET, org_id, day, asset, wallet_id) or b""
    for at in range(0, len(stored), _BALANCE_BYTES):
        each = stored[at : at + _BALANCE_BYTES]
        if each[:-_UNITS_BYTES] == wallet_id.bytes:
            return int.from_bytes(each[-_UNITS_BYTES:], "big")
    return 0


def _content(nodes: Sequence[SumNode]) -> bytes:
    return b"".join(each.content for each in nodes)


def _balance(balance: WalletBalance) -> bytes:
    return balance.wallet_id.bytes + balance.units.to_bytes(_UNITS_BYTES, "big")
