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
