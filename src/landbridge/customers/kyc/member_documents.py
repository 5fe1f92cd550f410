"""Documents that members of KYC data carry, such as `govIdFrontUrl`, and their files.

A member whose value is the id of a file is a document of the user or owner. It is added when the
member gets the file, and removed when the member gets another value.

KYC data has files in place of URLs as `data:` URI or base64; they are stored as files.
Guarantees: a request stores at most `INLINE_FILES_MAX` files of `INLINE_BYTES_MAX` each, all or
none; if the update that they belong to is rejected, they are deleted.
"""

import base64
import binascii
import copy
import re
import string
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, TypeAlias, cast
from uuid import UUID

from landbridge.customers.kyc.fields import OWNERS
from landbridge.customers.kyc.model import DOCUMENTS_MAX, Data, KycDocument, KycProfile, SubType
from landbridge.customers.users.model import UserType
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.core.ids import derived_id
from landbridge.platform.files.inspection import kind_of, suffix_of_kind
from landbridge.platform.files.model import file_uuid
from landbridge.platform.files.service import Files
from landbridge.platform.http.caller import Caller

# Members that name the country that issued a document; the first one present applies.
_OF_IDENTITY = ("govIdCountry", "nationality", "address", "country")
_OF_RESIDENCE = ("address", "nationality", "country")
_OF_COMPANY = ("incorporationCountry", "registeredAddress", "address")
_IDENTITY_TYPE = "govIdType"


@dataclass(frozen=True, slots=True)
class DocumentMember:
    """Document in a member. If `type` is None, the member `govIdType` has the type."""

    type: str | None
    sub_type: SubType = SubType.SINGLE_SIDE
    countries: tuple[str, ...] = _OF_RESIDENCE


