"""Africa without Nigeria. Source: contract, users 3.3 and 3.4 (as USD without tax numbers)."""

from landbridge.customers.kyc.rails.requirement_table import Methods
from landbridge.customers.kyc.rails.usd import BUSINESS as USD_BUSINESS
from landbridge.customers.kyc.rails.usd import INDIVIDUAL as USD_INDIVIDUAL

INDIVIDUAL = USD_INDIVIDUAL.without("taxIdentificationNumber")
BUSINESS = USD_BUSINESS.without("taxIdentificationNumber")

ON_RAMP: Methods = {
    "kes": ("momo",),
    "ghs": ("momo",),
    "tzs": ("bank",),
    "ugx": ("bank",),
    "bwp": ("bank",),
    "xaf": ("bank", "momo"),
    "mwk": ("bank", "momo"),
    "rwf": ("bank",),
    "zmw": ("bank", "momo"),
    "xof": ("momo",),
}
OFF_RAMP: Methods = {
    "kes": ("bank", "momo"),
    "zar": ("bank",),
    "ghs": ("momo",),
    "tzs": ("momo",),
    "ugx": ("momo",),
    "bwp": ("momo",),
    "xaf": ("momo",),
    "mwk": ("momo",),
    "rwf": ("momo",),
    "zmw": ("momo",),
    "xof": ("momo",),
}
