"""Stablecoins that wallets hold on each chain, and other destination chains of bridges.

Source: contract, lifecycles 1.1 (chains and currencies). Every token here has six decimals.
Addresses are the issuers' published ones on the main networks; `usdHifi` is the sandbox's own test
coin and has no contract anywhere, so its address is the zero address.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from landbridge.platform.core.money import Asset

_DECIMALS = 6
_NO_CONTRACT_EVM = "0x" + "0" * 40
_NO_CONTRACT_SOLANA = "1" * 32


class Chain(StrEnum):
    """Chain with user wallets, spelled as in the contract."""

    POLYGON = "POLYGON"
    ETHEREUM = "ETHEREUM"
    SOLANA = "SOLANA"
    BASE = "BASE"

    @property
    def is_evm(self) -> bool:
        """Return whether the chain has EVM addresses; Solana has its own format."""
        return self is not Chain.SOLANA


class Network(StrEnum):
    """Chain that coins can be sent to: those of `Chain`, and some without user wallets.

    Source: contract, interface/cross-chain-bridge (destination chains).
    """

    POLYGON = "POLYGON"
    ETHEREUM = "ETHEREUM"
    SOLANA = "SOLANA"
    BASE = "BASE"
    OPTIMISM = "OPTIMISM"
    ARBITRUM = "ARBITRUM"

    @property
    def chain(self) -> Chain | None:
        """Return the same chain as a `Chain`; None if it has no user wallets."""
        return _WALLET_CHAINS.get(self)

    @property
    def address_chain(self) -> Chain:
        """Return a chain of users with the same address format: itself, or any EVM chain."""
        return self.chain or Chain.ETHEREUM


_WALLET_CHAINS = {Network(chain): chain for chain in Chain}


@dataclass(frozen=True, slots=True)
class Token:
    """Stablecoin on a chain."""

    asset: Asset
    name: str
    address: str

    @property
    def symbol(self) -> str:
        """Return the ticker that wallets show."""
        return {"usdHifi": "USDHIFI"}.get(self.asset.currency, self.asset.currency.upper())


def _token(chain: Chain | Network, currency: str, name: str, address: str) -> Token:
    return Token(Asset(currency, chain, _DECIMALS), name, address)


_USDC = "USD Coin"
_USDT = "Tether USD"
_USDG = "Global Dollar"
_TEST = "Test dollar (sandbox)"

_ALL = (
    _token(Chain.POLYGON, "usdc", _USDC, "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"),
    _token(Chain.POLYGON, "usdt", _USDT, "0xc2132D05D31c914a87C6611C10748AEb04B58e8F"),
    _token(Chain.POLYGON, "usdHifi", _TEST, _NO_CONTRACT_EVM),
    _token(Chain.ETHEREUM, "usdc", _USDC, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
    _token(Chain.ETHEREUM, "usdt", _USDT, "0xdAC17F958D2ee523a2206206994597C13D831ec7"),
    _token(Chain.ETHEREUM, "usdg", _USDG, "0xe343167631d89B6Ffc58B88d6b7fB0228795491D"),
    _token(Chain.ETHEREUM, "usdHifi", _TEST, _NO_CONTRACT_EVM),
    _token(Chain.SOLANA, "usdc", _USDC, "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"),
    _token(Chain.SOLANA, "usdt", _USDT, "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"),
    _token(Chain.SOLANA, "usdg", _USDG, "2u1tszSeqZ3qBWF3uNGPFc8TzMk2tdiwknnRMWGWjGWH"),
    _token(Chain.SOLANA, "usdHifi", _TEST, _NO_CONTRACT_SOLANA),
    _token(Chain.BASE, "usdc", _USDC, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
    _token(Chain.BASE, "usdHifi", _TEST, _NO_CONTRACT_EVM),
)

# Tokens on chains without user wallets: bridges mint them for external addresses.
_ABROAD = (
    _token(Network.OPTIMISM, "usdc", _USDC, "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85"),
    _token(Network.ARBITRUM, "usdc", _USDC, "0xaf88d065e77c8cC2239327C5EDb3A432268e5831"),
)

Tokens = Mapping[tuple[Chain, str], Token]
TOKENS: Tokens = {(Chain(each.asset.chain), each.asset.currency): each for each in _ALL}
NETWORK_TOKENS = {
    (Network(each.asset.chain), each.asset.currency): each for each in (*_ALL, *_ABROAD)
}
ASSETS = {each.asset.code: each.asset for each in (*_ALL, *_ABROAD)}
# Native coins, in which the gas of a chain is paid. Users can't hold, send or exchange them: they
# exist only in the ledger, which books gas costs in them. Source: ethereum.org,
# docs.polygon.technology and solana.com/docs.
_NATIVE_DECIMALS = 18
NATIVE_ASSETS = {
    network: Asset("pol" if network is Network.POLYGON else "eth", network, _NATIVE_DECIMALS)
    for network in Network
    if network.address_chain.is_evm
} | {Network.SOLANA: Asset("sol", Network.SOLANA, 9)}
# Currencies of all chains; a chain may have only some of them.
CURRENCIES = tuple(sorted({currency for _, currency in TOKENS}))
DECIMALS_MAX = max(each.decimals for each in ASSETS.values())


def tokens_on(chain: Chain) -> list[Token]:
    """Return every token of a chain."""
    return [token for (on, _), token in TOKENS.items() if on is chain]
