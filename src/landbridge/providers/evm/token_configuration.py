"""Tokens of a chain, as configured in the chains file."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import msgspec

from landbridge.providers.chains.tokens import NETWORK_TOKENS, Network
from landbridge.providers.evm.configuration_table import ChainsFileError, ConfigurationTable, either

_DOMAIN_LENGTH_MAX = 100


class Eip3009Domain(msgspec.Struct, frozen=True):
    """Name and version in a token's EIP-712 domain."""

    name: str
    version: str


class ConfiguredToken(msgspec.Struct, frozen=True, kw_only=True):
    """Token of any chain.

    An alarm goes out while an organisation's own address has fewer units than the floor; the target
    is what it should be filled up to.
    """

    address: str
    decimals: int
    treasury_floor_units: int | None = None
    treasury_target_units: int | None = None


class EvmToken(ConfiguredToken, frozen=True, kw_only=True):
    """Token contract; `eip3009` only if it transfers by signed authorization.

    A bridgeable token is burned and minted by the chain's bridge.
    """

    eip3009: Eip3009Domain | None
    is_bridgeable: bool = False


T = TypeVar("T", bound=ConfiguredToken)


def read_tokens(
    tables: ConfigurationTable, chain: Network, read: Callable[[ConfigurationTable, int], T]
) -> Mapping[str, T]:
    """Return a chain's tokens by currency; `read` builds one from its table and its decimals."""
    if not tables.names:
        raise ChainsFileError(f"{tables.path} must have at least one token")
    tokens: dict[str, T] = {}
    for currency in tables.names:
        table = tables.table(currency)
        token = read(table, _decimals(table, chain, currency))
        table.refuse_unknown()
        for other, each in tokens.items():
            if each.address == token.address:
                raise ChainsFileError(f"{tables.path}.{currency}.address is also that of {other}")
        tokens[currency] = token
    return tokens


def _decimals(table: ConfigurationTable, chain: Network, currency: str) -> int:
    known = NETWORK_TOKENS.get((chain, currency))
    if known is None:
        listed = [name for on, name in NETWORK_TOKENS if on is chain]
        raise ChainsFileError(
            f"{table.path} is no token of the platform on {chain}: use {either(listed)}"
        )
    decimals = table.whole("decimals", least=0, most=77)
    if decimals != known.asset.decimals:
        raise table.error("decimals", f"must be {known.asset.decimals}, as the platform books it")
    return decimals


def read_treasury_bounds(table: ConfigurationTable, decimals: int) -> tuple[int | None, int | None]:
    """Return floor and target of a token, in units."""
    floor = table.optional_units("treasury_floor", decimals)
    target = table.optional_units("treasury_target", decimals)
    if floor is not None and target is not None and target < floor:
        raise table.error("treasury_target", "must be at least the treasury_floor")
    return floor, target


def read_evm_token(table: ConfigurationTable, decimals: int) -> EvmToken:
    """Return a token of an EVM chain."""
    address = table.address("address")
    floor, target = read_treasury_bounds(table, decimals)
    return EvmToken(
        address=address,
        decimals=decimals,
        eip3009=_domain(table),
        treasury_floor_units=floor,
        treasury_target_units=target,
        is_bridgeable=table.optional_flag("bridgeable"),
    )


def _domain(table: ConfigurationTable) -> Eip3009Domain | None:
    if "eip3009" not in table.names:
        return None
    domain = table.table("eip3009")
    texts: dict[str, str] = {}
    for name in ("name", "version"):
        texts[name] = domain.text(name)
        if not 1 <= len(texts[name]) <= _DOMAIN_LENGTH_MAX:
            raise domain.error(name, f"must have 1 to {_DOMAIN_LENGTH_MAX} characters")
    domain.refuse_unknown()
    return Eip3009Domain(**texts)
