"""Routes of users: /v2/users. Source: contract, users 2 and interface/user."""

from collections.abc import Sequence
from dataclasses import fields
from datetime import date
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec.structs import asdict

from landbridge.customers.users.model import BusinessOwner, User, UserCard, UserType
from landbridge.customers.users.path_params import known_user
from landbridge.customers.users.schemas import UserReply, user_reply
from landbridge.customers.users.search import UserFilters
from landbridge.customers.users.service import DEFAULT_CHAINS, FreezeState, Users
from landbridge.customers.users.validation import UserDetails
from landbridge.customers.wallets.service import Wallets
from landbridge.platform.core.errors import FieldInvalid, InvariantBroken
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.formats.addresses import Address
from landbridge.platform.formats.schemas import EmailText, IpText, LineText, NameText
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import one_of, query, with_schema
from landbridge.platform.http.list_query import parse_choice
from landbridge.platform.http.request_decoding import request_values
from landbridge.platform.http.responses import Moment, WireStruct, moment, reply_of
from landbridge.platform.metadata.model import (
    Metadata,
    MetadataChanges,
    MetadataFilter,
    parse_pairs,
)
from landbridge.providers.chains.tokens import Chain

# Most elements of a list of chains, of which only four exist.
_CHAINS_MAX = 20
_DETAIL_FIELDS = frozenset(field.name for field in fields(UserDetails))

_Chains = Annotated[list[Chain], with_schema({"minItems": 1, "maxItems": _CHAINS_MAX})]


class NewIndividual(WireStruct, frozen=True, tag_field="type", tag="individual"):
    """New person. `address` or `ipAddress` is required."""

    first_name: NameText
    last_name: NameText
    email: EmailText
    date_of_birth: date
    signed_agreement_id: UUID
    request_id: UUID | None = None
    chains: _Chains | None = None
    address: Address | None = None
    ip_address: IpText | None = None
    metadata: Metadata | None = None


class NewBusiness(WireStruct, frozen=True, tag_field="type", tag="business"):
    """New business. At least one owner has control, at least one is a signer.

    Without owners they are added to its KYC data, before it is submitted.
    """

    business_name: NameText
    email: EmailText
    signed_agreement_id: UUID
    ultimate_beneficial_owners: tuple[BusinessOwner, ...] | None = None
    request_id: UUID | None = None
    chains: _Chains | None = None
    address: Address | None = None
    ip_address: IpText | None = None
    metadata: Metadata | None = None


class UserUpdate(WireStruct, frozen=True):
    """Changes to a user; absent members and keys of `metadata` stay unchanged."""

    type: UserType | None = None
    first_name: NameText | None = None
    last_name: NameText | None = None
    business_name: NameText | None = None
    email: EmailText | None = None
    date_of_birth: date | None = None
    address: Address | None = None
    ip_address: IpText | None = None
    ultimate_beneficial_owners: tuple[BusinessOwner, ...] | None = None
    signed_agreement_id: UUID | None = None
    metadata: MetadataChanges | None = None


class AddChains(WireStruct, frozen=True):
    """Chains on which to open wallets."""

    chains: _Chains


class FreezeRequest(WireStruct, frozen=True):
    """Reason for the freeze, for internal records; stored encrypted."""

    reason: LineText | None = None


class FreezeReply(WireStruct, frozen=True):
    """Freeze state of a user, with its time and reason."""

    user_id: UUID
    frozen: bool
    frozen_at: Moment | None
    reason: str | None


class ErasureReply(WireStruct, frozen=True):
    """Time at which the personal data of a user was erased."""

    user_id: UUID
    erased_at: Moment


class UserPageReply(WireStruct, frozen=True):
    """Page of users, newest first; pass `nextCursor` as `createdBefore`."""

    count: int
    users: list[UserReply]
    next_cursor: Moment | msgspec.UnsetType = msgspec.UNSET


