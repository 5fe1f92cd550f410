"""Free texts and documents of payouts, sealed under the data key of the paying user.

Guarantees: no text is in the record, its request or the change log. A replay is compared by a
digest under a key derived from the user's key, so the digest reveals nothing once the user is
erased. The texts, and the files that they name, are erased with the user.
"""

import hmac
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any, cast
from uuid import UUID

import msgspec

from landbridge.customers.kyc.user_files import UserFiles
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.encryption.user_keys import key_of
from landbridge.platform.files.service import Files

_ADD = """
insert into offramp_texts (org_id, transfer_id, user_id, sealed_texts, file_ids)
values ($1, $2, $3, $4, $5)
"""

_FIND = "select sealed_texts from offramp_texts where org_id = $1 and transfer_id = $2"

_OF_USER = "select file_ids from offramp_texts where org_id = $1 and user_id = $2"

_FORGET = "delete from offramp_texts where org_id = $1 and user_id = $2"

# Text fields of a request that are sealed, by parent field. Values of a published list (purpose,
# document type) identify nobody and stay in the request.
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


class PayoutTexts(msgspec.Struct, frozen=True, kw_only=True):
    """Texts submitted with a payout; the keys of `references` are field names of the contract."""

    references: dict[str, str] = {}
    description: str | None = None
    document_type: str | None = None
    document_url: str | None = None
    # Supporting information as submitted, with the field names of the contract.
    supporting: dict[str, Any] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no text was submitted."""
        return self == PayoutTexts()

    @property
    def file_ids(self) -> list[str]:
        """The files that documents name, in order."""
        documents = cast("list[dict[str, Any]]", (self.supporting or {}).get("documents", []))
        return list(dict.fromkeys(each["fileId"] for each in documents))


class TextArchive:
    """Stores, reads and erases the texts of offramps."""

    def __init__(self, database: Database, vault: Vault, files: Files) -> None:
        self._database = database
        self._vault = vault
        self._files = UserFiles(files)

    async def without_texts(
        self, org_id: UUID, user_id: UUID, request: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the request with a digest in place of each text.

        This form is stored with the record, and replays are compared with it: the same user and
        text give the same digest. No text matches the digests of an erased user.
        """
        if not any(True for _ in _private(request)):
            return request
        key = await self._database.read(lambda tx: self._vault.find(tx, org_id, user_id))
        under = None if key is None else key.derive("offramps.request")
        redacted: dict[str, Any] = {
            name: dict(cast("dict[str, Any]", value)) if isinstance(value, dict) else value
            for name, value in request.items()
        }
        for path, name, value in _private(request):
            inside = redacted[path] if path else redacted
            inside[name] = None if under is None else _digest(under, value)
        return redacted

    async def check_files(self, org_id: UUID, user_id: UUID, texts: PayoutTexts) -> None:
        """Raise `FieldInvalid` for a file that does not exist, or is used for another user."""
        if file_ids := texts.file_ids:
            refusals = await self._database.read(
                lambda tx: self._files.find_refusals(tx, org_id, user_id, file_ids)
            )
            _refuse(texts, refusals)

    async def keep(
        self, tx: Tx, org_id: UUID, transfer_id: UUID, user_id: UUID, texts: PayoutTexts
    ) -> None:
        """Store the texts of a new offramp, and retain the files they name.

        Raises the errors of `check_files`, and `UserFrozen` if the user was erased since the
        offramp was drafted.
        """
        key = await key_of(self._vault, tx, org_id, user_id)
        _refuse(texts, await self._files.claim(tx, org_id, user_id, texts.file_ids))
        sealed = key.seal(texts, context=_context(transfer_id))
        await tx.execute(_ADD, org_id, transfer_id, user_id, sealed, texts.file_ids)
        # The insert locks the user's row, so an erasure has either finished before, or waits for
        # this transaction.
        await key_of(self._vault, tx, org_id, user_id)

    async def of(self, org_id: UUID, transfer_id: UUID, user_id: UUID) -> PayoutTexts:
        """Return the texts of an offramp; empty if there are none, or the user was erased."""

        async def read(tx: Tx) -> tuple[bytes | None, DataKey | None]:
            sealed = await tx.fetchval(_FIND, org_id, transfer_id)
            return sealed, await self._vault.find(tx, org_id, user_id)

        sealed, key = await self._database.read(read)
        if sealed is None or key is None:
            return PayoutTexts()
        return key.open(sealed, context=_context(transfer_id), type=PayoutTexts)

    async def forget(self, tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
        """Erase the texts of a user's offramps and the files they name."""
        del at  # no event is emitted: the records do not change
        rows = await tx.fetch(_OF_USER, org_id, user_id)
        named = [file_id for row in rows for file_id in row["file_ids"]]
        await self._files.erase(tx, org_id, user_id, named)
        await tx.execute(_FORGET, org_id, user_id)


def _refuse(texts: PayoutTexts, refusals: Mapping[str, str]) -> None:
    """Raise `FieldInvalid` for the first refused file, if any; `refusals` has reasons by file."""
    for position, file_id in enumerate(texts.file_ids):
        if file_id in refusals:
            field = f"supportingInformation.documents[{position}].fileId"
            raise FieldInvalid(f"{field}: {refusals[file_id]}", field=field)


def _private(request: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    """Return the parent, field name and value of each text of a request."""
    return [
        (path, name, inside[name])
        for path, names in _PRIVATE.items()
        for inside in [cast("Mapping[str, Any]", request.get(path, {}) if path else request)]
        for name in names
        if name in inside
    ]


def _digest(key: bytes, value: Any) -> str:
    submitted = msgspec.json.encode(value, order="deterministic")
    return hmac.digest(key, submitted, sha256).hex()


def _context(transfer_id: UUID) -> str:
    return f"offramp_texts:{transfer_id}"
