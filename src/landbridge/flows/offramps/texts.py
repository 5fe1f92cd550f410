"""Free texts and documents of payouts: sealed under the data key of whose coins are paid out.

Guarantees: none of them is in the record, its request or the log of changes. What a replay is
compared by is a digest under a key that is made from the user's, so that it tells nothing once the
user is erased; the texts themselves, and the files that they name, go with the user.
"""

import hmac
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any, cast
from uuid import UUID

import msgspec

from landbridge.core.errors import FieldInvalid
from landbridge.db.pool import Database, Tx
from landbridge.files.service import Files
from landbridge.flows.offramps import store
from landbridge.privacy.keys import key_of
from landbridge.privacy.service import DataKey, Vault

# The members of a request that are texts, by the member that they stand in. Words of a published
# list (what it is for, the type of a document) say nothing about anybody, and stay.
_PRIVATE: Mapping[str, tuple[str, ...]] = {
    "": (
        "supportingDocumentUrl",
        "description",
        "supportingInformation",
    ),
    "destination": (
        "achReference",
        "sepaReference",
        "wireMessage",
        "paymentReference",
        "swiftReference",
    ),
}


class Texts(msgspec.Struct, frozen=True, kw_only=True):
    """What was told with a payout; `references` by their names in the contract."""

    references: dict[str, str] = {}
    description: str | None = None
    document_type: str | None = None
    document_url: str | None = None
    # As it was told, with the members of the contract.
    supporting: dict[str, Any] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was told."""
        return self == Texts()

    @property
    def file_ids(self) -> list[str]:
        """The files that documents name, in order."""
        documents = cast("list[dict[str, Any]]", (self.supporting or {}).get("documents", []))
        return list(dict.fromkeys(each["fileId"] for each in documents))


class TextArchive:
    """Keeps the texts of offramps."""

    def __init__(self, database: Database, vault: Vault, files: Files) -> None:
        self._database = database
        self._vault = vault
        self._files = files

    async def without_texts(
        self, org_id: UUID, user_id: UUID, request: dict[str, Any]
    ) -> dict[str, Any]:
        """The request with a digest in place of each text: what is stored, and replays must equal.

        The same for the same user and text; nothing at all of a user who was erased.
        """
        if not any(True for _ in _private(request)):
            return request
        key = await self._database.transact(lambda tx: self._vault.find(tx, org_id, user_id))
        under = None if key is None else key.derive("offramps.request")
        blank: dict[str, Any] = {
            name: dict(cast("dict[str, Any]", value)) if isinstance(value, dict) else value
            for name, value in request.items()
        }
        for place, name, value in _private(request):
            inside = blank[place] if place else blank
            inside[name] = None if under is None else _digest(under, value)
        return blank

    async def keep(
        self, tx: Tx, org_id: UUID, transfer_id: UUID, user_id: UUID, texts: Texts
    ) -> None:
        """Store the texts of an offramp that was opened just now, and keep the files they name.

        Raises `FieldInvalid` for a file that is not there, and `UserFrozen` if the user was erased
        since the offramp was drafted.
        """
        key = await key_of(self._vault, tx, org_id, user_id)
        if missing := await self._files.claim(tx, org_id, texts.file_ids):
            place = texts.file_ids.index(min(missing, key=texts.file_ids.index))
            field = f"supportingInformation.documents[{place}].fileId"
            raise FieldInvalid(f"{field}: there is no such file", field=field)
        await store.add(
            tx,
            org_id,
            transfer_id,
            user_id=user_id,
            sealed_texts=key.seal(texts, context=_context(transfer_id)),
            file_ids=texts.file_ids,
        )
        # The row holds its user: who is being erased was so before, or waits for us.
        await key_of(self._vault, tx, org_id, user_id)

    async def of(self, org_id: UUID, transfer_id: UUID, user_id: UUID) -> Texts:
        """What was told with an offramp; empty if nothing was, or the user was erased."""

        async def read(tx: Tx) -> tuple[bytes | None, DataKey | None]:
            sealed = await store.find(tx, org_id, transfer_id)
            return sealed, await self._vault.find(tx, org_id, user_id)

        sealed, key = await self._database.transact(read)
        if sealed is None or key is None:
            return Texts()
        return key.open(sealed, context=_context(transfer_id), type=Texts)

    async def forget(self, tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
        """Destroy the texts of a user's offramps and the files they name; part of erasing."""
        del at  # nothing is told: the records stay as they were
        await self._files.erase(tx, org_id, await store.files_of_user(tx, org_id, user_id))
        await store.forget(tx, org_id, user_id)


def _private(request: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    """Each text that a request has: where it stands, its name and its value."""
    return [
        (place, name, inside[name])
        for place, names in _PRIVATE.items()
        for inside in [cast("Mapping[str, Any]", request.get(place, {}) if place else request)]
        for name in names
        if name in inside
    ]


def _digest(key: bytes, value: Any) -> str:
    told = msgspec.json.encode(value, order="deterministic")
    return hmac.digest(key, told, sha256).hex()


def _context(transfer_id: UUID) -> str:
    return f"offramp_texts:{transfer_id}"
