"""KYC data as answers have it, and its shapes in the OpenAPI document. Source: interface/kyc.

Which members a body or an answer has depends on the user's type; the shapes are made from the
tables of fields, as the answers are.
"""

from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Any

from landbridge.kyc.documents import accepted
from landbridge.kyc.fields import BUSINESS, BY_TYPE, DOCUMENT, INDIVIDUAL, OWNER, OWNERS
from landbridge.kyc.kinds import Kind, Questionnaire, Schema, Several, Share, Words, object_schema
from landbridge.kyc.model import Data, Document, Dossier, Owner
from landbridge.users.model import UserType
from landbridge.web.openapi import reference

_DOCUMENTS = "documents"
_ID: Schema = {"type": "string", "format": "uuid"}
_TEXT: Schema = {"type": "string"}
_NULL: Schema = {"type": "null"}


class Expand(StrEnum):
    """What an answer has as whole objects instead of their ids."""

    OWNERS = OWNERS
    DOCUMENTS = _DOCUMENTS
    OWNER_DOCUMENTS = f"{OWNERS}.{_DOCUMENTS}"


def kyc_reply(dossier: Dossier, expand: frozenset[Expand]) -> dict[str, Any]:
    """All KYC data of a user: every member of its type, null where nothing was told."""
    info = {"type": dossier.type, **_members(BY_TYPE[dossier.type], dossier.data)}
    if dossier.type is UserType.BUSINESS:
        # Documents of owners are within the owners, who are therefore there too.
        is_whole = bool(expand & {Expand.OWNERS, Expand.OWNER_DOCUMENTS})
        info[OWNERS] = [
            owner_reply(dossier, each, expand) if is_whole else each.id for each in dossier.owners
        ]
    info[_DOCUMENTS] = [
        document_reply(each) if Expand.DOCUMENTS in expand else each.id
        for each in dossier.documents
    ]
    return {"userId": dossier.user_id, "kycInfo": info}


def owner_reply(
    dossier: Dossier, owner: Owner, expand: frozenset[Expand] = frozenset()
) -> dict[str, Any]:
    """An owner, with the ids of their documents."""
    is_whole = Expand.OWNER_DOCUMENTS in expand
    documents = dossier.documents_of(owner.id)
    return {
        "id": owner.id,
        **_members(OWNER, owner.data),
        _DOCUMENTS: [document_reply(each) if is_whole else each.id for each in documents],
    }


def document_reply(document: Document) -> dict[str, Any]:
    """A document."""
    return {
        "id": document.id,
        "type": document.type,
        "subType": document.sub_type,
        "issuedCountry": document.issued_country,
        "issuedDate": document.issued_date,
        "expiryDate": document.expiry_date,
        "number": document.number,
        "description": document.description,
        "url": document.url,
        "fileId": document.file_id,
        "uboId": document.owner_id,
    }


def _members(fields: Mapping[str, Kind], data: Data) -> dict[str, Any]:
    return {name: _shown(kind, data.get(name)) for name, kind in fields.items()}


def _shown(kind: Kind, value: Any) -> Any:
    match kind:
        case _ if value is None:
            return None
        case Questionnaire():
            return _members(kind.fields, value)
        case Several(is_joined=True):
            return ",".join(value)
        case Share():
            return Decimal(value)
        case _:
            return value


def _reply_schema(fields: Mapping[str, Kind]) -> Schema:
    shapes = {
        name: _TEXT if isinstance(kind, Several) and kind.is_joined else kind.schema()
        for name, kind in fields.items()
    }
    return {name: {"oneOf": [shape, _NULL]} for name, shape in shapes.items()}


def _objects(shape: str) -> Schema:
    """Ids, or whole objects where they are asked for."""
    return {"type": "array", "items": {"oneOf": [_ID, reference(shape)]}}


def _document_schema(of: UserType, *, is_new: bool) -> Schema:
    schema = object_schema(DOCUMENT)
    if not is_new:
        return schema
    types, sub_types = accepted(of)
    fixed = {"type": Words(types), "subType": Words(tuple(sub_types))}
    return {
        "type": "object",
        "properties": {**object_schema(fixed)["properties"], **schema["properties"], "uboId": _ID},
        "required": ["type", "subType", "issuedCountry"],
    }


def _info_schema(of: UserType, fields: Mapping[str, Kind]) -> Schema:
    info = {
        "type": {"type": "string", "const": of},
        **_reply_schema(fields),
        **({OWNERS: _objects("KycOwner")} if of is UserType.BUSINESS else {}),
        _DOCUMENTS: _objects("KycDocument"),
    }
    return _all_required({"userId": _ID, "kycInfo": _all_required(info)})


def _all_required(properties: Mapping[str, Schema]) -> Schema:
    return {"type": "object", "properties": dict(properties), "required": list(properties)}


def _list_schema(shape: str) -> Schema:
    data = {"type": "array", "items": reference(shape)}
    return _all_required({"count": {"type": "integer"}, "data": data})


_OWNER_UPDATE = object_schema(OWNER)
_LISTED_OWNER = {**_OWNER_UPDATE, "properties": {"id": _ID, **_OWNER_UPDATE["properties"]}}
_BUSINESS_UPDATE = object_schema(BUSINESS)

SCHEMAS: Mapping[str, Schema] = {
    "IndividualKycUpdate": object_schema(INDIVIDUAL),
    "BusinessKycUpdate": {
        **_BUSINESS_UPDATE,
        "properties": {
            **_BUSINESS_UPDATE["properties"],
            OWNERS: {"type": "array", "items": _LISTED_OWNER},
        },
    },
    "KycOwnerUpdate": _OWNER_UPDATE,
    "KycOwner": _all_required(
        {"id": _ID, **_reply_schema(OWNER), _DOCUMENTS: _objects("KycDocument")}
    ),
    "KycOwnerList": _list_schema("KycOwner"),
    "IndividualDocumentAdd": _document_schema(UserType.INDIVIDUAL, is_new=True),
    "BusinessDocumentAdd": _document_schema(UserType.BUSINESS, is_new=True),
    "KycDocumentUpdate": _document_schema(UserType.INDIVIDUAL, is_new=False),
    "KycDocument": _all_required(
        {
            "id": _ID,
            "type": _TEXT,
            "subType": _TEXT,
            **_reply_schema(DOCUMENT),
            "uboId": {"oneOf": [_ID, _NULL]},
        }
    ),
    "KycDocumentList": _list_schema("KycDocument"),
    "KycIndividual": _info_schema(UserType.INDIVIDUAL, INDIVIDUAL),
    "KycBusiness": _info_schema(UserType.BUSINESS, BUSINESS),
}
