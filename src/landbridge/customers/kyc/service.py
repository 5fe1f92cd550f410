"""Operations on KYC data. Source: contract, users 3.2 and 3.5.

Guarantees:
- a KYC profile changes as a whole or not at all: each change locks its row, so changes wait for
  each other, and each effective change is recorded once;
- all of its content is encrypted with the user's data key and destroyed with that key;
- a file is used for one user only, from its first use on; it is deleted when that user is erased.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from landbridge.customers.kyc import store
from landbridge.customers.kyc.documents import (
    FILE_BYTES_MIN,
    file_references,
    new_document_ids,
    with_document,
    with_new_documents,
)
from landbridge.customers.kyc.field_types import ValidationContext
from landbridge.customers.kyc.member_documents import (
    member_files,
    owner_files,
    stored_documents,
    stored_members,
    with_member_documents,
)
from landbridge.customers.kyc.model import (
    KIND,
    Data,
    KycDocument,
    KycOwner,
    KycProfile,
    kyc_profile_id,
)
from landbridge.customers.kyc.schemas import kyc_reply
from landbridge.customers.kyc.updates import with_data, with_new_owner, with_owner
from landbridge.customers.kyc.user_files import UserFiles
from landbridge.customers.users.country_policy import CountryPolicy
from landbridge.customers.users.model import User, UserCard
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, InvariantBroken, ResourceNotFound
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.encryption.snapshots import seal_snapshot
from landbridge.platform.encryption.user_keys import key_of
from landbridge.platform.files.service import Files
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.platform.idempotency.model import Claim, no_claim
from landbridge.platform.orgs.model import Mode

T = TypeVar("T")
# Maps a KYC profile to the changed profile and the subject of the change. It may run twice, the
# second time on the result of the first, so new ids are created before it.
_Change = Callable[[KycProfile, ValidationContext, datetime], tuple[KycProfile, T]]


class _SealedContent(msgspec.Struct, frozen=True, kw_only=True):
    """Encrypted content of a KYC profile."""

    data: Data
    owners: tuple[KycOwner, ...]
    documents: tuple[KycDocument, ...]


class KycProfiles:
    """KYC data of all organisations' users."""

    def __init__(
        self,
        database: Database,
        vault: Vault,
        files: Files,
        clock: Clock,
        *,
        policy: CountryPolicy,
        mode: Mode,
    ) -> None:
        self._database = database
        self._vault = vault
        self._files = files
        self._user_files = UserFiles(files)
        self._clock = clock
        self._policy = policy
        # In a sandbox, submissions may contain made-up phone and tax numbers.
        self.takes_dummies = mode is Mode.SANDBOX
        self._file_bytes_min = FILE_BYTES_MIN if mode is Mode.PRODUCTION else 0

    async def begin(self, tx: Tx, user: User, key: DataKey, at: datetime) -> None:
        """Create a KYC profile from the submitted data, in the transaction that adds the user."""
        content = _seed(user, at)
        sealed = key.seal(content, context=_context(user.id))
        await store.add(tx, user.org_id, user.id, sealed_content=sealed, at=at)

    async def forget(self, tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
        """Blank a KYC profile and destroy its files, in the transaction that erases the user."""
        await store.erase(tx, org_id, user_id, at)
        await self._user_files.erase(tx, org_id, user_id)

    async def get(self, org_id: UUID, user: UserCard) -> KycProfile:
        """Return all KYC data; empty once the user is erased."""
        return await self._database.read(lambda tx: read_profile(tx, self._vault, org_id, user))

    async def update(
        self,
        caller: Caller,
        user: UserCard,
        submitted: Mapping[str, Any],
        *,
        keeps_wrong_numbers: bool = False,
    ) -> KycProfile:
        """Change the submitted members. Raise `FieldInvalid`, and `UserFrozen` after erasure.

        `keeps_wrong_numbers`: see `ValidationContext`.
        """
        check_editor(caller)
        request_id = new_id()

        def change(
            before: KycProfile, context: ValidationContext, at: datetime
        ) -> tuple[KycProfile, None]:
            after = with_data(before, members, context, request_id=request_id, at=at)
            return with_member_documents(before, after, request_id=request_id, at=at), None

        async with stored_members(self._files, caller, submitted, user.type) as members:
            files = list(member_files(user.type, members))
            after, _ = await self._change(
                caller, user, change, files, keeps_wrong_numbers=keeps_wrong_numbers
            )
        return after

    async def add_owner(
        self,
        caller: Caller,
        user: UserCard,
        submitted: Mapping[str, Any],
        *,
        claim: Claim = no_claim,
        keeps_wrong_numbers: bool = False,
    ) -> tuple[KycProfile, KycOwner]:
        """Add an owner; raises as `update`."""
        check_editor(caller)
        owner_id = new_id()

        def change(
            before: KycProfile, context: ValidationContext, at: datetime
        ) -> tuple[KycProfile, KycOwner]:
            after, owner = with_new_owner(before, members, context, owner_id=owner_id, at=at)
            return with_member_documents(
                before, after, request_id=owner_id, at=at, are_owners_listed=False
            ), owner

        async with stored_members(self._files, caller, submitted, None) as members:
            files = list(owner_files(members))
            return await self._change(
                caller,
                user,
                change,
                files,
                claim=lambda tx: claim(tx, owner_id),
                keeps_wrong_numbers=keeps_wrong_numbers,
            )

    async def update_owner(
        self,
        caller: Caller,
        user: UserCard,
        owner_id: UUID,
        submitted: Mapping[str, Any],
        *,
        keeps_wrong_numbers: bool = False,
    ) -> tuple[KycProfile, KycOwner]:
        """Change the submitted members of an owner; raise as `update`, and `ResourceNotFound`."""
        check_editor(caller)
        request_id = new_id()

        def change(
            before: KycProfile, context: ValidationContext, at: datetime
        ) -> tuple[KycProfile, KycOwner]:
            after, owner = with_owner(before, before.owner(owner_id), members, context, at=at)
            return with_member_documents(
                before, after, request_id=request_id, at=at, are_owners_listed=False
            ), owner

        async with stored_members(self._files, caller, submitted, None) as members:
            return await self._change(
                caller,
                user,
                change,
                list(owner_files(members)),
                keeps_wrong_numbers=keeps_wrong_numbers,
            )

    async def remove_owner(self, caller: Caller, user: UserCard, owner_id: UUID) -> None:
        """Remove an owner with its documents; repeating it has no effect. Raises as `update`."""
        check_editor(caller)

        def change(
            before: KycProfile, context: ValidationContext, at: datetime
        ) -> tuple[KycProfile, None]:
            del context, at
            owners = tuple(each for each in before.owners if each.id != owner_id)
            documents = tuple(each for each in before.documents if each.owner_id != owner_id)
            return replace(before, owners=owners, documents=documents), None

        await self._change(caller, user, change)

    async def add_documents(
        self,
        caller: Caller,
        user: UserCard,
        submitted: Sequence[Mapping[str, Any]],
        *,
        claim: Claim = no_claim,
    ) -> tuple[KycDocument, ...]:
        """Add 1 to 20 documents, all or none; raise as `update`."""
        check_editor(caller)
        ids = new_document_ids(submitted)
        added = {"documentIds": [str(each) for each in ids]}

        def change(
            before: KycProfile, context: ValidationContext, at: datetime
        ) -> tuple[KycProfile, tuple[KycDocument, ...]]:
            return with_new_documents(before, sent, context, ids=ids, at=at)

        async with stored_documents(self._files, caller, submitted) as sent:
            files = list(file_references(sent))
            _, documents = await self._change(
                caller, user, change, files, claim=lambda tx: claim(tx, user.id, added)
            )
        return documents

    async def update_document(
        self, caller: Caller, user: UserCard, document_id: UUID, submitted: Mapping[str, Any]
    ) -> KycDocument:
        """Change the submitted members of a document; raise as `update`, and `ResourceNotFound`."""
        check_editor(caller)

        def change(
            before: KycProfile, context: ValidationContext, at: datetime
        ) -> tuple[KycProfile, KycDocument]:
            return with_document(before, before.document(document_id), sent, context, at=at)

        async with stored_documents(self._files, caller, [submitted]) as (sent,):
            file_id = sent.get("fileId")
            files = [("fileId", file_id)] if isinstance(file_id, str) else []
            _, document = await self._change(caller, user, change, files)
        return document

    async def _change(
        self,
        caller: Caller,
        user: UserCard,
        change: "_Change[T]",
        files: Iterable[tuple[str, str]] = (),
        *,
        claim: Callable[[Tx], Awaitable[None]] | None = None,
        keeps_wrong_numbers: bool = False,
    ) -> tuple[KycProfile, T]:
        """Change a KYC profile, and record an event if the content differs.

        `files` has each file that the change uses, with the name of its field.
        """
        org_id, used = caller.org_id, await self._known_files(caller.org_id, files)

        async def work(tx: Tx) -> tuple[KycProfile, T]:
            # Claim files first, because this locks the user: an erasure also locks the user before
            # the profile.
            await self._claim(tx, org_id, user.id, used)
            stored = await store.lock(tx, org_id, user.id)
            key = await key_of(self._vault, tx, org_id, user.id)
            before = _opened(user, stored, key)
            at = self._clock.stamp(caller.clock_offset)
            context = ValidationContext(at.date(), self._policy, keeps_wrong_numbers)
            after, outcome = change(before, context, at)
            if after == before:
                return before, outcome
            if claim is not None:
                await claim(tx)
            after = replace(after, version=before.version + 1)
            await self._store(tx, caller, after, key, at)
            return after, outcome

        return await self._database.transact(work)

    async def _store(
        self, tx: Tx, caller: Caller, dossier: KycProfile, key: DataKey, at: datetime
    ) -> None:
        content = _SealedContent(
            data=dossier.data, owners=dossier.owners, documents=dossier.documents
        )
        org_id, user_id = caller.org_id, dossier.user_id
        sealed = key.seal(content, context=_context(user_id))
        await store.update(tx, store.StoredKycProfile(org_id, user_id, dossier.version, sealed), at)
        await append_change(
            tx,
            org_id=org_id,
            object_id=kyc_profile_id(user_id),
            seq=dossier.version,
            kind=KIND,
            change_type="update",
            actor=caller.actor,
            at=at,
            facts={"userId": str(user_id)},
            snapshot=seal_snapshot(
                key,
                user_id,
                object_id=kyc_profile_id(user_id),
                seq=dossier.version,
                payload=kyc_reply(dossier, frozenset()),
            ),
        )

    async def _known_files(self, org_id: UUID, files: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Return the field name by file; raise `FieldInvalid` for a file that cannot be used."""
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
        refusals = await self._user_files.claim(tx, org_id, user_id, used)
        for file_id, field in used.items():
            if file_id in refusals:
                raise FieldInvalid(f"{field}: {refusals[file_id]}", field=field)


async def read_profile(tx: Tx, vault: Vault, org_id: UUID, user: UserCard) -> KycProfile:
    """Return all KYC data of a user; empty once the user is erased."""
    # Load the key first: if the user is erased in between, the row is blank and no content is lost.
    key = await vault.find(tx, org_id, user.id)
    return _opened(user, await store.get(tx, org_id, user.id), key)


def _opened(
    user: UserCard, stored: store.StoredKycProfile | None, key: DataKey | None
) -> KycProfile:
    if stored is None:
        raise InvariantBroken(f"user {user.id} has no dossier")
    content = _SealedContent(data={}, owners=(), documents=())
    if key is not None and stored.sealed_content is not None:
        content = key.open(stored.sealed_content, context=_context(user.id), type=_SealedContent)
    return KycProfile(
        user_id=user.id,
        type=user.type,
        data=content.data,
        owners=content.owners,
        documents=content.documents,
        version=stored.version,
    )


def _seed(user: User, at: datetime) -> _SealedContent:
    """Return the data submitted at creation, under the names of the contract."""
    profile = user.profile
    initial = {
        "firstName": user.first_name,
        "lastName": user.last_name,
        "businessName": user.business_name,
        "email": user.email,
        "dateOfBirth": profile.date_of_birth,
        "address": profile.address,
        "ipAddress": profile.ip_address,
    }
    owners = tuple(
        KycOwner(id=new_id(), data=msgspec.to_builtins(each), created_at=at, updated_at=at)
        for each in profile.ultimate_beneficial_owners
    )
    data = {name: value for name, value in initial.items() if value is not None}
    return _SealedContent(data=msgspec.to_builtins(data), owners=owners, documents=())


def _no_file(field: str) -> FieldInvalid:
    return FieldInvalid(f"{field}: there is no such file", field=field)


def _context(user_id: UUID) -> str:
    return f"kyc_profiles.content:{user_id}"
