"""Requests for information as flows and reviewers use them.

Guarantees:
- a payment has at most one that is not closed, whoever asks at once (a unique index);
- what is asked and answered is sealed with the key of the payment's user, and goes with it.

`open_in` and `close_in` run in the transaction that moves the payment, after the ledger's
`advance_in` has said that it moved: the lock of the record comes first, that of a request second,
those of its files last, and nobody who holds a later one waits for an earlier.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from landbridge.changes.service import tell
from landbridge.core.errors import FieldInvalid, ResourceConflict
from landbridge.core.ids import derived_id
from landbridge.core.pages import Window
from landbridge.db.pool import Database, Tx
from landbridge.files.service import Files
from landbridge.ledger.model import Transfer
from landbridge.privacy.keys import key_of
from landbridge.privacy.service import DataKey, Vault
from landbridge.rfis import store
from landbridge.rfis.model import Rfi, Status, Texts


class Rfis:
    """Requests for information of all organisations."""

    def __init__(self, database: Database, vault: Vault, files: Files) -> None:
        self._database = database
        self._vault = vault
        self._files = files

    async def open_in(
        self,
        tx: Tx,
        record: Transfer,
        *,
        question: str,
        actor: str,
        at: datetime,
        rfi_id: UUID | None = None,
    ) -> Rfi:
        """Ask about a payment; done again for the same `rfi_id`, it answers what is there.

        Without an id, it is derived from the record and its version, so a body that is run twice
        asks once. Raises `ResourceConflict` if the payment has an open request.
        """
        rfi = Rfi(
            org_id=record.org_id,
            id=rfi_id or derived_id(record.id, f"rfi/{record.version}"),
            transfer_id=record.id,
            transfer_kind=record.kind,
            user_id=record.user_id,
            status=Status.OPEN,
            texts=Texts(question),
            file_ids=(),
            opened_by=actor,
            answered_at=None,
            closed_at=None,
            version=1,
            created_at=at,
            updated_at=at,
        )
        key = await key_of(self._vault, tx, rfi.org_id, rfi.user_id)
        if not await store.add(tx, rfi, key):
            known = await store.get(tx, rfi.org_id, rfi.id)
            if known is None:
                raise ResourceConflict(
                    f"transaction {record.id} has an open request for information already"
                )
            return known.opened(key)
        await _tell(tx, rfi, "open", actor)
        return rfi

    async def answer_in(
        self,
        tx: Tx,
        org_id: UUID,
        transfer_id: UUID,
        *,
        answer: str,
        file_ids: Sequence[str],
        actor: str,
        at: datetime,
    ) -> Rfi | None:
        """Answer the open request of a payment; None if it has none.

        Done again in the same words, it answers as the first time; in others it raises
        `ResourceConflict`. Raises `FieldInvalid` for a file that is not there.
        """
        found = await store.lock_open(tx, org_id, transfer_id)
        if found is None:
            return None
        key = await key_of(self._vault, tx, org_id, found.user_id)
        rfi = found.opened(key)
        files = tuple(dict.fromkeys(file_ids))
        if rfi.status is Status.ANSWERED:
            if rfi.answer != answer or rfi.file_ids != files:
                raise ResourceConflict("this request was answered in other words already")
            return rfi
        if missing := await self._files.claim(tx, org_id, files):
            raise FieldInvalid(f"fileIds: there is no file {min(missing)[:100]}", field="fileIds")
        texts = rfi.texts or Texts("")
        answered = replace(
            rfi,
            status=Status.ANSWERED,
            texts=texts._replace(answer=answer),
            file_ids=files,
            answered_at=at,
            updated_at=at,
        )
        return await self._update(tx, answered, key, "answered", actor)

    async def close_in(
        self,
        tx: Tx,
        org_id: UUID,
        transfer_id: UUID,
        *,
        actor: str,
        at: datetime,
        comment: str | None = None,
        rfi_id: UUID | None = None,
    ) -> Rfi | None:
        """Close the open request of a payment; None, and nothing done, if it has none.

        With `rfi_id`, only if it is this one.
        """
        found = await store.lock_open(tx, org_id, transfer_id)
        if found is None or (rfi_id is not None and found.id != rfi_id):
            return None
        key = await key_of(self._vault, tx, org_id, found.user_id)
        rfi = found.opened(key)
        texts = rfi.texts or Texts("")
        closed = replace(
            rfi,
            status=Status.CLOSED,
            texts=texts._replace(comment=comment),
            closed_at=at,
            updated_at=at,
        )
        return await self._update(tx, closed, key, "closed", actor)

    async def of(
        self, org_id: UUID, transfer_ids: Collection[UUID]
    ) -> Mapping[UUID, Sequence[Rfi]]:
        """All requests of these payments, by payment, the oldest first; none have none."""

        async def read(tx: Tx) -> list[Rfi]:
            return await self._opened(tx, org_id, await store.of_transfers(tx, org_id, wanted))

        wanted = set(transfer_ids)
        if not wanted:
            return {}
        found = await self._database.transact(read)
        return {
            transfer_id: [each for each in found if each.transfer_id == transfer_id]
            for transfer_id in wanted
        }

    async def queue(
        self, org_id: UUID, statuses: Collection[Status], window: Window
    ) -> Sequence[Rfi]:
        """Requests of these statuses, the oldest first."""

        async def read(tx: Tx) -> list[Rfi]:
            found = await store.queue(
                tx,
                org_id,
                statuses,
                since=window.since,
                before=window.position.created_at,
                limit=window.limit,
            )
            return await self._opened(tx, org_id, found)

        return await self._database.transact(read)

    async def forget(self, tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
        """Blank what was asked about a user's payments, files too; part of erasing the user."""
        # Requests before their files, as an answer takes them.
        await self._files.erase(tx, org_id, await store.lock_files_of_user(tx, org_id, user_id))
        for each in await store.erase(tx, org_id, user_id, at):
            await _tell(tx, each, "erase", "erasure")

    async def _opened(self, tx: Tx, org_id: UUID, found: Sequence[store.Stored]) -> list[Rfi]:
        keys = await self._vault.find_many(tx, org_id, {each.user_id for each in found})
        return [each.opened(keys.get(each.user_id)) for each in found]

    async def _update(self, tx: Tx, rfi: Rfi, key: DataKey, what: str, actor: str) -> Rfi:
        written = await store.update(tx, rfi, key)
        await _tell(tx, written, what, actor)
        return written


async def _tell(tx: Tx, rfi: Rfi, what: str, actor: str) -> None:
    await tell(
        tx,
        org_id=rfi.org_id,
        object_id=rfi.id,
        seq=rfi.version,
        kind=rfi.kind,
        what=what,
        actor=actor,
        at=rfi.updated_at,
        facts={"transferId": str(rfi.transfer_id), "status": rfi.status},
    )
