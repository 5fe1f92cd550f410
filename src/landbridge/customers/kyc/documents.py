"""Validation and storage of submitted documents in a KYC profile. Pure.

Source: contract, users 3.5.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any
from uuid import UUID

from landbridge.customers.kyc.enumerations import BUSINESS_DOCUMENTS, INDIVIDUAL_DOCUMENTS
from landbridge.customers.kyc.field_types import ValidationContext, changed
from landbridge.customers.kyc.fields import DOCUMENT
from landbridge.customers.kyc.model import DOCUMENTS_MAX, KycDocument, KycProfile, SubType
from landbridge.customers.users.model import UserType
from landbridge.platform.core.choices import case_hint
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import as_uuid, new_id

ADDED_MAX = 20
# In production a scan under 10 KB is not legible; the sandbox accepts dummy files.
FILE_BYTES_MIN = 10 * 1024
_DESCRIBED = "OTHER"
# Members set at creation, which never change.
_FIXED = ("type", "subType", "uboId")


def accepted(of: UserType) -> tuple[tuple[str, ...], tuple[SubType, ...]]:
    """Return the accepted document types and sides for a person (or owner) or a business."""
    match of:
        case UserType.INDIVIDUAL:
            return tuple(INDIVIDUAL_DOCUMENTS), tuple(SubType)
        case UserType.BUSINESS:
            return tuple(BUSINESS_DOCUMENTS), (SubType.SINGLE_SIDE,)


def new_document_ids(submitted: Sequence[Mapping[str, Any]]) -> tuple[UUID, ...]:
    """Return an id per new document; raise `FieldInvalid` unless there are 1 to `ADDED_MAX`."""
    if not 1 <= len(submitted) <= ADDED_MAX:
        raise FieldInvalid(f"the request body must have 1 to {ADDED_MAX} documents")
    return tuple(new_id() for _ in submitted)


def with_new_documents(
    dossier: KycProfile,
    submitted: Sequence[Mapping[str, Any]],
    context: ValidationContext,
    *,
    ids: Sequence[UUID],
    at: datetime,
) -> tuple[KycProfile, tuple[KycDocument, ...]]:
    """Return the KYC profile with these documents under these ids, and the documents; all or none.

    Repeating the call with the same ids adds nothing.
    """
    if known := tuple(each for each in dossier.documents if each.id in ids):
        return dossier, known
    if len(dossier.documents) + len(submitted) > DOCUMENTS_MAX:
        raise FieldInvalid(f"a user has at most {DOCUMENTS_MAX} documents")
    added = tuple(
        _new(dossier, each, context, document_id=document_id, at=at, under=f"[{index}].")
        for index, (each, document_id) in enumerate(zip(submitted, ids, strict=True))
    )
    return replace(dossier, documents=(*dossier.documents, *added)), added


def with_document(
    dossier: KycProfile,
    before: KycDocument,
    submitted: Mapping[str, Any],
    context: ValidationContext,
    *,
    at: datetime,
) -> tuple[KycProfile, KycDocument]:
    """Return the KYC profile with one changed document, and that document."""
    for name, value in zip(_FIXED, (before.type, before.sub_type, before.owner_id), strict=True):
        if submitted.get(name) is not None and submitted[name] != (
            None if value is None else str(value)
        ):
            raise FieldInvalid(f"{name} of a document never changes", field=name)
    data = changed(DOCUMENT, _data(before), _swapped(before, submitted), context)
    document = _document(before, data, at=at, under="")
    document = before if replace(document, updated_at=before.updated_at) == before else document
    documents = tuple(document if each.id == document.id else each for each in dossier.documents)
    return replace(dossier, documents=documents), document


def file_references(submitted: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the id of each file that new documents refer to, and the name of its field."""
    for index, each in enumerate(submitted):
        if isinstance(file_id := each.get("fileId"), str):
            yield f"[{index}].fileId", file_id


