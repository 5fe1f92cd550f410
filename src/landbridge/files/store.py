"""Every statement on files."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.db.pool import Row, Tx
from landbridge.files.model import FileState, MimeType

_ADD = """
insert into files (org_id, id, sealed_name, mime_type, size_bytes, created_at, state, remove_at)
values ($1, $2, $3, $4, $5, $6, 'SENT', $7)
on conflict (org_id, id) do nothing
"""

_SHOW = """
update files set state = 'THERE', remove_at = $3 where org_id = $1 and id = $2 and state = 'SENT'
returning id
"""

_CLAIM = """
update files set remove_at = null
where org_id = $1 and id = any($2::uuid[]) and state = 'THERE'
returning id
"""

_FIND = """
select org_id, id, sealed_name, mime_type, size_bytes, created_at
from files
where org_id = $1 and id = $2 and state = 'THERE'
"""

_LOCK = "select state, remove_at from files where org_id = $1 and id = $2 for update"

# `created_at` is always past, so that the worker takes the file the next time that it looks.
_LET_GO = """
update files set state = 'GONE', remove_at = created_at
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
update files set remove_at = $3 where org_id = $1 and id = $2 and state = 'GONE'
"""

_REMOVE = """
delete from files where org_id = $1 and id = $2 and state = 'GONE'
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
    """Store a row that is not there for callers before `show`, unless it is stored."""
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


async def show(tx: Tx, org_id: UUID, file_id: UUID, *, remove_at: datetime) -> bool:
    """Let callers have the file; False if they have it, or it has been let go meanwhile."""
    return await tx.fetchval(_SHOW, org_id, file_id, remove_at) is not None


async def claim(tx: Tx, org_id: UUID, file_ids: Collection[UUID]) -> frozenset[UUID]:
    """Keep files for good; answers those that callers have."""
    rows = await tx.fetch(_CLAIM, org_id, list(file_ids))
    return frozenset(row["id"] for row in rows)


async def find(tx: Tx, org_id: UUID, file_id: UUID) -> StoredFile | None:
    """A file that is there for callers."""
    row = await tx.fetchrow(_FIND, org_id, file_id)
    return None if row is None else _stored(row)


async def lock(tx: Tx, org_id: UUID, file_id: UUID) -> tuple[FileState, datetime | None] | None:
    """The state of a file and when it is removed, locked; None for a file that is not known."""
    row = await tx.fetchrow(_LOCK, org_id, file_id)
    return None if row is None else (FileState(row["state"]), row["remove_at"])


async def let_go(tx: Tx, org_id: UUID, file_ids: Collection[UUID]) -> None:
    """Take files away from callers; the worker removes them."""
    await tx.execute(_LET_GO, org_id, list(file_ids))


async def unwanted(
    tx: Tx, until: Mapping[UUID, datetime], *, limit: int
) -> Sequence[tuple[UUID, UUID]]:
    """Organisation and id of files that are to be removed by now, the longest due first."""
    rows = await tx.fetch(_UNWANTED, list(until.keys()), list(until.values()), limit)
    return [(row["org_id"], row["id"]) for row in rows]


async def postpone(tx: Tx, org_id: UUID, file_id: UUID, until: datetime) -> None:
    """Leave a file that was let go alone until then."""
    await tx.execute(_POSTPONE, org_id, file_id, until)


async def remove(tx: Tx, org_id: UUID, file_id: UUID) -> None:
    """Delete the row of a file that was let go."""
    await tx.execute(_REMOVE, org_id, file_id)


def _stored(row: Row) -> StoredFile:
    return StoredFile(
        org_id=row["org_id"],
        id=row["id"],
        sealed_name=row["sealed_name"],
        mime_type=MimeType(row["mime_type"]),
        size=row["size_bytes"],
        created_at=row["created_at"],
    )
