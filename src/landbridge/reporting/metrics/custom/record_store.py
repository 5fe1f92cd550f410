"""Grouped reads of records, for templates with dimensions that the roll-ups do not have.

Every read uses an index on kind or creation time. The caller limits the number of records
(`bounds.py`); the statement limits the number of groups that it returns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple, cast
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.reporting.rollups.model import Span

# Columns to group by.
GROUPS = (
    "kind",
    "status",
    "source_asset",
    "destination_asset",
    "bank",
    "rail",
    "user_type",
    "user_id",
    "initiated_by",
    "fee_payer",
)

# $7 has the columns to group by; $8 to $10 say whether amounts, fees and durations are read. Fees
# are those posted at any time for the record and its corrections; their ids are one array, because
# `or` with a subquery would read all entries for each record. A duration ends with the last
# completion, and is rounded up as in report_deltas.
_TRANSACTIONS = """
with taken as (
    select date_trunc($6, t.created_at at time zone $5)::date as period,
        case when 'kind' = any($7::text[]) then t.kind else '' end as kind,
        case when 'status' = any($7) then t.status else '' end as status,
        case when 'source_asset' = any($7) then t.source_asset else '' end as source_asset,
        case when 'destination_asset' = any($7) then t.destination_asset else '' end
            as destination_asset,
        case when 'bank' = any($7) then t.bank else '' end as bank,
        case when 'rail' = any($7) then t.rail else '' end as rail,
        case
            when 'user_type' = any($7) then coalesce(
                (select u.type from users u where u.org_id = $1 and u.id = t.user_id), 'none'
            )
            else ''
        end as user_type,
        case when 'user_id' = any($7) then t.user_id::text else '' end as user_id,
        case
            when 'initiated_by' = any($7) then coalesce(
                (
                    select case split_part(c.actor, ':', 1)
                        when 'key' then 'key' when 'member' then 'member' else 'system'
                    end
                    from changes c
                    where c.org_id = $1 and c.object_id = t.id and c.seq = 1
                ),
                'system'
            )
            else ''
        end as initiated_by,
        case when 'fee_payer' = any($7) then t.fee_payer else '' end as fee_payer,
        t.worth_cents, case when $8 then t.source_units end as units, f.asset as fee_asset,
        f.units as fee_units, f.place, m.duration
    from unnest($2::text[]) as k (kind)
    cross join lateral (
        select x.id, x.kind, x.status, x.user_id, x.created_at, x.source_asset, x.source_units,
            x.destination_asset, x.bank, x.rail, x.fee_payer, x.worth_cents
        from report_transactions x
        where x.org_id = $1 and x.kind = k.kind and x.created_at >= $3 and x.created_at < $4
        offset 0
    ) t
    left join lateral (
        select e.asset, sum(e.available) as units, row_number() over (order by e.asset) as place
        from entries e
        where $9 and e.org_id = $1 and e.role = 'fees' and e.transfer_id = any(
            t.id || array(
                select c.id
                from transfers c
                where c.org_id = $1 and c.kind = 'LEDGER.CORRECTION'
                    and c.request ->> 'transfer' = t.id::text
            )
        )
        group by e.asset
    ) f on $9
    left join lateral (
        select case
                when s.ms < 10 then s.ms
                else (array[10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82, 100])[1 + width_bucket(
                    (s.ms + s.scale - 1) / s.scale - 1,
                    array[10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82]::bigint[]
                )] * s.scale
            end as duration
        from (
            select i.ms, rpad('1', greatest(length(i.ms::text) - 1, 1), '0')::bigint as scale
            from (
                select greatest(
                    ceil(extract(epoch from c.occurred_at - t.created_at) * 1000), 0
                )::bigint as ms
                from changes c
                where c.org_id = $1 and c.object_id = t.id and c.status_after = 'COMPLETED'
                    and c.status_before is distinct from c.status_after
                order by c.seq desc
                limit 1
            ) i
        ) s
    ) m on $10 and t.status = 'COMPLETED'
    where ($11::uuid[] is null or t.user_id = any($11))
        and ($12::numeric is null or t.worth_cents >= $12)
        and ($13::numeric is null or t.worth_cents <= $13)
        and (not $10 or t.status = 'COMPLETED')
)
select g.period, g.kind, g.status, g.source_asset, g.destination_asset, g.bank, g.rail,
    g.user_type, g.user_id, g.initiated_by, g.fee_payer, coalesce(g.fee_asset, '') as fee_asset,
    coalesce(g.duration, -1) as duration,
    count(*) filter (where coalesce(g.place, 1) = 1) as count,
    sum(g.worth_cents)::text as worth_cents, min(g.worth_cents)::text as worth_min,
    max(g.worth_cents)::text as worth_max, coalesce(sum(g.units), 0)::text as units,
    coalesce(min(g.units), 0)::text as units_min, coalesce(max(g.units), 0)::text as units_max,
    coalesce(sum(g.fee_units), 0)::text as fees, coalesce(min(g.fee_units), 0)::text as fees_min,
    coalesce(max(g.fee_units), 0)::text as fees_max
