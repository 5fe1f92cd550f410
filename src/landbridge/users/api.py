"""Routes of users: /v2/users. Source: contract, users 2 and interface/user."""

from dataclasses import fields
from datetime import date
from typing import Annotated, Any
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec.structs import asdict

from landbridge.chains.tokens import Chain
from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import as_uuid
from landbridge.core.pages import Window
from landbridge.users.errors import UserNotFound
from landbridge.users.model import Address, Owner, User, UserType
from landbridge.users.service import DEFAULT_CHAINS, Filters, Particulars, Users
from landbridge.wallets.model import Wallet
from landbridge.wallets.service import Wallets
from landbridge.web.body import as_asked
from landbridge.web.caller import ApiRequest
from landbridge.web.reply import Moment, WireStruct, moment

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


class WalletReply(WireStruct, frozen=True):
    """A wallet of a user."""

    address: str


class UserReply(WireStruct, frozen=True):
    """A user; wallets are listed under `INDIVIDUAL`, those of businesses too."""

    id: UUID
    created_at: Moment
    type: UserType
    email: str
    name: str
    wallets: dict[str, dict[str, WalletReply]]


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
        return await user_reply(wallets, user)

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
        """Newest first; names and e-mail match partially, whatever their case."""
        org_id = request.user.org_id
        filters = Filters(_type(type_), first_name, last_name, business_name, email)
        found = await users.page(org_id, filters, window)
        of_users = await wallets.of_users(org_id, [user.id for user in found])
        return UserPage(
            count=len(found),
            users=[_shape(user, of_users[user.id]) for user in found],
            next_cursor=moment(found[-1].created_at) if found else None,
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
        return await user_reply(wallets, await users.get(request.user.org_id, known_id(userId)))

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
            known_id(userId),
            particulars(data),
            agreement_id=data.signed_agreement_id,
        )
        return await user_reply(wallets, user)

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
        user = await users.add_wallets(request.user, known_id(userId), _chains(data.chains))
        return await user_reply(wallets, user)


def known_id(text: str) -> UUID:
    """The id in a path; what can't be one is answered like an unknown one."""
    found = as_uuid(text)
    if found is None:
        raise UserNotFound(f"there is no user {text[:100]}")
    return found


async def user_reply(wallets: Wallets, user: User) -> UserReply:
    """A user as every route answers it."""
    of_users = await wallets.of_users(user.org_id, [user.id])
    return _shape(user, of_users[user.id])


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


def _shape(user: User, wallets: list[Wallet]) -> UserReply:
    return UserReply(
        id=user.id,
        created_at=moment(user.created_at),
        type=user.type,
        email=user.email,
        name=user.name,
        wallets={
            "INDIVIDUAL": {wallet.chain: WalletReply(address=wallet.address) for wallet in wallets}
        },
    )


def _chains(chains: list[Chain] | None) -> tuple[Chain, ...]:
    if chains is None:
        return DEFAULT_CHAINS
    if not chains:
        raise FieldInvalid("chains must name at least one chain", field="chains")
    return tuple(dict.fromkeys(chains))


def _type(text: str | None) -> UserType | None:
    if text is None:
        return None
    try:
        return UserType(text)
    except ValueError as error:
        raise FieldInvalid("type must be individual or business", field="type") from error
