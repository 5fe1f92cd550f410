"""Accounts in the United States. Source: contract, accounts 4."""

from landbridge.customers.bank_accounts.field_tables import (
    ADDRESS,
    TEXT,
    AccountField,
    AccountTypeTable,
    FieldCardinality,
    FieldCondition,
    FieldReference,
    Ramp,
    one_of,
)
from landbridge.customers.bank_accounts.types.holders import holder
from landbridge.customers.kyc.model import Rail as KycRail
from landbridge.platform.formats.bank_numbers import (
    check_aba,
    check_bic,
    check_iban,
    check_us_account,
)

# Domestic bank transfers; none of them is sent to an IBAN.
_DOMESTIC = ("ach", "wire", "rtp")

US = AccountTypeTable(
    name="us",
    ramps=(Ramp.OFFRAMP, Ramp.ONRAMP),
    fields=(
        AccountField(
            name="transferType", kind=one_of("ach", "wire", "swift", "rtp"), required=True
        ),
        AccountField(name="accountType", kind=one_of("Checking", "Savings"), required=True),
        AccountField(name="accountNumber", kind=check_us_account),
        AccountField(
            name="iban", kind=check_iban, refused=FieldCondition("transferType", _DOMESTIC)
        ),
        AccountField(
            name="routingNumber",
            kind=check_aba,
            required=FieldCondition("transferType", _DOMESTIC),
        ),
        AccountField(
            name="swiftCode", kind=check_bic, required=FieldCondition("transferType", ("swift",))
        ),
        AccountField(name="bankName", kind=TEXT, required=True),
        AccountField(name="bankAddress", kind=ADDRESS),
        AccountField(name="currency", kind=one_of("usd"), required=True),
    ),
    choices=(FieldCardinality(members=("accountNumber", "iban"), at_least=1, at_most=1),),
    holder=holder("address"),
    kyc=KycRail.USD,
    payment_rail=FieldReference("transferType"),
    bank_country="USA",
    numbers=("accountNumber", "iban"),
)
