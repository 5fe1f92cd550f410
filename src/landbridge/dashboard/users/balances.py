"""What a user's wallets hold, coin by coin."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

from landbridge.chains.tokens import Chain, tokens_on
from landbridge.dashboard.users.whose import user_path
from landbridge.web.inside import Interface

_EXACT_DIGITS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """What a wallet holds of a coin: `available` can be spent, the rest is held for payments."""

    chain: str
    currency: str
    total: Decimal
    available: Decimal
    held: Decimal


async def balances_of(interface: Interface, user: Mapping[str, Any]) -> Sequence[Balance]:
    """Every coin of every chain on which the user has a wallet, in the order of the chains."""
    chains: Mapping[str, Any] = user["wallets"].get("INDIVIDUAL", {})
    asked = [(chain, each.asset.currency) for chain in chains for each in tokens_on(Chain(chain))]
    path = f"{user_path(user['id'])}/wallets/balance"
    told = await asyncio.gather(
        *(interface.get(path, chain=chain, currency=currency) for chain, currency in asked)
    )
    return [
        _balance(chain, currency, each) for (chain, currency), each in zip(asked, told, strict=True)
    ]


def _balance(chain: str, currency: str, told: Mapping[str, Any]) -> Balance:
    with localcontext() as exact:
        exact.prec = _EXACT_DIGITS
        places = -told["tokenInfo"]["decimals"]
        total = Decimal(told["balance"]).scaleb(places)
        available = Decimal(told["availableBalance"]).scaleb(places)
        return Balance(
            chain=chain,
            currency=currency,
            total=total,
            available=available,
            held=total - available,
        )
