"""Delivery destinations of virtual accounts. Source: contract, accounts 5."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol
from uuid import UUID

from landbridge.customers.address_policies.service import AddressPolicies
from landbridge.customers.wallets.errors import WalletNotFound
from landbridge.customers.wallets.model import ExternalWallet
from landbridge.customers.wallets.service import Wallets
from landbridge.payments.quotes.errors import RouteInvalid
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, RoleNotAllowed
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.responses import WireStruct
from landbridge.providers.chains.port import ChainAction, Chains
from landbridge.providers.chains.tokens import TOKENS, Chain
from landbridge.providers.rails.port import Rails

# Currencies of deposits, and of the coins into which they are converted. Source: contract,
# interface/virtual-account (sourceCurrency, destinationCurrency).
SOURCE_CURRENCIES = ("usd",)
DESTINATION_CURRENCIES = ("usdc", "usdt")
# Chains on which deposits are delivered in usdt. Source: contract, accounts 5.
_USDT_CHAINS = (Chain.ETHEREUM,)


class NewVirtualAccount(WireStruct, frozen=True):
    """A conversion; give `destinationChain` (the user's own wallet) or `externalWalletId`."""

    source_currency: Literal["usd"]
    destination_currency: Literal["usdc", "usdt"]
    destination_chain: Chain | None = None
    external_wallet_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class DeliveryDestination:
    """Destination of the coins of a virtual account."""

    currency: str
    chain: Chain
    wallet_address: str
    external_wallet_id: UUID | None


class NewDestinationLimits(Protocol):
    """Checks the cool-down of new destinations; implemented by `Limits`."""

    async def check_cooled_down(self, org_id: UUID, known_since: datetime, now: datetime) -> None:
        """Raise `LimitExceeded` if a destination that is known since then is still new."""
        ...


@dataclass(frozen=True, slots=True)
class DeliveryDestinations:
    """Resolves requested destinations to wallets, and refuses invalid ones."""

    wallets: Wallets
    rails: Rails
    # The chains on which coins can leave the platform (see payments/engine/parties.py).
    chains: Chains
    address_policies: AddressPolicies
    limits: NewDestinationLimits
    clock: Clock

    async def find(
        self, caller: Caller, user_id: UUID, route: NewVirtualAccount
    ) -> DeliveryDestination:
        """Return the destination of the coins.

        Raises `FieldInvalid`, `RouteInvalid` for a currency that no bank or chain serves,
        `WalletNotFound`, and `RouteInvalid` or `LimitExceeded` for a new external address.
        """
        org_id = caller.org_id
        if not await self.rails.takes_deposits(org_id, route.source_currency):
            raise RouteInvalid(
                "sourceCurrency: no connected bank accepts deposits",
                field="sourceCurrency",
            )
        if (route.destination_chain is None) == (route.external_wallet_id is None):
            raise FieldInvalid(
                "give either destinationChain or externalWalletId", field="destinationChain"
            )
        if route.external_wallet_id is not None:
            found = await self._external(caller, user_id, route)
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

    async def _external(
        self, caller: Caller, user_id: UUID, route: NewVirtualAccount
    ) -> DeliveryDestination:
        wallet = None
        if route.external_wallet_id is not None:
            wallet = await self.wallets.external(caller.org_id, route.external_wallet_id)
        if wallet is None or wallet.user_id != user_id or not wallet.is_active:
            raise WalletNotFound(
                f"externalWalletId is not an active external wallet of user {user_id}",
                field="externalWalletId",
            )
        if not self.chains.carries(wallet.chain, ChainAction.TRANSFER):
            raise RouteInvalid(
                "externalWalletId: no connected chain can deliver the coins there",
                field="externalWalletId",
            )
        await self._check_known(caller, wallet)
        return DeliveryDestination(
            route.destination_currency, wallet.chain, wallet.address, wallet.id
        )

    async def _check_known(self, caller: Caller, wallet: ExternalWallet) -> None:
        """Raise `RouteInvalid` or `LimitExceeded` while a cool-down of an address lasts.

        A cool-down limits the amounts of requested payments. An account delivers deposits of any
        amount without a request, so a new address is refused altogether.
        """
        bound = await self.address_policies.find_new_address_bound(caller, wallet.address)
        if bound is not None:
            hours = int(bound[1].total_seconds()) // 3600
            raise RouteInvalid(
                "externalWalletId: a virtual account delivers only to addresses that were "
                f"registered at least {hours} hours ago",
                field="externalWalletId",
            )
        now = self.clock.now(caller.clock_offset)
        await self.limits.check_cooled_down(caller.org_id, wallet.created_at, now)

    async def _own(
        self, org_id: UUID, user_id: UUID, route: NewVirtualAccount
    ) -> DeliveryDestination:
        wallet = None
        chain = route.destination_chain
        if chain is not None:
            wallet = await self.wallets.find(org_id, user_id, chain)
        if wallet is None:
            raise WalletNotFound(
                f"destinationChain: user {user_id} has no wallet on {chain}; add one with "
                f"POST /v2/users/{user_id}/wallets/add",
                field="destinationChain",
            )
        return DeliveryDestination(route.destination_currency, wallet.chain, wallet.address, None)


def check_member_may_deliver(caller: Caller, external: UUID | None) -> None:
    """Raise `RoleNotAllowed` if a team member would pay others through a virtual account.

    Deliveries need no approval. `external` is the id of the external wallet or settlement rule
    through which money reaches others; None if it does not.
    """
    if caller.payments_need_approval and external is not None:
        raise RoleNotAllowed(
            "a member's virtual accounts deliver to wallets of their user; "
            "other destinations need an admin"
        )
