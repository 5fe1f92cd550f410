"""Bounds on what the signer signs for a chain, as configured in the chains file."""

from collections.abc import Mapping

import msgspec

from landbridge.providers.evm.configuration_table import ConfigurationTable

# Name of the chain's native coin among its tokens.
COIN = "native"
_COIN_DECIMALS = 18
_RATE_MAX = 10_000


class AmountLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Largest amounts that are signed, in smallest units: by one transaction, and in a day (UTC).

    None is no bound.
    """

    transaction_max_units: int | None = None
    day_max_units: int | None = None


class SignerLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of a chain: signatures per second, by one key and in total, and amounts.

    `amounts` are by currency, for example `usdc`; `native` is the chain's native coin.
    """

    rate_per_key: int = 100
    rate: int = 1000
    amounts: Mapping[str, AmountLimits] = {}


def read_signer_limits(
    table: ConfigurationTable | None,
    decimals: Mapping[str, int],
    *,
    coin_decimals: int = _COIN_DECIMALS,
) -> SignerLimits:
    """Return the bounds in a chain's table `signer`; `decimals` are its tokens' by currency.

    `coin_decimals` are the decimals of the chain's native coin.

    Raises:
        ChainsFileError: A value is not valid.
    """
    if table is None:
        return SignerLimits()
    limits = SignerLimits(
        rate_per_key=table.whole(
            "rate_per_key", least=1, most=_RATE_MAX, default=SignerLimits().rate_per_key
        ),
        rate=table.whole("rate", least=1, most=_RATE_MAX, default=SignerLimits().rate),
        amounts={
            name: _amounts(table.table(name), places)
            for name, places in {**decimals, COIN: coin_decimals}.items()
            if name in table.names
        },
    )
    table.refuse_unknown()
    return limits


def _amounts(table: ConfigurationTable, decimals: int) -> AmountLimits:
    limits = AmountLimits(
        transaction_max_units=table.optional_units("transaction_max", decimals),
        day_max_units=table.optional_units("day_max", decimals),
    )
    table.refuse_unknown()
    return limits
