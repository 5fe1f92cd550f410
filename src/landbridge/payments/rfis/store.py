"""SQL statements on rfis."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from landbridge.payments.rfis.model import Rfi, RfiStatus, RfiTexts
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.platform.encryption.service import DataKey

_ADD = """
insert into rfis (
    org_id, id, transfer_id, transfer_kind, user_id, status, sealed_texts, opened_by, version,
    created_at, updated_at
)
values ($1, $2, $3, $4, $5, 'OPEN', $6, $7, 1, $8, $8)
on conflict do nothing
returning id
"""

_GET = """
select org_id, id, transfer_id, transfer_kind, user_id, status, sealed_texts, file_ids, opened_by,
    answered_at, closed_at, version, created_at, updated_at
from rfis
where org_id = $1 and id = $2
"""

_LOCK_OPEN = """
select org_id, id, transfer_id, transfer_kind, user_id, status, sealed_texts, file_ids, opened_by,
    answered_at, closed_at, version, created_at, updated_at
from rfis
where org_id = $1 and transfer_id = $2 and status <> 'CLOSED'
for update
"""

_OF_TRANSFERS = """
select org_id, id, transfer_id, transfer_kind, user_id, status, sealed_texts, file_ids, opened_by,
    answered_at, closed_at, version, created_at, updated_at
from rfis
where org_id = $1 and transfer_id = any($2::uuid[])
order by created_at, id
"""

_QUEUE = """
select org_id, id, transfer_id, transfer_kind, user_id, status, sealed_texts, file_ids, opened_by,
    answered_at, closed_at, version, created_at, updated_at
from rfis
where org_id = $1 and status = any($2::text[]) and (created_at, id) > ($3, $4)
    and created_at < $5
order by created_at, id
limit $6
"""

_UPDATE = """
update rfis
set status = $4, sealed_texts = $5, file_ids = $6, answered_at = $7, closed_at = $8,
    version = version + 1, updated_at = $9
where org_id = $1 and id = $2 and version = $3
"""

_LOCK_OF_USER = """
select file_ids from rfis where org_id = $1 and user_id = $2 order by id for update
"""

# Blanks the texts, and closes open requests, which can't be answered any more.
_ERASE = """
update rfis
set sealed_texts = null, file_ids = '{}', version = version + 1, updated_at = $3,
    closed_at = coalesce(closed_at, $3), status = 'CLOSED'
where org_id = $1 and user_id = $2 and sealed_texts is not null
returning org_id, id, transfer_id, transfer_kind, user_id, status, sealed_texts, file_ids,
    opened_by, answered_at, closed_at, version, created_at, updated_at
"""


async def add(tx: Tx, rfi: Rfi, key: DataKey) -> bool:
    """Store a request; False if the id exists, or if the payment has an open one."""
    added = await write_row(tx, _ADD, rfi, sealed_texts=_sealed(rfi, key))
    return added is not None


async def get(tx: Tx, org_id: UUID, rfi_id: UUID) -> "StoredRfi | None":
    """Return the request with this id; None if there is none."""
    row = await tx.fetchrow(_GET, org_id, rfi_id)
    return None if row is None else StoredRfi(row)


async def lock_open(tx: Tx, org_id: UUID, transfer_id: UUID) -> "StoredRfi | None":
    """Return the open request of a payment, locked until the transaction ends; None if none."""
    row = await tx.fetchrow(_LOCK_OPEN, org_id, transfer_id)
    return None if row is None else StoredRfi(row)


async def of_transfers(
    tx: Tx, org_id: UUID, transfer_ids: Collection[UUID]
) -> Sequence["StoredRfi"]:
    """List the requests of these payments, oldest first."""
    return [StoredRfi(row) for row in await tx.fetch(_OF_TRANSFERS, org_id, list(transfer_ids))]


async def queue(
    tx: Tx,
    org_id: UUID,
    statuses: Collection[RfiStatus],
    window: QueueWindow,
) -> Sequence["StoredRfi"]:
    """List the requests of these statuses, oldest first."""
    rows = await tx.fetch(_QUEUE, org_id, list(statuses), *window.bounds)
    return [StoredRfi(row) for row in rows]


async def update(tx: Tx, rfi: Rfi, key: DataKey) -> Rfi:
    """Update a locked request; return it with its new version."""
    await write_row(tx, _UPDATE, rfi, sealed_texts=_sealed(rfi, key), file_ids=list(rfi.file_ids))
    return replace(rfi, version=rfi.version + 1)


async def lock_files_of_user(tx: Tx, org_id: UUID, user_id: UUID) -> list[str]:
    """Lock all requests about a user's payments, and return the files in their answers."""
    rows = await tx.fetch(_LOCK_OF_USER, org_id, user_id)
    return [file_id for row in rows for file_id in row["file_ids"]]


async def erase(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> Sequence[Rfi]:
    """Blank and close all requests about a user's payments."""
    return [StoredRfi(row).opened(None) for row in await tx.fetch(_ERASE, org_id, user_id, at)]


class StoredRfi:
    """Row of `rfis`; `opened` decrypts it."""

    __slots__ = ("_row", "id", "user_id")

    def __init__(self, row: Row) -> None:
        self._row = row
        self.id: UUID = row["id"]
        self.user_id: UUID = row["user_id"]

    def opened(self, key: DataKey | None) -> Rfi:
        """Return the request; without its texts if `key` is None, because the user was erased."""
        row, texts = self._row, None
        if key is not None and row["sealed_texts"] is not None:
            texts = key.open(row["sealed_texts"], context=_context(row["id"]), type=RfiTexts)
        return read_row(row, Rfi, texts=texts)


def _sealed(rfi: Rfi, key: DataKey) -> bytes:
    return key.seal(rfi.texts, context=_context(rfi.id))


def _context(rfi_id: UUID) -> str:
    return f"rfis.texts:{rfi_id}"