def _new(
    dossier: KycProfile,
    submitted: Mapping[str, Any],
    context: ValidationContext,
    *,
    document_id: UUID,
    at: datetime,
    under: str,
) -> KycDocument:
    owner_id = _owner_id(dossier, submitted.get("uboId"), f"{under}uboId")
    types, sub_types = accepted(dossier.type if owner_id is None else UserType.INDIVIDUAL)
    blank = KycDocument(
        id=document_id,
        owner_id=owner_id,
        type=_word(f"{under}type", submitted.get("type"), types),
        sub_type=SubType(_word(f"{under}subType", submitted.get("subType"), sub_types)),
        issued_country="",
        issued_date=None,
        expiry_date=None,
        number=None,
        description=None,
        url=None,
        file_id=None,
        created_at=at,
        updated_at=at,
    )
    return _document(
        blank, changed(DOCUMENT, {}, submitted, context, under=under), at=at, under=under
    )


def _document(
    before: KycDocument, data: Mapping[str, Any], *, at: datetime, under: str
) -> KycDocument:
    """Build a document from its data, after checking its members against each other."""
    if "issuedCountry" not in data:
        raise FieldInvalid(f"{under}issuedCountry is required", field=f"{under}issuedCountry")
    if before.type == _DESCRIBED and "description" not in data:
        raise FieldInvalid(
            f"{under}description is required for type {_DESCRIBED}", field=f"{under}description"
        )
    if ("url" in data) == ("fileId" in data):
        raise FieldInvalid(
            f"{under}fileId or {under}url is required, and only one of them", field=f"{under}fileId"
        )
    issued, expiry = _date(data, "issuedDate"), _date(data, "expiryDate")
    if issued and expiry and issued >= expiry:
        raise FieldInvalid(
            f"{under}expiryDate must be after issuedDate", field=f"{under}expiryDate"
        )
    return replace(
        before,
        issued_country=data["issuedCountry"],
        issued_date=issued,
        expiry_date=expiry,
        number=data.get("number"),
        description=data.get("description"),
        url=data.get("url"),
        file_id=data.get("fileId"),
        updated_at=at,
    )


def _data(document: KycDocument) -> dict[str, Any]:
    """Return a document under the member names of the contract, without absent members."""
    data = {
        "issuedCountry": document.issued_country,
        "issuedDate": document.issued_date and document.issued_date.isoformat(),
        "expiryDate": document.expiry_date and document.expiry_date.isoformat(),
        "number": document.number,
        "description": document.description,
        "url": document.url,
        "fileId": document.file_id,
    }
    return {name: value for name, value in data.items() if value is not None}


def _swapped(before: KycDocument, submitted: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the submitted members, where a URL replaces the file and a file replaces the URL."""
    if before.file_id and submitted.get("url") is not None and "fileId" not in submitted:
        return {**submitted, "fileId": None}
    if before.url and submitted.get("fileId") is not None and "url" not in submitted:
        return {**submitted, "url": None}
    return submitted


def _owner_id(dossier: KycProfile, value: Any, field: str) -> UUID | None:
    if value is None:
        return None
    if dossier.type is UserType.INDIVIDUAL:
        raise FieldInvalid(f"{field} does not belong to an individual", field=field)
    owner_id = as_uuid(value) if isinstance(value, str) else None
    if owner_id not in {owner.id for owner in dossier.owners}:
        raise FieldInvalid(f"{field} must be the id of an owner of this user", field=field)
    return owner_id


def _word(field: str, value: Any, choices: Sequence[str]) -> str:
    if value is None:
        raise FieldInvalid(f"{field} is required", field=field)
    if not isinstance(value, str) or value not in choices:
        raise FieldInvalid(
            f"{field} must be one of {', '.join(choices)}{case_hint(value, choices)}", field=field
        )
    return value


def _date(data: Mapping[str, Any], name: str) -> date | None:
    return date.fromisoformat(data[name]) if name in data else None
