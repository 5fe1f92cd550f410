"""Reads of records in other orders than newest first.

Guarantees:
- A statement reads at most `limit` rows of each kind or asset, all in the order of an index.
- An order by amount includes all ended records. Of the records under way, it includes the 2,000
  that are due last.

Callers filter the returned rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from landbridge.ledger.listing_store import TransferListRow, as_list_row
from landbridge.platform.core.money import UNITS_DIGITS_MAX
from landbridge.platform.core.pagination import BEGINNING, END, PagePosition
from landbridge.platform.db.pool import Tx

UNITS_MAX: Final = 10**UNITS_DIGITS_MAX
_UNDER_WAY_MAX: Final = 2_000
_LEAST_ID, _MOST_ID = UUID(int=0), UUID(int=2**128 - 1)

_OLDEST = """
select t.id, t.kind, t.user_id, t.request_id, t.status, t.source_asset, t.source_units,
    t.destination_asset, t.destination_units, t.created_at, t.updated_at
from unnest($2::text[]) as k (kind)
cross join lateral (
    select id, kind, user_id, request_id, status, source_asset, source_units,
        destination_asset, destination_units, created_at, updated_at
    from transfers
    where org_id = $1 and kind = k.kind and (created_at, id) > ($3, $4)
        and created_at < $5
    order by created_at, id
    limit $6
) t
order by t.created_at, t.id
limit $6
"""

_OLDEST_OF_USER = """
select t.id, t.kind, t.user_id, t.request_id, t.status, t.source_asset, t.source_units,
    t.destination_asset, t.destination_units, t.created_at, t.updated_at
from unnest($2::text[]) as k (kind)
cross join lateral (
    select id, kind, user_id, request_id, status, source_asset, source_units,
        destination_asset, destination_units, created_at, updated_at
    from transfers
    where org_id = $1 and user_id = $7 and kind = k.kind and (created_at, id) > ($3, $4)
        and created_at < $5
    order by created_at, id
    limit $6
) t
order by t.created_at, t.id
limit $6
"""

# Takes the nearest records of each asset by an index with all columns of the order, then the
# nearest of those. That index excludes records under way, which change often.
_LARGEST = """
with bounds as (
    select asset, weight, units, created_at, id, least, most
    from unnest(
        $2::text[], $3::numeric[], $4::numeric[], $5::timestamptz[], $6::uuid[], $7::numeric[],
        $8::numeric[]
    ) as b (asset, weight, units, created_at, id, least, most)
), under_way as (
    select id, source_asset, source_units, created_at
    from transfers
    where org_id = $1 and due_at is not null
    order by due_at desc
    limit $10
), nearest as (
    select n.id, n.worth, n.created_at
    from (
        select e.id, e.source_units * b.weight as worth, e.created_at
        from bounds b
        cross join lateral (
            select id, source_units, created_at
            from transfers
            where org_id = $1 and source_asset = b.asset and due_at is null
                and (source_units, created_at, id) < (b.units, b.created_at, b.id)
                and source_units between b.least and b.most
            order by source_units desc, created_at desc, id desc
            limit $9
        ) e
        union all
        select u.id, u.source_units * b.weight, u.created_at
        from under_way u
        join bounds b on b.asset = u.source_asset
        where (u.source_units, u.created_at, u.id) < (b.units, b.created_at, b.id)
            and u.source_units between b.least and b.most
    ) n
    order by n.worth desc, n.created_at desc, n.id desc
    limit $9
)
select t.id, t.kind, t.user_id, t.request_id, t.status, t.source_asset, t.source_units,
    t.destination_asset, t.destination_units, t.created_at, t.updated_at
from nearest n
join transfers t on t.org_id = $1 and t.id = n.id
order by n.worth desc, n.created_at desc, n.id desc
"""

_SMALLEST = """
with bounds as (
    select asset, weight, units, created_at, id, least, most
    from unnest(
        $2::text[], $3::numeric[], $4::numeric[], $5::timestamptz[], $6::uuid[], $7::numeric[],
        $8::numeric[]
    ) as b (asset, weight, units, created_at, id, least, most)
), under_way as (
    select id, source_asset, source_units, created_at
    from transfers
    where org_id = $1 and due_at is not null
    order by due_at desc
    limit $10
), nearest as (
    select n.id, n.worth, n.created_at
    from (
        select e.id, e.source_units * b.weight as worth, e.created_at
        from bounds b
        cross join lateral (
            select id, source_units, created_at
            from transfers
            where org_id = $1 and source_asset = b.asset and due_at is null
                and (source_units, created_at, id) > (b.units, b.created_at, b.id)
                and source_units between b.least and b.most
            order by source_units, created_at, id
            limit $9
        ) e
        union all
        select u.id, u.source_units * b.weight, u.created_at
        from under_way u
        join bounds b on b.asset = u.source_asset
        where (u.source_units, u.created_at, u.id) > (b.units, b.created_at, b.id)
            and u.source_units between b.least and b.most
    ) n
    order by n.worth, n.created_at, n.id
    limit $9
)
select t.id, t.kind, t.user_id, t.request_id, t.status, t.source_asset, t.source_units,
    t.destination_asset, t.destination_units, t.created_at, t.updated_at
from nearest n
join transfers t on t.org_id = $1 and t.id = n.id
order by n.worth, n.created_at, n.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountOrder:
    """Order of records by the value of their source.

    `weights` is the value of one unit of each asset, in whole multiples of the same small part of a
    dollar. `amounts` bounds the source units, as in `TransferFilter`.
    """

    weights: Mapping[str, int]
    is_largest_first: bool
    amounts: Mapping[str, tuple[int, int]] | None = None


async def oldest(
    tx: Tx,
    org_id: UUID,
    kinds: Sequence[str],
    user_id: UUID | None,
    *,
    after: PagePosition,
    before: datetime,
    limit: int,
) -> Sequence[TransferListRow]:
    """Return records after `after`, oldest first."""
    args = org_id, kinds, after.created_at, after.id, before, limit
    if user_id is None:
        rows = await tx.fetch(_OLDEST, *args)
    else:
        rows = await tx.fetch(_OLDEST_OF_USER, *args, user_id)
    return [as_list_row(row) for row in rows]


async def by_amount(
    tx: Tx, org_id: UUID, order: AmountOrder, *, last: TransferListRow | None, limit: int
) -> Sequence[TransferListRow]:
    """Return the records after `last`, or the first; of equal value the newest is largest."""
    assets, amounts = list(order.weights), order.amounts or {}
    begin = [_begin(order, asset, last) for asset in assets]
    ranges = [amounts.get(asset, (0, UNITS_MAX)) for asset in assets]
    args = (
        *(org_id, assets, list(order.weights.values())),
        *([each[part] for each in begin] for part in range(3)),
        *([each[part] for each in ranges] for part in range(2)),
        *(limit, _UNDER_WAY_MAX),
    )
    if order.is_largest_first:
        rows = await tx.fetch(_LARGEST, *args)
    else:
        rows = await tx.fetch(_SMALLEST, *args)
    return [as_list_row(row) for row in rows]


def _begin(
    order: AmountOrder, asset: str, last: TransferListRow | None
) -> tuple[int, datetime, UUID]:
    """Return the position in one asset's order of records that corresponds to `last`."""
    if last is None:
        return (UNITS_MAX if order.is_largest_first else 0), BEGINNING, _LEAST_ID
    worth = last.source_units * order.weights[last.source_asset]
    units, rest = divmod(worth, order.weights[asset])
    if rest == 0:
        return units, last.created_at, last.id
    # If the value is between two numbers of units, records of the lower number are smaller.
    return units, END, _MOST_ID