from taken g
group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
limit $14
"""

# Sets a timeout for each further statement of the transaction.
_LIMIT_TIME = "select set_config('statement_timeout', $1, true)"

_USERS = """
select date_trunc($5, u.created_at at time zone $4)::date as period, u.type, count(*) as count
from users u
where u.org_id = $1 and u.created_at >= $2 and u.created_at < $3
group by 1, 2
"""

_BY_IDS = """
select t.id, t.kind, t.status, t.source_asset, t.destination_asset, t.bank, t.rail,
    coalesce(u.type, 'none') as user_type, t.user_id::text as user_id,
    case split_part(coalesce(c.actor, ''), ':', 1)
        when 'key' then 'key' when 'member' then 'member' else 'system'
    end as initiated_by,
    t.fee_payer, t.worth_cents
from report_transactions t
left join users u on u.org_id = $1 and u.id = t.user_id
left join changes c on c.org_id = $1 and c.object_id = t.id and c.seq = 1
where t.org_id = $1 and t.id = any($2::uuid[])
"""


class Amounts(NamedTuple):
    """Sum, minimum and maximum of a group's amounts, in smallest units."""

    total: int
    least: int
    greatest: int


@dataclass(frozen=True, slots=True)
class RecordGroup:
    """Records of a period with the same values of the grouped columns."""

    period: Any
    values: dict[str, str]
    fee_asset: str
    # Duration in milliseconds; -1 without one.
    duration: int
    count: int
    worth_cents: Amounts
    units: Amounts
    fees: Amounts


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRead:
    """Selection of a read: kinds of records, columns to group by, and numbers to read."""

    kinds: Sequence[str]
    groups: frozenset[str]
    has_units: bool
    has_fees: bool
    has_durations: bool
    user_ids: Sequence[UUID] | None
    cents_min: Decimal | None
    cents_max: Decimal | None


async def limit_time(tx: Tx, *, most_ms: int) -> None:
    """Cancel every further statement of this transaction that takes longer."""
    await tx.execute(_LIMIT_TIME, str(most_ms))


async def transactions(
    tx: Tx, org_id: UUID, read: RecordRead, span: Span, *, limit: int
) -> list[RecordGroup]:
    """Return up to `limit` groups of transactions by the period of their creation."""
    rows = await tx.fetch(
        _TRANSACTIONS,
        org_id,
        list(read.kinds),
        span.after,
        span.before,
        span.zone,
        span.interval,
        sorted(read.groups),
        read.has_units,
        read.has_fees,
        read.has_durations,
        read.user_ids,
        read.cents_min,
        read.cents_max,
        limit,
    )
    return [
        RecordGroup(
            period=row["period"],
            values={name: row[name] for name in read.groups},
            fee_asset=row["fee_asset"],
            duration=row["duration"],
            count=row["count"],
            worth_cents=_amounts(row["worth_cents"], row["worth_min"], row["worth_max"]),
            units=_amounts(row["units"], row["units_min"], row["units_max"]),
            fees=_amounts(row["fees"], row["fees_min"], row["fees_max"]),
        )
        for row in rows
    ]


class RecordValues(NamedTuple):
    """Grouped columns of a transaction, and its USD value."""

    id: UUID
    values: dict[str, str]
    worth_cents: Decimal


async def by_ids(tx: Tx, org_id: UUID, ids: Sequence[UUID]) -> list[RecordValues]:
    """Return the grouped columns of these transactions."""
    return [
        RecordValues(row["id"], {name: row[name] for name in GROUPS}, row["worth_cents"])
        for row in await tx.fetch(_BY_IDS, org_id, list(ids))
    ]


async def users(tx: Tx, org_id: UUID, span: Span) -> list[tuple[Any, str, int]]:
    """Return (period, type, number) of users by the time of their creation."""
    rows = await tx.fetch(_USERS, org_id, span.after, span.before, span.zone, span.interval)
    return [
        cast("tuple[Any, str, int]", (row["period"], row["type"], row["count"])) for row in rows
    ]


def _amounts(total: str | None, least: str | None, greatest: str | None) -> Amounts:
    return Amounts(int(total or 0), int(least or 0), int(greatest or 0))
