"""Accounts in the US, Brazil, Mexico, Colombia and Argentina. Source: contract, accounts 4."""

from functools import partial

from landbridge.customers.bank_accounts.field_tables import (
    ADDRESS,
    TEXT,
    AccountField,
    AccountTypeTable,
    DependentNumberField,
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
    check_account_number,
    check_alias,
    check_bank_code,
    check_bic,
    check_card,
    check_cbu,
    check_clabe,
    check_cvu,
    check_iban,
    check_mexican_phone,
    check_pix_key,
    check_spei_code,
    check_us_account,
)

_south_american = partial(
    AccountTypeTable, ramps=(Ramp.OFFRAMP,), kyc=KycRail.SOUTH_AMERICA_STANDARD
)

BRAZIL = _south_american(
    name="brazil",
    fields=(
        AccountField(name="pixKey", kind=check_pix_key, required=True),
        AccountField(name="currency", kind=one_of("brl"), required=True),
    ),
    payment_rail="pix",
    bank_country="BRA",
    numbers=("pixKey",),
)

MEXICO = _south_american(
    name="mexico",
    fields=(
        AccountField(
            name="speiProtocol", kind=one_of("clabe", "debitcard", "phonenum"), required=True
        ),
        AccountField(
            name="speiInstitutionCode",
            kind=check_spei_code,
            required=FieldCondition("speiProtocol", ("debitcard", "phonenum")),
        ),
        AccountField(
            name="speiClabe",
            kind=DependentNumberField(
                "speiProtocol",
                {"clabe": check_clabe, "debitcard": check_card, "phonenum": check_mexican_phone},
            ),
            required=True,
        ),
        AccountField(name="currency", kind=one_of("mxn"), required=True),
    ),
    holder=holder(),
    payment_rail="spei",
    bank_country="MEX",
    numbers=("speiClabe",),
)

COLOMBIAN_BANKS = one_of(
    "MOVII",
    "Banco de Bogotá",
    "Banco Popular",
    "Banco Corpbanca ITAU",
    "Bancolombia",
    "Citibank",
    "Banco GNB Sudameris",
    "BBVA",
    "ITAU",
    "Scotiabank Colpatria",
    "Banco de Occidente",
    "Bancoldex",
    "Banco Caja Social",
    "Banco Agrario",
    "Jpmorgan Corporacion Financier",
    "BNP PARIBAS",
    "Davivienda",
    "Banco AVVillas",
    "Banco W",
    "Banco Procredit Colombia",
    "Bancamia",
    "Inversora Pichincha S.A.",
    "Bancoomeva",
    "Banco Falabella S.A.",
    "Banco Finandina S.A.",
    "Banco Santander Negocios",
    "Banco Cooperativo Coopcentral",
    "Serfinanza S.A",
    "LULO BANK SA",
    "Banco JP Morgan",
    "Compensar",
    "Gestion y Contacto S.A.",
    "Fedecajas",
    "Simple S.A.",
    "Enlace Operativo",
    "Corp. Financiera Colombiana",
    "Financiera Juriscoop",
    "Rappi",
    "Coop. Financiera de Antioquia",
    "Cotrafa Cooperativa Financiera",
    "Confiar Cooperativa Financiera",
    "Giros y Finanzas",
    "COLTEFINANCIERA",
    "Banco OLD Mutual",
    "NEQUI",
    "DECEVAL",
    "Daviplata",
    "Banco Credifinanciera",
    "Financiera Dann (IRIS)",
    "DGCPTN",
)

COLOMBIA = _south_american(
    name="colombia",
    fields=(
        AccountField(name="bankName", kind=COLOMBIAN_BANKS),
        AccountField(name="bankCode", kind=check_bank_code),
        AccountField(name="accountNumber", kind=check_account_number, required=True),
        AccountField(name="accountType", kind=one_of("checking", "savings"), required=True),
        AccountField(name="currency", kind=one_of("cop"), required=True),
    ),
    # The code takes precedence over the name; both may be present.
    choices=(FieldCardinality(members=("bankName", "bankCode"), at_least=1, at_most=2),),
    holder=holder("email", "idType", "idNumber"),
    payment_rail="achCop",
    bank_country="COL",
    numbers=("accountNumber",),
)

ARGENTINA = _south_american(
    name="argentina",
    fields=(
        AccountField(name="accountType", kind=one_of("CVU", "CBU", "ALIAS"), required=True),
        AccountField(
            name="accountNumber",
            kind=DependentNumberField(
                "accountType", {"CVU": check_cvu, "CBU": check_cbu, "ALIAS": check_alias}
            ),
            required=True,
        ),
        AccountField(name="currency", kind=one_of("ars"), required=True),
    ),
    holder=holder(),
    payment_rail="transfers",
    bank_country="ARG",
    numbers=("accountNumber",),
)


# Methods of domestic transfers, none of which goes to an IBAN.
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
