"""Verbs on files. Source: contract, users 3.5 and interface/file.

Guarantees:
- a file that callers can see has its content, and a content that is kept anywhere has a row that
  leads to it: the row is written first, hidden, then the content, then the row is shown. What a
  crash leaves hidden goes after a day;
- name and content leave this process only sealed, under a data key of the file's own, so that
  destroying that key erases the file wherever copies of it are;
- checking and sealing happen in threads, a few at a time; requests beyond a bound are told to
  come back.
"""

import asyncio
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from uuid import UUID

import structlog

from landbridge.changes.service import tell
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, Busy, ResourceNotFound, Unavailable
from landbridge.core.ids import new_id
from landbridge.db.pool import Database, Tx
from landbridge.files import store
from landbridge.files.inspection import inspect
from landbridge.files.model import KIND, UPLOAD_PATIENCE, File, clean_name, file_uuid
from landbridge.files.storage import Place, Storage
from landbridge.privacy.service import DataKey, Vault
from landbridge.web.caller import Caller

_log = structlog.stdlib.get_logger()

# Decoding an image may take 200 MB and a core for a second.
_CHECKS_AT_ONCE = 2
# Each may hold a file of 10 MB.
_UPLOADS_MAX = 16
_SWEEP_FILES_MAX = 100


class Files:
    """Files of all organisations."""

    def __init__(self, database: Database, vault: Vault, storage: Storage, clock: Clock) -> None:
        self._database = database
        self._vault = vault
        self._storage = storage
        self._clock = clock
        self._checks = asyncio.Semaphore(_CHECKS_AT_ONCE)
        self._uploads = 0

    @asynccontextmanager
    async def room(self) -> AsyncGenerator[None]:
        """Room for one more upload in memory; raises `Busy` if there is none."""
        if self._uploads >= _UPLOADS_MAX:
            raise Busy("too many files are being sent at once")
        self._uploads += 1
        try:
            yield
        finally:
            self._uploads -= 1

    async def add(
        self, caller: Caller, *, name: str, content: bytes, declared: str | None = None
    ) -> File:
        """Keep a file; `declared` is the content type that its sender gave, if any.

        Raises `FieldInvalid` for what is not one of the kinds, or not what its name or its sender
        says, and `Busy` if it could not be kept.
        """
        kept_name = clean_name(name)
        async with self._checks:
            mime_type = await asyncio.to_thread(inspect, content, name=kept_name, declared=declared)
        at = self._clock.stamp(caller.clock_offset)
        file = File(new_id(), kept_name, mime_type, len(content), at)

        async def begin(tx: Tx) -> DataKey:
            key = await self._vault.make(tx, caller.org_id, file.uuid)
            row = store.StoredFile(
                org_id=caller.org_id,
                id=file.uuid,
                sealed_name=key.seal(file.name, context=_context("name", file.uuid)),
                mime_type=file.mime_type,
                size=file.size,
                created_at=at,
            )
            await store.add(tx, row, remove_at=at + UPLOAD_PATIENCE)
            return key

        async def show(tx: Tx) -> None:
            if not await store.keep(tx, caller.org_id, file.uuid):
                raise Busy("the file took longer to keep than the organisation's clock allows")
            await tell(
                tx,
                org_id=caller.org_id,
                object_id=file.uuid,
                seq=1,
                kind=KIND,
                what="create",
                actor=caller.actor,
                at=at,
                facts={"mimeType": file.mime_type, "size": file.size},
            )

        key = await self._database.transact(begin)
        async with self._checks:
            sealed = await asyncio.to_thread(
                key.seal_bytes, content, context=_context("content", file.uuid)
            )
        try:
            await self._storage.put(Place(caller.org_id, file.uuid), sealed)
        except Unavailable as error:
            raise Busy(f"a file could not be kept: {error}") from error
        await self._database.transact(show)
        return file

    async def get(self, org_id: UUID, file_id: str) -> File:
        """A file; raises `ResourceNotFound`."""
        file, _ = await self._open(org_id, file_id)
        return file

    async def content(self, org_id: UUID, file_id: str) -> bytes:
        """What is in a file; raises `ResourceNotFound`, and `Busy` if it can't be had now."""
        _, content = await self.read(org_id, file_id)
        return content

    async def read(self, org_id: UUID, file_id: str) -> tuple[File, bytes]:
        """A file and what is in it; raises as `content`."""
        file, key = await self._open(org_id, file_id)
        try:
            sealed = await self._storage.get(Place(org_id, file.uuid))
        except Unavailable as error:
            raise Busy(f"a file could not be read: {error}") from error
        if sealed is None:
            # Unless it was erased just now, somebody has lost it.
            await self._open(org_id, file_id)
            raise Broken(f"the content of file {file.uuid} is gone")
        content = await asyncio.to_thread(
            key.open_bytes, sealed, context=_context("content", file.uuid)
        )
        return file, content

    async def erase(self, tx: Tx, org_id: UUID, file_ids: Collection[str]) -> None:
        """Destroy files: unreadable from this transaction on, and removed by the worker soon after.

        Ids of nothing are passed over.
        """
        ids = [known for each in file_ids if (known := file_uuid(each))]
        await self._vault.destroy(tx, org_id, ids)
        await store.let_go(tx, org_id, ids)

    async def sweep(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Remove what was erased, and uploads that never ended; whether there may be more."""
        until = {org_id: self._clock.now(offset) for org_id, offset in offsets.items()}
        found = await self._database.single(
            lambda tx: store.unwanted(tx, until, limit=_SWEEP_FILES_MAX)
        )
        removed = 0
        for org_id, file_id in found:
            try:
                await self._storage.delete(Place(org_id, file_id))
            except Unavailable as error:
                _log.warning("files.not_removed", id=str(file_id), reason=str(error))
            else:
                await self._database.transact(
                    lambda tx, org=org_id, file=file_id: self._remove(tx, org, file)
                )
                removed += 1
        return removed == _SWEEP_FILES_MAX

    async def _remove(self, tx: Tx, org_id: UUID, file_id: UUID) -> None:
        await store.remove(tx, org_id, [file_id])
        await self._vault.destroy(tx, org_id, [file_id])

    async def _open(self, org_id: UUID, file_id: str) -> tuple[File, DataKey]:
        async def work(tx: Tx) -> tuple[store.StoredFile, DataKey] | None:
            known = file_uuid(file_id)
            row = None if known is None else await store.find(tx, org_id, known)
            key = None if row is None else await self._vault.find(tx, org_id, row.id)
            return None if row is None or key is None else (row, key)

        found = await self._database.transact(work)
        if found is None:
            raise ResourceNotFound(f"there is no file {file_id[:100]}")
        row, key = found
        name = key.open(row.sealed_name, context=_context("name", row.id), type=str)
        return File(row.id, name, row.mime_type, row.size, row.created_at), key


def _context(what: str, file_id: UUID) -> str:
    return f"files.{what}:{file_id}"
