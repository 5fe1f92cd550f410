"""Fiat currencies of payouts and deposits, as assets of the ledger.

Source: contract, lifecycles 7 and 8 (lists of currencies); ISO 4217 (decimals).
"""

from landbridge.platform.core.money import Asset

# Value of `Asset.chain` for fiat, which is held at a bank.
AT_BANK = "BANK"

_DECIMALS = {
    "usd": 2,
    "eur": 2,
    "brl": 2,
    "mxn": 2,
    "cop": 2,
    "ars": 2,
    "hkd": 2,
    "cny": 2,
    "sgd": 2,
    "ngn": 2,
    "kes": 2,
    "zmw": 2,
    "mwk": 2,
    "tzs": 2,
    "bwp": 2,
    "cdf": 2,
    "ghs": 2,
    "zar": 2,
    "ugx": 0,
    "rwf": 0,
    "xaf": 0,
    "xof": 0,
}

FIAT = {currency: Asset(currency, AT_BANK, decimals) for currency, decimals in _DECIMALS.items()}
FIAT_ASSETS = {asset.code: asset for asset in FIAT.values()}

# Corridors: dollar payouts to banks abroad have prices of their own, so each corridor has a
# currency. Source: contract, interface/offramp (rates).
CORRIDORS = {"usd-hka": "usd", "usd-chn": "usd", "usd-sgp": "usd"}
