"""Every statement on bank accounts."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.accounts.model import Status
from landbridge.accounts.tables import Ramp
from landbridge.core.pages import Position
from landbridge.db.pool import Row, Tx

_ADD = """
insert into bank_accounts (
    org_id, id, user_id, request_id, ramp, type, currency, status, version, sealed_details,
    sealed_request, created_at, updated_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
on conflict do nothing
returning id
"""

_GET = """
select org_id, id, user_id, request_id, ramp, type, currency, status, version, sealed_details,
    created_at, updated_at
from bank_accounts
where org_id = $1 and id = $2
"""

_LOCK = """
select org_id, id, user_id, request_id, ramp, type, currency, status, version, sealed_details,
    created_at, updated_at
from bank_accounts
where org_id = $1 and id = $2
for update
"""

_FIND_REQUEST = """
select org_id, id, user_id, request_id, ramp, type, currency, status, version, sealed_details,
    created_at, updated_at, sealed_request
from bank_accounts
where org_id = $1 and request_id = $2
"""

_KNOWN_SINCE = "select id, created_at from bank_accounts where org_id = $1 and id = any($2::uuid[])"

_UPDATE = """
update bank_accounts
set status = $4, sealed_details = $5, version = version + 1, updated_at = $6
where org_id = $1 and id = $2 and version = $3
returning version
"""

_ERASE = """
update bank_accounts
set status = 'INACTIVE', sealed_details = null, sealed_request = null, version = version + 1,
    updated_at = $3
where org_id = $1 and user_id = $2 and sealed_details is not null
returning org_id, id, user_id, request_id, ramp, type, currency, status, version, sealed_details,
    created_at, updated_at
"""

_PAGE = """
select org_id, id, user_id, request_id, ramp, type, currency, status, version, sealed_details,
    created_at, updated_at
from bank_accounts
where org_id = $1 and user_id = $2 and created_at >= $3 and (created_at, id) < ($4, $5)
    and ($7::text is null or ramp = $7)
    and ($8::text is null or type = $8)
    and ($9::text is null or currency = $9)
order by created_at desc, id desc
limit $6
"""

_PENDING = """
select org_id, id, user_id, request_id, ramp, type, currency, status, version, sealed_details,
    created_at, updated_at
from bank_accounts
where org_id = $1 and status = 'PENDING' and created_at >= $2 and created_at < $3
order by created_at, id
limit $4
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedAccount:
    """A row; `sealed_details` is None once the user was erased."""

    org_id: UUID
    id: UUID
    user_id: UUID
    request_id: UUID | None
    ramp: Ramp
    type: str
    currency: str
    status: Status
    version: int
    sealed_details: bytes | None
    created_at: datetime
    updated_at: datetime


async def add(tx: Tx, account: SealedAccount, sealed_request: bytes | None) -> bool:
    """Store an account; False if its id or its request id stands there already."""
    added = await tx.fetchval(
        _ADD,
        account.org_id,
        account.id,
        account.user_id,
        account.request_id,
        account.ramp,
        account.type,
        account.currency,
        account.status,
        account.version,
        account.sealed_details,
        sealed_request,
        account.created_at,
        account.updated_at,
    )
    return added is not None


async def get(tx: Tx, org_id: UUID, account_id: UUID) -> SealedAccount | None:
    """An account."""
    row = await tx.fetchrow(_GET, org_id, account_id)
    return None if row is None else _account(row)


async def lock(tx: Tx, org_id: UUID, account_id: UUID) -> SealedAccount | None:
    """An account that nobody else changes until this transaction ends."""
    row = await tx.fetchrow(_LOCK, org_id, account_id)
    return None if row is None else _account(row)


async def find_request(
    tx: Tx, org_id: UUID, request_id: UUID
) -> tuple[SealedAccount, bytes | None] | None:
    """The account that this request id made, and what was asked; None for that once erased."""
    row = await tx.fetchrow(_FIND_REQUEST, org_id, request_id)
    return None if row is None else (_account(row), row["sealed_request"])


async def known_since(tx: Tx, org_id: UUID, ids: Collection[UUID]) -> dict[UUID, datetime]:
    """Since when these accounts are known, by id."""
    rows = await tx.fetch(_KNOWN_SINCE, org_id, list(ids))
    return {row["id"]: row["created_at"] for row in rows}


async def update(tx: Tx, account: SealedAccount, *, version: int) -> bool:
    """Store status and details; False if the account is not at `version` any more."""
    updated = await tx.fetchval(
        _UPDATE,
        account.org_id,
        account.id,
        version,
        account.status,
        account.sealed_details,
        account.updated_at,
    )
    return updated is not None


async def erase(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> list[SealedAccount]:
    """Blank and deactivate the accounts of a user; those that had not been, as they are now."""
    return [_account(row) for row in await tx.fetch(_ERASE, org_id, user_id, at)]


async def page(
    tx: Tx,
    org_id: UUID,
    user_id: UUID,
    *,
    since: datetime,
    before: Position,
    limit: int,
    filters: Sequence[str | None],
) -> list[SealedAccount]:
    """A page, newest first; `filters` are ramp, type and currency."""
    rows = await tx.fetch(
        _PAGE, org_id, user_id, since, before.created_at, before.id, limit, *filters
    )
    return [_account(row) for row in rows]


async def pending(
    tx: Tx, org_id: UUID, *, since: datetime, before: datetime, limit: int
) -> list[SealedAccount]:
    """Accounts that wait for a reviewer, oldest first."""
    return [_account(row) for row in await tx.fetch(_PENDING, org_id, since, before, limit)]


def _account(row: Row) -> SealedAccount:
    return SealedAccount(
        org_id=row["org_id"],
        id=row["id"],
        user_id=row["user_id"],
        request_id=row["request_id"],
        ramp=Ramp(row["ramp"]),
        type=row["type"],
        currency=row["currency"],
        status=Status(row["status"]),
        version=row["version"],
        sealed_details=row["sealed_details"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
