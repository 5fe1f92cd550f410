"""Every statement on funding_accounts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.db.pool import Row, Tx

_PUT = """
insert into funding_accounts (
    org_id, id, currency, sealed_details, last_file_number, last_trace, version, updated_at
)
values ($1, $2, $3, $4, 0, 0, 1, $5)
on conflict (org_id, id) do update
set sealed_details = excluded.sealed_details, version = funding_accounts.version + 1,
    updated_at = excluded.updated_at
where funding_accounts.updated_at < excluded.updated_at
returning version
"""

_OF = """
select org_id, id, currency, sealed_details, version, updated_at, read_at
from funding_accounts
where org_id = any($1::uuid[])
order by org_id, currency
"""

# Of every organisation.
_ALL = """
select org_id, id, currency, sealed_details, version, updated_at, read_at
from funding_accounts
order by org_id, currency
"""

_LOCK = """
select last_file_number from funding_accounts where org_id = $1 and id = $2 for update
"""

_NUMBERED = """
update funding_accounts set last_file_number = $3 where org_id = $1 and id = $2
"""

_TRACE = """
update funding_accounts set last_trace = last_trace + $3 where org_id = $1 and id = $2
returning last_trace
"""

# Of accounts that share a place, as they were when it was looked through: what one's files tell may
# be of another. Lines that could not be applied yet hold it up.
_READ = """
update funding_accounts
set read_at = $4
from unnest($2::uuid[], $3::integer[]) as told (id, version)
where funding_accounts.org_id = $1 and funding_accounts.id = told.id
    and funding_accounts.version = told.version
    and (read_at is null or read_at < $4)
    and not exists (
        select from bank_lines
        where bank_lines.org_id = $1 and bank_lines.status = 'NEW'
            and bank_lines.account_id = any($2::uuid[])
    )
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedAccount:
    """A row."""

    org_id: UUID
    id: UUID
    currency: str
    sealed_details: bytes
    version: int
    updated_at: datetime
    read_at: datetime | None


async def put(
    tx: Tx, org_id: UUID, account_id: UUID, *, currency: str, sealed_details: bytes, at: datetime
) -> int | None:
    """Make an account, or change it; how often it was. None if it was changed then or later."""
    return await tx.fetchval(_PUT, org_id, account_id, currency, sealed_details, at)


async def of(tx: Tx, org_ids: Collection[UUID]) -> Sequence[SealedAccount]:
    """All accounts of these organisations."""
    return [_account(row) for row in await tx.fetch(_OF, list(org_ids))]


async def every(tx: Tx) -> Sequence[SealedAccount]:
    """All accounts of all organisations."""
    return [_account(row) for row in await tx.fetch(_ALL)]


async def note_read(tx: Tx, org_id: UUID, versions: Mapping[UUID, int], at: datetime) -> None:
    """Note that these accounts' files were looked through at `at`, unless lines wait still."""
    await tx.execute(_READ, org_id, list(versions), list(versions.values()), at)


async def lock(tx: Tx, org_id: UUID, account_id: UUID) -> int:
    """Hold an account until the transaction ends; the number of its last file."""
    return await tx.fetchval(_LOCK, org_id, account_id)


async def numbered(tx: Tx, org_id: UUID, account_id: UUID, number: int) -> None:
    """Note the number of the last file of an account that is held."""
    await tx.execute(_NUMBERED, org_id, account_id, number)


async def count_traces(tx: Tx, org_id: UUID, account_id: UUID, count: int) -> int:
    """Take so many running numbers of ACH entries; the last of them."""
    return await tx.fetchval(_TRACE, org_id, account_id, count)


def _account(row: Row) -> SealedAccount:
    return SealedAccount(
        org_id=row["org_id"],
        id=row["id"],
        currency=row["currency"],
        sealed_details=row["sealed_details"],
        version=row["version"],
        updated_at=row["updated_at"],
        read_at=row["read_at"],
    )
