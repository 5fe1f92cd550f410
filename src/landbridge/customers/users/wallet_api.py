"""Routes of a user's wallets. Source: contract, users 2 and 7, and interface/wallet."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.customers.users.path_params import known_user
from landbridge.customers.users.service import Users
from landbridge.customers.wallets.errors import WalletNotFound
from landbridge.customers.wallets.model import ExternalWallet
from landbridge.customers.wallets.service import WalletHolding, Wallets
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.core.money import Money
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.formats.schemas import AddressText, LineText
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import one_of, query
from landbridge.platform.http.list_query import parse_choice
from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, moment, reply_of
from landbridge.platform.idempotency.model import Claim
from landbridge.platform.idempotency.service import IdempotencyKeys
from landbridge.providers.chains.tokens import CURRENCIES, Chain


class TokenInfo(WireStruct, frozen=True):
    """Stablecoin of a balance; `standard` is ERC20 also on Solana, as in the contract."""

    token_address: str
    standard: str
    name: str
    symbol: str
    decimals: int


class BalanceReply(WireStruct, frozen=True):
    """Balance of the wallet on its chain, including held funds.

    `balance` is in smallest units, `displayBalance` in whole coins. `availableBalance` (an
    extension of the contract) is the spendable part of `balance`.
    """

    balance: str
    display_balance: DecimalText
    available_balance: str
    token_info: TokenInfo


class NewExternalWallet(WireStruct, frozen=True):
    """An address outside the platform."""

    address: AddressText
    chain: Chain
    name: LineText
    reference_id: LineText


class ExternalWalletReply(WireStruct, frozen=True):
    """Registered external address."""

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
    """Page of registered addresses, newest first."""

    count: int
    external_wallets: list[ExternalWalletReply]
    next_cursor: Moment | msgspec.UnsetType = msgspec.UNSET


class WalletRoutes(Controller):
    """Routes of wallet balances and registered external addresses of a user."""

    path = "/v2/users/{userId:str}/wallets"
    tags = ("Wallets",)

    @get("/balance", summary="Balance of a wallet", operation_id="wallets.retrieveBalance")
    async def balance(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        users: NamedDependency[Users],
        wallets: NamedDependency[Wallets],
        chain: Annotated[str | None, query("chain", one_of(Chain), is_required=True)] = None,
        currency: Annotated[
            str | None, query("currency", one_of(CURRENCIES), is_required=True)
        ] = None,
    ) -> BalanceReply:
        """Return the balance of `currency` in the user's wallet on `chain`."""
        org_id, user_id = request.user.org_id, known_user(userId)
        if currency is None:
            raise FieldInvalid("currency is required", field="currency")
        await users.check_exists(org_id, user_id)
        return _balance(await wallets.holding(org_id, user_id, _chain(chain), currency))

    @post(
        "/external",
        status_code=200,
        summary="Register an external wallet",
        keyed=True,
        operation_id="externalWallets.create",
    )
    async def register(
        self,
        request: ApiRequest,
        *,
        userId: FromPath[str],
        data: JSONBody[NewExternalWallet],
        users: NamedDependency[Users],
        wallets: NamedDependency[Wallets],
        idempotency_keys: NamedDependency[IdempotencyKeys],
    ) -> ExternalWalletReply:
        """Registers an address outside the platform, to which the user may then send."""
        user_id = known_user(userId)

        async def register(claim: Claim) -> ExternalWallet:
            await users.check_active(request.user.org_id, user_id)
            return await wallets.register(
                request.user,
                user_id,
                chain=data.chain,
                address=data.address,
                name=data.name,
                reference=data.reference_id,
                claim=claim,
            )

        external = await idempotency_keys.run(
            request, data, register, lambda key: wallets.external(key.org_id, key.object_id)
        )
        return _external(external)

    @get("/external", summary="List external wallets", operation_id="externalWallets.list")
    async def externals(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        users: NamedDependency[Users],
        wallets: NamedDependency[Wallets],
        window: NamedDependency[PageWindow],
    ) -> ExternalWalletPage:
        """List addresses, newest first; pass `nextCursor` as `createdBefore`."""
        org_id, user_id = request.user.org_id, known_user(userId)
        await users.check_exists(org_id, user_id)
        found = await wallets.externals_of_user(org_id, user_id, window)
        return ExternalWalletPage(
            count=len(found),
            external_wallets=[_external(each) for each in found],
            next_cursor=moment(found[-1].created_at) if found else msgspec.UNSET,
        )

    @get(
        "/external/{externalWalletId:str}",
        summary="Retrieve an external wallet",
        operation_id="externalWallets.retrieve",
    )
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


def _balance(holding: WalletHolding) -> BalanceReply:
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
    return reply_of(
        external,
        ExternalWalletReply,
        active=external.is_active,
        updated_at=moment(external.updated_at) if is_changed else None,
    )


def _chain(text: str | None) -> Chain:
    if text is None:
        raise FieldInvalid("chain is required", field="chain")
    return parse_choice("chain", text, Chain)
