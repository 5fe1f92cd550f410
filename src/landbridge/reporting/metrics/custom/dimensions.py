"""Dimensions that definitions may filter and break down by, for each subject."""

from collections.abc import Mapping

import msgspec

from landbridge.payments.approvals.model import ApprovalStatus
from landbridge.platform.core.errors import InvariantBroken
from landbridge.providers.rails.currencies import CORRIDORS, FIAT
from landbridge.reporting.metrics.builtin.amounts import CHAINS, CURRENCIES
from landbridge.reporting.metrics.builtin.approval_turnaround import APPROVAL_TURNAROUND
from landbridge.reporting.metrics.builtin.balances import BALANCES
from landbridge.reporting.metrics.builtin.kinds import (
    COMPLETED,
    FAILED,
    OUTCOME_OF,
    TYPES,
    UNFINISHED,
)
from landbridge.reporting.metrics.builtin.webhook_health import WEBHOOK_HEALTH
from landbridge.reporting.metrics.custom.definition import TemplateFilters, TemplateSubject
from landbridge.reporting.metrics.model import Dimension

# Value for a dimension that does not apply to a record, such as the country of a swap.
NONE = "none"
OTHER = "OTHER"
# Country of a bank account by its currency, because account data are encrypted. A currency that
# several countries share (eur, xaf, xof) has OTHER. Dollar corridors name their country.
COUNTRY_OF: Mapping[str, str] = {
    **dict.fromkeys(FIAT, OTHER),
    "usd": "USA",
    "mxn": "MEX",
    "brl": "BRA",
    "cop": "COL",
    "ars": "ARG",
    "hkd": "HKG",
    "cny": "CHN",
    "sgd": "SGP",
    "ngn": "NGA",
    "kes": "KEN",
    "zmw": "ZMB",
    "mwk": "MWI",
    "tzs": "TZA",
    "bwp": "BWA",
    "cdf": "COD",
    "ghs": "GHA",
    "zar": "ZAF",
    "ugx": "UGA",
    "rwf": "RWA",
    "usd-hka": "HKG",
    "usd-chn": "CHN",
    "usd-sgp": "SGP",
    NONE: NONE,
}
if not CORRIDORS.keys() <= COUNTRY_OF.keys():
    raise InvariantBroken("a corridor has no country")
_COUNTRIES = (*dict.fromkeys(each for each in COUNTRY_OF.values()),)
STATUSES = tuple(dict.fromkeys(status for _, status in OUTCOME_OF))


def _dimension(name: str, param: str, options: tuple[str, ...] | None) -> Dimension:
    return Dimension(
        name=name,
        param=param,
        options=options,
        description="Only records with these values; all if left out.",
    )


TYPE = _dimension("transactionType", "transactionTypes", tuple(dict.fromkeys(TYPES.values())))
STATUS = _dimension("transactionStatus", "transactionStatuses", STATUSES)
OUTCOME = _dimension("outcome", "outcomes", (COMPLETED, FAILED, UNFINISHED))
CURRENCY = _dimension("currency", "currencies", CURRENCIES)
DESTINATION = _dimension("destinationCurrency", "destinationCurrencies", CURRENCIES)
CHAIN = _dimension("chain", "chains", (*CHAINS, NONE))
COUNTRY = _dimension("country", "countries", _COUNTRIES)
RAIL = _dimension("rail", "rails", None)
USER_TYPE = _dimension("userType", "userTypes", ("individual", "business"))
USER = _dimension("userId", "userIds", None)
INITIATED_BY = _dimension("initiatedBy", "initiatedBy", ("key", "member", "system"))
FEE_PAYER = _dimension("feePayer", "feePayers", ("sender", "recipient", NONE))

DIMENSIONS: Mapping[TemplateSubject, tuple[Dimension, ...]] = {
    TemplateSubject.TRANSACTIONS: (
        TYPE,
        STATUS,
        OUTCOME,
        CURRENCY,
        DESTINATION,
        CHAIN,
        COUNTRY,
        RAIL,
        USER_TYPE,
        USER,
        INITIATED_BY,
        FEE_PAYER,
    ),
    TemplateSubject.USERS: (USER_TYPE,),
    TemplateSubject.APPROVALS: APPROVAL_TURNAROUND.dimensions,
    TemplateSubject.DELIVERIES: WEBHOOK_HEALTH.dimensions,
    TemplateSubject.BALANCES: BALANCES.dimensions,
}
DECIDED = (str(ApprovalStatus.APPROVED), str(ApprovalStatus.REJECTED))


def fixed_values(subject: TemplateSubject, filters: TemplateFilters) -> dict[str, tuple[str, ...]]:
    """Return the values of fixed filters by the name of their dimension."""
    given = msgspec.to_builtins(filters)
    return {
        each.name: tuple(given[each.param]) for each in DIMENSIONS[subject] if given.get(each.param)
    }