class UserRoutes(Controller):
    """Routes to create, retrieve and change users."""

    path = "/v2/users"
    tags = ("Users",)

    @post(status_code=200, summary="Create a user", operation_id="users.create")
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewIndividual | NewBusiness],
        users: NamedDependency[Users],
        wallets: NamedDependency[Wallets],
    ) -> UserReply:
        """Create the user and a wallet on each of `chains` (default POLYGON and ETHEREUM)."""
        user = await users.create(
            request.user,
            particulars(data),
            agreement_id=data.signed_agreement_id,
            chains=_chains(data.chains),
            request_id=data.request_id,
            request=request_values(data),
        )
        return await _reply(wallets, user)

    @get(summary="List users", costly=True, operation_id="users.list")
    async def page(
        self,
        request: ApiRequest,
        *,
        users: NamedDependency[Users],
        wallets: NamedDependency[Wallets],
        window: NamedDependency[PageWindow],
        type_: Annotated[str | None, query("type", one_of(UserType))] = None,
        first_name: Annotated[str | None, QueryParameter(name="firstName")] = None,
        last_name: Annotated[str | None, QueryParameter(name="lastName")] = None,
        business_name: Annotated[str | None, QueryParameter(name="businessName")] = None,
        email: Annotated[str | None, QueryParameter(name="email")] = None,
        metadata: MetadataFilter = None,
    ) -> UserPageReply:
        """List users, newest first; names and e-mail match partially and ignore case.

        A search over many users may end a page early: continue while there is a `nextCursor`.
        """
        org_id = request.user.org_id
        kind = None if type_ is None else parse_choice("type", type_, UserType)
        pairs = parse_pairs(metadata)
        filters = UserFilters(kind, first_name, last_name, business_name, email, pairs)
        found = await users.page(org_id, filters, window)
        of_users = await wallets.of_users(org_id, [user.id for user in found.users])
        return UserPageReply(
            count=len(found.users),
            users=[user_reply(user, of_users[user.id]) for user in found.users],
            next_cursor=msgspec.UNSET if found.next_cursor is None else moment(found.next_cursor),
        )

    @get("/{userId:str}", summary="Retrieve a user", operation_id="users.retrieve")
    async def retrieve(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        users: NamedDependency[Users],
        wallets: NamedDependency[Wallets],
    ) -> UserReply:
        """One user with its wallets."""
        return await _reply(wallets, await users.get(request.user.org_id, known_user(userId)))

    @post("/{userId:str}", status_code=200, summary="Update a user", operation_id="users.update")
    async def update(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: JSONBody[UserUpdate],
        users: NamedDependency[Users],
        wallets: NamedDependency[Wallets],
    ) -> UserReply:
        """Changes the members that are given."""
        user = await users.update(
            request.user,
            known_user(userId),
            particulars(data),
            agreement_id=data.signed_agreement_id,
        )
        return await _reply(wallets, user)

    @post(
        "/{userId:str}/wallets/add",
        status_code=200,
        summary="Add wallets on more chains",
        operation_id="wallets.addChains",
    )
    async def add_wallets(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: JSONBody[AddChains],
        users: NamedDependency[Users],
        wallets: NamedDependency[Wallets],
    ) -> UserReply:
        """Open wallets on `chains`; existing wallets stay unchanged."""
        user = await users.add_wallets(request.user, known_user(userId), _chains(data.chains))
        return await _reply(wallets, user)

    @post(
        "/{userId:str}/freeze",
        status_code=200,
        summary="Freeze a user",
        operation_id="users.freeze",
    )
    async def freeze(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: JSONBody[FreezeRequest],
        users: NamedDependency[Users],
    ) -> FreezeReply:
        """Freeze a user: reads only; a repeated call returns the same response.

        A frozen user can make no payments and open no wallets or accounts.
        """
        frozen = await users.freeze(request.user, known_user(userId), reason=data.reason)
        return _freeze(frozen)

    @get(
        "/{userId:str}/freeze",
        summary="Whether a user is frozen",
        operation_id="users.retrieveFreeze",
    )
    async def freeze_of(
        self, request: ApiRequest, userId: FromPath[str], users: NamedDependency[Users]
    ) -> FreezeReply:
        """Return the freeze state, its time and reason."""
        return _freeze(await users.freeze_of(request.user.org_id, known_user(userId)))

    @post(
        "/{userId:str}/unfreeze",
        status_code=200,
        summary="Unfreeze a user",
        operation_id="users.unfreeze",
    )
    async def unfreeze(
        self, request: ApiRequest, userId: FromPath[str], users: NamedDependency[Users]
    ) -> FreezeReply:
        """Unfreeze the user, who may move money again."""
        return _freeze(await users.unfreeze(request.user, known_user(userId)))

    @delete(
        "/{userId:str}/personal-data",
        status_code=200,
        summary="Erase personal data",
        operation_id="users.erasePersonalData",
    )
    async def erase(
        self, request: ApiRequest, userId: FromPath[str], users: NamedDependency[Users]
    ) -> ErasureReply:
        """Erase permanently; the user must be frozen, with no balance and no pending payments."""
        user = await users.erase(request.user, known_user(userId))
        if user.erased_at is None:
            raise InvariantBroken(f"user {user.id} was not erased")
        return ErasureReply(user_id=user.id, erased_at=moment(user.erased_at))


