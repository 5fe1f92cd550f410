"""Routes of users: /v2/users. Source: contract, users 2 and interface/user."""

from dataclasses import fields
from datetime import date
from typing import Annotated, Any
from uuid import UUID

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec.structs import asdict

from landbridge.chains.tokens import Chain
from landbridge.core.errors import Broken, FieldInvalid
from landbridge.core.pages import Window
from landbridge.formats.places import Address
from landbridge.users.checks import Particulars
from landbridge.users.model import Owner, UserCard, UserType
from landbridge.users.paths import known_user
from landbridge.users.service import DEFAULT_CHAINS, Filters, Freeze, Users
from landbridge.users.shapes import UserReply, user_reply
from landbridge.wallets.service import Wallets
from landbridge.web.body import as_asked
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import word
from landbridge.web.reply import Moment, WireStruct, moment

# Four chains there are; a list that is longer than this has no honest reason.
_CHAINS_MAX = 20
_TOLD = frozenset(field.name for field in fields(Particulars))


class NewIndividual(WireStruct, frozen=True, tag_field="type", tag="individual"):
    """A person. `address` or `ipAddress` is required."""

    first_name: str
    last_name: str
    email: str
    date_of_birth: date
    signed_agreement_id: UUID
    request_id: UUID | None = None
    chains: list[Chain] | None = None
    address: Address | None = None
    ip_address: str | None = None


class NewBusiness(WireStruct, frozen=True, tag_field="type", tag="business"):
    """A business. At least one owner has control, at least one is a signer."""

    business_name: str
    email: str
    ultimate_beneficial_owners: tuple[Owner, ...]
    signed_agreement_id: UUID
    request_id: UUID | None = None
    chains: list[Chain] | None = None
    address: Address | None = None
    ip_address: str | None = None


class UserUpdate(WireStruct, frozen=True):
    """What is to change; members that are left out stay as they are."""

    type: UserType | None = None
    first_name: str | None = None
    last_name: str | None = None
    business_name: str | None = None
    email: str | None = None
    date_of_birth: date | None = None
    address: Address | None = None
    ip_address: str | None = None
    ultimate_beneficial_owners: tuple[Owner, ...] | None = None
    signed_agreement_id: UUID | None = None


class MoreChains(WireStruct, frozen=True):
    """The chains on which wallets are wanted."""

    chains: list[Chain]


class FreezeRequest(WireStruct, frozen=True):
    """Why, in words for your own records; kept encrypted."""

    reason: str | None = None


class FreezeReply(WireStruct, frozen=True):
    """Whether, since when and why a user is frozen."""

    user_id: UUID
    frozen: bool
    frozen_at: Moment | None
    reason: str | None


class ErasureReply(WireStruct, frozen=True):
    """When the personal data of a user was erased."""

    user_id: UUID
    erased_at: Moment


class UserPage(WireStruct, frozen=True):
    """A page of users, newest first; `nextCursor` goes back as `createdBefore`."""

    count: int
    users: list[UserReply]
    next_cursor: Moment | None


