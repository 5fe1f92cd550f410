"""What a user has to pay with and to be paid on: wallets with balances, addresses, accounts."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

from landbridge.chains.tokens import Chain, tokens_on
from landbridge.web.inside import Interface

_LIMIT = 100
_GONE = frozenset({"INACTIVE", "REJECTED"})
_EXACT_DIGITS = 100


@dataclass(frozen=True, slots=True)
class Coins:
    """What a wallet holds of a coin, and can spend of it."""

    chain: str
    currency: str
    address: str
    available: Decimal

    @property
    def code(self) -> str:
        """As forms name it."""
        return f"{self.chain}:{self.currency}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """All of them, of one user."""

    coins: Sequence[Coins] = ()
    externals: Sequence[Mapping[str, Any]] = ()
    # Bank accounts that were not deleted or rejected.
    accounts: Sequence[Mapping[str, Any]] = ()
    # Rails on which the user is verified.
    rails: frozenset[str] = frozenset()

    @property
    def address_by_code(self) -> Mapping[str, str]:
        """Addresses of wallets, by what forms name them."""
        return {each.code: each.address for each in self.coins}


async def coins_of(
    interface: Interface, user: Mapping[str, Any], currencies: Iterable[str] = ()
) -> Sequence[Coins]:
    """What the wallets of a user hold, those with something first; of some coins or of all."""
    wallets: Mapping[str, Any] = user["wallets"].get("INDIVIDUAL", {})
    wanted = frozenset(currencies)
    asked = [
        (chain, token.asset.currency, wallet["address"])
        for chain, wallet in wallets.items()
        for token in tokens_on(Chain(chain))
        if not wanted or token.asset.currency in wanted
    ]
    path = f"/v2/users/{user['id']}/wallets/balance"
    told = await asyncio.gather(
        *(interface.get(path, chain=chain, currency=currency) for chain, currency, _ in asked)
    )
    found = [
        Coins(chain, currency, address, _coins(each))
        for (chain, currency, address), each in zip(asked, told, strict=True)
    ]
    return sorted(found, key=lambda each: not each.available)


async def externals_of(interface: Interface, user_id: str) -> Sequence[Mapping[str, Any]]:
    """Addresses that a user has registered, the newest hundred."""
    told = await interface.get(f"/v2/users/{user_id}/wallets/external", limit=_LIMIT)
    return [each for each in told["externalWallets"] if each["active"]]


async def accounts_of(interface: Interface, user_id: str, rail: str) -> Sequence[Mapping[str, Any]]:
    """Bank accounts of a user, `onramp` or `offramp`, the newest hundred."""
    told = await interface.get(f"/v2/users/{user_id}/accounts", rail=rail, limit=_LIMIT)
    return [each for each in told["banks"] if each["status"] not in _GONE]


async def rails_of(interface: Interface, user_id: str) -> frozenset[str]:
    """The rails on which a user is verified."""
    told = await interface.get("/v2/kyc/status", userId=user_id, limit=_LIMIT)
    return frozenset(each["rails"] for each in told if each["status"] == "ACTIVE")


def _coins(balance: Mapping[str, Any]) -> Decimal:
    with localcontext() as exact:
        exact.prec = _EXACT_DIGITS
        units = Decimal(balance["availableBalance"])
        return units.scaleb(-balance["tokenInfo"]["decimals"]).normalize()
