"""Accounts of the Global Network.

Source: contract, accounts 4; `europeGlobalNetwork` is an extension of the contract.
"""

from functools import partial

from landbridge.customers.bank_accounts.field_tables import (
    EMAIL,
    PHONE,
    TEXT,
    AccountField,
    AccountTypeTable,
    FieldCardinality,
    FieldCondition,
    FieldReference,
    HolderKey,
    Ramp,
    one_of,
)
from landbridge.customers.bank_accounts.types.holders import global_holder
from landbridge.customers.kyc.model import Rail as KycRail
from landbridge.platform.formats.bank_numbers import (
    check_account_number,
    check_bic,
    check_clabe,
    check_clearing_code,
    check_nuban,
    check_pix_key,
    check_pix_tax_number,
    check_sepa_iban,
)

_global = partial(AccountTypeTable, ramps=(Ramp.OFFRAMP,), kyc=KycRail.GLOBAL_NETWORK)

BRAZIL_GLOBAL = _global(
    name="brazilGlobalNetwork",
    fields=(
        AccountField(name="pix", kind=check_pix_key),
        AccountField(name="email", kind=EMAIL),
        AccountField(name="phone", kind=PHONE),
        AccountField(name="currency", kind=one_of("brl"), required=True),
    ),
    choices=(FieldCardinality(members=("pix", "email", "phone"), at_least=0, at_most=1),),
    holder=global_holder(),
    # If no PIX key is present, the holder's tax number serves as one.
    holder_key=HolderKey(
        unless=("pix", "email", "phone"), member="idNumber", number=check_pix_tax_number
    ),
    payment_rail="pix",
    bank_country="BRA",
    numbers=("pix", "email", "phone"),
)

MEXICO_GLOBAL = _global(
    name="mexicoGlobalNetwork",
    fields=(
        AccountField(name="speiClabe", kind=check_clabe),
        AccountField(name="currency", kind=one_of("mxn"), required=True),
    ),
    holder=global_holder(needs_id_number=True),
    payment_rail="spei",
    bank_country="MEX",
    numbers=("speiClabe",),
    needed_to_pay=("speiClabe",),
)

NIGERIA_GLOBAL = _global(
    name="nigeriaGlobalNetwork",
    fields=(
        AccountField(name="bankName", kind=TEXT),
        AccountField(name="accountNumber", kind=check_nuban),
        AccountField(name="currency", kind=one_of("ngn"), required=True),
    ),
    holder=global_holder(),
    payment_rail="bank",
    bank_country="NGA",
    numbers=("accountNumber",),
    needed_to_pay=("bankName", "accountNumber"),
)

HONG_KONG_GLOBAL = _global(
    name="hongKongGlobalNetwork",
    fields=(
        AccountField(name="transferType", kind=one_of("chats", "fps", "swift"), default="swift"),
        AccountField(name="bankName", kind=TEXT, required=True),
        AccountField(name="accountNumber", kind=check_account_number, required=True),
        AccountField(name="swiftCode", kind=check_bic, required=True),
        AccountField(
            name="bankCode",
            kind=check_clearing_code,
            required=FieldCondition("transferType", ("chats", "fps")),
        ),
        AccountField(name="currency", kind=one_of("hkd", "usd"), required=True),
    ),
    holder=global_holder(),
    payment_rail=FieldReference("transferType"),
    bank_country="HKG",
    numbers=("accountNumber",),
)


def _swift_account(name: str, currency: str, bank_country: str) -> AccountTypeTable:
    """Return the table of accounts that are paid by SWIFT, in dollars or another currency."""
    return _global(
        name=name,
        fields=(
            AccountField(name="bankName", kind=TEXT),
            AccountField(name="accountNumber", kind=check_account_number),
            AccountField(name="swiftCode", kind=check_bic),
            AccountField(name="currency", kind=one_of("usd", currency), required=True),
        ),
        holder=global_holder(),
        payment_rail="swift",
        bank_country=bank_country,
        numbers=("accountNumber",),
        needed_to_pay=("accountNumber", "swiftCode"),
    )


CHINA_GLOBAL = _swift_account("chinaGlobalNetwork", "cny", "CHN")
SINGAPORE_GLOBAL = _swift_account("singaporeGlobalNetwork", "sgd", "SGP")

EUROPE_GLOBAL = _global(
    name="europeGlobalNetwork",
    fields=(
        AccountField(
            name="transferType", kind=one_of("sepa", "sepaInstant", "swift"), default="sepa"
        ),
        AccountField(name="iban", kind=check_sepa_iban, required=True),
        AccountField(
            name="swiftCode", kind=check_bic, required=FieldCondition("transferType", ("swift",))
        ),
        AccountField(name="bankName", kind=TEXT),
        AccountField(name="currency", kind=one_of("eur"), required=True),
    ),
    holder=global_holder(),
    payment_rail=FieldReference("transferType"),
    bank_country=FieldReference("iban"),
    numbers=("iban",),
)
