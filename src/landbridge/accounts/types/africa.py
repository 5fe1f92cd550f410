"""Accounts and mobile money in Africa. Source: contract, accounts 4 and KYC 3.3 (currencies)."""

from landbridge.accounts.tables import (
    COUNTRY,
    TEXT,
    Field,
    Member,
    NumberBy,
    Ramp,
    Table,
    When,
    one_of,
)
from landbridge.accounts.types.holders import holder
from landbridge.formats.banks import check_account_number, check_mobile_money
from landbridge.kyc.model import Rail as KycRail

_CURRENCIES = ("ngn", "kes", "ghs", "tzs", "ugx", "bwp", "xaf", "mwk", "rwf", "zmw", "xof")
_NUMBER = NumberBy("accountType", {"momo": check_mobile_money, "bank": check_account_number})
_NIGERIA = {"ngn": KycRail.AFRICA_NIGERIA}

AFRICA_ONRAMP = Table(
    name="africa",
    ramps=(Ramp.ONRAMP,),
    fields=(
        Field(name="financialInstitute", kind=TEXT, required=True),
        Field(name="accountType", kind=one_of("momo", "bank"), required=True),
        Field(name="accountNumber", kind=_NUMBER, refused=When("accountType", ("bank",))),
        Field(name="currency", kind=one_of(*_CURRENCIES), required=True),
        Field(name="country", kind=COUNTRY, required=True),
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
        Field(name="financialInstitute", kind=TEXT, required=True),
        Field(name="accountType", kind=one_of("momo", "bank"), required=True),
        Field(name="accountNumber", kind=_NUMBER, required=True),
        Field(name="currency", kind=one_of(*_CURRENCIES, "zar"), required=True),
        Field(name="country", kind=COUNTRY, required=True),
    ),
    holder=holder("phone"),
    kyc=KycRail.AFRICA_GENERAL,
    kyc_by_currency=_NIGERIA,
    payment_rail=Member("accountType"),
    bank_country=Member("country"),
    numbers=("accountNumber",),
)
