"""Configuration of chains: reads and validates the chains file.

Guarantees:
- every mistake is a `ChainsFileError` whose sentence begins with the path of the value;
- unknown members are refused, so a mistyped optional member is not ignored;
- URLs of nodes may contain secrets: no error, repr or log shows more of them than host and port.
"""

import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from landbridge.providers.chains.tokens import NATIVE_ASSETS, Network
from landbridge.providers.evm.bridge_configuration import BridgeContracts, read_bridge
from landbridge.providers.evm.configuration_table import ChainsFileError, ConfigurationTable, either
from landbridge.providers.evm.market_configuration import MarketContracts, read_market
from landbridge.providers.evm.node_url import NodeUrl, NodeUrlError, is_web_url
from landbridge.providers.evm.signer_limits import SignerLimits, read_signer_limits
from landbridge.providers.evm.token_configuration import EvmToken, read_evm_token, read_tokens

# Larger than any id in use; some tools could not sign for a larger one.
_CHAIN_ID_MAX = 2**53 - 1
_BLOCKS_MAX = 2**53 - 1
# Maximum depth in blocks: a deeper confirmation takes hours on the slowest chain, so it is a
# mistake.
_DEPTH_MAX = 10_000
_URLS_MAX = 10
_GWEI_WEI = 10**9
_GWEI_CAP_MAX = 1_000_000
# A gwei has nine decimals in wei.
_GWEI_FORM = re.compile(r"[0-9]{1,7}(?:\.[0-9]{1,9})?", re.ASCII)
_COIN_FORM = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,18})?", re.ASCII)
# Default limit of an organisation's gas in a day, "0.1" for other chains. On Ethereum that is some
# 500 payments at 30 gwei.
_ORGANISATION_DAY = {Network.ETHEREUM: "1", Network.POLYGON: "1000"}
_NATIVE_FORM = re.compile(r"[A-Z]{2,10}", re.ASCII)
# Optional members about sending, with their maximum values.
_SENDING_MAX = {
    "relayers": 100,
    "in_flight_max": 10_000,
    "resend_after_s": 3600,
    "replace_after_s": 24 * 3600,
}
_HASH_FORM = re.compile(r"0x[0-9a-fA-F]{64}", re.ASCII)
_HASH_PLACE = "{hash}"


class SponsorMethod(StrEnum):
    """Method by which the gas of a wallet that holds only stablecoins is paid."""

    # a relayer submits a transfer that the wallet has authorized by its signature
    EIP3009 = "eip3009"
    EIP7702 = "eip7702"  # the wallet delegates to a contract, which a relayer calls
    TOP_UP = "top-up"  # a relayer first sends native coins to the wallet


class FinalityTag(StrEnum):
    """Tag by which nodes name the block that counts as final."""

    SAFE = "safe"
    FINALIZED = "finalized"


class EvmChain(msgspec.Struct, frozen=True, kw_only=True):
    """Chain as configured.

    The checkpoint is a block that every node must have: its hash is 0x and 64 digits in lower case.
    A transfer is CONFIRMED when it is `confirmations` blocks deep, and final at `finality`: a
    node's tag, or a depth in blocks. `explorer` has the placeholder `{hash}`. Addresses have EIP-55
    capital letters. `tokens` are by currency, for example `usdc`. `max_fee_cap_wei` is the maximum
    price of gas; None for no cap. A relayer with less than `relayer_floor_wei` sends nothing, and
    each has at most `in_flight_max` transactions that wait to be mined. The gas of one
    organisation's orders is paid up to `organisation_day_wei` in 24 hours. The gas of a delivery is
    paid up to `gas_per_coin_max_wei` for each coin; None for no bound. A transaction that is not in
    a block is sent again, and replaced, after the configured seconds. `faucet` is an unlocked
    account of a local node that owns the tokens. `signer` bounds what is signed. `bridge` moves
    bridgeable tokens; `market` swaps.
    """

    name: Network
    chain_id: int
    rpc_urls: tuple[NodeUrl, ...]
    checkpoint_block: int
    checkpoint_hash: str
    confirmations: int
    finality: FinalityTag | int
    explorer: str
    sponsor: tuple[SponsorMethod, ...]
    batch_contract: str | None
    delegate_contract: str | None
    max_fee_cap_wei: int | None
    tokens: Mapping[str, EvmToken]
    native_currency: str = "ETH"
    relayers: int = 1
    relayer_floor_wei: int = 0
    organisation_day_wei: int = 10**18
    gas_per_coin_max_wei: int | None = None
    in_flight_max: int = 16
    resend_after_s: int = 30
    replace_after_s: int = 120
    faucet: str | None = None
    signer: SignerLimits = SignerLimits()
    bridge: BridgeContracts | None = None
    market: MarketContracts | None = None

    @property
    def recipients_max(self) -> int | None:
        """Return None, which means no maximum: one transaction pays all recipients of a batch."""

    @property
    def coin_decimals(self) -> int:
        """Return the decimals of the chain's native coin."""
        return NATIVE_ASSETS[self.name].decimals

    @property
    def relayer_floor_units(self) -> int:
        """Return `relayer_floor_wei` under the name that every kind of chain has."""
        return self.relayer_floor_wei

    def explorer_url(self, transaction_hash: str) -> str:
        """Return the URL of a transaction's page in the explorer."""
        return self.explorer.replace(_HASH_PLACE, transaction_hash)


