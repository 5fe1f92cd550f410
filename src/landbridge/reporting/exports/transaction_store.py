"""Statements that read records for files, oldest first, range by range.

A statement scans a limited number of records, even if few of them match.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple, TypeVar, cast
from uuid import UUID

from landbridge.platform.db.pool import Tx

T = TypeVar("T")


class RecordKey(NamedTuple):
    """Sort key of a record: creation time, then id."""

    created_at: datetime
    id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRange:
    """Scan range: records after a key and created before a time, at most `limit`."""

    after: RecordKey
    until: datetime
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFilter:
    """Filter of records: by kind, and by each other member that is not None.

    `states` are pairs of kind and status; assets are codes. A reason is the failure reason, or the
    status if there is none, as in reports.
    """

    kinds: tuple[str, ...]
    user_ids: tuple[UUID, ...] | None = None
    states: Collection[tuple[str, str]] | None = None
    source_assets: Collection[str] | None = None
    destination_assets: Collection[str] | None = None
    reasons: Collection[str] | None = None


class AssetColumns(NamedTuple):
    """Columns for assets: code, currency, chain (None for a bank), and smallest unit in coins."""

    codes: list[str]
    currencies: list[str]
    chains: list[str | None]
    units: list[Decimal]


# Scans the next records by an index on kinds or one on users. Returns the matching records, and the
# last one scanned, after which the caller continues. USD values are those of the view
# report_records, for any status, and so are reasons; a fact that is null replaces the detail of the
# same name.
_NEXT = """
select n.id::text as id, n.kind, n.status, n.user_id::text as user_id,
    n.request_id::text as request_id, n.created_at, n.updated_at,
    a.currency as source_currency, a.chain as source_chain,
    trim_scale(n.source_units * a.unit)::text as source_amount,
    b.currency as destination_currency, b.chain as destination_chain,
    trim_scale(n.destination_units * b.unit)::text as destination_amount,
    (trunc(case n.kind
        when 'ONRAMP' then coalesce(
            100 * ((n.details || n.facts) ->> 'worth_usd')::numeric,
            case n.source_asset
                when 'usd:BANK' then n.source_units
                else n.destination_units / 10000
            end
        )
        when 'OFFRAMP' then
            ((n.details || n.facts) ->> 'amount_units')::numeric / 10000
        else n.source_units / 10000
    end) / 100)::numeric(40, 2)::text as amount_usd,
    coalesce(n.facts ->> 'failed_reason', n.facts ->> 'error') as failed_reason,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = $1 and m.object_id = n.id
    ) as metadata,
    n.is_wanted, n.looked_at
from (
    select f.id, f.kind, f.status, f.user_id, f.request_id, f.created_at, f.updated_at,
        f.source_asset, f.source_units, f.destination_asset, f.destination_units, f.details,
        f.facts, row_number() over (order by f.created_at, f.id) as place,
        count(*) over () as looked_at,
        ($8::text[] is null or f.kind || ' ' || f.status = any($8))
        and ($9::text[] is null or f.source_asset = any($9))
        and ($10::text[] is null or f.destination_asset = any($10))
        and (
            $11::text[] is null
            or (
                select coalesce(nullif(r.reason, ''), r.status)
                from report_records r
                where r.org_id = $1 and r.id = f.id
            ) = any($11)
        ) as is_wanted
    from (
        select x.id, x.kind, x.status, x.user_id, x.request_id, x.created_at, x.updated_at,
            x.source_asset, x.source_units, x.destination_asset, x.destination_units, x.details,
            x.facts
        from (
            select t.id, t.kind, t.status, t.user_id, t.request_id, t.created_at, t.updated_at,
                t.source_asset, t.source_units, t.destination_asset, t.destination_units,
                t.details, t.facts
            from unnest($2::text[]) as k (kind)
            cross join lateral (
                select i.id, i.kind, i.status, i.user_id, i.request_id, i.created_at,
                    i.updated_at, i.source_asset, i.source_units, i.destination_asset,
                    i.destination_units, i.details, i.facts
                from transfers i
                where i.org_id = $1 and i.kind = k.kind
                    and (i.created_at, i.id) > ($3::timestamptz, $4::uuid) and i.created_at < $5
                order by i.created_at, i.id
                limit $6
            ) t
            where $7::uuid[] is null
            union all
            select t.id, t.kind, t.status, t.user_id, t.request_id, t.created_at, t.updated_at,
                t.source_asset, t.source_units, t.destination_asset, t.destination_units,
                t.details, t.facts
            from unnest($2::text[]) as k (kind)
            cross join unnest($7::uuid[]) as u (user_id)
            cross join lateral (
                select i.id, i.kind, i.status, i.user_id, i.request_id, i.created_at,
                    i.updated_at, i.source_asset, i.source_units, i.destination_asset,
                    i.destination_units, i.details, i.facts
                from transfers i
                where i.org_id = $1 and i.user_id = u.user_id and i.kind = k.kind
                    and (i.created_at, i.id) > ($3::timestamptz, $4::uuid) and i.created_at < $5
                order by i.created_at, i.id
                limit $6
            ) t
        ) x
        order by x.created_at, x.id
        limit $6
    ) f
) n
left join unnest($12::text[], $13::text[], $14::text[], $15::numeric[])
    as a (code, currency, chain, unit) on a.code = n.source_asset
left join unnest($12::text[], $13::text[], $14::text[], $15::numeric[])
    as b (code, currency, chain, unit) on b.code = n.destination_asset
where n.is_wanted or n.place = n.looked_at
order by n.created_at, n.id
"""


@dataclass(frozen=True, slots=True)
class RecordScan:
    """Scan result: values of matching records, in order, and the number of records scanned.

    `end` is the key of the last scanned record; None if the range was scanned completely.
    """

    rows: Sequence[Sequence[Any]]
    scanned_count: int
    end: RecordKey | None


async def scan(
    tx: Tx, org_id: UUID, record_filter: RecordFilter, assets: AssetColumns, *, at: RecordRange
) -> RecordScan:
    """Return the next records, oldest first; each has the columns of `_NEXT` up to metadata."""
    states = (
        None if record_filter.states is None else [" ".join(each) for each in record_filter.states]
    )
    rows = await tx.fetch(
        _NEXT,
        *(org_id, list(record_filter.kinds), at.after.created_at, at.after.id, at.until, at.limit),
        *(_listed(record_filter.user_ids), states),
        *(_listed(record_filter.source_assets), _listed(record_filter.destination_assets)),
        *(_listed(record_filter.reasons), *assets),
    )
    if not rows:
        return RecordScan((), 0, None)
    last = rows[-1]
    end = RecordKey(last["created_at"], UUID(last["id"])) if last["looked_at"] == at.limit else None
    # A row is a sequence of values, although its type in the driver offers access by name only.
    values = cast("list[Sequence[Any]]", rows if last["is_wanted"] else rows[:-1])
    return RecordScan(values, last["looked_at"], end)


def _listed(values: Collection[T] | None) -> list[T] | None:
    return None if values is None else list(values)
