"""The reads of records of several kinds at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.core.pages import Position
from landbridge.db.pool import Row, Tx

# The newest of each kind by its index, then the newest of these. What is wanted is asked of those
# alone, so that a page costs the same however rare it is. The last one that was looked at comes
# too, wanted or not: there the next page begins.
_PAGE = """
with looked as (
    select t.id, t.kind, t.user_id, t.request_id, t.status, t.source_asset, t.source_units,
        t.destination_asset, t.destination_units, t.created_at, t.updated_at
    from unnest($2::text[]) as k (kind)
    cross join lateral (
        select id, kind, user_id, request_id, status, source_asset, source_units,
            destination_asset, destination_units, created_at, updated_at
        from transfers
        where org_id = $1 and kind = k.kind and created_at >= $3 and (created_at, id) < ($4, $5)
        order by created_at desc, id desc
        limit $6
    ) t
    order by t.created_at desc, t.id desc
    limit $6
)
select f.id, f.kind, f.user_id, f.request_id, f.status, f.source_asset, f.source_units,
    f.destination_asset, f.destination_units, f.created_at, f.updated_at, f.is_wanted, f.looked
from (
    select l.id, l.kind, l.user_id, l.request_id, l.status, l.source_asset, l.source_units,
        l.destination_asset, l.destination_units, l.created_at, l.updated_at,
        (
            ($7::text[] is null or l.status = any($7))
            and ($8::text[] is null or l.source_asset = any($8) or l.destination_asset = any($8))
            and ($9::text[] is null or coalesce(l.source_units between a.least and a.most, false))
        ) as is_wanted,
        row_number() over (order by l.created_at, l.id) as place,
        count(*) over () as looked
    from looked l
    left join unnest($9::text[], $10::numeric[], $11::numeric[]) as a (code, least, most)
        on a.code = l.source_asset
) f
where f.is_wanted or f.place = 1
order by f.created_at desc, f.id desc
limit $12 + 1
"""

_PAGE_OF_USER = """
with looked as (
    select t.id, t.kind, t.user_id, t.request_id, t.status, t.source_asset, t.source_units,
        t.destination_asset, t.destination_units, t.created_at, t.updated_at
    from unnest($2::text[]) as k (kind)
    cross join lateral (
        select id, kind, user_id, request_id, status, source_asset, source_units,
            destination_asset, destination_units, created_at, updated_at
        from transfers
        where org_id = $1 and user_id = $13 and kind = k.kind and created_at >= $3
            and (created_at, id) < ($4, $5)
        order by created_at desc, id desc
        limit $6
    ) t
    order by t.created_at desc, t.id desc
    limit $6
)
select f.id, f.kind, f.user_id, f.request_id, f.status, f.source_asset, f.source_units,
    f.destination_asset, f.destination_units, f.created_at, f.updated_at, f.is_wanted, f.looked
from (
    select l.id, l.kind, l.user_id, l.request_id, l.status, l.source_asset, l.source_units,
        l.destination_asset, l.destination_units, l.created_at, l.updated_at,
        (
            ($7::text[] is null or l.status = any($7))
            and ($8::text[] is null or l.source_asset = any($8) or l.destination_asset = any($8))
            and ($9::text[] is null or coalesce(l.source_units between a.least and a.most, false))
        ) as is_wanted,
        row_number() over (order by l.created_at, l.id) as place,
        count(*) over () as looked
    from looked l
    left join unnest($9::text[], $10::numeric[], $11::numeric[]) as a (code, least, most)
        on a.code = l.source_asset
) f
where f.is_wanted or f.place = 1
order by f.created_at desc, f.id desc
limit $12 + 1
"""

_SUMS = """
select asset, sum(available) as available, sum(held) as held
from accounts
where org_id = $1
group by asset
"""

_ENTRIES = """
select seq, line, account_id, role, asset, available, held
from entries
where org_id = $1 and transfer_id = $2
order by seq, line
"""

# By the partial index of hashes (0042): its expression and its condition, to the letter.
_BY_HASH = """
select distinct t.id, t.kind, t.user_id, t.request_id, t.status, t.source_asset, t.source_units,
    t.destination_asset, t.destination_units, t.created_at, t.updated_at
from changes c
join transfers t on t.org_id = c.org_id and t.id = c.object_id
where c.org_id = $1
    and coalesce(
        c.facts ->> 'transaction_hash', c.facts ->> 'mint_transaction_hash',
        c.facts ->> 'return_transaction_hash', c.facts ->> 'deposit_hash'
    ) = $2
    and c.facts ?| array[
        'transaction_hash', 'mint_transaction_hash', 'return_transaction_hash', 'deposit_hash'
    ]
