"""Balances of a user's wallets by currency and chain."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

from landbridge.customers.users.schemas import UserReply
from landbridge.customers.users.wallet_api import BalanceReply
from landbridge.dashboard.users.page_context import chains_of, user_path
from landbridge.platform.http.internal_client import InternalClient
from landbridge.providers.chains.tokens import Chain, tokens_on

_EXACT_DIGITS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CoinBalance:
    """Balance of one currency: `available` can be spent, `held` is reserved for payments."""

    chain: str
    currency: str
    total: Decimal
    available: Decimal
    held: Decimal

    @property
    def code(self) -> str:
        """Return the value of this option in forms."""
        return f"{self.chain}:{self.currency}"


def coins_in(user: UserReply) -> list[tuple[str, str]]:
    """Return chain and currency of each coin that the user's wallets can hold, in chain order."""
    return [
        (chain, each.asset.currency)
        for chain in chains_of(user)
        for each in tokens_on(Chain(chain))
    ]


async def load_balances(
    interface: InternalClient, user: UserReply, currencies: Collection[str] = ()
) -> Sequence[CoinBalance]:
    """Load the balances of these currencies in the user's wallets; of all if none is given."""
    pairs = [each for each in coins_in(user) if not currencies or each[1] in currencies]
    path = f"{user_path(str(user.id))}/wallets/balance"
    replies = await asyncio.gather(
        *(
            interface.read(BalanceReply, path, chain=chain, currency=currency)
            for chain, currency in pairs
        )
    )
    return [
        _balance(chain, currency, reply)
        for (chain, currency), reply in zip(pairs, replies, strict=True)
    ]


def _balance(chain: str, currency: str, reply: BalanceReply) -> CoinBalance:
    with localcontext() as exact:
        exact.prec = _EXACT_DIGITS
        exponent = -reply.token_info.decimals
        total = Decimal(reply.balance).scaleb(exponent)
        available = Decimal(reply.available_balance).scaleb(exponent)
        return CoinBalance(
            chain=chain,
            currency=currency,
            total=total,
            available=available,
            held=total - available,
        )