_PERSON: Mapping[str, DocumentMember] = {
    "govIdFrontUrl": DocumentMember(None, SubType.FRONT_SIDE, _OF_IDENTITY),
    "govIdBackUrl": DocumentMember(None, SubType.BACK_SIDE, _OF_IDENTITY),
    "proofOfAddressUrl": DocumentMember("PROOF_OF_ADDRESS"),
    "supplementaryUrl": DocumentMember("OTHER"),
}
_COMPANY_TYPES = {
    "proofOfAddressUrl": "PROOF_OF_ADDRESS",
    "formationDocUrl": "FORMATION_CERT",
    "proofOfOwnershipUrl": "PROOF_OF_OWNERSHIP",
    "certificateOfRegistrationDocUrl": "REGISTRATION_CERT",
    "businessRegistrationDocUrl": "BUSINESS_REGISTRATION",
    "certificateOfIncorporationDocUrl": "INCORPORATION_CERT",
    "shareStructureUrl": "SHARE_STRUCTURE",
    "constitutionOrAnnualReportUrl": "CONSTITUTION_OR_ANNUAL_REPORT",
    "articlesOfAssociationUrl": "ARTICLES_OF_ASSOCIATION",
    "uboDeclarationUrl": "UBO_DECLARATION",
    "partnershipMinsOfMeetingUrl": "PARTNERSHIP_MINS_OF_MEETING",
    "partnershipDeedUrl": "PARTNERSHIP_DEED",
    "certificateOfIncumbencyUrl": "INCUMBENCY_CERT",
    "organizationStructureUrl": "ORGANIZATION_STRUCTURE",
    "sourceOfFundsUrl": "SOURCE_OF_FUNDS",
    "flowOfFundsUrl": "FLOW_OF_FUNDS",
    "supplementaryUrl": "OTHER",
}
OWNER_MEMBERS: Mapping[str, DocumentMember] = {
    **_PERSON,
    "authLetterUrl": DocumentMember("AUTH_LETTER"),
}
MEMBERS: Mapping[UserType, Mapping[str, DocumentMember]] = {
    UserType.INDIVIDUAL: {
        **_PERSON,
        "govIdHandHoldUrl": DocumentMember("SELFIE", countries=_OF_IDENTITY),
    },
    UserType.BUSINESS: {
        name: DocumentMember(type_, countries=_OF_COMPANY) for name, type_ in _COMPANY_TYPES.items()
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Holder:
    """Object with document members: the user (`owner_id` None) or an owner, before and after."""

    owner_id: UUID | None
    under: str
    members: Mapping[str, DocumentMember]
    before: Data
    after: Data


def with_member_documents(
    before: KycProfile,
    after: KycProfile,
    *,
    request_id: UUID,
    at: datetime,
    are_owners_listed: bool = True,
) -> KycProfile:
    """Return `after` with the documents of the members that differ from `before`.

    If `are_owners_listed` is False, the request is about one owner, and errors name its members
    without a prefix.
    Raises `FieldInvalid` if the type or the country of a document is not known.
    """
    documents = list(after.documents)
    for holder in _holders(before, after, are_owners_listed=are_owners_listed):
        for name, member in holder.members.items():
            old, new = _file(holder.before, name), _file(holder.after, name)
            if old == new:
                continue
            documents = [
                each
                for each in documents
                if old is None or (each.owner_id, each.file_id) != (holder.owner_id, old)
            ]
            has_it = any(
                (each.owner_id, each.file_id) == (holder.owner_id, new) for each in documents
            )
            if new is not None and not has_it:
                document_id = derived_id(request_id, f"{holder.owner_id}.{name}")
                documents.append(_document(holder, name, member, document_id=document_id, at=at))
    if len(documents) > max(DOCUMENTS_MAX, len(after.documents)):
        raise FieldInvalid(f"a user has at most {DOCUMENTS_MAX} documents")
    return replace(after, documents=tuple(documents))


def member_files(of: UserType, submitted: Data) -> Iterator[tuple[str, str]]:
    """Yield the id of each file that a user's members refer to, and the name of its field."""
    yield from _files(MEMBERS[of], submitted, "")
    for under, each in listed_owners(of, submitted):
        yield from owner_files(each, under)


def listed_owners(of: UserType, submitted: Data) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each submitted owner that is an object, after the prefix of its members in errors."""
    if of is not UserType.BUSINESS or not isinstance(listed := submitted.get(OWNERS), list):
        return
    for index, each in enumerate(cast("list[object]", listed)):
        if isinstance(each, dict):
            yield f"{OWNERS}[{index}].", cast("dict[str, Any]", each)


def owner_files(submitted: Data, under: str = "") -> Iterator[tuple[str, str]]:
    """Yield the id of each file that an owner's members refer to, and the name of its field."""
    yield from _files(OWNER_MEMBERS, submitted, under)


def _files(
    members: Mapping[str, DocumentMember], submitted: Data, under: str
) -> Iterator[tuple[str, str]]:
    for name in members:
        if (file_id := _file(submitted, name)) is not None:
            yield f"{under}{name}", file_id


def _holders(
    before: KycProfile, after: KycProfile, *, are_owners_listed: bool
) -> Iterator[_Holder]:
    yield _Holder(
        owner_id=None,
        under="",
        members=MEMBERS[after.type],
        before=before.data,
        after=after.data,
    )
    known = {each.id: each.data for each in before.owners}
    for index, owner in enumerate(after.owners):
        yield _Holder(
            owner_id=owner.id,
            under=f"{OWNERS}[{index}]." if are_owners_listed else "",
            members=OWNER_MEMBERS,
            before=known.get(owner.id, {}),
            after=owner.data,
        )


def _document(
    holder: _Holder, name: str, member: DocumentMember, *, document_id: UUID, at: datetime
) -> KycDocument:
    data, is_identity = holder.after, member.type is None
    type_ = member.type or data.get(_IDENTITY_TYPE)
    if type_ is None:
        raise _lacking(holder, name, _IDENTITY_TYPE)
    country = next(filter(None, (_country(data, each) for each in member.countries)), None)
    if country is None:
        raise _lacking(holder, name, member.countries[0])
    return KycDocument(
        id=document_id,
        owner_id=holder.owner_id,
        type=type_,
        sub_type=member.sub_type,
        issued_country=country,
        issued_date=_date(data, "govIdIssuanceDate") if is_identity else None,
        expiry_date=_date(data, "govIdExpirationDate") if is_identity else None,
        number=data.get("govIdNumber") if is_identity else None,
        description=name if type_ == "OTHER" else None,
        url=None,
        file_id=data[name],
        created_at=at,
        updated_at=at,
    )


def _lacking(holder: _Holder, name: str, needed: str) -> FieldInvalid:
    field = f"{holder.under}{needed}"
    return FieldInvalid(f"{field} is required with a file in {holder.under}{name}", field=field)


def _file(data: Data, name: str) -> str | None:
    value = data.get(name)
    return value if isinstance(value, str) and file_uuid(value) else None


def _country(data: Data, name: str) -> str | None:
    value = data.get(name)
    return cast("dict[str, str]", value)["country"] if isinstance(value, dict) else value


def _date(data: Data, name: str) -> date | None:
    return date.fromisoformat(data[name]) if name in data else None


# Source: contract, users 3.5: "3 MB for legacy *Url fields".
INLINE_BYTES_MAX = 3 * 1024 * 1024
INLINE_FILES_MAX = 20
# Two files of INLINE_BYTES_MAX as base64, which takes four thirds, and the data around them.
BODY_BYTES_MAX = 9_000_000

_DATA_URI = re.compile(r"data:([^,;]{0,100})(;[^,]{0,200})?,", re.IGNORECASE)
_BLANKS = string.whitespace.encode()
_URL, _FILE_ID = "url", "fileId"

_Members: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _InlineFile:
    """File content in a member of `holder`; `field` names it in errors, `put_as` takes its id."""

    holder: _Members
    name: str
    put_as: str
    field: str
    content: bytes
    declared: str | None


@asynccontextmanager
async def stored_members(
    files: Files, caller: Caller, submitted: Mapping[str, Any], of: UserType | None
) -> AsyncGenerator[Mapping[str, Any]]:
    """Store the files in a user's data (`of` None: an owner's); yield the data with file ids."""
    names = OWNER_MEMBERS if of is None else MEMBERS[of]
    members = dict(submitted)
    if isinstance(listed := members.get(OWNERS), list):
        owners = cast("list[Any]", listed)
        members[OWNERS] = [copy.copy(each) for each in owners]
    found = list(_found(members, names, ""))
    for under, each in () if of is None else listed_owners(of, members):
        found += _found(each, OWNER_MEMBERS, under)
    async with _stored(files, caller, found):
        yield members


@asynccontextmanager
async def stored_documents(
    files: Files, caller: Caller, submitted: Sequence[Mapping[str, Any]]
) -> AsyncGenerator[Sequence[Mapping[str, Any]]]:
    """Store the files in `url` of documents; yield the documents with `fileId` instead."""
    documents = [dict(each) for each in submitted]
    found = [
        file
        for index, each in enumerate(documents)
        for file in _found(each, (_URL,), f"[{index}].", put_as=_FILE_ID)
    ]
    async with _stored(files, caller, found):
        yield documents


@asynccontextmanager
async def _stored(
    files: Files, caller: Caller, found: Sequence[_InlineFile]
) -> AsyncGenerator[None]:
    if not found:
        yield
        return
    if len(found) > INLINE_FILES_MAX:
        raise FieldInvalid(
            f"a request may contain {INLINE_FILES_MAX} files; send the others in another one",
            field=found[INLINE_FILES_MAX].field,
        )
    ids: list[str] = []
    async with files.reserve_upload(caller.org_id):
        try:
            for each in found:
                ids.append(await _store(files, caller, each))
                del each.holder[each.name]
                each.holder[each.put_as] = ids[-1]
            yield
        except Refused:
            for file_id in ids:
                # Deletion is refused for a file that is in use after all.
                with suppress(Refused):
                    await files.delete(caller, file_id)
            raise


async def _store(files: Files, caller: Caller, file: _InlineFile) -> str:
    kind = kind_of(file.content)
    name = file.name + (suffix_of_kind(kind) if kind else "")
    try:
        stored = await files.add(caller, name=name, content=file.content, declared=file.declared)
    except FieldInvalid as error:
        raise FieldInvalid(f"{file.field}: the {error.message}", field=file.field) from error
    return stored.id


def _found(
    holder: _Members,
    names: Mapping[str, Any] | Sequence[str],
    under: str,
    put_as: str | None = None,
) -> Iterator[_InlineFile]:
    for name in names:
        value = holder.get(name)
        decoded = _decoded(f"{under}{name}", value) if isinstance(value, str) else None
        if decoded is not None:
            content, declared = decoded
            yield _InlineFile(holder, name, put_as or name, f"{under}{name}", content, declared)


def _decoded(field: str, value: str) -> tuple[bytes, str | None] | None:
    """Return content and declared type; None for a text that contains no file.

    A text contains a file if it is a `data:` URI, or base64 that begins like a known file type.
    """
    uri = _DATA_URI.match(value)
    if uri is None:
        content = _bytes(value)
        if content is None or kind_of(content) is None:
            return None
        _check_size(field, content)
        return content, None
    if (uri[2] or "").lower().rpartition(";")[2].strip() != "base64":
        raise FieldInvalid(f"{field}: a data URI must be base64-encoded", field=field)
    content = _bytes(value[uri.end() :])
    if content is None:
        raise FieldInvalid(f"{field}: the data URI is not valid base64", field=field)
    _check_size(field, content)
    return content, uri[1]


def _bytes(text: str) -> bytes | None:
    try:
        compact = text.encode("ascii").translate(None, _BLANKS)
        return base64.b64decode(compact + b"=" * (-len(compact) % 4), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        return None


def _check_size(field: str, content: bytes) -> None:
    if len(content) > INLINE_BYTES_MAX:
        raise FieldInvalid(
            f"{field}: the file has more than 3 MB; send it to POST /v2/files", field=field
        )
