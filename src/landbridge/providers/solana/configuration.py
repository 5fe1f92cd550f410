"""Configuration of Solana: its table in the chains file. Does not need the extra.

The guarantees are those of `providers/evm/configuration.py`.
"""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from landbridge.platform.formats.evm_addresses import AddressError
from landbridge.platform.formats.solana_addresses import checked_solana_address
from landbridge.providers.chains.tokens import NATIVE_ASSETS, Network
from landbridge.providers.evm.configuration import (
    FinalityTag,
    read_explorer,
    read_tables,
    read_text,
    read_urls,
)
from landbridge.providers.evm.configuration_table import ConfigurationTable
from landbridge.providers.evm.node_url import NodeUrl
from landbridge.providers.evm.signer_limits import SignerLimits, read_signer_limits
from landbridge.providers.evm.token_configuration import (
    ConfiguredToken,
    read_tokens,
    read_treasury_bounds,
)

COIN_DECIMALS = NATIVE_ASSETS[Network.SOLANA].decimals
# Wallets that one transaction can pay: with another one it exceeds the size that nodes accept.
RECIPIENTS_MAX = 8
# Maximum of Solana's protocol.
COMPUTE_UNITS_MAX = 1_400_000
# A million micro-lamports per compute unit are one lamport; a transfer then costs 0.0002 SOL.
_PRIORITY_FEE_MAX = 1_000_000_000
_RELAYERS_MAX = 100
_RESEND_MAX_S = 60
_HASH_PLACE = "{hash}"


class TokenProgram(StrEnum):
    """Token program to which a token's mint belongs."""

    TOKEN = "token"  # noqa: S105  no secret
    TOKEN_2022 = "token-2022"  # noqa: S105  no secret


class SolanaToken(ConfiguredToken, frozen=True, kw_only=True):
    """Token: `address` is its mint."""

    program: TokenProgram


class SolanaChain(msgspec.Struct, frozen=True, kw_only=True):
    """Solana as configured.

    `priority_fee_cap` is the maximum price per compute unit, in micro-lamports. `compute_units_max`
    is the maximum of compute units of a transaction. A relayer pays fees and the rent of new token
    accounts; it sends nothing with less than `relayer_floor_units` lamports. It pays at most
    `organisation_day_units` lamports in 24 hours for one organisation, because recipients can close
    their token accounts and keep the rent. A transaction that is not on the chain is sent again
    after `resend_after_s`. `signer` bounds what is signed.
    """

    genesis_hash: str
    rpc_urls: tuple[NodeUrl, ...]
    explorer: str
    tokens: Mapping[str, SolanaToken]
    priority_fee_cap: int = 1_000_000
    compute_units_max: int = 400_000
    relayers: int = 1
    relayer_floor_units: int = 0
    organisation_day_units: int = 10**COIN_DECIMALS
    resend_after_s: int = 5
    signer: SignerLimits = SignerLimits()

    @property
    def name(self) -> Network:
        """Return the name of the chain."""
        return Network.SOLANA

    @property
    def chain_id(self) -> None:
        """Return None: only EVM chains have ids."""

    @property
    def native_currency(self) -> str:
        """Return the ticker of the native coin, for display."""
        return "SOL"

    @property
    def recipients_max(self) -> int | None:
        """Return the maximum of recipients of one transaction."""
        return RECIPIENTS_MAX

    @property
    def coin_decimals(self) -> int:
        """Return the decimals of the native coin."""
        return COIN_DECIMALS

    @property
    def confirmations(self) -> int:
        """Return the depth at which a transfer is confirmed; at that depth it is final too."""
        return 1

    @property
    def faucet(self) -> str | None:
        """Return None: Solana has no faucet; coins come from outside."""

    @property
    def finality(self) -> FinalityTag:
        """Return the commitment at which a transfer is final."""
        return FinalityTag.FINALIZED

    def explorer_url(self, signature: str) -> str:
        """Return the URL of a transaction's page in the explorer."""
        return self.explorer.replace(_HASH_PLACE, signature)


def read_solana(path: Path) -> SolanaChain | None:
    """Return the configuration of Solana in a chains file; None if it has none.

    Raises:
        ChainsFileError: The file can't be read, or a value is invalid.
    """
    return parse_solana(read_text(path))


def parse_solana(text: str) -> SolanaChain | None:
    """Return the configuration of Solana in TOML text; None if it has none.

    Raises as `read_solana`.
    """
    table = read_tables(text).optional_table(Network.SOLANA.value)
    return None if table is None else _chain(table)


def _chain(table: ConfigurationTable) -> SolanaChain:
    tokens = read_tokens(table.table("tokens"), Network.SOLANA, _token)
    if table.text("finality") != FinalityTag.FINALIZED:
        raise table.error("finality", f"must be {FinalityTag.FINALIZED}")
    chain = SolanaChain(
        genesis_hash=_address(table, "genesis_hash"),
        rpc_urls=read_urls(table),
        explorer=read_explorer(table),
        tokens=tokens,
        signer=read_signer_limits(
            table.optional_table("signer"),
            {currency: token.decimals for currency, token in tokens.items()},
            coin_decimals=COIN_DECIMALS,
        ),
        **_sending(table),
    )
    table.refuse_unknown()
    return chain


def _sending(table: ConfigurationTable) -> dict[str, Any]:
    """Return the optional members about sending that are set."""
    bounds = {
        "priority_fee_cap": (0, _PRIORITY_FEE_MAX),
        "compute_units_max": (1, COMPUTE_UNITS_MAX),
        "relayers": (1, _RELAYERS_MAX),
        "resend_after_s": (1, _RESEND_MAX_S),
    }
    found: dict[str, Any] = {
        name: table.whole(name, least=least, most=most)
        for name, (least, most) in bounds.items()
        if name in table.names
    }
    for name in ("relayer_floor", "organisation_day"):
        units = table.optional_units(name, COIN_DECIMALS)
        if units is not None:
            found[f"{name}_units"] = units
    return found


def _token(table: ConfigurationTable, decimals: int) -> SolanaToken:
    floor, target = read_treasury_bounds(table, decimals)
    return SolanaToken(
        address=_address(table, "address"),
        decimals=decimals,
        program=table.choice("program", TokenProgram),
        treasury_floor_units=floor,
        treasury_target_units=target,
    )


def _address(table: ConfigurationTable, name: str) -> str:
    """Return an address or hash: 32 bytes in base58."""
    text = table.text(name)
    try:
        return checked_solana_address(text)
    except AddressError as error:
        raise table.error(name, str(error)) from None
