"""Verbs on files. Source: contract, users 3.5 and interface/file.

Guarantees:
- a file that callers can see has its content, and a content that is kept anywhere has a row that
  leads to it: the row is written first, hidden, then the content, then the row is shown. What a
  crash leaves hidden goes after a day. On the way out it is the other way round: the row is let go
  and the key destroyed, then the content is removed, then the row;
- a file that no document names within a month is removed, one that a document named stays until
  its user is erased: whoever claims it and whoever removes it decide on the same locked row;
- name and content leave this process only sealed, under a data key of the file's own, so that
  destroying that key erases the file wherever copies of it are;
- uploads, downloads, checking and sealing have bounds; requests beyond them wait or are told to
  come back. What waits for the storage does so in threads of its own.
"""

import asyncio
from collections.abc import AsyncGenerator, Collection, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import datetime, timedelta
from uuid import UUID

import structlog

from landbridge.changes.service import tell
from landbridge.core.clock import Clock
from landbridge.core.errors import (
    Broken,
    Busy,
    ResourceConflict,
    ResourceNotFound,
    Unavailable,
)
from landbridge.core.ids import new_id
from landbridge.db.pool import Database, Tx
from landbridge.files import store
from landbridge.files.inspection import inspect
from landbridge.files.model import (
    CLAIM_PATIENCE,
    KIND,
    UPLOAD_PATIENCE,
    File,
    FileState,
    clean_name,
    file_uuid,
)
from landbridge.files.storage import Place, Storage
from landbridge.privacy.service import DataKey, Vault
from landbridge.web.caller import Caller, check_editor
from landbridge.web.places import Places

_log = structlog.stdlib.get_logger()

# Decoding an image takes a core for some seconds and, at the bounds of `images`, 600 MB.
_CHECKS_AT_ONCE = 2
# Each may hold a file of 10 MB up to three times: as it came, as a whole, and sealed.
_UPLOADS_MAX = 16
# So that one organisation, by slow senders or many, leaves places for the others.
_UPLOADS_OF_ORG_MAX = 12
# Each may hold one twice, sealed and plain, and then once until the client has taken it.
_DOWNLOADS_MAX = 16
SWEEP_FILES_MAX = 100
# What could not be removed is left alone for so long, so that it does not hold up the others.
_REMOVE_AGAIN = timedelta(minutes=10)
_SWEEPER = "worker"


