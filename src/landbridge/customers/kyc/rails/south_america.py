"""South America. Source: contract, users 3.3 (methods) and 3.4 (as USD without tax numbers)."""

from landbridge.customers.kyc.rails.requirement_table import Methods
from landbridge.customers.kyc.rails.usd import BUSINESS as USD_BUSINESS
from landbridge.customers.kyc.rails.usd import INDIVIDUAL as USD_INDIVIDUAL

INDIVIDUAL = USD_INDIVIDUAL.without("taxIdentificationNumber")
BUSINESS = USD_BUSINESS.without("taxIdentificationNumber")

ON_RAMP: Methods = {"brl": ("pix",)}
OFF_RAMP: Methods = {"brl": ("pix",), "mxn": ("spei",), "cop": ("achCop",), "ars": ("transfers",)}
