"""Requirements and payment methods of each rail. Source: contract, users 3.3 and 3.4."""

import re
from collections.abc import Mapping
from dataclasses import replace

from landbridge.customers.kyc.model import Data, Rail
from landbridge.customers.kyc.rails.requirement_table import (
    FieldRule,
    ObjectFields,
    RailRequirements,
)
from landbridge.customers.kyc.rails.usd import BUSINESS, INDIVIDUAL

# Bank verification number of every account holder in Nigeria.
_BVN = "BVN"
_BVN_NUMBER = re.compile(r"[0-9]{11}")


def _is_bvn(data: Data) -> bool:
    return data["additionalIdType"] == _BVN


def _has_bvn_number(data: Data) -> bool:
    return _BVN_NUMBER.fullmatch(data["additionalIdNumber"]) is not None


_INDIVIDUAL = INDIVIDUAL.without("taxIdentificationNumber")
_BUSINESS = BUSINESS.without("taxIdentificationNumber")
_NIGERIAN = replace(
    _INDIVIDUAL,
    required=(*_INDIVIDUAL.required, "additionalIdType", "additionalIdNumber"),
    rules=(
        FieldRule("additionalIdType", _is_bvn, f"must be {_BVN}"),
        FieldRule(
            "additionalIdNumber", _has_bvn_number, f"must be the {_BVN}, which has 11 digits"
        ),
    ),
)

_OCCUPATION_AND_FUNDS = ("mostRecentOccupation", "sourceOfFunds")
_QUESTIONNAIRE = INDIVIDUAL.parts["sofEuQuestionnaire"]
_GLOBAL = replace(
    INDIVIDUAL,
    required=(*INDIVIDUAL.required, "sofEuQuestionnaire"),
    optional=(),
    parts={
        **INDIVIDUAL.parts,
        "sofEuQuestionnaire": ObjectFields(
            required=_OCCUPATION_AND_FUNDS,
            optional=tuple(
                each
                for each in (*_QUESTIONNAIRE.required, *_QUESTIONNAIRE.optional)
                if each not in _OCCUPATION_AND_FUNDS
            ),
        ),
    },
)

RAILS: Mapping[Rail, RailRequirements] = {
    # USD has no payment methods: its status object has review items instead.
    Rail.USD: RailRequirements(individual=INDIVIDUAL, business=BUSINESS),
    Rail.SOUTH_AMERICA_STANDARD: RailRequirements(
        individual=_INDIVIDUAL,
        business=_BUSINESS,
        on_ramp={"brl": ("pix",)},
        off_ramp={"brl": ("pix",), "mxn": ("spei",), "cop": ("achCop",), "ars": ("transfers",)},
    ),
    Rail.AFRICA_GENERAL: RailRequirements(
        individual=_INDIVIDUAL,
        business=_BUSINESS,
        on_ramp={
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
        },
        off_ramp={
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
        },
    ),
    Rail.AFRICA_NIGERIA: RailRequirements(
        individual=_NIGERIAN,
        business=_BUSINESS,
        on_ramp={"ngn": ("bank",)},
        off_ramp={"ngn": ("bank",)},
    ),
    Rail.GLOBAL_NETWORK: RailRequirements(
        individual=_GLOBAL,
        business=replace(BUSINESS, required=(*BUSINESS.required, "tradeName")),
        off_ramp={"brl": ("pix",), "hkd": ("wire",), "mxn": ("spei",), "ngn": ("bank",)},
    ),
}
