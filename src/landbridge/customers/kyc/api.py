"""Routes of KYC data: /v2/users/{userId}/kyc. Source: contract, users 3.2 and interface/kyc."""

from datetime import date
from typing import Annotated, Any, Protocol, TypeAlias, runtime_checkable
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.customers.kyc.documents import ADDED_MAX
from landbridge.customers.kyc.fields import OWNERS
from landbridge.customers.kyc.member_documents import BODY_BYTES_MAX
from landbridge.customers.kyc.model import KycDocument, KycOwner, KycProfile, Rail, Requirements
from landbridge.customers.kyc.schemas import KycExpand, document_reply, kyc_reply, owner_reply
from landbridge.customers.kyc.service import KycProfiles
from landbridge.customers.kyc.unknown_fields import (
    handle_unknown_document_fields,
    handle_unknown_fields,
    handle_unknown_owner_fields,
)
from landbridge.customers.users.model import User, UserType
from landbridge.customers.users.path_params import known_user
from landbridge.customers.users.service import Users
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import query, some_of
from landbridge.platform.http.list_query import parse_choices
from landbridge.platform.http.openapi import described_as
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import WireStruct
from landbridge.platform.idempotency.model import IdempotencyKey
from landbridge.platform.idempotency.service import IdempotencyKeys

_Members: TypeAlias = dict[str, Any]
_KycUpdate = Annotated[_Members, described_as("IndividualKycUpdate", "BusinessKycUpdate")]
_ToldOwner = Annotated[_Members, described_as("KycOwnerUpdate")]
_ToldDocuments = Annotated[
    list[_Members],
    described_as(
        "IndividualDocumentAdd", "BusinessDocumentAdd", are_listed=True, items_max=ADDED_MAX
    ),
]
_ToldDocument = Annotated[_Members, described_as("KycDocumentUpdate")]
_Kyc = Annotated[_Members, described_as("KycIndividual", "KycBusiness")]
_Owner = Annotated[_Members, described_as("KycOwner")]
_Owners = Annotated[_Members, described_as("KycOwnerList")]
_Document = Annotated[_Members, described_as("KycDocument")]
_Documents = Annotated[_Members, described_as("KycDocumentList")]

_Expand = Annotated[
    list[str] | None,
    query(
        "expand",
        some_of(KycExpand),
        description=f"Whole objects instead of ids: {', '.join(KycExpand)}; several with commas or "
        "by repetition.",
    ),
]
_Rails = Annotated[
    list[str] | None,
    query(
        "rails",
        {**some_of(Rail), "minItems": 1},
        description="One rail, or several with commas or by repetition.",
        is_required=True,
    ),
]


# Litestar runs an isinstance check on injected values.
@runtime_checkable
class RequirementsOperation(Protocol):
    """Interface that returns the requirements of a rail; the implementation adds review results."""

    async def requirements(
        self, org_id: UUID, rail: Rail, dossier: KycProfile, *, today: date
    ) -> Requirements:
        """Return the requirements of the rail for a user, and the violations."""
        ...


class RequirementsReply(WireStruct, frozen=True):
    """Requirements of a rail for a user; `invalid` is empty if there are no violations."""

    user_id: UUID
    rails: Rail
    type: UserType
    required: dict[str, Any]
    optional: dict[str, Any]
    invalid: dict[str, Any]