async def _reply(wallets: Wallets, user: UserCard) -> UserReply:
    of_users = await wallets.of_users(user.org_id, [user.id])
    return user_reply(user, of_users[user.id])


def particulars(data: NewIndividual | NewBusiness | UserUpdate) -> UserDetails:
    """Return the submitted details for any kind of request."""
    match data:
        case NewIndividual():
            type_ = UserType.INDIVIDUAL
        case NewBusiness():
            type_ = UserType.BUSINESS
        case UserUpdate():
            type_ = data.type
    details: dict[str, Any] = {
        name: value for name, value in asdict(data).items() if name in _DETAIL_FIELDS
    }
    details["type"] = type_
    return UserDetails(**details)


def _freeze(freeze: FreezeState) -> FreezeReply:
    user = freeze.user
    return FreezeReply(
        user_id=user.id,
        frozen=user.is_frozen,
        frozen_at=None if user.frozen_at is None else moment(user.frozen_at),
        reason=freeze.reason,
    )


def _chains(chains: list[Chain] | None) -> tuple[Chain, ...]:
    if chains is None:
        return DEFAULT_CHAINS
    if not 1 <= len(chains) <= _CHAINS_MAX:
        raise FieldInvalid(f"chains must name 1 to {_CHAINS_MAX} chains", field="chains")
    return tuple(dict.fromkeys(chains))


class UserDetailsReply(WireStruct, frozen=True):
    """Data submitted on creation and update; null for absent or erased data."""

    user_id: UUID
    type: UserType
    email: str | None
    first_name: str | None
    last_name: str | None
    business_name: str | None
    date_of_birth: date | None
    address: Address | None
    ip_address: str | None
    ultimate_beneficial_owners: Sequence[BusinessOwner]
    signed_agreement_id: UUID
    request_id: UUID
    created_at: Moment
    updated_at: Moment
    erased_at: Moment | None


class UserDetailsRoutes(Controller):
    """Route for the submitted data of a user."""

    path = "/v2/users/{userId:str}/particulars"
    tags = ("Users",)

    @get(summary="Retrieve a user's particulars", operation_id="users.retrieveParticulars")
    async def retrieve(
        self, request: ApiRequest, userId: FromPath[str], users: NamedDependency[Users]
    ) -> UserDetailsReply:
        """Return the current names, birth date, address and owners, and the accepted terms."""
        return particulars_reply(await users.get(request.user.org_id, known_user(userId)))


def particulars_reply(user: User) -> UserDetailsReply:
    """Return all data of a user except KYC data."""
    profile = user.profile
    return reply_of(
        user,
        UserDetailsReply,
        user_id=user.id,
        email=user.email or None,
        date_of_birth=profile.date_of_birth,
        address=profile.address,
        ip_address=profile.ip_address,
        ultimate_beneficial_owners=profile.ultimate_beneficial_owners,
        signed_agreement_id=user.agreement_id,
    )
