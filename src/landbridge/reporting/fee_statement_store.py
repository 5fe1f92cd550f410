"""Entries of a period in the accounts of fees, gas and write-offs, summed from their index."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx

# One row for each account, kind and asset; of write-offs and gas there are few.
BY_KIND = """
select e.role, t.kind, e.asset, count(*) as count, sum(e.available) as units
from entries e
join transfers t on t.org_id = e.org_id and t.id = e.transfer_id
where e.org_id = $1 and e.role in ('fees', 'gas', 'write_offs')
    and e.occurred_at >= $2 and e.occurred_at < $3
group by e.role, t.kind, e.asset
order by e.role, t.kind, e.asset
"""

# Fees by user, kind and asset, after ($4, $5, $6).
FEES_BY_USER = """
select t.user_id, t.kind, e.asset, count(*) as count, sum(e.available) as units
from entries e
join transfers t on t.org_id = e.org_id and t.id = e.transfer_id
where e.org_id = $1 and e.role in ('fees', 'gas', 'write_offs') and e.role = 'fees'
    and e.occurred_at >= $2 and e.occurred_at < $3
    and (t.user_id, t.kind, e.asset) > ($4, $5, $6)
group by t.user_id, t.kind, e.asset
order by t.user_id, t.kind, e.asset
limit $7
"""

# The users that paid most often, each with one row for each asset.
MOST_CHARGED = """
with paid as (
    select t.user_id, e.asset, count(*) as count, sum(e.available) as units
    from entries e
    join transfers t on t.org_id = e.org_id and t.id = e.transfer_id
    where e.org_id = $1 and e.role in ('fees', 'gas', 'write_offs') and e.role = 'fees'
        and e.occurred_at >= $2 and e.occurred_at < $3
    group by t.user_id, e.asset
),
most as (
    select user_id, sum(count) as total
    from paid
    group by user_id
    order by sum(count) desc, user_id
    limit $4
)
select p.user_id, p.asset, p.count, p.units
from most m
join paid p on p.user_id = m.user_id
order by m.total desc, p.user_id, p.asset
"""


async def by_kind(tx: Tx, org_id: UUID, since: datetime, until: datetime) -> Sequence[Row]:
    """Return the sums of each account, kind of payment and asset."""
    return await tx.fetch(BY_KIND, org_id, since, until)


async def most_charged(
    tx: Tx, org_id: UUID, since: datetime, until: datetime, limit: int
) -> Sequence[Row]:
    """Return the fees of this many users, by asset."""
    return await tx.fetch(MOST_CHARGED, org_id, since, until, limit)


async def fees_by_user(
    tx: Tx,
    org_id: UUID,
    since: datetime,
    until: datetime,
    *,
    after: tuple[UUID, str, str],
    limit: int,
) -> Sequence[Row]:
    """Return the fees of each user, kind and asset behind a row."""
    return await tx.fetch(FEES_BY_USER, org_id, since, until, *after, limit)
