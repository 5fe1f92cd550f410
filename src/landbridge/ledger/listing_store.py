"""Reads of records of several kinds at once."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.platform.core.pagination import PagePosition
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row

# Takes the newest records of each kind by its index, then the newest of those. Filters apply only
# to these, so that a page costs the same however rare the matches are. The last scanned record is
# returned even if it does not match: the next page begins there.
_PAGE = """
with scanned as (
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
    f.destination_asset, f.destination_units, f.created_at, f.updated_at, f.is_match, f.scanned
from (
    select l.id, l.kind, l.user_id, l.request_id, l.status, l.source_asset, l.source_units,
        l.destination_asset, l.destination_units, l.created_at, l.updated_at,
        (
            ($7::text[] is null or l.status = any($7))
            and ($8::text[] is null or l.source_asset = any($8) or l.destination_asset = any($8))
            and ($9::text[] is null or coalesce(l.source_units between a.least and a.most, false))
        ) as is_match,
        row_number() over (order by l.created_at, l.id) as position,
        count(*) over () as scanned
    from scanned l
    left join unnest($9::text[], $10::numeric[], $11::numeric[]) as a (code, least, most)
        on a.code = l.source_asset
) f
where f.is_match or f.position = 1
order by f.created_at desc, f.id desc
limit $12 + 1
"""

_PAGE_OF_USER = """
with scanned as (
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
    f.destination_asset, f.destination_units, f.created_at, f.updated_at, f.is_match, f.scanned
from (
    select l.id, l.kind, l.user_id, l.request_id, l.status, l.source_asset, l.source_units,
        l.destination_asset, l.destination_units, l.created_at, l.updated_at,
        (
            ($7::text[] is null or l.status = any($7))
            and ($8::text[] is null or l.source_asset = any($8) or l.destination_asset = any($8))
            and ($9::text[] is null or coalesce(l.source_units between a.least and a.most, false))
        ) as is_match,
        row_number() over (order by l.created_at, l.id) as position,
        count(*) over () as scanned
    from scanned l
    left join unnest($9::text[], $10::numeric[], $11::numeric[]) as a (code, least, most)
        on a.code = l.source_asset
) f
where f.is_match or f.position = 1
order by f.created_at desc, f.id desc
limit $12 + 1
"""

# Begins with the objects that have all these keys and values, which an index finds.
_PAGE_WITH_METADATA = """
with found as (
    select m.object_id
    from metadata m
    join unnest($13::text[], $14::text[]) as p (key, value)
        on p.key = m.key and p.value = m.value
    where m.org_id = $1
    group by m.object_id
    having count(*) = cardinality($13::text[])
), scanned as (
    select t.id, t.kind, t.user_id, t.request_id, t.status, t.source_asset, t.source_units,
        t.destination_asset, t.destination_units, t.created_at, t.updated_at
    from found o
    join transfers t on t.org_id = $1 and t.id = o.object_id
    where t.kind = any($2::text[]) and t.created_at >= $3 and (t.created_at, t.id) < ($4, $5)
        and ($15::uuid is null or t.user_id = $15)
    order by t.created_at desc, t.id desc
    limit $6
)
select f.id, f.kind, f.user_id, f.request_id, f.status, f.source_asset, f.source_units,
    f.destination_asset, f.destination_units, f.created_at, f.updated_at, f.is_match, f.scanned
from (
    select l.id, l.kind, l.user_id, l.request_id, l.status, l.source_asset, l.source_units,
        l.destination_asset, l.destination_units, l.created_at, l.updated_at,
        (
            ($7::text[] is null or l.status = any($7))
            and ($8::text[] is null or l.source_asset = any($8) or l.destination_asset = any($8))
            and ($9::text[] is null or coalesce(l.source_units between a.least and a.most, false))
        ) as is_match,
        row_number() over (order by l.created_at, l.id) as position,
        count(*) over () as scanned
    from scanned l
    left join unnest($9::text[], $10::numeric[], $11::numeric[]) as a (code, least, most)
        on a.code = l.source_asset
) f
where f.is_match or f.position = 1
order by f.created_at desc, f.id desc
limit $12 + 1
"""

_SUMS = """
select asset, sum(available) as available, sum(held) as held
from accounts
where org_id = $1
group by asset
"""

# Unfinished records have a due time, or are in review: both have an index.
_SUM_DESTINATIONS = """
select coalesce(sum(t.destination_units), 0)
from transfers t
join unnest($3::text[], $4::text[]) as s (kind, status)
    on s.kind = t.kind and s.status = t.status
where t.org_id = $1 and t.destination_asset = $2
    and (t.due_at is not null or t.status = 'IN_REVIEW')
"""

# The statement is a union, because each part has an index of its own.
_UNDER_WAY = """
select u.id, u.kind, u.user_id, u.request_id, u.status, u.source_asset, u.source_units,
    u.destination_asset, u.destination_units, u.created_at, u.updated_at
from (
    (
        select id, kind, user_id, request_id, status, source_asset, source_units,
            destination_asset, destination_units, created_at, updated_at
        from transfers
        where org_id = $1 and due_at is not null
        order by due_at desc
        limit $2
    )
    union all
    (
        select id, kind, user_id, request_id, status, source_asset, source_units,
            destination_asset, destination_units, created_at, updated_at
        from transfers
        where org_id = $1 and due_at is null and status = 'IN_REVIEW'
        limit $2
    )
) u
limit $2
"""

_ENTRIES = """
select seq, line, account_id, role, asset, available, held
from entries
where org_id = $1 and transfer_id = $2
order by seq, line
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

_BY_IDS = """
select id, kind, user_id, request_id, status, source_asset, source_units, destination_asset,
    destination_units, created_at, updated_at
from transfers
where org_id = $1 and id = any($2::uuid[])
order by created_at desc, id desc
"""

# Uses a partial index: expression and condition must equal the index definition.
_OF_PAYMENT = """
select id, kind, user_id, request_id, status, source_asset, source_units, destination_asset,
    destination_units, created_at, updated_at
from transfers
where org_id = $1 and details ? 'payment_id' and details ->> 'payment_id' = $2
order by created_at, id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferListRow:
    """Record in a list of all kinds."""

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
class TransferFilter:
    """Filter of a list; None matches any value.

    `assets` match the source or the destination; `amounts` is the minimum and maximum of the source
    units, by asset. A record must have all pairs of `metadata`.
    """

    statuses: Sequence[str] | None = None
    assets: Sequence[str] | None = None
    amounts: Mapping[str, tuple[int, int]] | None = None
    metadata: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class TransferScan:
    """Result of a scan: its matches, newest first, the number scanned, and the last one scanned."""

    lines: Sequence[TransferListRow]
    count: int
    last: PagePosition | None


@dataclass(frozen=True, slots=True)
class AssetTotal:
    """Total balance of an organisation's wallets in one asset."""

    asset: str
    available_units: int
    held_units: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """Line of a journal, on a wallet account or a house role."""

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
    filters: TransferFilter,
    *,
    after: datetime,
    before: PagePosition,
    scan_limit: int,
    limit: int,
) -> TransferScan:
    """Scan the next `scan_limit` records before `before`; return the first `limit` matches."""
    amounts = filters.amounts
    args = (
        *(
            org_id,
            kinds,
            after,
            before.created_at,
            before.id,
            scan_limit,
            filters.statuses,
            filters.assets,
        ),
        *(
            (None, None, None)
            if amounts is None
            else (
                list(amounts),
                [minimum for minimum, _ in amounts.values()],
                [maximum for _, maximum in amounts.values()],
            )
        ),
        limit,
    )
    if filters.metadata is not None:
        pairs = list(filters.metadata.keys()), list(filters.metadata.values())
        rows = await tx.fetch(_PAGE_WITH_METADATA, *args, *pairs, user_id)
    elif user_id is None:
        rows = await tx.fetch(_PAGE, *args)
    else:
        rows = await tx.fetch(_PAGE_OF_USER, *args, user_id)
    if not rows:
        return TransferScan([], 0, None)
    last = PagePosition(rows[-1]["created_at"], rows[-1]["id"])
    matches = [as_list_row(row) for row in rows if row["is_match"]][:limit]
    return TransferScan(matches, rows[0]["scanned"], last)


async def unfinished(tx: Tx, org_id: UUID, limit: int) -> Sequence[TransferListRow]:
    """Return records that have not ended; the one that is due last comes first."""
    return [as_list_row(row) for row in await tx.fetch(_UNDER_WAY, org_id, limit)]


async def sums(tx: Tx, org_id: UUID) -> Sequence[AssetTotal]:
    """Return the total balance of an organisation's wallets, by asset."""
    rows = await tx.fetch(_SUMS, org_id)
    return [AssetTotal(row["asset"], int(row["available"]), int(row["held"])) for row in rows]


async def entries(tx: Tx, org_id: UUID, transfer_id: UUID) -> Sequence[JournalEntry]:
    """Return all journal entries of a record, in order."""
    return [
        read_row(
            row, JournalEntry, available_units=int(row["available"]), held_units=int(row["held"])
        )
        for row in await tx.fetch(_ENTRIES, org_id, transfer_id)
    ]


async def by_id(tx: Tx, org_id: UUID, id_: UUID) -> Sequence[TransferListRow]:
    """Return the record with this id, and the record with this request id."""
    return [as_list_row(row) for row in await tx.fetch(_BY_ID, org_id, id_)]


async def by_ids(tx: Tx, org_id: UUID, ids: Collection[UUID]) -> Sequence[TransferListRow]:
    """Return the records with these ids, newest first."""
    return [as_list_row(row) for row in await tx.fetch(_BY_IDS, org_id, list(ids))]


async def of_payment(tx: Tx, org_id: UUID, payment_id: UUID) -> Sequence[TransferListRow]:
    """Return the records that belong to a payment, oldest first."""
    return [as_list_row(row) for row in await tx.fetch(_OF_PAYMENT, org_id, str(payment_id))]


async def sum_destinations(
    tx: Tx, org_id: UUID, asset: str, statuses: Sequence[tuple[str, str]]
) -> int:
    """Return the units of an asset that unfinished records at these (kind, status) deliver."""
    kinds, names = [kind for kind, _ in statuses], [status for _, status in statuses]
    return int(await tx.fetchval(_SUM_DESTINATIONS, org_id, asset, kinds, names))


def as_list_row(row: Row) -> TransferListRow:
    """Convert a row to a record of a list."""
    source, destination = int(row["source_units"]), int(row["destination_units"])
    return read_row(row, TransferListRow, source_units=source, destination_units=destination)
