"""Accounts and mobile money in Africa.

Source: contract, accounts 4. Currencies and methods are those of the rails that the user is
verified on.
"""

from collections.abc import Mapping

from landbridge.accounts.tables import (
    TEXT,
    Field,
    Member,
    NumberBy,
    Ramp,
    Table,
    When,
    WordsBy,
    one_of,
)
from landbridge.accounts.types.holders import holder
from landbridge.formats.banks import check_account_number, check_mobile_money
from landbridge.kyc.model import Rail as KycRail
from landbridge.kyc.rails import africa_general, africa_nigeria

# Where each currency is the money of the country. Source: ISO 4217, and for the two francs the
# members of their central banks (BEAC for xaf, BCEAO for xof).
_COUNTRIES: Mapping[str, tuple[str, ...]] = {
    "ngn": ("NGA",),
    "kes": ("KEN",),
    "zar": ("ZAF",),
    "ghs": ("GHA",),
    "tzs": ("TZA",),
    "ugx": ("UGA",),
    "bwp": ("BWA",),
    "xaf": ("CMR", "CAF", "COG", "GAB", "GNQ", "TCD"),
    "mwk": ("MWI",),
    "rwf": ("RWA",),
    "zmw": ("ZMB",),
    "xof": ("BEN", "BFA", "CIV", "GNB", "MLI", "NER", "SEN", "TGO"),
}
_ON_RAMP = {**africa_nigeria.ON_RAMP, **africa_general.ON_RAMP}
_OFF_RAMP = {**africa_nigeria.OFF_RAMP, **africa_general.OFF_RAMP}
_NIGERIA = dict.fromkeys(africa_nigeria.ON_RAMP, KycRail.AFRICA_NIGERIA)
_NUMBER = NumberBy("accountType", {"momo": check_mobile_money, "bank": check_account_number})


def _place(methods: Mapping[str, tuple[str, ...]]) -> tuple[Field, ...]:
    """The bank or wallet, and what of it goes together on rails with these methods."""
    countries = {currency: _COUNTRIES[currency] for currency in methods}
    return (
        Field(name="financialInstitute", kind=TEXT, required=True),
        Field(name="currency", kind=one_of(*methods), required=True),
        Field(name="country", kind=WordsBy("currency", countries), required=True),
        Field(name="accountType", kind=WordsBy("currency", methods), required=True),
    )


AFRICA_ONRAMP = Table(
    name="africa",
    ramps=(Ramp.ONRAMP,),
    fields=(
        *_place(_ON_RAMP),
        Field(name="accountNumber", kind=_NUMBER, refused=When("accountType", ("bank",))),
    ),
    kyc=KycRail.AFRICA_GENERAL,
    kyc_by_currency=_NIGERIA,
    payment_rail=Member("accountType"),
    bank_country=Member("country"),
    numbers=("accountNumber",),
)

AFRICA_OFFRAMP = Table(
    name="africa",
    ramps=(Ramp.OFFRAMP,),
    fields=(
        *_place(_OFF_RAMP),
        Field(name="accountNumber", kind=_NUMBER, required=True),
    ),
    holder=holder("phone"),
    kyc=KycRail.AFRICA_GENERAL,
    kyc_by_currency=_NIGERIA,
    payment_rail=Member("accountType"),
    bank_country=Member("country"),
    numbers=("accountNumber",),
)
