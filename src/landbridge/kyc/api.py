"""Routes of KYC data: /v2/users/{userId}/kyc. Source: contract, users 3.2 and interface/kyc."""

from datetime import date
from typing import Annotated, Any, Protocol, TypeAlias, runtime_checkable
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from landbridge.core.clock import Clock
from landbridge.core.errors import FieldInvalid
from landbridge.kyc.fields import OWNERS
from landbridge.kyc.model import Dossier, Rail, Requirements
from landbridge.kyc.service import Dossiers
from landbridge.kyc.shapes import Expand, document_reply, kyc_reply, owner_reply
from landbridge.users.model import User, UserType
from landbridge.users.paths import known_user
from landbridge.users.service import Users
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import words
from landbridge.web.openapi import shaped
from landbridge.web.paths import known_id
from landbridge.web.reply import WireStruct

_Members: TypeAlias = dict[str, Any]
_Told = Annotated[_Members, shaped("IndividualKycUpdate", "BusinessKycUpdate")]
_ToldOwner = Annotated[_Members, shaped("KycOwnerUpdate")]
_ToldDocuments = Annotated[
    list[_Members], shaped("IndividualDocumentAdd", "BusinessDocumentAdd", are_listed=True)
]
_ToldDocument = Annotated[_Members, shaped("KycDocumentUpdate")]
_Kyc = Annotated[_Members, shaped("KycIndividual", "KycBusiness")]
_Owner = Annotated[_Members, shaped("KycOwner")]
_Owners = Annotated[_Members, shaped("KycOwnerList")]
_Document = Annotated[_Members, shaped("KycDocument")]
_Documents = Annotated[_Members, shaped("KycDocumentList")]

_Expand = Annotated[
    list[str] | None,
    QueryParameter(
        name="expand",
        description=f"Whole objects instead of ids: {', '.join(Expand)}; several with commas or "
        "by repetition.",
    ),
]
_Rails = Annotated[
    list[str] | None,
    QueryParameter(name="rails", description="One rail, or several with commas or by repetition."),
]


# Litestar asks whether what it injects is one.
@runtime_checkable
class Requiring(Protocol):
    """Says what a rail asks; reviews have a word in it, and they are above this package."""

    async def requirements(
        self, org_id: UUID, rail: Rail, dossier: Dossier, *, today: date
    ) -> Requirements:
        """What the rail asks of a user, and what is wrong."""
        ...


class RequirementsReply(WireStruct, frozen=True):
    """What a rail asks of a user; `invalid` is empty if nothing is wrong."""

    user_id: UUID
    rails: Rail
    type: UserType
    required: dict[str, Any]
    optional: dict[str, Any]
    invalid: dict[str, Any]


