"""RFI service: opens, answers and closes requests for information, for flows and reviewers.

Guarantees:
- A payment has at most one open request (a unique index), even under concurrent calls.
- Question and answer are sealed under the data key of the payment's user, and erased with the user.

`create_in` and `close_in` run in the transaction that advances the payment, after the ledger's
`advance_in` succeeded. Lock order: the record or the user, then the request, then its files.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from landbridge.customers.kyc.user_files import UserFiles
from landbridge.ledger.model import Transfer
from landbridge.payments.rfis import store
from landbridge.payments.rfis.model import Rfi, RfiStatus, RfiTexts
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.encryption.user_keys import key_of
from landbridge.platform.files.service import Files


class Rfis:
    """Requests for information of all organisations."""

    def __init__(self, database: Database, vault: Vault, files: Files) -> None:
        self._database = database
        self._vault = vault
        self._files = UserFiles(files)

    async def create_in(
        self,
        tx: Tx,
        record: Transfer,
        *,
        question: str,
        actor: str,
        at: datetime,
        rfi_id: UUID | None = None,
    ) -> Rfi:
        """Open a request about a payment; the same `rfi_id` returns the existing one.

        Without `rfi_id`, the id is derived from the record and its version, so a transaction that
        runs twice opens one request. Raises `ResourceConflict` if the payment has an open request.
        """
        rfi = Rfi(
            org_id=record.org_id,
            id=rfi_id or derived_id(record.id, f"rfi/{record.version}"),
            transfer_id=record.id,
            transfer_kind=record.kind,
            user_id=record.user_id,
            status=RfiStatus.OPEN,
            texts=RfiTexts(question),
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
        await _record_change(tx, rfi, "open", actor)
        return rfi

    async def answer_in(
        self,
        tx: Tx,
        record: Transfer,
        *,
        answer: str,
        file_ids: Sequence[str],
        actor: str,
        at: datetime,
    ) -> Rfi | None:
        """Answer the open request of a payment; None if it has none.

        Repeating the answer returns the same request; another answer raises `ResourceConflict`.
        Raises `FieldInvalid` for a file that does not exist, or is used for another user.
        """
        org_id, files = record.org_id, tuple(dict.fromkeys(file_ids))
        # The files are claimed before the request is locked, because that locks the user, and an
        # erasure locks the user before the request.
        refusals = await self._files.claim(tx, org_id, record.user_id, files)
        found = await store.lock_open(tx, org_id, record.id)
        if found is None:
            return None
        key = await key_of(self._vault, tx, org_id, found.user_id)
        rfi = found.opened(key)
        if rfi.status is RfiStatus.ANSWERED:
            if rfi.answer != answer or rfi.file_ids != files:
                raise ResourceConflict("this request has another answer already")
            return rfi
        for file_id, reason in refusals.items():
            raise FieldInvalid(f"fileIds: {file_id[:100]}: {reason}", field="fileIds")
        texts = rfi.texts or RfiTexts("")
        updated = replace(
            rfi,
            status=RfiStatus.ANSWERED,
            texts=texts._replace(answer=answer),
            file_ids=files,
            answered_at=at,
            updated_at=at,
        )
        return await self._update(tx, updated, key, "answered", actor)

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
        """Close the open request of a payment; None if it has none.

        With `rfi_id`, close it only if it has this id.
        """
        found = await store.lock_open(tx, org_id, transfer_id)
        if found is None or (rfi_id is not None and found.id != rfi_id):
            return None
        key = await key_of(self._vault, tx, org_id, found.user_id)
        rfi = found.opened(key)
        texts = rfi.texts or RfiTexts("")
        closed = replace(
            rfi,
            status=RfiStatus.CLOSED,
            texts=texts._replace(comment=comment),
            closed_at=at,
            updated_at=at,
        )
        return await self._update(tx, closed, key, "closed", actor)

    async def of(
        self, org_id: UUID, transfer_ids: Collection[UUID]
    ) -> Mapping[UUID, Sequence[Rfi]]:
        """Return all requests by payment, oldest first; a payment without requests is omitted."""

        async def read(tx: Tx) -> list[Rfi]:
            return await self._opened(tx, org_id, await store.of_transfers(tx, org_id, ids))

        ids = set(transfer_ids)
        if not ids:
            return {}
        found = await self._database.read(read)
        return {
            transfer_id: [each for each in found if each.transfer_id == transfer_id]
            for transfer_id in ids
        }

    async def queue(
        self, org_id: UUID, statuses: Collection[RfiStatus], window: QueueWindow
    ) -> Sequence[Rfi]:
        """List requests of these statuses, oldest first."""

        async def read(tx: Tx) -> list[Rfi]:
            found = await store.queue(tx, org_id, statuses, window)
            return await self._opened(tx, org_id, found)

        return await self._database.read(read)

    async def forget(self, tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
        """Blank the requests about an erased user's payments, files included."""
        # Lock order: requests before their files, as in an answer.
        named = await store.lock_files_of_user(tx, org_id, user_id)
        await self._files.erase(tx, org_id, user_id, named)
        for each in await store.erase(tx, org_id, user_id, at):
            await _record_change(tx, each, "erase", "erasure")

    async def _opened(self, tx: Tx, org_id: UUID, found: Sequence[store.StoredRfi]) -> list[Rfi]:
        keys = await self._vault.find_many(tx, org_id, {each.user_id for each in found})
        return [each.opened(keys.get(each.user_id)) for each in found]

    async def _update(self, tx: Tx, rfi: Rfi, key: DataKey, change_type: str, actor: str) -> Rfi:
        is_updated = await store.update(tx, rfi, key)
        await _record_change(tx, is_updated, change_type, actor)
        return is_updated


async def _record_change(tx: Tx, rfi: Rfi, change_type: str, actor: str) -> None:
    await append_change(
        tx,
        org_id=rfi.org_id,
        object_id=rfi.id,
        seq=rfi.version,
        kind=rfi.kind,
        change_type=change_type,
        actor=actor,
        at=rfi.updated_at,
        facts={"transferId": str(rfi.transfer_id), "status": rfi.status},
    )
