"""Nigeria. Source: contract, users 3.3 and 3.4 (with BVN; else USD without tax numbers)."""

import re
from dataclasses import replace

from landbridge.customers.kyc.model import Data
from landbridge.customers.kyc.rails.requirement_table import FieldRule, Methods
from landbridge.customers.kyc.rails.usd import BUSINESS as USD_BUSINESS
from landbridge.customers.kyc.rails.usd import INDIVIDUAL as USD_INDIVIDUAL

# Bank verification number of every account holder in Nigeria.
_BVN = "BVN"
_BVN_NUMBER = re.compile(r"[0-9]{11}")


def _is_bvn(data: Data) -> bool:
    return data["additionalIdType"] == _BVN


def _has_bvn_number(data: Data) -> bool:
    return _BVN_NUMBER.fullmatch(data["additionalIdNumber"]) is not None


_ALMOST = USD_INDIVIDUAL.without("taxIdentificationNumber")
INDIVIDUAL = replace(
    _ALMOST,
    required=(*_ALMOST.required, "additionalIdType", "additionalIdNumber"),
    rules=(
        FieldRule("additionalIdType", _is_bvn, f"must be {_BVN}"),
        FieldRule(
            "additionalIdNumber", _has_bvn_number, f"must be the {_BVN}, which has 11 digits"
        ),
    ),
)
BUSINESS = USD_BUSINESS.without("taxIdentificationNumber")

ON_RAMP: Methods = {"ngn": ("bank",)}
OFF_RAMP: Methods = {"ngn": ("bank",)}
