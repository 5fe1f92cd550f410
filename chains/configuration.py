"""Configuration file of chains: what `make chains` writes and the platform reads.

One table per chain, in TOML. The file begins with a mark: a file without it, such as one for
production, is never overwritten.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import msgspec

from chains.packages import ROOT

DEFAULT_PATH = ROOT / ".landbridge" / "chains.toml"

_MARK = "# Written by `make chains`, which overwrites it."
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {
    "\\": "\\\\",
    '"': '\\"',
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
}


class ConfigurationError(Exception):
    """The file cannot be read or overwritten, in one sentence."""


class Eip712Domain(msgspec.Struct, frozen=True):
    """Name and version in a token's EIP-712 domain."""

    name: str
    version: str


class TokenConfiguration(msgspec.Struct, frozen=True, omit_defaults=True):
    """Token contract. With `eip3009` it transfers by signed authorization."""

    address: str
    decimals: int
    eip3009: Eip712Domain | None = None
    bridgeable: bool = False


class BridgeConfiguration(msgspec.Struct, frozen=True):
    """Bridge contracts, the chain's number in messages, and the URL of the attestation service."""

    domain: int
    token_messenger: str
    message_transmitter: str
    attestation_url: str


class PoolConfiguration(msgspec.Struct, frozen=True):
    """Pool of two tokens, and who swaps them: the treasury, the market, or the better one."""

    address: str
    fee: int
    provider: str


class MarketConfiguration(msgspec.Struct, frozen=True):
    """Contracts of a market; its pools are named after two currencies."""

    interface: str
    router: str
    quoter: str
    coin_price: str
    pools: dict[str, PoolConfiguration]
    slippage_bps: int = 10
    patience_s: int = 300
    least_rate: str = "0.98"


class ChainConfiguration(msgspec.Struct, frozen=True):
    """Chain as the platform uses it. The checkpoint is a block that the chain must have."""

    chain_id: int
    rpc_urls: list[str]
    checkpoint_block: int
    checkpoint_hash: str
    confirmations: int
    finality: str | int
    explorer: str
    sponsor: list[str]
    batch_contract: str
    delegate_contract: str
    tokens: dict[str, TokenConfiguration]
    native_currency: str = "ETH"
    relayers: int = 2
    relayer_floor: str = "0.1"
    organisation_day: str = "1000"
    gas_per_coin_max: str | None = None
    in_flight_max: int = 1_000
    resend_after_s: int = 3
    replace_after_s: int = 20
    faucet: str = "0x" + "0" * 40
    bridge: BridgeConfiguration | None = None
    market: MarketConfiguration | None = None


class _File(msgspec.Struct):
    chains: dict[str, ChainConfiguration]


def read_configuration(path: Path) -> dict[str, ChainConfiguration]:
    """Return the chains of a file that this command wrote; none if there is no file.

    Raises:
        ConfigurationError: The file is another's, or damaged.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    if not text.startswith(_MARK):
        raise ConfigurationError(
            f"{path} was not written by `make chains`: move it away, or choose another with --out."
        )
    try:
        return msgspec.convert(tomllib.loads(text), _File).chains
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as failure:
        raise ConfigurationError(f"{path} is damaged, remove it: {failure}") from failure


def write_configuration(path: Path, chains: dict[str, ChainConfiguration]) -> None:
    """Write the file as a whole: a reader sees the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.new")
    temporary.write_text(format_configuration(chains), encoding="utf-8")
    temporary.replace(path)


def format_configuration(chains: dict[str, ChainConfiguration]) -> str:
    """Return the file's content."""
    lines = [_MARK]
    for name, chain in chains.items():
        fields: dict[str, Any] = msgspec.to_builtins(chain)
        tokens: dict[str, dict[str, Any]] = fields.pop("tokens")
        for optional in ("gas_per_coin_max", "bridge", "market"):
            if fields[optional] is None:
                del fields[optional]
        lines += ["", f"[chains.{_key(name)}]", *_pairs(fields)]
        for currency, token in tokens.items():
            lines += ["", f"[chains.{_key(name)}.tokens.{_key(currency)}]", *_pairs(token)]
    return "\n".join(lines) + "\n"


def _pairs(fields: Mapping[str, object]) -> list[str]:
    return [f"{_key(name)} = {_value(value)}" for name, value in fields.items()]


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _string(name)


def _value(value: object) -> str:
    match value:
        case str():
            return _string(value)
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case list():
            return f"[{', '.join(_value(each) for each in cast('list[object]', value))}]"
        case dict():
            return f"{{{', '.join(_pairs(cast('dict[str, object]', value)))}}}"
        case _:
            raise TypeError(f"no such value in a configuration: {value!r}")


def _string(text: str) -> str:
    return f'"{"".join(_escape(character) for character in text)}"'


def _escape(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    is_control = character < " " or character == "\x7f"
    return f"\\u{ord(character):04x}" if is_control else character
