"""Requirements of the Global Network. Source: contract, users 3.3 and 3.4."""

from dataclasses import replace

from landbridge.customers.kyc.rails.requirement_table import Methods, ObjectFields
from landbridge.customers.kyc.rails.usd import BUSINESS as USD_BUSINESS
from landbridge.customers.kyc.rails.usd import INDIVIDUAL as USD_INDIVIDUAL

_OCCUPATION_AND_FUNDS = ("mostRecentOccupation", "sourceOfFunds")
_QUESTIONNAIRE = USD_INDIVIDUAL.parts["sofEuQuestionnaire"]

INDIVIDUAL = replace(
    USD_INDIVIDUAL,
    required=(*USD_INDIVIDUAL.required, "sofEuQuestionnaire"),
    optional=(),
    parts={
        **USD_INDIVIDUAL.parts,
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

BUSINESS = replace(USD_BUSINESS, required=(*USD_BUSINESS.required, "tradeName"))

ON_RAMP: Methods = {}
OFF_RAMP: Methods = {"brl": ("pix",), "hkd": ("wire",), "mxn": ("spei",), "ngn": ("bank",)}