class Files:
    """Files of all organisations."""

    def __init__(self, database: Database, vault: Vault, storage: Storage, clock: Clock) -> None:
        self._database = database
        self._vault = vault
        self._storage = storage
        self._clock = clock
        # One at a time of each organisation: whoever sends many pictures delays nobody else's.
        self._checks = Places(_CHECKS_AT_ONCE, each=1)
        self._uploads: list[UUID] = []
        self._downloads = 0

    @asynccontextmanager
    async def room(self, org_id: UUID) -> AsyncGenerator[None]:
        """Room in memory for one more upload of this organisation; raises `Busy` without."""
        taken = self._uploads
        if len(taken) >= _UPLOADS_MAX or taken.count(org_id) >= _UPLOADS_OF_ORG_MAX:
            raise Busy("too many files are being sent at once")
        taken.append(org_id)
        try:
            yield
        finally:
            taken.remove(org_id)

    @asynccontextmanager
    async def _checking(self, org_id: UUID) -> AsyncGenerator[None]:
        """A thread for this organisation; waits for its turn."""
        await self._checks.take(org_id)
        try:
            yield
        finally:
            self._checks.give_back(org_id)

    @contextmanager
    def way_out(self) -> Generator[None]:
        """Room for one more download in memory; raises `Busy` if there is none."""
        if self._downloads >= _DOWNLOADS_MAX:
            raise Busy("too many files are being fetched at once")
        self._downloads += 1
        try:
            yield
        finally:
            self._downloads -= 1

    async def add(
        self, caller: Caller, *, name: str, content: bytes, declared: str | None = None
    ) -> File:
        """Keep a file; `declared` is the content type that its sender gave, if any.

        Raises `FieldInvalid` for what is not one of the kinds, or not what its name or its sender
        says, and `Busy` if it could not be kept.
        """
        check_editor(caller)
        kept_name = clean_name(name)
        async with self._checking(caller.org_id):
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

        key = await self._database.transact(begin)
        async with self._checking(caller.org_id):
            sealed = await asyncio.to_thread(
                key.seal_bytes, content, context=_context("content", file.uuid)
            )
        place = Place(caller.org_id, file.uuid)
        try:
            await self._storage.put(place, sealed)
        except Unavailable as error:
            raise Busy(f"a file could not be kept: {error}") from error
        if not await self._database.transact(lambda tx: self._show(tx, caller, file)):
            with suppress(Unavailable):
                await self._storage.delete(place)
            raise Busy("the file took longer to keep than the organisation's clock allows")
        return file

    async def get(self, org_id: UUID, file_id: str) -> File:
        """A file; raises `ResourceNotFound`."""
        file, _ = await self._open(org_id, file_id)
        return file

    async def content(self, org_id: UUID, file_id: str) -> bytes:
        """What is in a file; raises `ResourceNotFound`, and `Busy` if it can't be had now."""
        with self.way_out():
            _, content = await self.read(org_id, file_id)
        return content

    async def read(self, org_id: UUID, file_id: str) -> tuple[File, bytes]:
        """A file and what is in it, within `way_out`; raises as `content`."""
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

    async def claim(self, tx: Tx, org_id: UUID, file_ids: Collection[str]) -> frozenset[str]:
        """Keep files until they are erased, since documents name them; answers those not there."""
        known = {each: file_uuid(each) for each in file_ids}
        there = await store.claim(tx, org_id, [each for each in known.values() if each])
        return frozenset(file_id for file_id, known_as in known.items() if known_as not in there)

    async def delete(self, caller: Caller, file_id: str) -> File:
        """Remove a file that no document names; answers it as it was.

        Raises `ResourceNotFound`, and `ResourceConflict` for a file that a document names or named.
        """
        check_editor(caller)
        file, _ = await self._open(caller.org_id, file_id)
        at = self._clock.stamp(caller.clock_offset)

        async def work(tx: Tx) -> None:
            found = await store.lock(tx, caller.org_id, file.uuid)
            if found is None or found[0] is not FileState.THERE:
                return  # let go just now, maybe by an attempt whose commit was not heard of
            if found[1] is None:
                raise ResourceConflict(
                    "a document of a user names this file, or did; it goes when the user is erased"
                )
            await self._let_go(tx, caller.org_id, file.uuid, actor=caller.actor, at=at)

        await self._database.transact(work)
        return file

    async def erase(self, tx: Tx, org_id: UUID, file_ids: Collection[str]) -> None:
        """Destroy files: unreadable from this transaction on, and removed by the worker soon after.

        Ids of nothing are passed over.
        """
        ids = [known for each in file_ids if (known := file_uuid(each))]
        await self._vault.destroy(tx, org_id, ids)
        await store.let_go(tx, org_id, ids)

    async def sweep(
        self, offsets: Mapping[UUID, timedelta], *, limit: int = SWEEP_FILES_MAX
    ) -> bool:
        """Remove what was erased, uploads that never ended, and files that no document named.

        By each organisation's time, at most `limit` of them. Answers whether there may be more.
        """
        until = {org_id: self._clock.now(offset) for org_id, offset in offsets.items()}
        found = await self._database.single(lambda tx: store.unwanted(tx, until, limit=limit))
        removed = 0
        for org_id, file_id in found:
            if await self._remove(Place(org_id, file_id), offsets[org_id], until[org_id]):
                removed += 1
        return removed == limit

    async def _remove(self, place: Place, offset: timedelta, until: datetime) -> bool:
        """Remove a file whose time has come; False if it could not be, or somebody claimed it."""
        org_id, file_id, at = place.org_id, place.file_id, self._clock.stamp(offset)

        async def take(tx: Tx) -> bool:
            found = await store.lock(tx, org_id, file_id)
            if found is None:
                return False
            state, remove_at = found
            if state is FileState.GONE:
                return True
            if remove_at is None or remove_at > until:
                return False
            actor = _SWEEPER if state is FileState.THERE else None
            await self._let_go(tx, org_id, file_id, actor=actor, at=at)
            return True

        if not await self._database.transact(take):
            return False
        try:
            await self._storage.delete(place)
        except Unavailable as error:
            _log.warning("files.not_removed", id=str(file_id), reason=str(error))
            later = until + _REMOVE_AGAIN
            await self._database.single(lambda tx: store.postpone(tx, org_id, file_id, later))
            return False
        await self._database.single(lambda tx: store.remove(tx, org_id, file_id))
        return True

    async def _show(self, tx: Tx, caller: Caller, file: File) -> bool:
        """Let callers have a file whose content is stored; False if its time was over before."""
        org_id, until = caller.org_id, file.created_at + CLAIM_PATIENCE
        if not await store.show(tx, org_id, file.uuid, remove_at=until):
            # There already: shown by an attempt whose commit was not heard of.
            return await store.find(tx, org_id, file.uuid) is not None
        await tell(
            tx,
            org_id=org_id,
            object_id=file.uuid,
            seq=1,
            kind=KIND,
            what="create",
            actor=caller.actor,
            at=file.created_at,
            facts={"mimeType": file.mime_type, "size": file.size},
        )
        return True

    async def _let_go(
        self, tx: Tx, org_id: UUID, file_id: UUID, *, actor: str | None, at: datetime
    ) -> None:
        """Destroy a file that is locked; told under the actor's name, if callers ever had it."""
        await self._vault.destroy(tx, org_id, [file_id])
        await store.let_go(tx, org_id, [file_id])
        if actor is not None:
            await tell(
                tx,
                org_id=org_id,
                object_id=file_id,
                seq=2,
                kind=KIND,
                what="delete",
                actor=actor,
                at=at,
            )

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
