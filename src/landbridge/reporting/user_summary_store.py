"""What the list of users shows of each: verification, balances, payments, holders of accounts."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx

# Some index lookups for each user: a page has few.
SUMMARIES = """
select i.id, k.statuses, b.assets, b.units, p.last_at
from unnest($2::uuid[]) as i (id)
cross join lateral (
    select coalesce(array_agg(status), '{}') as statuses
    from kyc_cases
    where org_id = $1 and user_id = i.id
) k
cross join lateral (
    select coalesce(array_agg(s.asset), '{}') as assets, coalesce(array_agg(s.units), '{}') as units
    from (
        select a.asset, sum(a.available + a.held) as units
        from wallets w
        join accounts a on a.org_id = w.org_id and a.wallet_id = w.id
        where w.org_id = $1 and w.user_id = i.id
        group by a.asset
    ) s
) b
cross join lateral (
    select max(t.created_at) as last_at
    from unnest($3::text[]) as n (kind)
    cross join lateral (
        select created_at
        from transfers
        where org_id = $1 and user_id = i.id and kind = n.kind
        order by created_at desc, id desc
        limit 1
    ) t
) p
"""

FROZEN = """
select id
from users
where org_id = $1 and frozen_at is not null and erased_at is null and created_at < $2
    and ($3::text is null or type = $3)
order by created_at desc, id desc
limit $4
"""

# Of the newest $6 users: those with a case with status $4, and none with a status of $5, which
# precede it. 'INACTIVE' are those without a case. One row, with where the reading ended.
BY_STATUS = """
with scanned as (
    select id, created_at, frozen_at
    from users
    where org_id = $1 and erased_at is null and created_at < $2 and ($3::text is null or type = $3)
    order by created_at desc, id desc
    limit $6
),
matching as (
    select s.id, s.created_at
    from scanned s
    cross join lateral (
        select coalesce(array_agg(status), '{}') as statuses
        from kyc_cases
        where org_id = $1 and user_id = s.id
    ) k
    where case when $4 = 'INACTIVE' then k.statuses = '{}'
        else $4 = any(k.statuses) and not k.statuses && $5::text[] end
        and (not $7::boolean or s.frozen_at is not null)
    order by s.created_at desc, s.id desc
    limit $8
)
select
    array(select id from matching order by created_at desc, id desc) as ids,
    (select min(created_at) from matching) as last_at,
    (select min(created_at) from scanned) as end_at,
    (select count(*) from scanned) as count
"""


async def summaries(
    tx: Tx, org_id: UUID, user_ids: Collection[UUID], kinds: Collection[str]
) -> Sequence[Row]:
    """Return one row for each user; `kinds` are those of payments."""
    return await tx.fetch(SUMMARIES, org_id, list(user_ids), list(kinds))


async def frozen(
    tx: Tx, org_id: UUID, *, type_: str | None, before: datetime, limit: int
) -> list[UUID]:
    """Return the ids of frozen users, newest first; erased ones are left out."""
    return [row["id"] for row in await tx.fetch(FROZEN, org_id, before, type_, limit)]


async def by_status(
    tx: Tx,
    org_id: UUID,
    *,
    before: datetime,
    type_: str | None,
    is_frozen: bool,
    status: str,
    preceding: Collection[str],
    limit: int,
    scan_limit: int,
) -> Row | None:
    """Return one row: ids, newest first, of users with this status, and where they end."""
    return await tx.fetchrow(
        BY_STATUS,
        *(org_id, before, type_, status, list(preceding)),
        *(scan_limit, is_frozen, limit),
    )
