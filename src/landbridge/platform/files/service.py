"""Service of uploaded files. Source: contract, users 3.5 and interface/file.

Guarantees:
- A visible file has its content, and every stored content has a row that refers to it: the row is
  written hidden, then the content is stored, then the row becomes visible. Rows left hidden by a
  crash are removed after a day. Deletion goes in reverse: the row is marked and the key destroyed,
  then the content is deleted, then the row.
- A file that no document references within a month is removed; a referenced one stays until its
  user is erased. Claiming and removing decide on the same locked row.
- Name and content leave this process only sealed, under a data key of the file's own, so that
  destroying that key erases every copy of the file.
- The files of an organisation have a limit in bytes, which concurrent uploads can't exceed. Files
  count from the start of the upload until their content is deleted.
- Uploads, downloads, validation and sealing are bounded; requests beyond the bounds wait or are
  rejected with a retry time. Storage calls run in their own threads.
"""

import asyncio
from collections.abc import AsyncGenerator, Collection, Generator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, suppress
from datetime import datetime, timedelta
from uuid import UUID

import structlog

from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import (
    Busy,
    InvariantBroken,
    ResourceConflict,
    ResourceNotFound,
    Unavailable,
)
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.files import store
from landbridge.platform.files.inspection import inspect
from landbridge.platform.files.model import (
    KIND,
    UNCLAIMED_RETENTION,
    UPLOAD_TIMEOUT,
    FileState,
    StoredFileInfo,
    clean_name,
    file_uuid,
)
from landbridge.platform.files.storage import Storage, StorageKey
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.platform.http.fair_semaphore import FairSemaphore, leaves_room
from landbridge.platform.idempotency.model import Claim, no_claim

_log = structlog.stdlib.get_logger()

# Decoding an image uses a core for some seconds and, at the bounds of `images`, 600 MB.
_CHECKS_AT_ONCE = 2
# An upload may hold a file of 10 MB three times: as received, assembled, and sealed.
_UPLOADS_MAX = 16
# A download may hold a file twice, sealed and plain, and then once until the client has read it.
_DOWNLOADS_MAX = 16
_UNLIMITED = 2**62
SWEEP_FILES_MAX = 100
# How long a file that could not be removed is skipped, so that it does not block other removals.
_REMOVE_AGAIN = timedelta(minutes=10)
_SWEEPER = "worker"


@contextmanager
def _reserved(active: list[UUID], org_id: UUID, total: int, refusal: str) -> Generator[None]:
    """Count an operation of an organisation during the block; raises `Busy` above the bound."""
    if not leaves_room(of_org=active.count(org_id), taken=len(active), total=total):
        raise Busy(refusal)
    active.append(org_id)
    try:
        yield
    finally:
        active.remove(org_id)


