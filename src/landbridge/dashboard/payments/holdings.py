"""A user's wallets with balances, registered addresses and bank accounts."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from uuid import UUID

from landbridge.customers.bank_accounts.schemas import BankAccountPageReply, ListedAccount
from landbridge.customers.users.schemas import UserReply
from landbridge.customers.users.wallet_api import (
    BalanceReply,
    ExternalWalletPage,
    ExternalWalletReply,
)
from landbridge.platform.http.internal_client import InternalClient
from landbridge.providers.chains.tokens import Chain, tokens_on

_LIMIT = 100
_UNUSABLE = frozenset({"INACTIVE", "REJECTED"})
_EXACT_DIGITS = 100


@dataclass(frozen=True, slots=True)
class CoinHolding:
    """A coin in a wallet, and its available balance."""

    chain: str
    currency: str
    address: str
    available: Decimal

    @property
    def code(self) -> str:
        """Return the value of this option in forms."""
        return f"{self.chain}:{self.currency}"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserHoldings:
    """Coins, addresses, accounts and rails of one user."""

    coins: Sequence[CoinHolding] = ()
    externals: Sequence[ExternalWalletReply] = ()
    # Bank accounts that were not deleted or rejected.
    accounts: Sequence[ListedAccount] = ()
    # Rails on which the user is verified.
    rails: frozenset[str] = frozenset()


async def coins_of(
    interface: InternalClient, user: UserReply, currencies: Iterable[str] = ()
) -> Sequence[CoinHolding]:
    """Return the coins in a user's wallets, non-empty ones first; all if no currency is given."""
    wallets = user.wallets.get("INDIVIDUAL", {})
    selected = frozenset(currencies)
    wallet_coins = [
        (chain, token.asset.currency, wallet.address)
        for chain, wallet in wallets.items()
        for token in tokens_on(Chain(chain))
        if not selected or token.asset.currency in selected
    ]
    path = f"/v2/users/{user.id}/wallets/balance"
    balances = await asyncio.gather(
        *(
            interface.read(BalanceReply, path, chain=chain, currency=currency)
            for chain, currency, _ in wallet_coins
        )
    )
    found = [
        CoinHolding(chain, currency, address, _coins(each))
        for (chain, currency, address), each in zip(wallet_coins, balances, strict=True)
    ]
    return sorted(found, key=lambda each: not each.available)


async def externals_of(interface: InternalClient, user_id: str) -> Sequence[ExternalWalletReply]:
    """Addresses that a user has registered, the newest hundred."""
    path = f"/v2/users/{user_id}/wallets/external"
    reply = await interface.read(ExternalWalletPage, path, limit=_LIMIT)
    return [each for each in reply.external_wallets if each.active]


async def accounts_of(
    interface: InternalClient, user_id: UUID | str, rail: str
) -> Sequence[ListedAccount]:
    """Bank accounts of a user, `onramp` or `offramp`, the newest hundred."""
    path = f"/v2/users/{user_id}/accounts"
    reply = await interface.read(BankAccountPageReply, path, rail=rail, limit=_LIMIT)
    return [each for each in reply.banks if each.status not in _UNUSABLE]


async def rails_of(interface: InternalClient, user_id: str) -> frozenset[str]:
    """Return the rails on which the user is verified."""
    statuses = await interface.get("/v2/kyc/status", userId=user_id, limit=_LIMIT)
    return frozenset(each["rails"] for each in statuses if each["status"] == "ACTIVE")


def _coins(balance: BalanceReply) -> Decimal:
    with localcontext() as exact:
        exact.prec = _EXACT_DIGITS
        units = Decimal(balance.available_balance)
        return units.scaleb(-balance.token_info.decimals).normalize()
