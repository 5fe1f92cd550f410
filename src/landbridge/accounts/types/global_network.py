"""Accounts of the Global Network. Source: contract, accounts 4; `europeGlobalNetwork` is ours."""

from landbridge.accounts.tables import (
    EMAIL,
    PHONE,
    TEXT,
    Choice,
    Field,
    HolderKey,
    Member,
    Ramp,
    Table,
    When,
    one_of,
)
from landbridge.accounts.types.holders import global_holder
from landbridge.formats.banks import (
    check_account_number,
    check_bic,
    check_clabe,
    check_clearing_code,
    check_nuban,
    check_pix_key,
    check_pix_tax_number,
    check_sepa_iban,
)
from landbridge.kyc.model import Rail as KycRail

BRAZIL_GLOBAL = Table(
    name="brazilGlobalNetwork",
    ramps=(Ramp.OFFRAMP,),
    fields=(
        Field(name="pix", kind=check_pix_key),
        Field(name="email", kind=EMAIL),
        Field(name="phone", kind=PHONE),
        Field(name="currency", kind=one_of("brl"), required=True),
    ),
    choices=(Choice(members=("pix", "email", "phone"), at_least=0, at_most=1),),
    holder=global_holder(),
    # Without a key, the holder's tax number is the PIX key.
    holder_key=HolderKey(
        unless=("pix", "email", "phone"), member="idNumber", number=check_pix_tax_number
    ),
    kyc=KycRail.GLOBAL_NETWORK,
    payment_rail="pix",
    bank_country="BRA",
    numbers=("pix", "email", "phone"),
)

MEXICO_GLOBAL = Table(
    name="mexicoGlobalNetwork",
    ramps=(Ramp.OFFRAMP,),
    fields=(
        Field(name="speiClabe", kind=check_clabe),
        Field(name="currency", kind=one_of("mxn"), required=True),
    ),
    holder=global_holder(needs_id_number=True),
    kyc=KycRail.GLOBAL_NETWORK,
    payment_rail="spei",
    bank_country="MEX",
    numbers=("speiClabe",),
    needed_to_pay=("speiClabe",),
)

NIGERIA_GLOBAL = Table(
    name="nigeriaGlobalNetwork",
    ramps=(Ramp.OFFRAMP,),
    fields=(
        Field(name="bankName", kind=TEXT),
        Field(name="accountNumber", kind=check_nuban),
        Field(name="currency", kind=one_of("ngn"), required=True),
    ),
    holder=global_holder(),
    kyc=KycRail.GLOBAL_NETWORK,
    payment_rail="bank",
    bank_country="NGA",
    numbers=("accountNumber",),
    needed_to_pay=("bankName", "accountNumber"),
)

HONG_KONG_GLOBAL = Table(
    name="hongKongGlobalNetwork",
    ramps=(Ramp.OFFRAMP,),
    fields=(
        Field(name="transferType", kind=one_of("chats", "fps", "swift"), default="swift"),
        Field(name="bankName", kind=TEXT, required=True),
        Field(name="accountNumber", kind=check_account_number, required=True),
        Field(name="swiftCode", kind=check_bic, required=True),
        Field(
            name="bankCode",
            kind=check_clearing_code,
            required=When("transferType", ("chats", "fps")),
        ),
        Field(name="currency", kind=one_of("hkd", "usd"), required=True),
    ),
    holder=global_holder(),
    kyc=KycRail.GLOBAL_NETWORK,
    payment_rail=Member("transferType"),
    bank_country="HKG",
    numbers=("accountNumber",),
)

CHINA_GLOBAL = Table(
    name="chinaGlobalNetwork",
    ramps=(Ramp.OFFRAMP,),
    fields=(
        Field(name="bankName", kind=TEXT),
        Field(name="accountNumber", kind=check_account_number),
        Field(name="swiftCode", kind=check_bic),
        Field(name="currency", kind=one_of("usd", "cny"), required=True),
    ),
    holder=global_holder(),
    kyc=KycRail.GLOBAL_NETWORK,
    payment_rail="swift",
    bank_country="CHN",
    numbers=("accountNumber",),
    needed_to_pay=("accountNumber", "swiftCode"),
)

SINGAPORE_GLOBAL = Table(
    name="singaporeGlobalNetwork",
    ramps=(Ramp.OFFRAMP,),
    fields=(
        Field(name="bankName", kind=TEXT),
        Field(name="accountNumber", kind=check_account_number),
        Field(name="swiftCode", kind=check_bic),
        Field(name="currency", kind=one_of("usd", "sgd"), required=True),
    ),
    holder=global_holder(),
    kyc=KycRail.GLOBAL_NETWORK,
    payment_rail="swift",
    bank_country="SGP",
    numbers=("accountNumber",),
    needed_to_pay=("accountNumber", "swiftCode"),
)

EUROPE_GLOBAL = Table(
    name="europeGlobalNetwork",
    ramps=(Ramp.OFFRAMP,),
    fields=(
        Field(name="transferType", kind=one_of("sepa", "sepaInstant", "swift"), default="sepa"),
        Field(name="iban", kind=check_sepa_iban, required=True),
        Field(name="swiftCode", kind=check_bic, required=When("transferType", ("swift",))),
        Field(name="bankName", kind=TEXT),
        Field(name="currency", kind=one_of("eur"), required=True),
    ),
    holder=global_holder(),
    kyc=KycRail.GLOBAL_NETWORK,
    payment_rail=Member("transferType"),
    bank_country=Member("iban"),
    numbers=("iban",),
)