class UserRoutes(Controller):
    """Create, look up and change users."""

    path = "/v2/users"
    tags = ("Users",)

    @post(status_code=200, summary="Create a user")
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewIndividual | NewBusiness],
        users: NamedDependency[Users],
        wallets: NamedDependency[Wallets],
    ) -> UserReply:
        """Makes the user and a wallet on each of `chains` (POLYGON and ETHEREUM if left out)."""
        user = await users.create(
            request.user,
            particulars(data),
            agreement_id=data.signed_agreement_id,
            chains=_chains(data.chains),
            request_id=data.request_id,
            request=as_asked(data),
        )
        return await _reply(wallets, user)

    @get(summary="List users")
    async def page(
        self,
        request: ApiRequest,
        *,
        users: NamedDependency[Users],
        wallets: NamedDependency[Wallets],
        window: NamedDependency[Window],
        type_: Annotated[str | None, QueryParameter(name="type")] = None,
        first_name: Annotated[str | None, QueryParameter(name="firstName")] = None,
        last_name: Annotated[str | None, QueryParameter(name="lastName")] = None,
        business_name: Annotated[str | None, QueryParameter(name="businessName")] = None,
        email: Annotated[str | None, QueryParameter(name="email")] = None,
    ) -> UserPage:
        """Newest first; names and e-mail match partially, whatever their case.

        A search through very many users may end a page early: go on until `nextCursor` is null.
        """
        org_id = request.user.org_id
        kind = None if type_ is None else word("type", type_, UserType)
        filters = Filters(kind, first_name, last_name, business_name, email)
        found = await users.page(org_id, filters, window)
        of_users = await wallets.of_users(org_id, [user.id for user in found.users])
        return UserPage(
            count=len(found.users),
            users=[user_reply(user, of_users[user.id]) for user in found.users],
            next_cursor=None if found.next_cursor is None else moment(found.next_cursor),
        )

    @get("/{userId:str}", summary="Retrieve a user")
    async def retrieve(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        users: NamedDependency[Users],
        wallets: NamedDependency[Wallets],
    ) -> UserReply:
        """One user with its wallets."""
        return await _reply(wallets, await users.get(request.user.org_id, known_user(userId)))

    @post("/{userId:str}", status_code=200, summary="Update a user")
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

    @post("/{userId:str}/wallets/add", status_code=200, summary="Add wallets on more chains")
    async def add_wallets(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: JSONBody[MoreChains],
        users: NamedDependency[Users],
        wallets: NamedDependency[Wallets],
    ) -> UserReply:
        """Opens wallets on `chains`; those that the user has already stay as they are."""
        user = await users.add_wallets(request.user, known_user(userId), _chains(data.chains))
        return await _reply(wallets, user)

    @post("/{userId:str}/freeze", status_code=200, summary="Freeze a user")
    async def freeze(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: JSONBody[FreezeRequest],
        users: NamedDependency[Users],
    ) -> FreezeReply:
        """The user may look, but move no money and open nothing; again, it answers as before."""
        frozen = await users.freeze(request.user, known_user(userId), reason=data.reason)
        return _freeze(frozen)

    @get("/{userId:str}/freeze", summary="Whether a user is frozen")
    async def freeze_of(
        self, request: ApiRequest, userId: FromPath[str], users: NamedDependency[Users]
    ) -> FreezeReply:
        """Whether, since when and why."""
        return _freeze(await users.freeze_of(request.user.org_id, known_user(userId)))

    @post("/{userId:str}/unfreeze", status_code=200, summary="Unfreeze a user")
    async def unfreeze(
        self, request: ApiRequest, userId: FromPath[str], users: NamedDependency[Users]
    ) -> FreezeReply:
        """The user may move money again."""
        return _freeze(await users.unfreeze(request.user, known_user(userId)))

    @delete("/{userId:str}/personal-data", status_code=200, summary="Erase personal data")
    async def erase(
        self, request: ApiRequest, userId: FromPath[str], users: NamedDependency[Users]
    ) -> ErasureReply:
        """For good: the user must be frozen, hold nothing and have nothing under way."""
        user = await users.erase(request.user, known_user(userId))
        if user.erased_at is None:
            raise Broken(f"user {user.id} was not erased")
        return ErasureReply(user_id=user.id, erased_at=moment(user.erased_at))


async def _reply(wallets: Wallets, user: UserCard) -> UserReply:
    of_users = await wallets.of_users(user.org_id, [user.id])
    return user_reply(user, of_users[user.id])


def particulars(data: NewIndividual | NewBusiness | UserUpdate) -> Particulars:
    """What was told, whatever kind of request told it."""
    match data:
        case NewIndividual():
            type_ = UserType.INDIVIDUAL
        case NewBusiness():
            type_ = UserType.BUSINESS
        case UserUpdate():
            type_ = data.type
    told: dict[str, Any] = {name: value for name, value in asdict(data).items() if name in _TOLD}
    told["type"] = type_
    return Particulars(**told)


def _freeze(freeze: Freeze) -> FreezeReply:
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
