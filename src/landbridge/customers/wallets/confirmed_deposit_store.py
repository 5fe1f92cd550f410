"""Reads of chain_deposits: deposits found on a chain that are not credited, or not yet.

`customers/chain_deposits` writes the table.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx

_PAGE = """
select id, wallet_id, asset, units, transaction_hash, source_address, contract_address, found_at
from chain_deposits
where org_id = $1 and wallet_id = $2 and asset = $3 and units >= $4
    and (status = 'CONFIRMED' or is_suspended) and found_at >= $5 and found_at < $6
order by found_at desc
limit $7
"""

_FIND = """
select id, wallet_id, asset, units, transaction_hash, source_address, contract_address, found_at
from chain_deposits
where org_id = $1 and id = $2 and wallet_id = any($3::uuid[])
    and (status = 'CONFIRMED' or is_suspended)
"""


async def page(
    tx: Tx,
    org_id: UUID,
    *,
    wallet_id: UUID,
    asset: str,
    units_min: int,
    since: datetime,
    before: datetime,
    limit: int,
) -> Sequence[Row]:
    """Return confirmed deposits in a wallet, newest first; `since` is inclusive."""
    return await tx.fetch(_PAGE, org_id, wallet_id, asset, units_min, since, before, limit)


async def find(tx: Tx, org_id: UUID, deposit_id: UUID, wallet_ids: Sequence[UUID]) -> Row | None:
    """Return a confirmed deposit in one of these wallets."""
    return await tx.fetchrow(_FIND, org_id, deposit_id, list(wallet_ids))
