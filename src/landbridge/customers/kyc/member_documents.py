"""Documents that members of KYC data carry, such as `govIdFrontUrl`. Pure.

A member whose value is the id of a file is a document of the user or owner. It is added when the
member gets the file, and removed when the member gets another value.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, cast
from uuid import UUID

from landbridge.customers.kyc.fields import OWNERS
from landbridge.customers.kyc.model import (
    DOCUMENTS_MAX,
    Data,
    KycDocument,
    KycProfile,
    SubType,
)
from landbridge.customers.users.model import UserType
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import derived_id
from landbridge.platform.files.model import file_uuid

# Members whose country is the one that issued a document, in this order.
_OF_IDENTITY = ("govIdCountry", "nationality", "address", "country")
_OF_RESIDENCE = ("address", "nationality", "country")
_OF_COMPANY = ("incorporationCountry", "registeredAddress", "address")
_IDENTITY_TYPE = "govIdType"


@dataclass(frozen=True, slots=True)
class DocumentMember:
    """Document that a member carries; `type` None is the one in `govIdType`."""

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

    `are_owners_listed` False: the request is about one owner, and errors name its members alone.
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
    """Each file that these members of a user name, with the name of the field."""
    yield from _files(MEMBERS[of], submitted, "")
    for under, each in listed_owners(of, submitted):
        yield from owner_files(each, under)


def listed_owners(of: UserType, submitted: Data) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each submitted owner that is an object, with the prefix of its members in errors."""
    if of is not UserType.BUSINESS or not isinstance(listed := submitted.get(OWNERS), list):
        return
    for index, each in enumerate(cast("list[object]", listed)):
        if isinstance(each, dict):
            yield f"{OWNERS}[{index}].", cast("dict[str, Any]", each)


def owner_files(submitted: Data, under: str = "") -> Iterator[tuple[str, str]]:
    """Each file that these members of an owner name, with the name of the field."""
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
