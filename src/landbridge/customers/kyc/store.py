"""All SQL statements on kyc_profiles and kyc_files."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import read_optional_row

_ADD = """
insert into kyc_profiles (org_id, user_id, version, sealed_content, created_at, updated_at)
values ($1, $2, 0, $3, $4, $4)
"""

_GET = """
select org_id, user_id, version, sealed_content
from kyc_profiles
where org_id = $1 and user_id = $2
"""

_LOCK = """
select org_id, user_id, version, sealed_content
from kyc_profiles
where org_id = $1 and user_id = $2
for update
"""

_UPDATE = """
update kyc_profiles
set version = $3, sealed_content = $4, updated_at = $5
where org_id = $1 and user_id = $2
"""

_ERASE = """
update kyc_profiles
set sealed_content = null, updated_at = $3
where org_id = $1 and user_id = $2
"""

_CLAIM = """
insert into kyc_files (org_id, file_id, user_id)
select $1, i.id, $2
from unnest($3::text[]) as i (id)
order by i.id
on conflict (org_id, file_id) do nothing
"""

_FOREIGN_FILES = """
select file_id from kyc_files where org_id = $1 and file_id = any($3::text[]) and user_id <> $2
"""

_FILES = "select file_id from kyc_files where org_id = $1 and user_id = $2"


@dataclass(frozen=True, slots=True)
class StoredKycProfile:
    """Row of kyc_profiles; without content once the user is erased."""

    org_id: UUID
    user_id: UUID
    version: int
    sealed_content: bytes | None


async def add(tx: Tx, org_id: UUID, user_id: UUID, *, sealed_content: bytes, at: datetime) -> None:
    """Store the KYC profile of a new user."""
    await tx.execute(_ADD, org_id, user_id, sealed_content, at)


async def get(tx: Tx, org_id: UUID, user_id: UUID) -> StoredKycProfile | None:
    """Return a KYC profile; None for an unknown user."""
    return read_optional_row(await tx.fetchrow(_GET, org_id, user_id), StoredKycProfile)


async def lock(tx: Tx, org_id: UUID, user_id: UUID) -> StoredKycProfile | None:
    """Lock a KYC profile until this transaction ends, and return it."""
    return read_optional_row(await tx.fetchrow(_LOCK, org_id, user_id), StoredKycProfile)


async def update(tx: Tx, stored: StoredKycProfile, at: datetime) -> None:
    """Store the changes of a locked KYC profile."""
    await tx.execute(
        _UPDATE, stored.org_id, stored.user_id, stored.version, stored.sealed_content, at
    )


async def erase(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
    """Delete the content of a KYC profile."""
    await tx.execute(_ERASE, org_id, user_id, at)


async def claim_files(tx: Tx, org_id: UUID, user_id: UUID, file_ids: Collection[str]) -> None:
    """Assign to this user those of these files that are not assigned to any user."""
    await tx.execute(_CLAIM, org_id, user_id, list(file_ids))


async def foreign_files(
    tx: Tx, org_id: UUID, user_id: UUID, file_ids: Collection[str]
) -> frozenset[str]:
    """Return those of these files that are assigned to another user."""
    rows = await tx.fetch(_FOREIGN_FILES, org_id, user_id, list(file_ids))
    return frozenset(row["file_id"] for row in rows)


async def files(tx: Tx, org_id: UUID, user_id: UUID) -> Sequence[str]:
    """List all files that were ever used for this user."""
    return [row["file_id"] for row in await tx.fetch(_FILES, org_id, user_id)]
