"""SQL statements on micro_deposits and simulated_deposits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.platform.core.created_resource import CreatedResource
from landbridge.platform.core.pagination import PagePosition
from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import column_values, read_optional_row, read_row

_ADD = """
insert into micro_deposits (org_id, id, account_id, currency, units, sealed_source, created_at)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict do nothing
"""

_GET = """
select org_id, id, account_id, currency, units, sealed_source, created_at
from micro_deposits
where org_id = $1 and id = $2
"""

_PAGE = """
select org_id, id, account_id, currency, units, sealed_source, created_at
from micro_deposits
where org_id = $1 and account_id = $2
    and (created_at, id) > ($3, $4) and (created_at, id) < ($5, $6)
order by created_at desc, id desc
limit $7
"""

_FORGET = """
update micro_deposits d
set sealed_source = null
from virtual_accounts a
where a.org_id = $1 and a.user_id = $2 and d.org_id = a.org_id and d.account_id = a.id
    and d.sealed_source is not null
"""

_ADD_SIMULATED = """
insert into simulated_deposits (org_id, request_id, account_id, sealed_request, created_at)
values ($1, $2, $3, $4, $5)
on conflict do nothing
"""

_SIMULATED = """
select account_id, sealed_request, created_at
from simulated_deposits
where org_id = $1 and request_id = $2
"""

_FIND_CREATED = """
select a.id, a.user_id, d.created_at
from simulated_deposits d
join virtual_accounts a on a.org_id = d.org_id and a.id = d.account_id
where d.org_id = $1 and d.request_id = $2
"""

_FORGET_SIMULATED = """
update simulated_deposits d
set sealed_request = null
from virtual_accounts a
where a.org_id = $1 and a.user_id = $2 and d.org_id = a.org_id and d.account_id = a.id
    and d.sealed_request is not null
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMicroDeposit:
    """A row; `sealed_source` is None once its user was erased."""

    org_id: UUID
    id: UUID
    account_id: UUID
    currency: str
    units: int
    sealed_source: bytes | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedDepositRecord:
    """A requested simulated deposit; `sealed_request` is None once its user was erased."""

    account_id: UUID
    sealed_request: bytes | None
    created_at: datetime


async def add(tx: Tx, deposit: StoredMicroDeposit) -> None:
    """Store a micro-deposit unless it exists already."""
    await tx.execute(_ADD, *column_values(_ADD, deposit))


async def get(tx: Tx, org_id: UUID, deposit_id: UUID) -> StoredMicroDeposit | None:
    """Get a micro-deposit."""
    row = await tx.fetchrow(_GET, org_id, deposit_id)
    return read_optional_row(row, StoredMicroDeposit)


async def page(
    tx: Tx, org_id: UUID, account_id: UUID, *, after: PagePosition, before: PagePosition, limit: int
) -> Sequence[StoredMicroDeposit]:
    """List the micro-deposits of an account between two positions, newest first."""
    rows = await tx.fetch(
        _PAGE,
        org_id,
        account_id,
        after.created_at,
        after.id,
        before.created_at,
        before.id,
        limit,
    )
    return [read_row(row, StoredMicroDeposit) for row in rows]


async def add_simulated(
    tx: Tx, org_id: UUID, request_id: UUID, simulated: SimulatedDepositRecord
) -> None:
    """Store a request for a simulated deposit unless its id exists already."""
    values = column_values(_ADD_SIMULATED, simulated, org_id=org_id, request_id=request_id)
    await tx.execute(_ADD_SIMULATED, *values)


async def simulated(tx: Tx, org_id: UUID, request_id: UUID) -> SimulatedDepositRecord | None:
    """Find the request with this request id."""
    row = await tx.fetchrow(_SIMULATED, org_id, request_id)
    return read_optional_row(row, SimulatedDepositRecord)


async def find_created(tx: Tx, org_id: UUID, request_id: UUID) -> CreatedResource | None:
    """Find the account and user of a simulated deposit request."""
    row = await tx.fetchrow(_FIND_CREATED, org_id, request_id)
    if row is None:
        return None
    at = row["created_at"]
    return CreatedResource(id=row["id"], created_at=at, updated_at=at, owner_id=row["user_id"])


async def forget(tx: Tx, org_id: UUID, user_id: UUID) -> None:
    """Blank the senders of deposits to a user's accounts."""
    await tx.execute(_FORGET, org_id, user_id)
    await tx.execute(_FORGET_SIMULATED, org_id, user_id)
