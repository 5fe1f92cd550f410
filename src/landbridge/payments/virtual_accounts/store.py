"""SQL statements on virtual_accounts."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from landbridge.payments.virtual_accounts.model import VirtualAccount, VirtualAccountStatus
from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.providers.chains.tokens import Chain

_ADD = """
insert into virtual_accounts (
    org_id, id, user_id, status, source_currency, destination_currency, destination_chain,
    wallet_address, external_wallet_id, account_number, settlement_rule_id, version, created_at,
    updated_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
on conflict do nothing
returning id
"""

_GET = """
select org_id, id, user_id, status, source_currency, destination_currency, destination_chain,
    wallet_address, external_wallet_id, account_number, settlement_rule_id, version, created_at,
    updated_at
from virtual_accounts
where org_id = $1 and id = $2
"""

_LOCK = """
select org_id, id, user_id, status, source_currency, destination_currency, destination_chain,
    wallet_address, external_wallet_id, account_number, settlement_rule_id, version, created_at,
    updated_at
from virtual_accounts
where org_id = $1 and id = $2
for update
"""

_FIND_NUMBER = """
select org_id, id, user_id, status, source_currency, destination_currency, destination_chain,
    wallet_address, external_wallet_id, account_number, settlement_rule_id, version, created_at,
    updated_at
from virtual_accounts
where org_id = $1 and account_number = $2
"""

_UPDATE = """
update virtual_accounts
set status = $3, destination_currency = $4, destination_chain = $5, wallet_address = $6,
    external_wallet_id = $7, settlement_rule_id = $8, version = $9, updated_at = $10
where org_id = $1 and id = $2
"""

# Waits for concurrent reactivations, because `_DEACTIVATE` alone would not see their changes.
_LOCK_ALL = """
select id from virtual_accounts where org_id = $1 and user_id = $2 order by id for no key update
"""

_DEACTIVATE = """
update virtual_accounts
set status = 'deactivated', version = version + 1, updated_at = $3
where org_id = $1 and user_id = $2 and status = 'activated'
returning org_id, id, user_id, status, source_currency, destination_currency, destination_chain,
    wallet_address, external_wallet_id, account_number, settlement_rule_id, version, created_at,
    updated_at
"""

_PAGE = """
select org_id, id, user_id, status, source_currency, destination_currency, destination_chain,
    wallet_address, external_wallet_id, account_number, settlement_rule_id, version, created_at,
    updated_at
from virtual_accounts
where org_id = $1 and user_id = $2 and created_at >= $3 and (created_at, id) < ($4, $5)
    and ($7::text is null or source_currency = $7)
    and ($8::text is null or destination_currency = $8)
    and ($9::text is null or destination_chain = $9)
    and ($10::text is null or status = $10)
order by created_at desc, id desc
limit $6
"""

# Reads the newest accounts of each status and chain by an index, then selects the newest of these.
PAGE_OF_ORG = """
select a.org_id, a.id, a.user_id, a.status, a.source_currency, a.destination_currency,
    a.destination_chain, a.wallet_address, a.external_wallet_id, a.account_number,
    a.settlement_rule_id, a.version, a.created_at, a.updated_at
from unnest($2::text[]) as s (status)
cross join unnest($3::text[]) as c (chain)
cross join lateral (
    select org_id, id, user_id, status, source_currency, destination_currency, destination_chain,
        wallet_address, external_wallet_id, account_number, settlement_rule_id, version,
        created_at, updated_at
    from virtual_accounts
    where org_id = $1 and status = s.status and destination_chain = c.chain
        and (created_at, id) < ($4, $5)
    order by created_at desc, id desc
    limit $6
) a
order by a.created_at desc, a.id desc
limit $6
"""


async def add(tx: Tx, account: VirtualAccount) -> bool:
    """Store an account; False if its id or its number exists already."""
    added = await write_row(tx, _ADD, account, destination_chain=account.chain)
    return added is not None


async def get(tx: Tx, org_id: UUID, account_id: UUID) -> VirtualAccount | None:
    """Return the account with this id; None if there is none."""
    row = await tx.fetchrow(_GET, org_id, account_id)
    return None if row is None else _account(row)


async def lock(tx: Tx, org_id: UUID, account_id: UUID) -> VirtualAccount | None:
    """Return the account with this id, locked until the transaction ends; None if none."""
    row = await tx.fetchrow(_LOCK, org_id, account_id)
    return None if row is None else _account(row)


async def find_number(tx: Tx, org_id: UUID, account_number: str) -> VirtualAccount | None:
    """Return the account with this number; None if there is none."""
    row = await tx.fetchrow(_FIND_NUMBER, org_id, account_number)
    return None if row is None else _account(row)


async def update(tx: Tx, account: VirtualAccount) -> None:
    """Update the mutable fields of a locked account."""
    await write_row(tx, _UPDATE, account, destination_chain=account.chain)


async def deactivate(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> Sequence[VirtualAccount]:
    """Deactivate all accounts of a user; return those that were active, in their new state."""
    await tx.fetch(_LOCK_ALL, org_id, user_id)
    return [_account(row) for row in await tx.fetch(_DEACTIVATE, org_id, user_id, at)]


async def page(
    tx: Tx,
    org_id: UUID,
    user_id: UUID,
    window: PositionWindow,
    *,
    filters: Sequence[str | None],
    status: VirtualAccountStatus | None = None,
) -> Sequence[VirtualAccount]:
    """List a page, newest first; `filters` are source currency, destination currency and chain."""
    rows = await tx.fetch(_PAGE, org_id, user_id, window.since, *window.bounds, *filters, status)
    return [_account(row) for row in rows]


async def page_of_org(
    tx: Tx,
    org_id: UUID,
    window: PositionWindow,
    *,
    statuses: Sequence[VirtualAccountStatus],
    chains: Sequence[Chain],
) -> Sequence[VirtualAccount]:
    """List accounts of all users with one of these statuses and chains, newest first."""
    rows = await tx.fetch(PAGE_OF_ORG, org_id, statuses, chains, *window.bounds)
    return [_account(row) for row in rows]


def _account(row: Row) -> VirtualAccount:
    return read_row(row, VirtualAccount, chain=row["destination_chain"])
