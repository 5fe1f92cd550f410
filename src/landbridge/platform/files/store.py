"""Statements on files."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.platform.files.model import FileState, MimeType

_ADD = """
insert into files (org_id, id, sealed_name, mime_type, size_bytes, created_at, state, remove_at)
values ($1, $2, $3, $4, $5, $6, 'UPLOADING', $7)
on conflict (org_id, id) do nothing
"""

# Only if they stay within the limit.
_COUNT = """
insert into file_usage (org_id, bytes) values ($1, greatest($2, 4096))
on conflict (org_id) do update set bytes = file_usage.bytes + excluded.bytes
where file_usage.bytes + excluded.bytes <= $3
returning bytes
"""

_SHOW = """
update files set state = 'STORED', remove_at = $3
where org_id = $1 and id = $2 and state = 'UPLOADING'
returning id
"""

_CLAIM = """
update files set remove_at = null
where org_id = $1 and id = any($2::uuid[]) and state = 'STORED'
returning id
"""

_EXISTING = """
select id from files where org_id = $1 and id = any($2::uuid[]) and state = 'STORED'
"""

_FIND = """
select org_id, id, sealed_name, mime_type, size_bytes, created_at
from files
where org_id = $1 and id = $2 and state = 'STORED'
"""

_LOCK = "select state, remove_at from files where org_id = $1 and id = $2 for update"

# The file becomes due for removal at `created_at`, which is past, so the worker's next sweep takes
# it.
_LET_GO = """
update files set state = 'DELETED', remove_at = created_at
where org_id = $1 and id = any($2::uuid[])
"""

_UNWANTED = """
select f.org_id, f.id
from unnest($1::uuid[], $2::timestamptz[]) as i (org_id, until)
join files f on f.org_id = i.org_id and f.remove_at <= i.until
order by f.remove_at, f.id
limit $3
"""

_POSTPONE = """
update files set remove_at = $3 where org_id = $1 and id = $2 and state = 'DELETED'
"""

# An earlier version may have stored the file without counting it.
_REMOVE = """
with removed as (
    delete from files where org_id = $1 and id = $2 and state = 'DELETED'
    returning org_id, size_bytes
)
update file_usage u set bytes = greatest(u.bytes - greatest(r.size_bytes, 4096), 0)
from removed r
where u.org_id = $1 and r.org_id = u.org_id
"""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """Row of the table files."""

    org_id: UUID
    id: UUID
    sealed_name: bytes
    mime_type: MimeType
    size: int
    created_at: datetime


async def add(tx: Tx, file: StoredFile, *, remove_at: datetime) -> None:
    """Insert a row that is hidden until `show`, unless it exists."""
    await write_row(tx, _ADD, file, size_bytes=file.size, remove_at=remove_at)


async def count(tx: Tx, org_id: UUID, size: int, *, bytes_max: int) -> bool:
    """Count the bytes of one more file; False if the organisation would have more than these."""
    return await tx.fetchval(_COUNT, org_id, size, bytes_max) is not None


async def show(tx: Tx, org_id: UUID, file_id: UUID, *, remove_at: datetime) -> bool:
    """Make the file visible; return False if it already is, or was deleted in the meantime."""
    return await tx.fetchval(_SHOW, org_id, file_id, remove_at) is not None


async def claim(tx: Tx, org_id: UUID, file_ids: Collection[UUID]) -> frozenset[UUID]:
    """Keep files until they are erased; return the ids of those that are visible."""
    return frozenset(row["id"] for row in await tx.fetch(_CLAIM, org_id, list(file_ids)))


async def existing(tx: Tx, org_id: UUID, file_ids: Collection[UUID]) -> frozenset[UUID]:
    """Return those of these files that are visible."""
    return frozenset(row["id"] for row in await tx.fetch(_EXISTING, org_id, list(file_ids)))


async def find(tx: Tx, org_id: UUID, file_id: UUID) -> StoredFile | None:
    """Return a visible file; None if there is none."""
    row = await tx.fetchrow(_FIND, org_id, file_id)
    return None if row is None else read_row(row, StoredFile, size=row["size_bytes"])


async def lock(tx: Tx, org_id: UUID, file_id: UUID) -> tuple[FileState, datetime | None] | None:
    """Lock a file and return its state and removal time; None for an unknown file."""
    row = await tx.fetchrow(_LOCK, org_id, file_id)
    return None if row is None else (FileState(row["state"]), row["remove_at"])


async def mark_deleted(tx: Tx, org_id: UUID, file_ids: Collection[UUID]) -> None:
    """Mark files as deleted: callers no longer see them, and the worker removes them."""
    await tx.execute(_LET_GO, org_id, list(file_ids))


async def unwanted(
    tx: Tx, until: Mapping[UUID, datetime], *, limit: int
) -> Sequence[tuple[UUID, UUID]]:
    """Return organisation and id of files that are due for removal, the longest due first."""
    rows = await tx.fetch(_UNWANTED, list(until.keys()), list(until.values()), limit)
    return [(row["org_id"], row["id"]) for row in rows]


async def postpone(tx: Tx, org_id: UUID, file_id: UUID, until: datetime) -> None:
    """Postpone the removal of a deleted file until `until`."""
    await tx.execute(_POSTPONE, org_id, file_id, until)


async def remove(tx: Tx, org_id: UUID, file_id: UUID) -> None:
    """Delete the row of a deleted file, and subtract its size from the usage."""
    await tx.execute(_REMOVE, org_id, file_id)
