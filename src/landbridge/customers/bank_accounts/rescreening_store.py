"""SQL statements on accounts that are compared with later lists."""

from collections.abc import Collection
from uuid import UUID

from landbridge.customers.bank_accounts.store import SealedBankAccount, account_of
from landbridge.platform.db.pool import Tx

_ACTIVE_AFTER = """
select org_id, id, user_id, request_id, ramp, type, currency, status, version, sealed_details,
    created_at, updated_at,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = bank_accounts.org_id and m.object_id = bank_accounts.id
    ) as metadata
from bank_accounts
where org_id = $1 and id > $2 and status = 'ACTIVE'
order by id
limit $3
"""

_SUSPENDED = """
select id from bank_accounts where org_id = $1 and id = any($2::uuid[]) and is_suspended
"""


async def active_after(tx: Tx, org_id: UUID, after: UUID, limit: int) -> list[SealedBankAccount]:
    """Return active accounts, in the order of their ids."""
    return [account_of(row) for row in await tx.fetch(_ACTIVE_AFTER, org_id, after, limit)]


async def suspended(tx: Tx, org_id: UUID, ids: Collection[UUID]) -> frozenset[UUID]:
    """Return those of these accounts that were sent from active to a reviewer."""
    rows = await tx.fetch(_SUSPENDED, org_id, list(ids))
    return frozenset(row["id"] for row in rows)