class KycRoutes(Controller):
    """What is told about a user for verification."""

    path = "/v2/users/{userId:str}/kyc"
    tags = ("KYC",)

    @post(status_code=200, summary="Update KYC data")
    async def update(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        data: _Told,
        users: NamedDependency[Users],
        dossiers: NamedDependency[Dossiers],
        expand: _Expand = None,
    ) -> _Kyc:
        """Changes the members that are given; null takes a value away."""
        wanted = words("expand", expand, Expand) or frozenset()
        user = await users.get(request.user.org_id, known_user(userId))
        return kyc_reply(await dossiers.update(request.user, user, data), wanted)

    @get(summary="Retrieve KYC data")
    async def retrieve(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        users: NamedDependency[Users],
        dossiers: NamedDependency[Dossiers],
        expand: _Expand = None,
    ) -> _Kyc:
        """Every member of the user's type, null where nothing was told."""
        wanted = words("expand", expand, Expand) or frozenset()
        _, dossier = await _read(request, userId, users, dossiers)
        return kyc_reply(dossier, wanted)

    @get("/requirements", summary="Retrieve KYC requirements")
    async def requirements(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        users: NamedDependency[Users],
        dossiers: NamedDependency[Dossiers],
        verification: NamedDependency[Requiring],
        clock: NamedDependency[Clock],
        rails: _Rails = None,
    ) -> RequirementsReply | list[RequirementsReply]:
        """What a rail asks of this user, and what is missing; an array for several rails."""
        wanted = words("rails", rails, Rail)
        if not wanted:
            raise FieldInvalid("rails is required", field="rails")
        user, dossier = await _read(request, userId, users, dossiers)
        today = clock.now(request.user.clock_offset).date()
        replies = [
            _requirements(
                user, await verification.requirements(user.org_id, rail, dossier, today=today)
            )
            for rail in Rail
            if rail in wanted
        ]
        return replies if len(replies) > 1 else replies[0]

    @post("/ubos", status_code=200, summary="Add an owner", unkeyed=True)
    async def add_owner(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: _ToldOwner,
        users: NamedDependency[Users],
        dossiers: NamedDependency[Dossiers],
    ) -> _Owner:
        """Adds an ultimate beneficial owner to a business."""
        user = await users.get(request.user.org_id, known_user(userId))
        _check_business(user)
        return owner_reply(*await dossiers.add_owner(request.user, user, data))

    @get("/ubos", summary="List owners")
    async def owners(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        users: NamedDependency[Users],
        dossiers: NamedDependency[Dossiers],
    ) -> _Owners:
        """All ultimate beneficial owners of a business."""
        user, dossier = await _read(request, userId, users, dossiers)
        _check_business(user)
        return _list([owner_reply(dossier, each) for each in dossier.owners])

    @post("/ubos/{uboId:str}", status_code=200, summary="Update an owner")
    async def update_owner(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        uboId: FromPath[str],
        data: _ToldOwner,
        users: NamedDependency[Users],
        dossiers: NamedDependency[Dossiers],
    ) -> _Owner:
        """Changes the members that are given; null takes a value away."""
        user = await users.get(request.user.org_id, known_user(userId))
        owner_id = known_id(uboId, "owner")
        return owner_reply(*await dossiers.update_owner(request.user, user, owner_id, data))

    @get("/ubos/{uboId:str}", summary="Retrieve an owner")
    async def retrieve_owner(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        uboId: FromPath[str],
        users: NamedDependency[Users],
        dossiers: NamedDependency[Dossiers],
    ) -> _Owner:
        """One ultimate beneficial owner of this business."""
        _, dossier = await _read(request, userId, users, dossiers)
        return owner_reply(dossier, dossier.owner(known_id(uboId, "owner")))

    @post("/documents", status_code=200, summary="Add documents", unkeyed=True)
    async def add_documents(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: _ToldDocuments,
        users: NamedDependency[Users],
        dossiers: NamedDependency[Dossiers],
    ) -> _Documents:
        """Adds 1 to 20 documents, all or none; the answer has those that were added."""
        user = await users.get(request.user.org_id, known_user(userId))
        added = await dossiers.add_documents(request.user, user, data)
        return _list([document_reply(each) for each in added])

    @get("/documents", summary="List documents")
    async def documents(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        users: NamedDependency[Users],
        dossiers: NamedDependency[Dossiers],
    ) -> _Documents:
        """All documents of the user, those of its owners among them."""
        _, dossier = await _read(request, userId, users, dossiers)
        return _list([document_reply(each) for each in dossier.documents])

    @post("/documents/{documentId:str}", status_code=200, summary="Update a document")
    async def update_document(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        documentId: FromPath[str],
        data: _ToldDocument,
        users: NamedDependency[Users],
        dossiers: NamedDependency[Dossiers],
    ) -> _Document:
        """Changes the members that are given; type, subType and uboId never change."""
        user = await users.get(request.user.org_id, known_user(userId))
        document_id = known_id(documentId, "document")
        return document_reply(await dossiers.update_document(request.user, user, document_id, data))

    @get("/documents/{documentId:str}", summary="Retrieve a document")
    async def retrieve_document(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        documentId: FromPath[str],
        users: NamedDependency[Users],
        dossiers: NamedDependency[Dossiers],
    ) -> _Document:
        """One document of the user or of one of its owners."""
        _, dossier = await _read(request, userId, users, dossiers)
        return document_reply(dossier.document(known_id(documentId, "document")))


async def _read(
    request: ApiRequest, user_id: str, users: Users, dossiers: Dossiers
) -> tuple[User, Dossier]:
    org_id = request.user.org_id
    user = await users.get(org_id, known_user(user_id))
    return user, await dossiers.get(org_id, user)


def _list(data: list[_Members]) -> _Members:
    return {"count": len(data), "data": data}


def _requirements(user: User, requirements: Requirements) -> RequirementsReply:
    return RequirementsReply(
        user_id=user.id,
        rails=requirements.rail,
        type=requirements.type,
        required=dict(requirements.required),
        optional=dict(requirements.optional),
        invalid=dict(requirements.invalid),
    )


def _check_business(user: User) -> None:
    if user.type is not UserType.BUSINESS:
        raise FieldInvalid(f"{OWNERS}: only a business has owners", field=OWNERS)
