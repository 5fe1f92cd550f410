"""A user's wallets with balances, registered addresses and bank accounts."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

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
    externals: Sequence[Mapping[str, Any]] = ()
    # Bank accounts that were not deleted or rejected.
    accounts: Sequence[Mapping[str, Any]] = ()
    # Rails on which the user is verified.
    rails: frozenset[str] = frozenset()


async def coins_of(
    interface: InternalClient, user: Mapping[str, Any], currencies: Iterable[str] = ()
) -> Sequence[CoinHolding]:
    """Return the coins in a user's wallets, non-empty ones first; all if no currency is given."""
    wallets: Mapping[str, Any] = user["wallets"].get("INDIVIDUAL", {})
    selected = frozenset(currencies)
    wallet_coins = [
        (chain, token.asset.currency, wallet["address"])
        for chain, wallet in wallets.items()
        for token in tokens_on(Chain(chain))
        if not selected or token.asset.currency in selected
    ]
    path = f"/v2/users/{user['id']}/wallets/balance"
    balances = await asyncio.gather(
        *(
            interface.get(path, chain=chain, currency=currency)
            for chain, currency, _ in wallet_coins
        )
    )
    found = [
        CoinHolding(chain, currency, address, _coins(each))
        for (chain, currency, address), each in zip(wallet_coins, balances, strict=True)
    ]
    return sorted(found, key=lambda each: not each.available)


async def externals_of(interface: InternalClient, user_id: str) -> Sequence[Mapping[str, Any]]:
    """Addresses that a user has registered, the newest hundred."""
    reply = await interface.get(f"/v2/users/{user_id}/wallets/external", limit=_LIMIT)
    return [each for each in reply["externalWallets"] if each["active"]]


async def accounts_of(
    interface: InternalClient, user_id: str, rail: str
) -> Sequence[Mapping[str, Any]]:
    """Bank accounts of a user, `onramp` or `offramp`, the newest hundred."""
    reply = await interface.get(f"/v2/users/{user_id}/accounts", rail=rail, limit=_LIMIT)
    return [each for each in reply["banks"] if each["status"] not in _UNUSABLE]


async def rails_of(interface: InternalClient, user_id: str) -> frozenset[str]:
    """Return the rails on which the user is verified."""
    statuses = await interface.get("/v2/kyc/status", userId=user_id, limit=_LIMIT)
    return frozenset(each["rails"] for each in statuses if each["status"] == "ACTIVE")


def _coins(balance: Mapping[str, Any]) -> Decimal:
    with localcontext() as exact:
        exact.prec = _EXACT_DIGITS
        units = Decimal(balance["availableBalance"])
        return units.scaleb(-balance["tokenInfo"]["decimals"]).normalize()
