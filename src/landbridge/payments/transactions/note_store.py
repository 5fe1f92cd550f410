"""Statements on the notes of transfers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import read_optional_row, read_row

_ADD = """
insert into transaction_notes (
    org_id, id, transfer_id, user_id, author_id, sealed_text, created_at
)
values ($1, $2, $3, $4, $5, $6, $7)
"""

_GET = """
select org_id, id, transfer_id, user_id, author_id, sealed_text, created_at
from transaction_notes
where org_id = $1 and id = $2
"""

_OF_TRANSFER = """
select org_id, id, transfer_id, user_id, author_id, sealed_text, created_at
from transaction_notes
where org_id = $1 and transfer_id = $2
order by created_at, id
"""

_ERASE = """
update transaction_notes set sealed_text = null where org_id = $1 and user_id = $2
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedNote:
    """A row; `sealed_text` is None once the user was erased."""

    org_id: UUID
    id: UUID
    transfer_id: UUID
    user_id: UUID
    author_id: UUID
    sealed_text: bytes | None
    created_at: datetime


async def add(tx: Tx, note: SealedNote) -> None:
    """Store a note."""
    await tx.execute(
        _ADD,
        note.org_id,
        note.id,
        note.transfer_id,
        note.user_id,
        note.author_id,
        note.sealed_text,
        note.created_at,
    )


async def get(tx: Tx, org_id: UUID, note_id: UUID) -> SealedNote | None:
    """Get a note."""
    row = await tx.fetchrow(_GET, org_id, note_id)
    return read_optional_row(row, SealedNote)


async def of_transfer(tx: Tx, org_id: UUID, transfer_id: UUID) -> Sequence[SealedNote]:
    """List the notes of a transfer, oldest first."""
    return [read_row(row, SealedNote) for row in await tx.fetch(_OF_TRANSFER, org_id, transfer_id)]


async def erase(tx: Tx, org_id: UUID, user_id: UUID) -> None:
    """Blank the notes on an erased user's transfers."""
    await tx.execute(_ERASE, org_id, user_id)
