"""Every statement on files."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.db.pool import Row, Tx
from landbridge.files.model import MimeType

_ADD = """
insert into files (org_id, id, sealed_name, mime_type, size_bytes, created_at, remove_at)
values ($1, $2, $3, $4, $5, $6, $7)
"""

_KEEP = """
update files set remove_at = null where org_id = $1 and id = $2 and remove_at is not null
returning id
"""

_FIND = """
select org_id, id, sealed_name, mime_type, size_bytes, created_at
from files
where org_id = $1 and id = $2 and remove_at is null
"""

# `created_at` is always past, so that the worker takes the file the next time that it looks.
_LET_GO = """
update files set remove_at = created_at where org_id = $1 and id = any($2::uuid[])
"""

_UNWANTED = """
select f.org_id, f.id
from unnest($1::uuid[], $2::timestamptz[]) as i (org_id, until)
join files f on f.org_id = i.org_id and f.remove_at <= i.until
limit $3
"""

_REMOVE = """
delete from files where org_id = $1 and id = any($2::uuid[]) and remove_at is not null
"""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A row."""

    org_id: UUID
    id: UUID
    sealed_name: bytes
    mime_type: MimeType
    size: int
    created_at: datetime


async def add(tx: Tx, file: StoredFile, *, remove_at: datetime) -> None:
    """Store a row that is not there for callers before `keep`."""
    await tx.execute(
        _ADD,
        file.org_id,
        file.id,
        file.sealed_name,
        file.mime_type,
        file.size,
        file.created_at,
        remove_at,
    )


async def keep(tx: Tx, org_id: UUID, file_id: UUID) -> bool:
    """Let callers have the file; False if it has been removed meanwhile."""
    return await tx.fetchval(_KEEP, org_id, file_id) is not None


async def find(tx: Tx, org_id: UUID, file_id: UUID) -> StoredFile | None:
    """A file that is there for callers."""
    row = await tx.fetchrow(_FIND, org_id, file_id)
    return None if row is None else _stored(row)


async def let_go(tx: Tx, org_id: UUID, file_ids: Collection[UUID]) -> None:
    """Take files away from callers; the worker removes them."""
    await tx.execute(_LET_GO, org_id, list(file_ids))


async def unwanted(
    tx: Tx, until: Mapping[UUID, datetime], *, limit: int
) -> Sequence[tuple[UUID, UUID]]:
    """Organisation and id of files that are to be removed, by each organisation's time."""
    rows = await tx.fetch(_UNWANTED, list(until.keys()), list(until.values()), limit)
    return [(row["org_id"], row["id"]) for row in rows]


async def remove(tx: Tx, org_id: UUID, file_ids: Collection[UUID]) -> None:
    """Delete rows of files that are not there for callers."""
    await tx.execute(_REMOVE, org_id, list(file_ids))


def _stored(row: Row) -> StoredFile:
    return StoredFile(
        org_id=row["org_id"],
        id=row["id"],
        sealed_name=row["sealed_name"],
        mime_type=MimeType(row["mime_type"]),
        size=row["size_bytes"],
        created_at=row["created_at"],
    )
