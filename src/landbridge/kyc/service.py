"""Verbs on KYC data. Source: contract, users 3.2 and 3.5.

Guarantees:
- a dossier changes as a whole or not at all: who changes it locks its row, so changes wait for each
  other, and each that changes something is told once;
- all of it is sealed with the user's data key, and is gone with that key;
- a file is used for one user only, from its first use on; it goes when that user is erased.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from landbridge.changes.service import tell
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, FieldInvalid, ResourceNotFound
from landbridge.core.ids import new_id
from landbridge.db.pool import Database, Tx
from landbridge.files.service import Files
from landbridge.kyc import store
from landbridge.kyc.documents import (
    FILE_BYTES_MIN,
    new_document_ids,
    told_files,
    with_document,
    with_new_documents,
)
from landbridge.kyc.kinds import Context
from landbridge.kyc.model import KIND, Data, Document, Dossier, Owner, dossier_id
from landbridge.kyc.reading import with_data, with_new_owner, with_owner
from landbridge.kyc.shapes import kyc_reply
from landbridge.orgs.model import Mode
from landbridge.privacy.keys import key_of
from landbridge.privacy.pictures import take
from landbridge.privacy.service import DataKey, Vault
from landbridge.users.model import User, UserCard
from landbridge.users.policy import Policy
from landbridge.web.caller import Caller, check_editor

T = TypeVar("T")
# The dossier after a change, and what the change was about; from the one before. It may run twice,
# the second time on what the first has made, so new ids are made before it.
_Change = Callable[[Dossier, Context, datetime], tuple[Dossier, T]]


class _Content(msgspec.Struct, frozen=True, kw_only=True):
    """What of a dossier is sealed."""

    data: Data
    owners: tuple[Owner, ...]
    documents: tuple[Document, ...]


class Dossiers:
    """KYC data of all organisations' users."""

    def __init__(
        self,
        database: Database,
        vault: Vault,
        files: Files,
        clock: Clock,
        *,
        policy: Policy,
        mode: Mode,
    ) -> None:
        self._database = database
        self._vault = vault
        self._files = files
        self._clock = clock
        self._policy = policy
        self._file_bytes_min = FILE_BYTES_MIN if mode is Mode.PRODUCTION else 0

    async def begin(self, tx: Tx, user: User, key: DataKey, at: datetime) -> None:
        """Make the dossier of a user who is just being created, from what was told about them."""
        content = _seed(user, at)
        sealed = key.seal(content, context=_context(user.id))
        await store.add(tx, user.org_id, user.id, sealed_content=sealed, at=at)

    async def forget(self, tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
        """Blank the dossier of a user who is just being erased, and destroy the files in it."""
        await store.erase(tx, org_id, user_id, at)
        await self._files.erase(tx, org_id, await store.files(tx, org_id, user_id))

    async def get(self, org_id: UUID, user: UserCard) -> Dossier:
        """All that is known; empty once the user is erased."""

        async def read(tx: Tx) -> Dossier:
            # The key first: erased in between, the row is blank and nothing is missed.
            key = await self._vault.find(tx, org_id, user.id)
            return _opened(user, await store.get(tx, org_id, user.id), key)

        return await self._database.transact(read)

    async def update(self, caller: Caller, user: UserCard, told: Mapping[str, Any]) -> Dossier:
        """Change what `told` names. Raises `FieldInvalid`, and `UserFrozen` after erasure."""
        check_editor(caller)
        request_id = new_id()

        def change(before: Dossier, context: Context, at: datetime) -> tuple[Dossier, None]:
            return with_data(before, told, context, request_id=request_id, at=at), None

        after, _ = await self._change(caller, user, change)
        return after

    async def add_owner(
        self, caller: Caller, user: UserCard, told: Mapping[str, Any]
    ) -> tuple[Dossier, Owner]:
        """Add an owner; raises as `update`."""
        check_editor(caller)
        owner_id = new_id()

        def change(before: Dossier, context: Context, at: datetime) -> tuple[Dossier, Owner]:
            return with_new_owner(before, told, context, owner_id=owner_id, at=at)

        return await self._change(caller, user, change)

    async def update_owner(
        self, caller: Caller, user: UserCard, owner_id: UUID, told: Mapping[str, Any]
    ) -> tuple[Dossier, Owner]:
        """Change what `told` names of an owner; raises as `update`, and `ResourceNotFound`."""
        check_editor(caller)

        def change(before: Dossier, context: Context, at: datetime) -> tuple[Dossier, Owner]:
            return with_owner(before, before.owner(owner_id), told, context, at=at)

        return await self._change(caller, user, change)

    async def remove_owner(self, caller: Caller, user: UserCard, owner_id: UUID) -> None:
        """Take an owner away, with their documents; done again, it stays so. Raises as `update`."""
        check_editor(caller)

        def change(before: Dossier, context: Context, at: datetime) -> tuple[Dossier, None]:
            del context, at
            owners = tuple(each for each in before.owners if each.id != owner_id)
            documents = tuple(each for each in before.documents if each.owner_id != owner_id)
            return replace(before, owners=owners, documents=documents), None

        await self._change(caller, user, change)

    async def add_documents(
        self, caller: Caller, user: UserCard, told: Sequence[Mapping[str, Any]]
    ) -> tuple[Document, ...]:
        """Add 1 to 20 documents, all or none; raises as `update`."""
        check_editor(caller)
        ids = new_document_ids(told)

        def change(
            before: Dossier, context: Context, at: datetime
        ) -> tuple[Dossier, tuple[Document, ...]]:
            return with_new_documents(before, told, context, ids=ids, at=at)

        _, documents = await self._change(caller, user, change, list(told_files(told)))
        return documents

    async def update_document(
        self, caller: Caller, user: UserCard, document_id: UUID, told: Mapping[str, Any]
    ) -> Document:
        """Change what `told` names of a document; raises as `update`, and `ResourceNotFound`."""
        check_editor(caller)

        def change(before: Dossier, context: Context, at: datetime) -> tuple[Dossier, Document]:
            return with_document(before, before.document(document_id), told, context, at=at)

        file_id = told.get("fileId")
        files = [("fileId", file_id)] if isinstance(file_id, str) else []
        _, document = await self._change(caller, user, change, files)
        return document

    async def _change(
        self,
        caller: Caller,
        user: UserCard,
        change: "_Change[T]",
        files: Iterable[tuple[str, str]] = (),
    ) -> tuple[Dossier, T]:
        """Change a dossier, and tell of it if that made a difference.

        `files` are those that the change uses, each with the name of the field.
        """
        org_id, used = caller.org_id, await self._known_files(caller.org_id, files)

        async def work(tx: Tx) -> tuple[Dossier, T]:
            # Before the dossier is locked: this locks the user, as an erasure does before it comes
            # to the dossier.
            await self._claim(tx, org_id, user.id, used)
            stored = await store.lock(tx, org_id, user.id)
            key = await key_of(self._vault, tx, org_id, user.id)
            before = _opened(user, stored, key)
            at = self._clock.stamp(caller.clock_offset)
            after, outcome = change(before, Context(at.date(), self._policy), at)
            if after == before:
                return before, outcome
            after = replace(after, version=before.version + 1)
            await self._store(tx, caller, after, key, at)
            return after, outcome

        return await self._database.transact(work)

    async def _store(
        self, tx: Tx, caller: Caller, dossier: Dossier, key: DataKey, at: datetime
    ) -> None:
        content = _Content(data=dossier.data, owners=dossier.owners, documents=dossier.documents)
        org_id, user_id = caller.org_id, dossier.user_id
        sealed = key.seal(content, context=_context(user_id))
        await store.update(tx, store.Stored(org_id, user_id, dossier.version, sealed), at)
        await tell(
            tx,
            org_id=org_id,
            object_id=dossier_id(user_id),
            seq=dossier.version,
            kind=KIND,
            what="update",
            actor=caller.actor,
            at=at,
            facts={"userId": str(user_id)},
            picture=take(
                key,
                user_id,
                object_id=dossier_id(user_id),
                seq=dossier.version,
                shown=kyc_reply(dossier, frozenset()),
            ),
        )

    async def _known_files(self, org_id: UUID, files: Iterable[tuple[str, str]]) -> dict[str, str]:
        """The name of the field by file; raises `FieldInvalid` for one that can't be used."""
        known: dict[str, str] = {}
        for field, file_id in files:
            try:
                file = await self._files.get(org_id, file_id)
            except ResourceNotFound as error:
                raise _no_file(field) from error
            if file.size < self._file_bytes_min:
                raise FieldInvalid(
                    f"{field}: the file has {file.size} bytes; a document has at least "
                    f"{self._file_bytes_min}",
                    field=field,
                )
            known[file.id] = field
        return known

    async def _claim(self, tx: Tx, org_id: UUID, user_id: UUID, used: Mapping[str, str]) -> None:
        if used and (foreign := await store.claim_files(tx, org_id, user_id, list(used))):
            field = next(field for file_id, field in used.items() if file_id in foreign)
            raise FieldInvalid(f"{field}: the file is used for another user", field=field)
        if gone := await self._files.claim(tx, org_id, list(used)):
            raise _no_file(next(field for file_id, field in used.items() if file_id in gone))


def _opened(user: UserCard, stored: store.Stored | None, key: DataKey | None) -> Dossier:
    if stored is None:
        raise Broken(f"user {user.id} has no dossier")
    content = _Content(data={}, owners=(), documents=())
    if key is not None and stored.sealed_content is not None:
        content = key.open(stored.sealed_content, context=_context(user.id), type=_Content)
    return Dossier(
        user_id=user.id,
        type=user.type,
        data=content.data,
        owners=content.owners,
        documents=content.documents,
        version=stored.version,
    )


def _seed(user: User, at: datetime) -> _Content:
    """What was told at creation, under the names of the contract."""
    profile = user.profile
    told = {
        "firstName": user.first_name,
        "lastName": user.last_name,
        "businessName": user.business_name,
        "email": user.email,
        "dateOfBirth": profile.date_of_birth,
        "address": profile.address,
        "ipAddress": profile.ip_address,
    }
    owners = tuple(
        Owner(id=new_id(), data=msgspec.to_builtins(each), created_at=at, updated_at=at)
        for each in profile.ultimate_beneficial_owners
    )
    data = {name: value for name, value in told.items() if value is not None}
    return _Content(data=msgspec.to_builtins(data), owners=owners, documents=())


def _no_file(field: str) -> FieldInvalid:
    return FieldInvalid(f"{field}: there is no such file", field=field)


def _context(user_id: UUID) -> str:
    return f"kyc_dossiers.content:{user_id}"
