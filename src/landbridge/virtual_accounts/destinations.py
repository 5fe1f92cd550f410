"""Where a virtual account delivers. Source: contract, accounts 5."""

from dataclasses import dataclass
from uuid import UUID

from landbridge.chains.tokens import TOKENS, Chain
from landbridge.core.errors import FieldInvalid
from landbridge.quotes.errors import RouteInvalid
from landbridge.rails.port import Rails
from landbridge.wallets.errors import WalletNotFound
from landbridge.wallets.service import Wallets

# Source: contract, interface/virtual-account (sourceCurrency, destinationCurrency).
SOURCE_CURRENCIES = ("usd",)
DESTINATION_CURRENCIES = ("usdc", "usdt")
# Source: contract, accounts 5.
_USDT_CHAINS = (Chain.ETHEREUM,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """From what to what an account converts, as it was asked for: exactly one of the last two."""

    source_currency: str
    destination_currency: str
    chain: Chain | None
    external_wallet_id: UUID | None


@dataclass(frozen=True, slots=True)
class Destination:
    """Where coins go."""

    currency: str
    chain: Chain
    wallet_address: str
    external_wallet_id: UUID | None


@dataclass(frozen=True, slots=True)
class Destinations:
    """Finds wallets, and refuses what no account may deliver to."""

    wallets: Wallets
    rails: Rails
    # Whether coins can leave the platform (see payments.ends).
    can_leave: bool

    async def find(self, org_id: UUID, user_id: UUID, route: Route) -> Destination:
        """Where coins go.

        Raises `FieldInvalid`, `RouteInvalid` for what no bank takes or no chain carries, and
        `WalletNotFound`.
        """
        if await self.rails.coordinates(org_id, route.source_currency, "0") is None:
            raise RouteInvalid(
                "sourceCurrency: no bank is connected that could take deposits",
                field="sourceCurrency",
            )
        if (route.chain is None) == (route.external_wallet_id is None):
            raise FieldInvalid(
                "give either destinationChain or externalWalletId", field="destinationChain"
            )
        if route.external_wallet_id is not None:
            found = await self._external(org_id, user_id, route)
        else:
            found = await self._own(org_id, user_id, route)
        is_served = (found.chain, found.currency) in TOKENS and (
            found.currency != "usdt" or found.chain in _USDT_CHAINS
        )
        if not is_served:
            raise RouteInvalid(
                f"destinationCurrency: {found.currency} is not delivered on {found.chain}",
                field="destinationCurrency",
            )
        return found

    async def _external(self, org_id: UUID, user_id: UUID, route: Route) -> Destination:
        if not self.can_leave:
            raise RouteInvalid(
                "externalWalletId: no chain is connected that could carry the coins there",
                field="externalWalletId",
            )
        wallet = None
        if route.external_wallet_id is not None:
            wallet = await self.wallets.external(org_id, route.external_wallet_id)
        if wallet is None or wallet.user_id != user_id or not wallet.is_active:
            raise WalletNotFound(
                f"externalWalletId is not an active external wallet of user {user_id}",
                field="externalWalletId",
            )
        return Destination(route.destination_currency, wallet.chain, wallet.address, wallet.id)

    async def _own(self, org_id: UUID, user_id: UUID, route: Route) -> Destination:
        wallet = None
        if route.chain is not None:
            wallet = await self.wallets.find(org_id, user_id, route.chain)
        if wallet is None:
            raise WalletNotFound(
                f"destinationChain: user {user_id} has no wallet on {route.chain}; add one with "
                f"POST /v2/users/{user_id}/wallets/add",
                field="destinationChain",
            )
        return Destination(route.destination_currency, wallet.chain, wallet.address, None)
