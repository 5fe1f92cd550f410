"""Notes on transfers of all kinds, for the organisation's own team.

Guarantees:
- A note is added with its author and never changed; only the erasure of the user blanks it.
- The text is sealed under the data key of the transfer's user: it may contain personal data.
- A note changes nothing of the transfer. The change log has its author, but not its text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.transactions.model import KINDS
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken, ResourceConflict
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Row, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.encryption.user_keys import key_of
from landbridge.platform.formats.texts import check_prose
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.platform.idempotency.model import Claim, no_claim

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

NOTE_KIND = "TRANSACTION.NOTE"
NOTE_LENGTH_MAX = 1000
# Notes on a transfer, which are listed as one page.
NOTES_MAX = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedNote:
    """Row of a note; `sealed_text` is None once the user was erased."""

    org_id: UUID
    id: UUID
    transfer_id: UUID
    user_id: UUID
    author_id: UUID
    sealed_text: bytes | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionNote:
    """Note; `text` is None once the user was erased. The author is an API key or a member."""

    id: UUID
    text: str | None
    author_id: UUID
    created_at: datetime


@dataclass(frozen=True, slots=True)
class TransactionNotes:
    """Notes on transfers of all organisations."""

    database: Database
    ledger: Ledger
    vault: Vault
    clock: Clock

    async def add(
        self, caller: Caller, transfer_id: UUID, text: str, *, claim: Claim = no_claim
    ) -> TransactionNote:
        """Add a note; raises `TransactionNotFound`, `FieldInvalid` and `RoleNotAllowed`.

        Raises `ResourceConflict` if the transfer has `NOTES_MAX` notes, and `UserFrozen` for an
        erased user.
        """
        check_editor(caller)
        record = await self._record(caller.org_id, transfer_id)
        checked = check_prose("text", text, length_max=NOTE_LENGTH_MAX)
        note = TransactionNote(
            id=new_id(),
            text=checked,
            author_id=caller.id,
            created_at=self.clock.stamp(caller.clock_offset),
        )

        async def work(tx: Tx) -> TransactionNote:
            # The record is locked, so that concurrent notes together keep the bound.
            await self.ledger.lock_in(tx, record)
            if await tx.fetchrow(_GET, record.org_id, note.id) is not None:
                return note  # added by an attempt that lost the reply of its commit
            await claim(tx, note.id)
            if len(await tx.fetch(_OF_TRANSFER, record.org_id, record.id)) >= NOTES_MAX:
                raise ResourceConflict(f"a transaction has at most {NOTES_MAX} notes")
            key = await key_of(self.vault, tx, record.org_id, record.user_id)
            await write_row(tx, _ADD, _sealed(note, record, key))
            await append_change(
                tx,
                org_id=record.org_id,
                object_id=note.id,
                seq=1,
                kind=NOTE_KIND,
                change_type="create",
                actor=caller.actor,
                at=note.created_at,
                facts={"transferId": str(record.id), "transferType": record.kind},
            )
            # The insert locks the user's row, so an erasure has either finished before, or waits
            # for this transaction.
            await key_of(self.vault, tx, record.org_id, record.user_id)
            return note

        return await self.database.transact(work)

    async def get(self, org_id: UUID, note_id: UUID) -> TransactionNote:
        """Get a note, which must exist."""

        async def read(tx: Tx) -> list[TransactionNote]:
            return await self._opened(tx, await tx.fetch(_GET, org_id, note_id))

        notes = await self.database.read(read)
        if not notes:
            raise InvariantBroken(f"there is no note {note_id}")
        return notes[0]

    async def page(self, org_id: UUID, transfer_id: UUID) -> Sequence[TransactionNote]:
        """List the notes on a transfer, oldest first; raises `TransactionNotFound`."""
        await self._record(org_id, transfer_id)

        async def read(tx: Tx) -> list[TransactionNote]:
            return await self._opened(tx, await tx.fetch(_OF_TRANSFER, org_id, transfer_id))

        return await self.database.read(read)

    async def _record(self, org_id: UUID, transfer_id: UUID) -> Transfer:
        record = await self.ledger.find(org_id, transfer_id)
        if record is None or record.kind not in KINDS:
            raise TransactionNotFound(f"there is no transaction {transfer_id}")
        return record

    async def _opened(self, tx: Tx, rows: Sequence[Row]) -> list[TransactionNote]:
        """Decrypt the notes on one transfer."""
        if not rows:
            return []
        notes = [read_row(row, SealedNote) for row in rows]
        key = await self.vault.find(tx, notes[0].org_id, notes[0].user_id)
        return [copy_fields(each, TransactionNote, text=_text(each, key)) for each in notes]


async def forget(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
    """Blank the notes on an erased user's transfers."""
    del at  # the transfers themselves do not change
    await tx.execute(_ERASE, org_id, user_id)


def _sealed(note: TransactionNote, record: Transfer, key: DataKey) -> SealedNote:
    return copy_fields(
        note,
        SealedNote,
        org_id=record.org_id,
        transfer_id=record.id,
        user_id=record.user_id,
        sealed_text=key.seal(note.text or "", context=_context(note.id)),
    )


def _text(note: SealedNote, key: DataKey | None) -> str | None:
    if key is None or note.sealed_text is None:
        return None
    return key.open(note.sealed_text, context=_context(note.id), type=str)


def _context(note_id: UUID) -> str:
    return f"transaction_notes.text:{note_id}"