def read_chains_file(path: Path) -> Mapping[Network, EvmChain]:
    """Return the EVM chains of a file, by name; `providers/solana` reads the table of Solana.

    Raises:
        ChainsFileError: The file can't be read, or a value is invalid.
    """
    return parse_chains(read_text(path))


def read_text(path: Path) -> str:
    """Return the text of the chains file; raises `ChainsFileError`."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ChainsFileError(f"{path} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ChainsFileError(f"{path} is not UTF-8 text") from error


def parse_chains(text: str) -> Mapping[Network, EvmChain]:
    """Return the EVM chains of TOML text; see `read_chains_file`."""
    tables = read_tables(text)
    names = [each for each in tables.names if each != Network.SOLANA]
    chains = {chain.name: chain for chain in (_chain(tables, name) for name in names)}
    _check_distinct(chains)
    _check_bridges(chains)
    return chains


def read_tables(text: str) -> ConfigurationTable:
    """Return the tables of all chains, by name; raises `ChainsFileError`."""
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ChainsFileError(f"the chains file is not valid TOML: {error}") from error
    root = ConfigurationTable("", document)
    tables = root.table("chains")
    root.refuse_unknown()
    if not tables.names:
        raise ChainsFileError("chains must have at least one chain")
    return tables


def _chain(tables: ConfigurationTable, key: str) -> EvmChain:
    table = tables.table(key)
    name = _network(table.path, key)
    confirmations = table.whole("confirmations", least=1, most=_DEPTH_MAX)
    delegate_contract = table.optional_address("delegate_contract")
    tokens = read_tokens(table.table("tokens"), name, read_evm_token)
    decimals = {currency: token.decimals for currency, token in tokens.items()}
    sponsor = _sponsor(table, has_delegate=delegate_contract is not None)
    has_calls, market = SponsorMethod.EIP7702 in sponsor, table.optional_table("market")
    chain = EvmChain(
        name=name,
        chain_id=table.whole("chain_id", least=1, most=_CHAIN_ID_MAX),
        rpc_urls=read_urls(table),
        checkpoint_block=table.whole("checkpoint_block", least=0, most=_BLOCKS_MAX),
        checkpoint_hash=_checkpoint_hash(table),
        confirmations=confirmations,
        finality=_finality(table, confirmations),
        explorer=read_explorer(table),
        sponsor=sponsor,
        batch_contract=table.optional_address("batch_contract"),
        delegate_contract=delegate_contract,
        max_fee_cap_wei=_fee_cap(table),
        tokens=tokens,
        signer=read_signer_limits(table.optional_table("signer"), decimals),
        bridge=read_bridge(table.optional_table("bridge")),
        market=read_market(market, decimals, has_calls=has_calls),
        **_sending(table, name),
    )
    table.refuse_unknown()
    return chain


def _network(path: str, key: str) -> Network:
    if key not in list(Network):
        raise ChainsFileError(f"{path} is no chain of the platform: use {either(list(Network))}")
    return Network(key)


def read_urls(table: ConfigurationTable) -> tuple[NodeUrl, ...]:
    """Return the URLs of a chain's nodes."""
    texts = table.texts("rpc_urls")
    if not 1 <= len(texts) <= _URLS_MAX:
        raise table.error("rpc_urls", f"must have 1 to {_URLS_MAX} URLs")
    if len(set(texts)) < len(texts):
        raise table.error("rpc_urls", "has one URL twice")
    urls: list[NodeUrl] = []
    for place, text in enumerate(texts):
        try:
            urls.append(NodeUrl.parse(text))
        except NodeUrlError as error:
            raise table.error(f"rpc_urls[{place}]", str(error)) from None
    return tuple(urls)


