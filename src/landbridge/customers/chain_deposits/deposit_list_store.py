"""Reads of deposits from outside, of all users or of one.

A deposit on a real chain is listed from its row in chain_deposits. Its ledger record, which has
`found_at`, is left out. Simulated deposits have ledger records only.
"""

from collections.abc import Sequence
from uuid import UUID

from landbridge.customers.chain_deposits.model import ChainDepositStatus
from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.db.pool import Row, Tx

# Reads the newest rows of each asset and status from an index, then merges them: the cost of a
# page does not depend on how rare the matches are.
PAGE_OF_ORG = """
select d.id, d.user_id, d.asset, d.units, d.status, d.transaction_hash, d.source_address,
    d.received_at
from (
    select t.id, t.user_id, t.source_asset as asset, t.source_units as units, t.status,
        t.details ->> 'transaction_hash' as transaction_hash,
        t.details ->> 'source_address' as source_address, t.created_at as received_at
    from unnest($2::text[]) as a (asset)
    cross join lateral (
        select id, user_id, source_asset, source_units, status, details, created_at
        from transfers
        where org_id = $1 and kind = 'WALLET.DEPOSIT' and not details ? 'found_at'
            and source_asset = a.asset and (created_at, id) < ($4, $5)
        order by created_at desc, id desc
        limit $6
    ) t
    where 'COMPLETED' = any($3::text[])
    union all
    select c.id, c.user_id, c.asset, c.units, c.status, c.transaction_hash, c.source_address,
        c.found_at
    from unnest($2::text[]) as a (asset)
    cross join unnest($3::text[]) as s (status)
    cross join lateral (
        select id, user_id, asset, units, status, transaction_hash, source_address, found_at
        from chain_deposits
        where org_id = $1 and asset = a.asset and status = s.status
            and (found_at, id) < ($4, $5)
        order by found_at desc, id desc
        limit $6
    ) c
) d
order by d.received_at desc, d.id desc
limit $6
"""

PAGE_OF_USER = """
select d.id, d.user_id, d.asset, d.units, d.status, d.transaction_hash, d.source_address,
    d.received_at
from (
    (
        select id, user_id, source_asset as asset, source_units as units, status,
            details ->> 'transaction_hash' as transaction_hash,
            details ->> 'source_address' as source_address, created_at as received_at
        from transfers
        where org_id = $1 and user_id = $7 and kind = 'WALLET.DEPOSIT'
            and not details ? 'found_at' and source_asset = any($2::text[])
            and 'COMPLETED' = any($3::text[]) and (created_at, id) < ($4, $5)
        order by created_at desc, id desc
        limit $6
    )
    union all
    (
        select id, user_id, asset, units, status, transaction_hash, source_address, found_at
        from chain_deposits
        where org_id = $1 and user_id = $7 and asset = any($2::text[])
            and status = any($3::text[]) and (found_at, id) < ($4, $5)
        order by found_at desc, id desc
        limit $6
    )
) d
order by d.received_at desc, d.id desc
limit $6
"""


async def page(
    tx: Tx,
    org_id: UUID,
    user_id: UUID | None,
    window: PositionWindow,
    *,
    assets: Sequence[str],
    statuses: Sequence[ChainDepositStatus],
) -> Sequence[Row]:
    """Return deposits of these assets with one of these statuses, newest first."""
    values = (org_id, assets, statuses, *window.bounds)
    if user_id is None:
        return await tx.fetch(PAGE_OF_ORG, *values)
    return await tx.fetch(PAGE_OF_USER, *values, user_id)
