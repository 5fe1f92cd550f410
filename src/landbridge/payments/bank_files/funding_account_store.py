"""Every statement on funding_accounts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import read_row

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
select org_id, id, currency, sealed_details, version, updated_at, statements_read_at
from funding_accounts
where org_id = any($1::uuid[])
order by org_id, currency
"""

# Of every organisation.
_ALL = """
select org_id, id, currency, sealed_details, version, updated_at, statements_read_at
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

# All accounts that share a transport, if unchanged since it was scanned: files of one may concern
# another. Unapplied lines delay the update.
_READ = """
update funding_accounts
set statements_read_at = $4
from unnest($2::uuid[], $3::integer[]) as scanned (id, version)
where funding_accounts.org_id = $1 and funding_accounts.id = scanned.id
    and funding_accounts.version = scanned.version
    and (statements_read_at is null or statements_read_at < $4)
    and not exists (
        select from statement_lines
        where statement_lines.org_id = $1 and statement_lines.status = 'NEW'
            and statement_lines.account_id = any($2::uuid[])
    )
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedFundingAccount:
    """Database row."""

    org_id: UUID
    id: UUID
    currency: str
    sealed_details: bytes
    version: int
    updated_at: datetime
    statements_read_at: datetime | None


async def put(
    tx: Tx, org_id: UUID, account_id: UUID, *, currency: str, sealed_details: bytes, at: datetime
) -> int | None:
    """Create or change an account; return its version. None if it was changed then or later."""
    return await tx.fetchval(_PUT, org_id, account_id, currency, sealed_details, at)


async def list_by_orgs(tx: Tx, org_ids: Collection[UUID]) -> Sequence[SealedFundingAccount]:
    """Return all accounts of these organisations."""
    return [read_row(row, SealedFundingAccount) for row in await tx.fetch(_OF, list(org_ids))]


async def list_all(tx: Tx) -> Sequence[SealedFundingAccount]:
    """Return all accounts of all organisations."""
    return [read_row(row, SealedFundingAccount) for row in await tx.fetch(_ALL)]


async def set_read(tx: Tx, org_id: UUID, versions: Mapping[UUID, int], at: datetime) -> None:
    """Record that these accounts' files were read up to `at`, unless lines still wait."""
    await tx.execute(_READ, org_id, list(versions), list(versions.values()), at)


async def lock(tx: Tx, org_id: UUID, account_id: UUID) -> int:
    """Lock an account until the transaction ends; return the number of its last file."""
    return await tx.fetchval(_LOCK, org_id, account_id)


async def set_last_number(tx: Tx, org_id: UUID, account_id: UUID, number: int) -> None:
    """Store the number of the last file of a locked account."""
    await tx.execute(_NUMBERED, org_id, account_id, number)


async def reserve_traces(tx: Tx, org_id: UUID, account_id: UUID, count: int) -> int:
    """Reserve a number of ACH sequence numbers; return the last one."""
    return await tx.fetchval(_TRACE, org_id, account_id, count)
