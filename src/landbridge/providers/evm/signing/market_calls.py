"""Decoding of market calls: sales of one configured token for another.

A sale is signed only through a configured pool, and only if it gives at least the chain's
`least_rate`. So a person who has gained access to the socket can't give coins away in a sale for
nothing.
"""

from landbridge.platform.core.money import Money
from landbridge.providers.chains.tokens import NETWORK_TOKENS
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.market_configuration import MarketContracts, RouterInterface
from landbridge.providers.evm.markets.contract_calls import SWAP_02, SWAP_WITH_DEADLINE
from landbridge.providers.evm.markets.prices import gives_rate
from landbridge.providers.evm.signing.call_data import check_encoding, read_address, read_number
from landbridge.providers.evm.signing.model import SigningRefused

_SELECTOR = 4


class MarketCallReader:
    """Decodes the calls of one chain's market."""

    def __init__(self, chain: EvmChain) -> None:
        self._chain = chain
        self.router = None if chain.market is None else chain.market.router

    @property
    def contracts(self) -> set[str]:
        """Return the contracts of the market, which would keep native coins sent to them."""
        market = self._chain.market
        if market is None:
            return set()
        return {market.router, market.quoter, *(each.address for each in market.pools)}

    def check_spender(self, currency: str, spender: str) -> bool:
        """Return whether `spender` is the router, and a pool takes this currency."""
        market = self._chain.market
        if market is None or spender != market.router:
            return False
        return any(currency in each.currencies for each in market.pools)

    def read_sale(self, data: bytes) -> tuple[str, str, int]:
        """Return currency sold, recipient and units of a sale by the router."""
        market = self._market()
        has_deadline = market.interface is RouterInterface.ROUTER
        function = SWAP_WITH_DEADLINE if has_deadline else SWAP_02
        if data[:_SELECTOR] != function.selector:
            raise SigningRefused(f"0x{data[:_SELECTOR].hex()} is no known function of the router")
        sold, bought, recipient = (read_address(data, index) for index in (0, 1, 3))
        fee, rest = read_number(data, 2), range(4, len(function.parameters))
        numbers = [read_number(data, index) for index in rest]
        check_encoding(data, function, sold, bought, fee, recipient, *numbers)
        amount_units, least_units, limit = numbers[-3:]
        source, destination = self._currency_of(sold), self._currency_of(bought)
        pool = market.pool_of(source, destination)
        if pool is None or pool.fee != fee:
            raise SigningRefused(f"no configured pool sells {source} for {destination}")
        if limit:
            raise SigningRefused("a sale with a limit of its price may sell less than its amount")
        # The router replaces the zero address, or low constants in SwapRouter02, by an address of
        # its own.
        if int(recipient, 16) <= 2:  # noqa: PLR2004  constants of SwapRouter02
            raise SigningRefused("the sale is for no address")
        moneys = [
            Money(units, NETWORK_TOKENS[self._chain.name, currency].asset)
            for units, currency in ((amount_units, source), (least_units, destination))
        ]
        if not amount_units or not gives_rate(market.least_rate, *moneys):
            raise SigningRefused(f"the sale may give less than {market.least_rate} for one")
        return source, recipient, amount_units

    def _currency_of(self, token: str) -> str:
        for currency, each in self._chain.tokens.items():
            if int(each.address, 16) == int(token, 16):
                return currency
        raise SigningRefused(f"{token} is no token of {self._chain.name}")

    def _market(self) -> MarketContracts:
        if self._chain.market is None:
            raise SigningRefused(f"{self._chain.name} has no market")
        return self._chain.market