class KycRoutes(Controller):
    """Routes of the KYC data of a user."""

    path = "/v2/users/{userId:str}/kyc"
    tags = ("KYC",)

    @post(
        status_code=200,
        summary="Update KYC data",
        request_max_body_size=BODY_BYTES_MAX,
        operation_id="kyc.update",
    )
    async def update(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        data: _KycUpdate,
        users: NamedDependency[Users],
        kyc_profiles: NamedDependency[KycProfiles],
        expand: _Expand = None,
    ) -> _Kyc:
        """Change the given members; null removes a value."""
        expansions = parse_choices("expand", expand, KycExpand) or frozenset()
        user = await users.get(request.user.org_id, known_user(userId))
        handle_unknown_fields(request, user.type, data)
        return kyc_reply(
            await kyc_profiles.update(request.user, user, data, keeps_wrong_numbers=True),
            expansions,
        )

    @get(summary="Retrieve KYC data", operation_id="kyc.retrieve")
    async def retrieve(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        users: NamedDependency[Users],
        kyc_profiles: NamedDependency[KycProfiles],
        expand: _Expand = None,
    ) -> _Kyc:
        """Return every member of the user's type; members without a value are null."""
        expansions = parse_choices("expand", expand, KycExpand) or frozenset()
        _, dossier = await _read(request, userId, users, kyc_profiles)
        return kyc_reply(dossier, expansions)

    @get(
        "/requirements",
        summary="Retrieve KYC requirements",
        operation_id="kyc.retrieveRequirements",
    )
    async def requirements(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        users: NamedDependency[Users],
        kyc_profiles: NamedDependency[KycProfiles],
        verification: NamedDependency[RequirementsOperation],
        clock: NamedDependency[Clock],
        rails: _Rails = None,
    ) -> RequirementsReply | list[RequirementsReply]:
        """Return the requirements of a rail and the missing data; an array for several rails."""
        requested_rails = parse_choices("rails", rails, Rail)
        if not requested_rails:
            raise FieldInvalid("rails is required", field="rails")
        user, dossier = await _read(request, userId, users, kyc_profiles)
        today = clock.now(request.user.clock_offset).date()
        replies = [
            _requirements(
                user, await verification.requirements(user.org_id, rail, dossier, today=today)
            )
            for rail in Rail
            if rail in requested_rails
        ]
        return replies if len(replies) > 1 else replies[0]

    @post(
        "/ubos",
        status_code=200,
        summary="Add an owner",
        keyed=True,
        request_max_body_size=BODY_BYTES_MAX,
        operation_id="kyc.addOwner",
    )
    async def add_owner(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        data: _ToldOwner,
        users: NamedDependency[Users],
        kyc_profiles: NamedDependency[KycProfiles],
        idempotency_keys: NamedDependency[IdempotencyKeys],
    ) -> _Owner:
        """Adds an ultimate beneficial owner to a business."""
        user = await users.get(request.user.org_id, known_user(userId))
        handle_unknown_owner_fields(request, data)
        _check_business(user)

        async def load(key: IdempotencyKey) -> tuple[KycProfile, KycOwner]:
            dossier = await kyc_profiles.get(key.org_id, user)
            return dossier, dossier.owner(key.object_id)

        added = await idempotency_keys.run(
            request,
            data,
            lambda claim: kyc_profiles.add_owner(
                request.user, user, data, claim=claim, keeps_wrong_numbers=True
            ),
            load,
        )
        return owner_reply(*added)

    @get("/ubos", summary="List owners", operation_id="kyc.listOwners")
    async def owners(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        users: NamedDependency[Users],
        kyc_profiles: NamedDependency[KycProfiles],
    ) -> _Owners:
        """List all ultimate beneficial owners of a business."""
        user, dossier = await _read(request, userId, users, kyc_profiles)
        _check_business(user)
        return _list([owner_reply(dossier, each) for each in dossier.owners])

    @post(
        "/ubos/{uboId:str}",
        status_code=200,
        summary="Update an owner",
        request_max_body_size=BODY_BYTES_MAX,
        operation_id="kyc.updateOwner",
    )
    async def update_owner(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        uboId: FromPath[str],
        data: _ToldOwner,
        users: NamedDependency[Users],
        kyc_profiles: NamedDependency[KycProfiles],
    ) -> _Owner:
        """Change the given members; null removes a value."""
        user = await users.get(request.user.org_id, known_user(userId))
        handle_unknown_owner_fields(request, data)
        owner_id = known_id(uboId, "owner")
        return owner_reply(
            *await kyc_profiles.update_owner(
                request.user, user, owner_id, data, keeps_wrong_numbers=True
            )
        )

    @get("/ubos/{uboId:str}", summary="Retrieve an owner", operation_id="kyc.retrieveOwner")
    async def retrieve_owner(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        uboId: FromPath[str],
        users: NamedDependency[Users],
        kyc_profiles: NamedDependency[KycProfiles],
    ) -> _Owner:
        """One ultimate beneficial owner of this business."""
        _, dossier = await _read(request, userId, users, kyc_profiles)
        return owner_reply(dossier, dossier.owner(known_id(uboId, "owner")))

    @post(
        "/documents",
        status_code=200,
        summary="Add documents",
        keyed=True,
        request_max_body_size=BODY_BYTES_MAX,
        operation_id="kyc.addDocuments",
    )
    async def add_documents(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        data: _ToldDocuments,
        users: NamedDependency[Users],
        kyc_profiles: NamedDependency[KycProfiles],
        idempotency_keys: NamedDependency[IdempotencyKeys],
    ) -> _Documents:
        """Add 1 to 20 documents, all or none, and return the added documents."""
        user = await users.get(request.user.org_id, known_user(userId))
        handle_unknown_document_fields(request, *data)

        async def load(key: IdempotencyKey) -> tuple[KycDocument, ...]:
            dossier = await kyc_profiles.get(key.org_id, user)
            ids = key.result["documentIds"]
            return tuple(each for each in dossier.documents if str(each.id) in ids)

        added = await idempotency_keys.run(
            request,
            data,
            lambda claim: kyc_profiles.add_documents(request.user, user, data, claim=claim),
            load,
        )
        return _list([document_reply(each) for each in added])

    @get("/documents", summary="List documents", operation_id="kyc.listDocuments")
    async def documents(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        users: NamedDependency[Users],
        kyc_profiles: NamedDependency[KycProfiles],
    ) -> _Documents:
        """List all documents of the user, including documents of its owners."""
        _, dossier = await _read(request, userId, users, kyc_profiles)
        return _list([document_reply(each) for each in dossier.documents])

    @post(
        "/documents/{documentId:str}",
        status_code=200,
        summary="Update a document",
        request_max_body_size=BODY_BYTES_MAX,
        operation_id="kyc.updateDocument",
    )
    async def update_document(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        documentId: FromPath[str],
        data: _ToldDocument,
        users: NamedDependency[Users],
        kyc_profiles: NamedDependency[KycProfiles],
    ) -> _Document:
        """Changes the members that are given; type, subType and uboId never change."""
        user = await users.get(request.user.org_id, known_user(userId))
        handle_unknown_document_fields(request, data)
        document_id = known_id(documentId, "document")
        return document_reply(
            await kyc_profiles.update_document(request.user, user, document_id, data)
        )

    @get(
        "/documents/{documentId:str}",
        summary="Retrieve a document",
        operation_id="kyc.retrieveDocument",
    )
    async def retrieve_document(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        documentId: FromPath[str],
        users: NamedDependency[Users],
        kyc_profiles: NamedDependency[KycProfiles],
    ) -> _Document:
        """Return one document of the user or of one of its owners."""
        _, dossier = await _read(request, userId, users, kyc_profiles)
        return document_reply(dossier.document(known_id(documentId, "document")))


async def _read(
    request: ApiRequest, user_id: str, users: Users, dossiers: KycProfiles
) -> tuple[User, KycProfile]:
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
