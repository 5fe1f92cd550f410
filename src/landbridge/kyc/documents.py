"""What a caller tells about documents, put into a dossier. Pure. Source: contract, users 3.5."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any
from uuid import UUID

from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import as_uuid, new_id
from landbridge.kyc.fields import DOCUMENT
from landbridge.kyc.kinds import Context, changed
from landbridge.kyc.model import DOCUMENTS_MAX, Document, Dossier, SubType
from landbridge.kyc.words import BUSINESS_DOCUMENTS, INDIVIDUAL_DOCUMENTS
from landbridge.users.model import UserType

ADDED_MAX = 20
# In production a scan under 10 KB shows nothing that could be read; the sandbox takes dummies.
FILE_BYTES_MIN = 10 * 1024
_DESCRIBED = "OTHER"
# What is told at first and never changes.
_FIXED = ("type", "subType", "uboId")


def accepted(of: UserType) -> tuple[tuple[str, ...], tuple[SubType, ...]]:
    """The types of documents of a person (owners are persons) or a business, and their sides."""
    match of:
        case UserType.INDIVIDUAL:
            return INDIVIDUAL_DOCUMENTS, tuple(SubType)
        case UserType.BUSINESS:
            return BUSINESS_DOCUMENTS, (SubType.SINGLE_SIDE,)


def new_document_ids(told: Sequence[Mapping[str, Any]]) -> tuple[UUID, ...]:
    """An id for each new document; raises `FieldInvalid` unless there are 1 to `ADDED_MAX`."""
    if not 1 <= len(told) <= ADDED_MAX:
        raise FieldInvalid(f"the request body must have 1 to {ADDED_MAX} documents")
    return tuple(new_id() for _ in told)


def with_new_documents(
    dossier: Dossier,
    told: Sequence[Mapping[str, Any]],
    context: Context,
    *,
    ids: Sequence[UUID],
    at: datetime,
) -> tuple[Dossier, tuple[Document, ...]]:
    """The dossier with these documents under these ids, and them; all or none.

    Told again under the same ids, nothing is added.
    """
    if known := tuple(each for each in dossier.documents if each.id in ids):
        return dossier, known
    if len(dossier.documents) + len(told) > DOCUMENTS_MAX:
        raise FieldInvalid(f"a user has at most {DOCUMENTS_MAX} documents")
    added = tuple(
        _new(dossier, each, context, document_id=document_id, at=at, under=f"[{place}].")
        for place, (each, document_id) in enumerate(zip(told, ids, strict=True))
    )
    return replace(dossier, documents=(*dossier.documents, *added)), added


def with_document(
    dossier: Dossier, before: Document, told: Mapping[str, Any], context: Context, *, at: datetime
) -> tuple[Dossier, Document]:
    """The dossier with one document changed, and that document."""
    for name, value in zip(_FIXED, (before.type, before.sub_type, before.owner_id), strict=True):
        if told.get(name) is not None and told[name] != (None if value is None else str(value)):
            raise FieldInvalid(f"{name} of a document never changes", field=name)
    data = changed(DOCUMENT, _data(before), _swapped(before, told), context)
    document = _document(before, data, at=at, under="")
    document = before if replace(document, updated_at=before.updated_at) == before else document
    documents = tuple(document if each.id == document.id else each for each in dossier.documents)
    return replace(dossier, documents=documents), document


def told_files(told: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Each file that new documents name, with the name of the field."""
    for place, each in enumerate(told):
        if isinstance(file_id := each.get("fileId"), str):
            yield f"[{place}].fileId", file_id


def _new(
    dossier: Dossier,
    told: Mapping[str, Any],
    context: Context,
    *,
    document_id: UUID,
    at: datetime,
    under: str,
) -> Document:
    owner_id = _owner_id(dossier, told.get("uboId"), f"{under}uboId")
    types, sub_types = accepted(dossier.type if owner_id is None else UserType.INDIVIDUAL)
    blank = Document(
        id=document_id,
        owner_id=owner_id,
        type=_word(f"{under}type", told.get("type"), types),
        sub_type=SubType(_word(f"{under}subType", told.get("subType"), sub_types)),
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
    return _document(blank, changed(DOCUMENT, {}, told, context, under=under), at=at, under=under)


def _document(before: Document, data: Mapping[str, Any], *, at: datetime, under: str) -> Document:
    """The document with this data; the one place where its parts are held against each other."""
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


def _data(document: Document) -> dict[str, Any]:
    """A document under the names of the contract, without what is absent."""
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


def _swapped(before: Document, told: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is told, with the file going if a URL takes its place, and the other way round."""
    if before.file_id and told.get("url") is not None and "fileId" not in told:
        return {**told, "fileId": None}
    if before.url and told.get("fileId") is not None and "url" not in told:
        return {**told, "url": None}
    return told


def _owner_id(dossier: Dossier, told: Any, field: str) -> UUID | None:
    if told is None:
        return None
    if dossier.type is UserType.INDIVIDUAL:
        raise FieldInvalid(f"{field} does not belong to an individual", field=field)
    owner_id = as_uuid(told) if isinstance(told, str) else None
    if owner_id not in {owner.id for owner in dossier.owners}:
        raise FieldInvalid(f"{field} must be the id of an owner of this user", field=field)
    return owner_id


def _word(field: str, told: Any, words: Sequence[str]) -> str:
    if told is None:
        raise FieldInvalid(f"{field} is required", field=field)
    if not isinstance(told, str) or told not in words:
        raise FieldInvalid(f"{field} must be one of {', '.join(words)}", field=field)
    return told


def _date(data: Mapping[str, Any], name: str) -> date | None:
    return date.fromisoformat(data[name]) if name in data else None
