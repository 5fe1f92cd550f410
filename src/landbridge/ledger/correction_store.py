"""Reads of the correction service: the corrected record, and earlier corrections."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from landbridge.ledger.model import HouseRole
from landbridge.platform.db.pool import Row, Tx

# A correction references the record that it corrects, which may itself be a correction. That
# reference never changes.
CHAIN = """
with recursive chain as (
    select t.id, t.kind, t.request ->> 'transfer' as corrected, 0 as depth
    from transfers t
    where t.org_id = $1 and t.id = $2
    union all
    select t.id, t.kind, t.request ->> 'transfer', c.depth + 1
    from chain c
    join transfers t on t.org_id = $1 and t.id = c.corrected::uuid
    where c.kind = 'LEDGER.CORRECTION'
)
select id
from chain
order by depth
"""

CORRECTIONS = """
select id, request::text as request
from transfers
where org_id = $1 and kind = 'LEDGER.CORRECTION' and request ->> 'transfer' = $2::text
order by created_at, id
"""

JOURNALS = """
select seq, account_id, role, asset, available, held
from entries
where org_id = $1 and transfer_id = $2 and seq = any ($3::integer[])
order by seq desc, line
"""

# Money that a record and all its corrections hold on accounts or have in transit.
WAITING = """
with recursive tree as (
    select $2::uuid as id
    union all
    select t.id
    from tree r
    join transfers t on t.org_id = $1 and t.kind = 'LEDGER.CORRECTION'
        and t.request ->> 'transfer' = r.id::text
)
select e.account_id, e.asset,
    sum(case when e.account_id is null then e.available else e.held end) as units
from tree r
join entries e on e.org_id = $1 and e.transfer_id = r.id
where e.held <> 0 or e.role = 'in_transit'
group by e.account_id, e.asset
"""

# Units that a record and all its corrections have moved, on each account and house account.
MOVED = """
with recursive tree as (
    select $2::uuid as id
    union all
    select t.id
    from tree r
    join transfers t on t.org_id = $1 and t.kind = 'LEDGER.CORRECTION'
        and t.request ->> 'transfer' = r.id::text
)
select e.account_id, e.role, e.asset, sum(e.available + e.held) as units
from tree r
join entries e on e.org_id = $1 and e.transfer_id = r.id
group by e.account_id, e.role, e.asset
"""

WAITING_CHANGES = """
select distinct seq
from entries
where org_id = $1 and transfer_id = $2 and (held <> 0 or role = 'in_transit')
order by seq
"""

# Records that move money of a payment besides its own journals, such as a fee or a debt. For a
# deposit, also the record that took it back.
DEPENDENTS = """
select t.id,
    (select array_agg(distinct e.seq order by e.seq) from entries e
     where e.org_id = t.org_id and e.transfer_id = t.id) as seqs
from transfers t
where t.org_id = $1
    and (t.details ? 'payment_id' and t.details ->> 'payment_id' = $2::text or t.id = $3)
order by t.created_at, t.id
"""

_decode = msgspec.json.Decoder(dict[str, Any]).decode


class RecordCorrection(NamedTuple):
    """Correction of a record: the numbers of the changes that it reverses, and the reason."""

    id: UUID
    seqs: tuple[int, ...]
    reason: str


async def chain(tx: Tx, org_id: UUID, transfer_id: UUID) -> list[UUID]:
    """Return the ids of a record and the records that it corrects in turn; empty if unknown."""
    return [row["id"] for row in await tx.fetch(CHAIN, org_id, transfer_id)]


async def corrections(tx: Tx, org_id: UUID, transfer_id: UUID) -> list[RecordCorrection]:
    """Return the corrections of a record, oldest first."""
    return [_correction(row) for row in await tx.fetch(CORRECTIONS, org_id, str(transfer_id))]


async def journals(tx: Tx, org_id: UUID, transfer_id: UUID, seqs: Sequence[int]) -> Sequence[Row]:
    """Return the entries of these changes, the last change first."""
    return await tx.fetch(JOURNALS, org_id, transfer_id, seqs)


async def dependents(
    tx: Tx, org_id: UUID, payment_id: UUID, reversal_id: UUID
) -> list[tuple[UUID, set[int]]]:
    """Return the records of a payment, with the numbers of their changes that have journals."""
    rows = await tx.fetch(DEPENDENTS, org_id, str(payment_id), reversal_id)
    return [(row["id"], set(row["seqs"] or ())) for row in rows]


async def held_units(tx: Tx, org_id: UUID, root_id: UUID) -> dict[tuple[UUID | None, str], int]:
    """Return the units held by a record and its corrections, by (account, asset).

    The account is None for money in transit.
    """
    rows = await tx.fetch(WAITING, org_id, root_id)
    return {(row["account_id"], row["asset"]): int(row["units"]) for row in rows}


async def moved_units(
    tx: Tx, org_id: UUID, root_id: UUID
) -> dict[tuple[UUID | HouseRole, str], int]:
    """Return the units that a record and its corrections moved, by (account or role, asset)."""
    rows = await tx.fetch(MOVED, org_id, root_id)
    return {
        (row["account_id"] or HouseRole(row["role"]), row["asset"]): int(row["units"])
        for row in rows
    }


async def waiting_changes(tx: Tx, org_id: UUID, transfer_id: UUID) -> list[int]:
    """Return the numbers of a record's changes that moved held money or money in transit."""
    return [row["seq"] for row in await tx.fetch(WAITING_CHANGES, org_id, transfer_id)]


def _correction(row: Row) -> RecordCorrection:
    request = _decode(row["request"])
    # Older corrections reverse a single change, stored as `seq`.
    seqs: list[int] = request.get("seqs") or [request["seq"]]
    return RecordCorrection(row["id"], tuple(seqs), request["reason"])