class Files:
    """Files of all organisations."""

    def __init__(
        self,
        database: Database,
        vault: Vault,
        storage: Storage,
        clock: Clock,
        *,
        bytes_per_org: int,
    ) -> None:
        self._database = database
        self._vault = vault
        self._storage = storage
        self._clock = clock
        self._bytes_per_org = bytes_per_org or _UNLIMITED
        # One at a time for each organisation: many images of one delay no other.
        self._checks = FairSemaphore(_CHECKS_AT_ONCE, each=1)
        self._uploads: list[UUID] = []
        self._downloads: list[UUID] = []

    @asynccontextmanager
    async def reserve_upload(self, org_id: UUID) -> AsyncGenerator[None]:
        """Reserve memory for an upload of the organisation; raises `Busy` if none is free."""
        with _reserved(
            self._uploads, org_id, _UPLOADS_MAX, "too many files are being sent at once"
        ):
            yield

    @asynccontextmanager
    async def _checking(self, org_id: UUID) -> AsyncGenerator[None]:
        """Hold a validation slot of this organisation; waits until one is free."""
        await self._checks.acquire(org_id)
        try:
            yield
        finally:
            self._checks.release(org_id)

    def reserve_download(self, org_id: UUID) -> AbstractContextManager[None]:
        """Reserve memory for a download of the organisation; raises `Busy` if none is free."""
        refusal = "too many files are being fetched at once"
        return _reserved(self._downloads, org_id, _DOWNLOADS_MAX, refusal)

    async def add(
        self,
        caller: Caller,
        *,
        name: str,
        content: bytes,
        declared: str | None = None,
        claim: Claim = no_claim,
    ) -> StoredFileInfo:
        """Store a file; `declared` is the content type that the client gave, if any.

        Raises `FieldInvalid` for a type that is not allowed or contradicts its name or declared
        type, `ResourceConflict` if the organisation's files would have too many bytes, and `Busy`
        if it could not be stored.
        """
        check_editor(caller)
        stored_name = clean_name(name)
        async with self._checking(caller.org_id):
            mime_type = await asyncio.to_thread(
                inspect, content, name=stored_name, declared=declared
            )
        at = self._clock.stamp(caller.clock_offset)
        file = StoredFileInfo(new_id(), stored_name, mime_type, len(content), at)

        async def begin(tx: Tx) -> DataKey:
            limit = self._bytes_per_org
            if not await store.count(tx, caller.org_id, file.size, bytes_max=limit):
                raise ResourceConflict(
                    "the files of this organisation have reached their limit in bytes; delete some "
                    "that no document references, or ask the operator for a higher limit"
                )
            key = await self._vault.make(tx, caller.org_id, file.uuid)
            row = store.StoredFile(
                org_id=caller.org_id,
                id=file.uuid,
                sealed_name=key.seal(file.name, context=_context("name", file.uuid)),
                mime_type=file.mime_type,
                size=file.size,
                created_at=at,
            )
            await store.add(tx, row, remove_at=at + UPLOAD_TIMEOUT)
            return key

        key = await self._database.transact(begin)
        async with self._checking(caller.org_id):
            sealed = await asyncio.to_thread(
                key.seal_bytes, content, context=_context("content", file.uuid)
            )
        storage_key = StorageKey(caller.org_id, file.uuid)
        try:
            await self._storage.put(storage_key, sealed)
        except Unavailable as error:
            raise Busy(f"a file could not be kept: {error}") from error
        if not await self._database.transact(lambda tx: self._publish(tx, caller, file, claim)):
            with suppress(Unavailable):
                await self._storage.delete(storage_key)
            raise Busy("the file took longer to keep than the organisation's clock allows")
        return file

    async def get(self, org_id: UUID, file_id: str) -> StoredFileInfo:
        """Return a file without its content; raises `ResourceNotFound`."""
        file, _ = await self._open(org_id, file_id)
        return file

    async def content(self, org_id: UUID, file_id: str) -> bytes:
        """Return a file's content; raises `ResourceNotFound`, or `Busy` if unavailable now."""
        with self.reserve_download(org_id):
            _, content = await self.read(org_id, file_id)
        return content

    async def read(self, org_id: UUID, file_id: str) -> tuple[StoredFileInfo, bytes]:
        """Return a file and its content; the caller holds `reserve_download`.

        Raises like `content`.
        """
        file, key = await self._open(org_id, file_id)
        try:
            sealed = await self._storage.get(StorageKey(org_id, file.uuid))
        except Unavailable as error:
            raise Busy(f"a file could not be read: {error}") from error
        if sealed is None:
            # Raises ResourceNotFound if the file was erased just now; otherwise its content was
            # lost.
            await self._open(org_id, file_id)
            raise InvariantBroken(f"the content of file {file.uuid} is gone")
        content = await asyncio.to_thread(
            key.open_bytes, sealed, context=_context("content", file.uuid)
        )
        return file, content

    async def claim(self, tx: Tx, org_id: UUID, file_ids: Collection[str]) -> frozenset[str]:
        """Keep these files until they are erased; return the ids for which no file exists."""
        by_id = {each: file_uuid(each) for each in file_ids}
        found = await store.claim(tx, org_id, [each for each in by_id.values() if each])
        return frozenset(file_id for file_id, uuid_ in by_id.items() if uuid_ not in found)

    async def missing_in(self, tx: Tx, org_id: UUID, file_ids: Collection[str]) -> frozenset[str]:
        """Return those of these ids for which no file exists."""
        by_id = {each: file_uuid(each) for each in file_ids}
        found = await store.existing(tx, org_id, [each for each in by_id.values() if each])
        return frozenset(file_id for file_id, uuid_ in by_id.items() if uuid_ not in found)

    async def delete(self, caller: Caller, file_id: str) -> StoredFileInfo:
        """Remove a file that no document references; return its last state.

        Raises `ResourceNotFound`, and `ResourceConflict` for a file that is or was referenced.
        """
        check_editor(caller)
        file, _ = await self._open(caller.org_id, file_id)
        at = self._clock.stamp(caller.clock_offset)

        async def work(tx: Tx) -> None:
            found = await store.lock(tx, caller.org_id, file.uuid)
            if found is None or found[0] is not FileState.STORED:
                return  # deleted just now, maybe by an attempt whose commit was not acknowledged
            if found[1] is None:
                raise ResourceConflict(
                    "a document of a user names this file, or did; it goes when the user is erased"
                )
            await self._destroy(tx, caller.org_id, file.uuid, actor=caller.actor, at=at)

        await self._database.transact(work)
        return file

    async def erase(self, tx: Tx, org_id: UUID, file_ids: Collection[str]) -> None:
        """Destroy files: they can't be read after this transaction, and the worker removes them.

        Unknown ids are ignored.
        """
        ids = [uuid_ for each in file_ids if (uuid_ := file_uuid(each))]
        await self._vault.destroy(tx, org_id, ids)
        await store.mark_deleted(tx, org_id, ids)

    async def sweep(
        self, offsets: Mapping[UUID, timedelta], *, limit: int = SWEEP_FILES_MAX
    ) -> bool:
        """Remove erased files, unfinished uploads, and files that no document references.

        Ages are counted in each organisation's time. At most `limit` files are removed. Returns
        whether there may be more.
        """
        until = self._clock.now_of(offsets)
        found = await self._database.single(lambda tx: store.unwanted(tx, until, limit=limit))
        removed = 0
        for org_id, file_id in found:
            if await self._remove(StorageKey(org_id, file_id), offsets[org_id], until[org_id]):
                removed += 1
        return removed == limit

    async def _remove(self, storage_key: StorageKey, offset: timedelta, until: datetime) -> bool:
        """Remove an expired file; return False if that failed or the file was claimed."""
        org_id, file_id, at = storage_key.org_id, storage_key.file_id, self._clock.stamp(offset)

        async def take(tx: Tx) -> bool:
            found = await store.lock(tx, org_id, file_id)
            if found is None:
                return False
            state, remove_at = found
            if state is FileState.DELETED:
                return True
            if remove_at is None or remove_at > until:
                return False
            actor = _SWEEPER if state is FileState.STORED else None
            await self._destroy(tx, org_id, file_id, actor=actor, at=at)
            return True

        if not await self._database.transact(take):
            return False
        try:
            await self._storage.delete(storage_key)
        except Unavailable as error:
            _log.warning("files.not_removed", id=str(file_id), reason=str(error))
            later = until + _REMOVE_AGAIN
            await self._database.single(lambda tx: store.postpone(tx, org_id, file_id, later))
            return False
        await self._database.single(lambda tx: store.remove(tx, org_id, file_id))
        return True

    async def _publish(self, tx: Tx, caller: Caller, file: StoredFileInfo, claim: Claim) -> bool:
        """Make a stored file visible; return False if it expired first."""
        org_id, until = caller.org_id, file.created_at + UNCLAIMED_RETENTION
        if not await store.show(tx, org_id, file.uuid, remove_at=until):
            # A previous attempt with an unacknowledged commit may have made the file visible.
            return await store.find(tx, org_id, file.uuid) is not None
        await claim(tx, file.uuid)
        await append_change(
            tx,
            org_id=org_id,
            object_id=file.uuid,
            seq=1,
            kind=KIND,
            change_type="create",
            actor=caller.actor,
            at=file.created_at,
            facts={"mimeType": file.mime_type, "size": file.size},
        )
        return True

    async def _destroy(
        self, tx: Tx, org_id: UUID, file_id: UUID, *, actor: str | None, at: datetime
    ) -> None:
        """Destroy a locked file; if it was ever visible, a change with this actor is recorded."""
        await self._vault.destroy(tx, org_id, [file_id])
        await store.mark_deleted(tx, org_id, [file_id])
        if actor is not None:
            await append_change(
                tx,
                org_id=org_id,
                object_id=file_id,
                seq=2,
                kind=KIND,
                change_type="delete",
                actor=actor,
                at=at,
            )

    async def _open(self, org_id: UUID, file_id: str) -> tuple[StoredFileInfo, DataKey]:
        async def work(tx: Tx) -> tuple[store.StoredFile, DataKey] | None:
            uuid_ = file_uuid(file_id)
            row = None if uuid_ is None else await store.find(tx, org_id, uuid_)
            key = None if row is None else await self._vault.find(tx, org_id, row.id)
            return None if row is None or key is None else (row, key)

        found = await self._database.transact(work)
        if found is None:
            raise ResourceNotFound(f"there is no file {file_id[:100]}")
        row, key = found
        name = key.open(row.sealed_name, context=_context("name", row.id), type=str)
        return StoredFileInfo(row.id, name, row.mime_type, row.size, row.created_at), key


def _context(field: str, file_id: UUID) -> str:
    return f"files.{field}:{file_id}"
