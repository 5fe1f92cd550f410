"""Accounts in the United States. Source: contract, accounts 4."""

from landbridge.accounts.tables import (
    ADDRESS,
    TEXT,
    Choice,
    Field,
    Member,
    Ramp,
    Table,
    When,
    one_of,
)
from landbridge.accounts.types.holders import holder
from landbridge.formats.banks import check_aba, check_bic, check_iban, check_us_account
from landbridge.kyc.model import Rail as KycRail

# Transfers between banks of the country; none of them goes to an IBAN.
_DOMESTIC = ("ach", "wire", "rtp")

US = Table(
    name="us",
    ramps=(Ramp.OFFRAMP, Ramp.ONRAMP),
    fields=(
        Field(name="transferType", kind=one_of("ach", "wire", "swift", "rtp"), required=True),
        Field(name="accountType", kind=one_of("Checking", "Savings"), required=True),
        Field(name="accountNumber", kind=check_us_account),
        Field(name="iban", kind=check_iban, refused=When("transferType", _DOMESTIC)),
        Field(
            name="routingNumber",
            kind=check_aba,
            required=When("transferType", _DOMESTIC),
        ),
        Field(name="swiftCode", kind=check_bic, required=When("transferType", ("swift",))),
        Field(name="bankName", kind=TEXT, required=True),
        Field(name="bankAddress", kind=ADDRESS),
        Field(name="currency", kind=one_of("usd"), required=True),
    ),
    choices=(Choice(members=("accountNumber", "iban"), at_least=1, at_most=1),),
    holder=holder("address"),
    kyc=KycRail.USD,
    payment_rail=Member("transferType"),
    bank_country="USA",
    numbers=("accountNumber", "iban"),
)
