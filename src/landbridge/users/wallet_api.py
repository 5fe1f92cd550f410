"""Routes of a user's wallets. Source: contract, users 2 and 7, and interface/wallet."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from landbridge.chains.tokens import Chain
from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import as_uuid
from landbridge.core.money import Money
from landbridge.core.pages import Window
from landbridge.users.paths import known_user
from landbridge.users.service import Users
from landbridge.wallets.errors import WalletNotFound
from landbridge.wallets.model import ExternalWallet
from landbridge.wallets.service import Holding, Wallets
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import word
from landbridge.web.reply import Moment, WireStruct, moment


class TokenInfo(WireStruct, frozen=True):
    """The stablecoin of a balance; `standard` is ERC20 on Solana too, as the contract lists it."""

    token_address: str
    standard: str
    name: str
    symbol: str
    decimals: int


class BalanceReply(WireStruct, frozen=True):
    """What the wallet holds on its chain, held funds included.

    `balance` is in smallest units, `displayBalance` in whole coins. `availableBalance` (ours) is
    the part of `balance` that can be spent.
    """

    balance: str
    display_balance: str
    available_balance: str
    token_info: TokenInfo


class NewExternalWallet(WireStruct, frozen=True):
    """An address outside the platform."""

    address: str
    chain: Chain
    name: str
    reference_id: str


class ExternalWalletReply(WireStruct, frozen=True):
    """A registered address."""

    id: UUID
    user_id: UUID
    chain: Chain
    name: str
    address: str
    reference_id: str
    active: bool
    created_at: Moment
    updated_at: Moment | None


class ExternalWalletPage(WireStruct, frozen=True):
    """A page of registered addresses, newest first."""

    count: int
    external_wallets: list[ExternalWalletReply]
    next_cursor: Moment | None


class WalletRoutes(Controller):
    """What a user's wallets hold, and the addresses registered beside them."""

    path = "/v2/users/{userId:str}/wallets"
    tags = ("Wallets",)

    @get("/balance", summary="Balance of a wallet")
    async def balance(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        users: NamedDependency[Users],
        wallets: NamedDependency[Wallets],
        chain: Annotated[str | None, QueryParameter(name="chain")] = None,
        currency: Annotated[str | None, QueryParameter(name="currency")] = None,
    ) -> BalanceReply:
        """What the user's wallet on `chain` holds of `currency`."""
        org_id, user_id = request.user.org_id, known_user(userId)
        if currency is None:
            raise FieldInvalid("currency is required", field="currency")
        await users.check_exists(org_id, user_id)
        return _balance(await wallets.holding(org_id, user_id, _chain(chain), currency))

    @post("/external", status_code=200, summary="Register an external wallet", unkeyed=True)
    async def register(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: JSONBody[NewExternalWallet],
        users: NamedDependency[Users],
        wallets: NamedDependency[Wallets],
    ) -> ExternalWalletReply:
        """Registers an address outside the platform, to which the user may then send."""
        user_id = known_user(userId)
        await users.check_active(request.user.org_id, user_id)
        external = await wallets.register(
            request.user,
            user_id,
            chain=data.chain,
            address=data.address,
            name=data.name,
            reference=data.reference_id,
        )
        return _external(external)

    @get("/external", summary="List external wallets")
    async def externals(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        users: NamedDependency[Users],
        wallets: NamedDependency[Wallets],
        window: NamedDependency[Window],
    ) -> ExternalWalletPage:
        """Newest first; `nextCursor` goes back as `createdBefore`."""
        org_id, user_id = request.user.org_id, known_user(userId)
        await users.check_exists(org_id, user_id)
        found = await wallets.externals_of_user(org_id, user_id, window)
        return ExternalWalletPage(
            count=len(found),
            external_wallets=[_external(each) for each in found],
            next_cursor=moment(found[-1].created_at) if found else None,
        )

    @get("/external/{externalWalletId:str}", summary="Retrieve an external wallet")
    async def external(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        externalWalletId: FromPath[str],
        users: NamedDependency[Users],
        wallets: NamedDependency[Wallets],
    ) -> ExternalWalletReply:
        """One registered address of this user."""
        org_id, user_id = request.user.org_id, known_user(userId)
        await users.check_exists(org_id, user_id)
        external_id = as_uuid(externalWalletId)
        found = await wallets.external(org_id, external_id) if external_id else None
        if found is None or found.user_id != user_id:
            raise WalletNotFound(f"the user has no external wallet {externalWalletId[:100]}")
        return _external(found)


def _balance(holding: Holding) -> BalanceReply:
    token = holding.token
    units = holding.available_units + holding.held_units
    return BalanceReply(
        balance=str(units),
        display_balance=str(Money(units, token.asset)),
        available_balance=str(holding.available_units),
        token_info=TokenInfo(
            token_address=token.address,
            standard="ERC20",
            name=token.name,
            symbol=token.symbol,
            decimals=token.asset.decimals,
        ),
    )


def _external(external: ExternalWallet) -> ExternalWalletReply:
    is_changed = external.updated_at != external.created_at
    return ExternalWalletReply(
        id=external.id,
        user_id=external.user_id,
        chain=external.chain,
        name=external.name,
        address=external.address,
        reference_id=external.reference_id,
        active=external.is_active,
        created_at=moment(external.created_at),
        updated_at=moment(external.updated_at) if is_changed else None,
    )


def _chain(text: str | None) -> Chain:
    if text is None:
        raise FieldInvalid("chain is required", field="chain")
    return word("chain", text, Chain)
