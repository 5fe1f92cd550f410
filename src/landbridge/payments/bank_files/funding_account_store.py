"""Every statement on funding_accounts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import read_row

_PUT = """
insert into funding_accounts (
    org_id, id, currency, sealed_details, folder_digests, last_file_number, last_trace, version,
    updated_at
)
values ($1, $2, $3, $4, $5, 0, 0, 1, $6)
on conflict (org_id, id) do update
set sealed_details = excluded.sealed_details, folder_digests = excluded.folder_digests,
    version = funding_accounts.version + 1, updated_at = excluded.updated_at
where funding_accounts.updated_at < excluded.updated_at
returning version
"""

_OF = """
select org_id, id, currency, sealed_details, version, updated_at, statements_read_at
from funding_accounts
where org_id = any($1::uuid[])
order by org_id, currency
"""

_LOCK_FOLDERS = "select pg_advisory_xact_lock(hashtextextended('bank-file-folders', 0))"

# Accounts of all organisations.
_WITHOUT_FOLDERS = """
select org_id, id, currency, sealed_details, version, updated_at, statements_read_at
from funding_accounts
where folder_digests is null
order by org_id, currency
"""

_SET_FOLDERS = """
update funding_accounts set folder_digests = $3 where org_id = $1 and id = $2
"""

# A subquery without columns has no rows on Citus if it asks all nodes.
_HAS_FOLDER = """
select exists (
    select 1 from funding_accounts where org_id <> $1 and folder_digests && $2::bytea[]
)
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

# Updates all accounts that share a transport, because a file of one may concern another. An account
# is left out if it was changed since the scan, and all of them while any has a line in status NEW.
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
    """Row of `funding_accounts`, with encrypted details."""

    org_id: UUID
    id: UUID
    currency: str
    sealed_details: bytes
    version: int
    updated_at: datetime
    statements_read_at: datetime | None


async def put(
    tx: Tx,
    org_id: UUID,
    account_id: UUID,
    *,
    currency: str,
    sealed_details: bytes,
    folder_digests: Sequence[bytes],
    at: datetime,
) -> int | None:
    """Create or change an account; return its version, None if it was changed at or after `at`."""
    values = (currency, sealed_details, folder_digests, at)
    return await tx.fetchval(_PUT, org_id, account_id, *values)


async def list_by_orgs(tx: Tx, org_ids: Collection[UUID]) -> Sequence[SealedFundingAccount]:
    """Return the accounts of these organisations, with encrypted details."""
    return [read_row(row, SealedFundingAccount) for row in await tx.fetch(_OF, list(org_ids))]


async def lock_folders(tx: Tx) -> None:
    """Lock the setting of folders, for all organisations, until the transaction ends."""
    await tx.execute(_LOCK_FOLDERS)


async def list_without_folders(tx: Tx) -> Sequence[SealedFundingAccount]:
    """Return the accounts of all organisations that have no digests of their folders yet."""
    return [read_row(row, SealedFundingAccount) for row in await tx.fetch(_WITHOUT_FOLDERS)]


async def set_folders(
    tx: Tx, org_id: UUID, account_id: UUID, folder_digests: Sequence[bytes]
) -> None:
    """Store the digests of an account's folders."""
    await tx.execute(_SET_FOLDERS, org_id, account_id, folder_digests)


async def has_folder(tx: Tx, org_id: UUID, folder_digests: Sequence[bytes]) -> bool:
    """Return whether an account of another organisation has one of these folders."""
    return await tx.fetchval(_HAS_FOLDER, org_id, folder_digests)


async def set_read(tx: Tx, org_id: UUID, versions: Mapping[UUID, int], at: datetime) -> None:
    """Record that these accounts' files were read up to `at`, unless they have lines to apply."""
    await tx.execute(_READ, org_id, list(versions), list(versions.values()), at)


async def lock(tx: Tx, org_id: UUID, account_id: UUID) -> int:
    """Lock an account until the transaction ends; return the number of its last file."""
    return await tx.fetchval(_LOCK, org_id, account_id)


async def set_last_number(tx: Tx, org_id: UUID, account_id: UUID, number: int) -> None:
    """Store the number of the last file of a locked account."""
    await tx.execute(_NUMBERED, org_id, account_id, number)


async def reserve_traces(tx: Tx, org_id: UUID, account_id: UUID, count: int) -> int:
    """Reserve `count` ACH sequence numbers; return the last one."""
    return await tx.fetchval(_TRACE, org_id, account_id, count)
