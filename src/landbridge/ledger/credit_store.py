"""Reads of credits: what accounts received."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx

# Reads in the order of entries_account_id_idx, so that the scan ends with the page. The record of
# each line is looked up line by line (lateral, with a limit); otherwise PostgreSQL joins and sorts
# everything. The scan also ends after `lines_max` lines, because matching lines may be rare. If a
# record has several lines for the account, the first one represents all.
PAGE = """
select e.account_id, e.transfer_id, e.occurred_at, r.units, r.kind, r.details, r.facts
from (
    select org_id, account_id, transfer_id, seq, line, occurred_at
    from entries
    where org_id = $1 and account_id = $2 and available + held > 0
        and occurred_at >= $6 and (occurred_at, transfer_id) < ($7, $8)
    order by occurred_at desc, transfer_id desc
    limit $10
) e
cross join lateral (
    select t.kind, t.details::text as details, t.facts::text as facts, s.units
    from transfers t
    cross join lateral (
        select sum(q.available + q.held) filter (where q.account_id = e.account_id) as units,
            bool_or(q.account_id = e.account_id and q.available + q.held > 0
                and (q.seq, q.line) < (e.seq, e.line)) as is_repeated,
            bool_or(a.wallet_id = $3 and q.available + q.held < 0) as has_paid
        from entries q
        left join accounts a on a.org_id = q.org_id and a.id = q.account_id
        where q.org_id = t.org_id and q.transfer_id = t.id
    ) s
    where t.org_id = e.org_id and t.id = e.transfer_id and t.kind <> all ($4::text[])
        and not coalesce(s.is_repeated, false) and not coalesce(s.has_paid, false)
        and s.units >= $5
    limit 1
) r
order by e.occurred_at desc, e.transfer_id desc
limit $9
"""

# Time of the last line that `PAGE` scans; no row if the account has fewer lines.
LAST_LINE = """
select occurred_at
from entries
where org_id = $1 and account_id = $2 and available + held > 0
    and occurred_at >= $3 and (occurred_at, transfer_id) < ($4, $5)
order by occurred_at desc, transfer_id desc
offset $6 - 1
limit 1
"""

FIND = """
select i.account_id, i.transfer_id, s.occurred_at, s.units, t.kind, t.details::text as details,
    t.facts::text as facts
from unnest($2::uuid[], $3::uuid[]) as i (account_id, transfer_id)
join transfers t on t.org_id = $1 and t.id = i.transfer_id and t.kind <> all ($4::text[])
join accounts w on w.org_id = t.org_id and w.id = i.account_id
cross join lateral (
    select sum(q.available + q.held) filter (where q.account_id = i.account_id) as units,
        min(q.occurred_at) filter (where q.account_id = i.account_id
        and q.available + q.held > 0) as occurred_at,
        bool_or(a.wallet_id = w.wallet_id and q.available + q.held < 0) as has_paid
    from entries q
    left join accounts a on a.org_id = q.org_id and a.id = q.account_id
    where q.org_id = t.org_id and q.transfer_id = t.id
) s
where s.units > 0 and not coalesce(s.has_paid, false)
"""

# Credits of these journals. Earlier lines count as in `PAGE`, later ones do not, so the result does
# not depend on when it is read.
RECORDED = """
select e.transfer_id, e.seq, e.account_id, e.asset, e.occurred_at, s.units, t.kind,
    t.details::text as details, t.facts::text as facts
from unnest($2::uuid[], $3::integer[]) as i (transfer_id, seq)
join entries e on e.org_id = $1 and e.transfer_id = i.transfer_id and e.seq = i.seq
    and e.account_id is not null and e.available + e.held > 0
join accounts w on w.org_id = e.org_id and w.id = e.account_id
join transfers t on t.org_id = e.org_id and t.id = e.transfer_id and t.kind <> all ($4::text[])
cross join lateral (
    select sum(q.available + q.held) filter (where q.account_id = e.account_id) as units,
        bool_or(q.account_id = e.account_id and q.available + q.held > 0
            and (q.seq, q.line) < (e.seq, e.line)) as is_repeated,
        bool_or(a.wallet_id = w.wallet_id and q.available + q.held < 0) as has_paid
    from entries q
    left join accounts a on a.org_id = q.org_id and a.id = q.account_id
    where q.org_id = e.org_id and q.transfer_id = e.transfer_id and q.seq <= e.seq
) s
where s.units > 0 and not coalesce(s.is_repeated, false) and not coalesce(s.has_paid, false)
order by e.transfer_id, e.seq, e.line
"""


async def page(
    tx: Tx,
    org_id: UUID,
    *,
    account_id: UUID,
    wallet_id: UUID,
    without: Collection[str],
    units_min: int,
    since: datetime,
    before: tuple[datetime, UUID],
    limit: int,
    lines_max: int,
) -> Sequence[Row]:
    """Return what an account received, newest first, except by records of the kinds `without`.

    Scans at most `lines_max` lines.
    """
    return await tx.fetch(
        PAGE,
        org_id,
        account_id,
        wallet_id,
        list(without),
        units_min,
        since,
        *before,
        limit,
        lines_max,
    )


async def last_line(
    tx: Tx,
    org_id: UUID,
    *,
    account_id: UUID,
    since: datetime,
    before: tuple[datetime, UUID],
    lines_max: int,
) -> datetime | None:
    """Return when the last of `lines_max` lines was written; None if there are fewer."""
    return await tx.fetchval(LAST_LINE, org_id, account_id, since, *before, lines_max)


async def find(
    tx: Tx, org_id: UUID, pairs: Collection[tuple[UUID, UUID]], *, without: Collection[str]
) -> Sequence[Row]:
    """Return what each (account, record) pair received."""
    return await tx.fetch(
        FIND,
        org_id,
        [account_id for account_id, _ in pairs],
        [transfer_id for _, transfer_id in pairs],
        list(without),
    )


async def find_recorded(
    tx: Tx, org_id: UUID, journals: Collection[tuple[UUID, int]], *, without: Collection[str]
) -> Sequence[Row]:
    """Return the credits that these journals, each (record, change), posted first; in order."""
    return await tx.fetch(
        RECORDED,
        org_id,
        [transfer_id for transfer_id, _ in journals],
        [seq for _, seq in journals],
        list(without),
    )