order by t.created_at desc
limit $3
"""

_BY_ID = """
select id, kind, user_id, request_id, status, source_asset, source_units, destination_asset,
    destination_units, created_at, updated_at
from transfers
where org_id = $1 and id = $2
union all
select id, kind, user_id, request_id, status, source_asset, source_units, destination_asset,
    destination_units, created_at, updated_at
from transfers
where org_id = $1 and request_id = $2 and id <> $2
"""

# By the partial index of 0052: its expression and its condition, to the letter.
_OF_PAYMENT = """
select id, kind, user_id, request_id, status, source_asset, source_units, destination_asset,
    destination_units, created_at, updated_at
from transfers
where org_id = $1 and details ? 'payment_id' and details ->> 'payment_id' = $2
order by created_at, id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A record as a list of all kinds shows it."""

    id: UUID
    kind: str
    user_id: UUID
    request_id: UUID
    status: str
    source_asset: str
    source_units: int
    destination_asset: str
    destination_units: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Sieve:
    """Which records are wanted; None: any.

    `assets` are codes that one of the two ends has; `amounts` is how many units of each asset the
    source may have, at least and at most.
    """

    statuses: Sequence[str] | None = None
    assets: Sequence[str] | None = None
    amounts: Mapping[str, tuple[int, int]] | None = None


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found, newest first, among how many, and the last one that was looked at."""

    lines: Sequence[Line]
    count: int
    last: Position | None


@dataclass(frozen=True, slots=True)
class Sum:
    """What all wallets of an organisation hold of an asset."""

    asset: str
    available_units: int
    held_units: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of a journal: a wallet's account or a house role is moved."""

    seq: int
    account_id: UUID | None
    role: str | None
    asset: str
    available_units: int
    held_units: int


async def page(
    tx: Tx,
    org_id: UUID,
    kinds: Sequence[str],
    user_id: UUID | None,
    sieve: Sieve,
    *,
    after: datetime,
    before: Position,
    look: int,
    limit: int,
) -> Looked:
    """Of the next `look` records behind `before`, the first `limit` that the sieve lets through."""
    amounts = sieve.amounts
    told = (
        *(org_id, kinds, after, before.created_at, before.id, look, sieve.statuses, sieve.assets),
        *(
            (None, None, None)
            if amounts is None
            else (
                list(amounts),
                [least for least, _ in amounts.values()],
                [most for _, most in amounts.values()],
            )
        ),
        limit,
    )
    if user_id is None:
        rows = await tx.fetch(_PAGE, *told)
    else:
        rows = await tx.fetch(_PAGE_OF_USER, *told, user_id)
    if not rows:
        return Looked([], 0, None)
    last = Position(rows[-1]["created_at"], rows[-1]["id"])
    wanted = [_line(row) for row in rows if row["is_wanted"]][:limit]
    return Looked(wanted, rows[0]["looked"], last)


async def sums(tx: Tx, org_id: UUID) -> Sequence[Sum]:
    """What the wallets of an organisation hold together, by asset."""
    rows = await tx.fetch(_SUMS, org_id)
    return [Sum(row["asset"], int(row["available"]), int(row["held"])) for row in rows]


async def entries(tx: Tx, org_id: UUID, transfer_id: UUID) -> Sequence[Entry]:
    """All journals of a record, in their order."""
    return [
        Entry(
            seq=row["seq"],
            account_id=row["account_id"],
            role=row["role"],
            asset=row["asset"],
            available_units=int(row["available"]),
            held_units=int(row["held"]),
        )
        for row in await tx.fetch(_ENTRIES, org_id, transfer_id)
    ]


async def by_hash(tx: Tx, org_id: UUID, text: str, limit: int) -> Sequence[Line]:
    """Records of which something was sent, or came, in this transaction of a chain."""
    return [_line(row) for row in await tx.fetch(_BY_HASH, org_id, text, limit)]


async def by_id(tx: Tx, org_id: UUID, wanted: UUID) -> Sequence[Line]:
    """The record of this id, and the one that this request id made."""
    return [_line(row) for row in await tx.fetch(_BY_ID, org_id, wanted)]


async def of_payment(tx: Tx, org_id: UUID, payment_id: UUID) -> Sequence[Line]:
    """Return the records that belong to a payment, the oldest first."""
    return [_line(row) for row in await tx.fetch(_OF_PAYMENT, org_id, str(payment_id))]


def _line(row: Row) -> Line:
    return Line(
        id=row["id"],
        kind=row["kind"],
        user_id=row["user_id"],
        request_id=row["request_id"],
        status=row["status"],
        source_asset=row["source_asset"],
        source_units=int(row["source_units"]),
        destination_asset=row["destination_asset"],
        destination_units=int(row["destination_units"]),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
