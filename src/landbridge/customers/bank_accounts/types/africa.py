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
from landbridge.customers.kyc.rails import RAILS
from landbridge.platform.formats.bank_numbers import check_account_number, check_mobile_money

# Countries in which each currency is legal tender. Source: ISO 4217; for the two CFA francs, the
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
_NIGERIAN, _GENERAL = RAILS[KycRail.AFRICA_NIGERIA], RAILS[KycRail.AFRICA_GENERAL]
_ON_RAMP = {**_NIGERIAN.on_ramp, **_GENERAL.on_ramp}
_OFF_RAMP = {**_NIGERIAN.off_ramp, **_GENERAL.off_ramp}
_NIGERIA = dict.fromkeys(_NIGERIAN.on_ramp, KycRail.AFRICA_NIGERIA)
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
