"""KYC data in responses, and its schemas in the OpenAPI document. Source: interface/kyc.

The members of a body or response depend on the user's type; schemas and responses are both built
from the tables of fields.
"""

from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Any

from landbridge.customers.kyc.documents import accepted
from landbridge.customers.kyc.field_types import (
    ChoiceFieldType,
    Kind,
    ListFieldType,
    PercentFieldType,
    QuestionnaireFieldType,
    Schema,
    TextFieldType,
    object_schema,
)
from landbridge.customers.kyc.fields import BUSINESS, BY_TYPE, DOCUMENT, INDIVIDUAL, OWNER, OWNERS
from landbridge.customers.kyc.model import OWNERS_MAX, Data, KycDocument, KycOwner, KycProfile
from landbridge.customers.users.model import UserType
from landbridge.platform.http.openapi import reference

_DOCUMENTS = "documents"
# Members that are omitted if they have no value; the reference never sends them as null.
_OMITTED = {"role", "roles", "businessTitle", "url"}
_ID: Schema = {"type": "string", "format": "uuid"}
_TEXT: Schema = {"type": "string"}
_NULL: Schema = {"type": "null"}


class KycExpand(StrEnum):
    """Members that a response contains as whole objects instead of ids."""

    OWNERS = OWNERS
    DOCUMENTS = _DOCUMENTS
    OWNER_DOCUMENTS = f"{OWNERS}.{_DOCUMENTS}"


def kyc_reply(dossier: KycProfile, expand: frozenset[KycExpand]) -> dict[str, Any]:
    """Return all KYC data of a user: every member of its type, null where no value is stored."""
    info = {"type": dossier.type, **_members(BY_TYPE[dossier.type], dossier.data)}
    if dossier.type is UserType.BUSINESS:
        # Documents of owners are nested in the owners, so the owners are expanded too.
        is_whole = bool(expand & {KycExpand.OWNERS, KycExpand.OWNER_DOCUMENTS})
        info[OWNERS] = [
            owner_reply(dossier, each, expand) if is_whole else each.id for each in dossier.owners
        ]
    info[_DOCUMENTS] = [
        document_reply(each) if KycExpand.DOCUMENTS in expand else each.id
        for each in dossier.documents
    ]
    return {"userId": dossier.user_id, "kycInfo": info}


def owner_reply(
    dossier: KycProfile, owner: KycOwner, expand: frozenset[KycExpand] = frozenset()
) -> dict[str, Any]:
    """Return an owner as a response, with the ids of its documents unless these are expanded."""
    is_whole = KycExpand.OWNER_DOCUMENTS in expand
    documents = dossier.documents_of(owner.id)
    return {
        "id": owner.id,
        **_members(OWNER, owner.data),
        _DOCUMENTS: [document_reply(each) if is_whole else each.id for each in documents],
    }


def document_reply(document: KycDocument) -> dict[str, Any]:
    """Return a document as a response."""
    return {
        "id": document.id,
        "type": document.type,
        "subType": document.sub_type,
        "issuedCountry": document.issued_country,
        "issuedDate": document.issued_date,
        "expiryDate": document.expiry_date,
        "number": document.number,
        "description": document.description,
        **({} if document.url is None else {"url": document.url}),
        "fileId": document.file_id,
        "uboId": document.owner_id,
    }


def _members(fields: Mapping[str, Kind], data: Data) -> dict[str, Any]:
    return {
        name: _shown(kind, data.get(name))
        for name, kind in fields.items()
        if name in data or name not in _OMITTED
    }


def _shown(kind: Kind, value: Any) -> Any:
    match kind:
        case _ if value is None:
            return None
        case QuestionnaireFieldType():
            return _members(kind.fields, value)
        case ListFieldType(is_joined=True):
            return ",".join(value)
        case PercentFieldType():
            return Decimal(value)
        case _:
            return value


def _reply_schema(fields: Mapping[str, Kind]) -> Schema:
    return {
        name: _value_schema(kind) if name in _OMITTED else {"oneOf": [_value_schema(kind), _NULL]}
        for name, kind in fields.items()
    }


def _value_schema(kind: Kind) -> Schema:
    """Return a response schema without formats: stored values need not meet those for input."""
    match kind:
        case ListFieldType(is_joined=True):
            return _TEXT
        case ListFieldType(each=each):
            return {"type": "array", "items": _value_schema(each)}
        case TextFieldType(form=form):
            return _TEXT | ({"format": form["format"]} if "format" in form else {})
        case QuestionnaireFieldType(fields=fields):
            return {"type": "object", "properties": _reply_schema(fields)}
        case _:
            return kind.schema()


def _objects(shape: str) -> Schema:
    """Return the schema of a list of ids, or of whole objects if they are expanded."""
    return {"type": "array", "items": {"oneOf": [_ID, reference(shape)]}}


def _document_schema(of: UserType, *, is_new: bool) -> Schema:
    schema = object_schema(DOCUMENT)
    if not is_new:
        return schema
    types, sub_types = accepted(of)
    fixed = {"type": ChoiceFieldType(types), "subType": ChoiceFieldType(tuple(sub_types))}
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
    """Return the schema of an object that omits at most the members of `_OMITTED`."""
    required = [name for name in properties if name not in _OMITTED]
    return {"type": "object", "properties": dict(properties), "required": required}


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
            OWNERS: {"type": "array", "items": _LISTED_OWNER, "maxItems": OWNERS_MAX},
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
