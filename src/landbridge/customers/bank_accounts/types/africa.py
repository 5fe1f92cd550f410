"""Accounts and mobile money in Africa.

Source: contract, accounts 4. Currencies and methods are those of the rails on which the user is
verified.
"""

from collections.abc import Mapping

from landbridge.customers.bank_accounts.field_tables import (
    TEXT,
    AccountField,
    AccountTypeTable,
    DependentChoiceField,
    DependentNumberField,
    FieldCondition,
    FieldReference,
    Ramp,
    one_of,
)
from landbridge.customers.bank_accounts.types.holders import holder
from landbridge.customers.kyc.model import Rail as KycRail
from landbridge.customers.kyc.rails import africa_general, africa_nigeria
from landbridge.platform.formats.bank_numbers import check_account_number, check_mobile_money

# Countries in which each currency is legal tender. Source: ISO 4217, and for the two francs the
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
_NUMBER = DependentNumberField(
    "accountType", {"momo": check_mobile_money, "bank": check_account_number}
)


def _place(methods: Mapping[str, tuple[str, ...]]) -> tuple[AccountField, ...]:
    """Return the bank or wallet fields, and their combinations on rails with these methods."""
    countries = {currency: _COUNTRIES[currency] for currency in methods}
    return (
        AccountField(name="financialInstitute", kind=TEXT, required=True),
        AccountField(name="currency", kind=one_of(*methods), required=True),
        AccountField(
            name="country", kind=DependentChoiceField("currency", countries), required=True
        ),
        AccountField(
            name="accountType", kind=DependentChoiceField("currency", methods), required=True
        ),
    )


AFRICA_ONRAMP = AccountTypeTable(
    name="africa",
    ramps=(Ramp.ONRAMP,),
    fields=(
        *_place(_ON_RAMP),
        AccountField(
            name="accountNumber", kind=_NUMBER, refused=FieldCondition("accountType", ("bank",))
        ),
    ),
    kyc=KycRail.AFRICA_GENERAL,
    kyc_by_currency=_NIGERIA,
    payment_rail=FieldReference("accountType"),
    bank_country=FieldReference("country"),
    numbers=("accountNumber",),
)

AFRICA_OFFRAMP = AccountTypeTable(
    name="africa",
    ramps=(Ramp.OFFRAMP,),
    fields=(
        *_place(_OFF_RAMP),
        AccountField(name="accountNumber", kind=_NUMBER, required=True),
    ),
    holder=holder("phone"),
    kyc=KycRail.AFRICA_GENERAL,
    kyc_by_currency=_NIGERIA,
    payment_rail=FieldReference("accountType"),
    bank_country=FieldReference("country"),
    numbers=("accountNumber",),
)
