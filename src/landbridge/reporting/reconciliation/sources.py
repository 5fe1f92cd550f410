"""Sources of reconciliation: chains, and accounts at banks, one for each currency."""

from enum import StrEnum
from typing import TypeAlias

from landbridge.platform.core.money import Asset
from landbridge.providers.chains.tokens import ASSETS, Chain
from landbridge.providers.rails.currencies import FIAT, FIAT_ASSETS

_BANK = "BANK_"


class ReconSourceName(StrEnum):
    """External system that holds money: a chain, or the account of a currency at a bank."""

    POLYGON = "POLYGON"
    ETHEREUM = "ETHEREUM"
    SOLANA = "SOLANA"
    BASE = "BASE"
    BANK_USD = "BANK_USD"
    BANK_EUR = "BANK_EUR"
    BANK_BRL = "BANK_BRL"
    BANK_MXN = "BANK_MXN"
    BANK_COP = "BANK_COP"
    BANK_ARS = "BANK_ARS"
    BANK_HKD = "BANK_HKD"
    BANK_CNY = "BANK_CNY"
    BANK_SGD = "BANK_SGD"
    BANK_NGN = "BANK_NGN"
    BANK_KES = "BANK_KES"
    BANK_ZMW = "BANK_ZMW"
    BANK_MWK = "BANK_MWK"
    BANK_TZS = "BANK_TZS"
    BANK_BWP = "BANK_BWP"
    BANK_CDF = "BANK_CDF"
    BANK_GHS = "BANK_GHS"
    BANK_ZAR = "BANK_ZAR"
    BANK_UGX = "BANK_UGX"
    BANK_RWF = "BANK_RWF"
    BANK_XAF = "BANK_XAF"
    BANK_XOF = "BANK_XOF"

    @property
    def is_bank(self) -> bool:
        """Whether it is an account at a bank."""
        return self.startswith(_BANK)

    @property
    def bank_asset(self) -> Asset:
        """Return the asset of an account at a bank."""
        return FIAT[self.removeprefix(_BANK).lower()]


BANKS = tuple(each for each in ReconSourceName if each.is_bank)
# Name of a source; functions that concern only chains take a `Chain`.
SourceName: TypeAlias = ReconSourceName | Chain

# Assets of differences and positions, by code: coins, and money at banks.
COMPARED_ASSETS = {**ASSETS, **FIAT_ASSETS}


def bank_source(currency: str) -> ReconSourceName:
    """Return the source of the account in a currency."""
    return ReconSourceName(f"{_BANK}{currency.upper()}")
