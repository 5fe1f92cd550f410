"""Entries of a period in the accounts of fees, gas and write-offs, summed from their index."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
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

# The highest fees of a user in an asset, compared in dollars: $4 are assets, $5 dollars for each of
# their units. Those without a rate come last.
HIGHEST_FEES = """
select p.user_id, p.asset, p.count, p.units
from (
    select t.user_id, e.asset, count(*) as count, sum(e.available) as units
    from entries e
    join transfers t on t.org_id = e.org_id and t.id = e.transfer_id
    where e.org_id = $1 and e.role in ('fees', 'gas', 'write_offs') and e.role = 'fees'
        and e.occurred_at >= $2 and e.occurred_at < $3
    group by t.user_id, e.asset
) p
left join unnest($4::text[], $5::numeric[]) r (asset, usd) on r.asset = p.asset
order by p.units * r.usd desc nulls last, p.count desc, p.user_id, p.asset
limit $6
"""


async def by_kind(tx: Tx, org_id: UUID, since: datetime, until: datetime) -> Sequence[Row]:
    """Return the sums of each account, kind of payment and asset."""
    return await tx.fetch(BY_KIND, org_id, since, until)


async def highest_fees(
    tx: Tx,
    org_id: UUID,
    since: datetime,
    until: datetime,
    *,
    usd_per_unit: Mapping[str, Decimal],
    limit: int,
) -> Sequence[Row]:
    """Return the highest fees by user and asset; `usd_per_unit` has an asset's smallest unit."""
    return await tx.fetch(
        HIGHEST_FEES, org_id, since, until, list(usd_per_unit), list(usd_per_unit.values()), limit
    )


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