def _checkpoint_hash(table: ConfigurationTable) -> str:
    text = table.text("checkpoint_hash")
    if not _HASH_FORM.fullmatch(text):
        raise table.error("checkpoint_hash", "must be 0x followed by 64 hexadecimal digits")
    return text.lower()


def _finality(table: ConfigurationTable, confirmations: int) -> FinalityTag | int:
    value = table.required("finality")
    wording = f"must be {either(FinalityTag)}, or a number of blocks"
    if isinstance(value, str) and value in list(FinalityTag):
        return FinalityTag(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise table.error("finality", wording)
    if not confirmations <= value <= _DEPTH_MAX:
        raise table.error(
            "finality", f"must be at least the {confirmations} confirmations, at most {_DEPTH_MAX}"
        )
    return value


def read_explorer(table: ConfigurationTable) -> str:
    """Return the URL of a transaction's page, with a placeholder for the hash."""
    text = table.text("explorer")
    if text.count(_HASH_PLACE) != 1 or not is_web_url(text.replace(_HASH_PLACE, "0x0")):
        raise table.error("explorer", f"must be an https URL with {_HASH_PLACE} in it once")
    return text


def _sponsor(table: ConfigurationTable, *, has_delegate: bool) -> tuple[SponsorMethod, ...]:
    texts = table.texts("sponsor")
    for text in texts:
        if text not in list(SponsorMethod):
            raise table.error("sponsor", f"must be a list of {either(SponsorMethod)}")
    if len(set(texts)) < len(texts):
        raise table.error("sponsor", "has one method twice")
    if SponsorMethod.EIP7702 in texts and not has_delegate:
        raise table.error("sponsor", "has eip7702, which needs a delegate_contract")
    return tuple(SponsorMethod(text) for text in texts)


def _fee_cap(table: ConfigurationTable) -> int | None:
    text = table.optional_text("max_fee_gwei_cap")
    if text is None:
        return None
    if not _GWEI_FORM.fullmatch(text):
        raise table.error("max_fee_gwei_cap", 'must be a decimal in text, as in "500" or "0.25"')
    wei = int(Decimal(text).scaleb(9))
    if not 0 < wei <= _GWEI_CAP_MAX * _GWEI_WEI:
        raise table.error("max_fee_gwei_cap", f"must be above 0 and at most {_GWEI_CAP_MAX}")
    return wei


def _sending(table: ConfigurationTable, chain: Network) -> dict[str, Any]:
    """Return the optional members about relayers and sending that are set or have a default."""
    found: dict[str, Any] = {
        name: table.whole(name, least=1, most=most)
        for name, most in _SENDING_MAX.items()
        if name in table.names
    }
    if "native_currency" in table.names:
        found["native_currency"] = table.text("native_currency")
        if not _NATIVE_FORM.fullmatch(found["native_currency"]):
            raise table.error("native_currency", 'must be 2 to 10 capitals, as in "POL"')
    day = _ORGANISATION_DAY.get(chain, "0.1")
    defaults = (("relayer_floor", "0"), ("organisation_day", day), ("gas_per_coin_max", None))
    for name, default in defaults:
        text = table.text(name) if name in table.names else default
        if text is not None and not _COIN_FORM.fullmatch(text):
            raise table.error(name, 'must be a decimal in text, as in "0.5"')
        found[f"{name}_wei"] = None if text is None else int(Decimal(text).scaleb(18))
    faucet = table.optional_address("faucet")
    return found if faucet is None else {**found, "faucet": faucet}


def _check_distinct(chains: Mapping[Network, EvmChain]) -> None:
    by_id: dict[int, Network] = {}
    for name, chain in chains.items():
        other = by_id.setdefault(chain.chain_id, name)
        if other is not name:
            raise ChainsFileError(f"chains.{name}.chain_id is also that of {other}")


def _check_bridges(chains: Mapping[Network, EvmChain]) -> None:
    """Refuse two chains with the same domain, and bridgeable tokens without a bridge."""
    by_domain: dict[int, Network] = {}
    for name, chain in chains.items():
        if chain.bridge is not None:
            other = by_domain.setdefault(chain.bridge.domain, name)
            if other is not name:
                raise ChainsFileError(f"chains.{name}.bridge.domain is also that of {other}")
            continue
        for currency, token in chain.tokens.items():
            if token.is_bridgeable:
                raise ChainsFileError(
                    f"chains.{name}.tokens.{currency}.bridgeable needs chains.{name}.bridge"
                )
