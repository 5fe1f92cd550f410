"""Bodies of requests, with the names of the interface.

Written by `make sdk` from openapi.json; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict


class AccountDecisionRequest(TypedDict):
    """AccountDecisionRequest"""

    decision: Literal["approve", "reject"]
    reason: NotRequired[str | None]


class AccountHolder(TypedDict):
    """AccountHolder"""

    address: NotRequired[Address | None]
    dateOfBirth: NotRequired[str | None]
    email: NotRequired[str | None]
    formationDate: NotRequired[str | None]
    idNumber: NotRequired[str | None]
    idType: NotRequired[Literal["CC", "CE", "NIT", "PASS", "PEP"] | None]
    name: NotRequired[str | None]
    nationality: NotRequired[str | None]
    phone: NotRequired[str | None]
    type: NotRequired[Literal["individual", "business"] | None]


class AddChains(TypedDict):
    """AddChains"""

    chains: Sequence[Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"]]


class Address(TypedDict):
    """Address"""

    addressLine1: str
    addressLine2: NotRequired[str | Literal[""] | None]
    city: str
    country: str
    postalCode: str
    stateProvinceRegion: str


class AddressPolicyRequest(TypedDict):
    """AddressPolicyRequest"""

    allowedAddresses: NotRequired[Sequence[str]]
    blockedAddresses: NotRequired[Sequence[str]]
    newAddressAmountMax: NotRequired[int]
    newAddressHours: NotRequired[int]


class AfricaBank(TypedDict):
    """AfricaBank"""

    accountNumber: NotRequired[str | None]
    accountType: NotRequired[Literal["bank", "momo"] | None]
    country: NotRequired[
        Literal[
            "NGA",
            "KEN",
            "ZAF",
            "GHA",
            "TZA",
            "UGA",
            "BWA",
            "CMR",
            "CAF",
            "COG",
            "GAB",
            "GNQ",
            "TCD",
            "MWI",
            "RWA",
            "ZMB",
            "BEN",
            "BFA",
            "CIV",
            "GNB",
            "MLI",
            "NER",
            "SEN",
            "TGO",
        ]
        | None
    ]
    currency: NotRequired[
        Literal["ngn", "kes", "zar", "ghs", "tzs", "ugx", "bwp", "xaf", "mwk", "rwf", "zmw", "xof"]
        | None
    ]
    financialInstitute: NotRequired[str | None]


class AmountRange(TypedDict):
    """AmountRange"""

    maximum: NotRequired[str | None]
    minimum: NotRequired[str | None]


class ApproveRequest(TypedDict):
    """ApproveRequest"""

    comment: NotRequired[str | Literal[""] | None]


class ArgentinaBank(TypedDict):
    """ArgentinaBank"""

    accountNumber: NotRequired[str | None]
    accountType: NotRequired[Literal["CVU", "CBU", "ALIAS"] | None]
    currency: NotRequired[Literal["ars"] | None]


class BatchDestination(TypedDict):
    """BatchDestination"""

    batch: Sequence[BatchItem]


class BatchItem(TypedDict):
    """BatchItem"""

    amount: str | Decimal
    userId: NotRequired[str | None]
    walletAddress: NotRequired[str | None]


class BatchSource(TypedDict):
    """BatchSource"""

    userId: str


class BrazilBank(TypedDict):
    """BrazilBank"""

    currency: NotRequired[Literal["brl"] | None]
    pixKey: NotRequired[str | None]


class BrazilGlobalNetworkBank(TypedDict):
    """BrazilGlobalNetworkBank"""

    currency: NotRequired[Literal["brl"] | None]
    email: NotRequired[str | None]
    phone: NotRequired[str | None]
    pix: NotRequired[str | None]


class BridgeDestination(TypedDict):
    """BridgeDestination"""

    chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE", "OPTIMISM", "ARBITRUM"]
    currency: str
    userId: NotRequired[str | None]
    walletAddress: NotRequired[str | None]


class BridgeSource(TypedDict):
    """BridgeSource"""

    chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"]
    currency: str
    userId: str


class BusinessDocumentAdd(TypedDict):
    """BusinessDocumentAdd"""

    description: NotRequired[str]
    expiryDate: NotRequired[str]
    fileId: NotRequired[str]
    issuedCountry: str
    issuedDate: NotRequired[str]
    number: NotRequired[str]
    subType: Literal["SINGLE_SIDE"]
    type: Literal[
        "DIRECTORS_REGISTRY",
        "GOOD_STANDING_CERT",
        "INCORPORATION_ARTICLES",
        "INCORPORATION_CERT",
        "INCUMBENCY_CERT",
        "INFORMATION_STATEMENT",
        "POWER_OF_ATTORNEY",
        "PROOF_OF_ADDRESS",
        "SHAREHOLDER_REGISTRY",
        "STATE_REGISTRY",
        "TRUST_AGREEMENT",
        "SOURCE_OF_FUNDS",
        "FORMATION_CERT",
        "REGISTRATION_CERT",
        "PROOF_OF_OWNERSHIP",
        "CONSTITUTION_OR_ANNUAL_REPORT",
        "ARTICLES_OF_ASSOCIATION",
        "UBO_DECLARATION",
        "PARTNERSHIP_MINS_OF_MEETING",
        "PARTNERSHIP_DEED",
        "FLOW_OF_FUNDS",
        "ORGANIZATION_STRUCTURE",
        "SHARE_STRUCTURE",
        "BUSINESS_REGISTRATION",
        "OTHER",
    ]
    uboId: NotRequired[str]
    url: NotRequired[str]


class BusinessKycUpdate(TypedDict):
    """BusinessKycUpdate"""

    address: NotRequired[Address]
    alternativeNames: NotRequired[Sequence[str]]
    articlesOfAssociationUrl: NotRequired[str]
    businessDescription: NotRequired[str]
    businessIndustry: NotRequired[str]
    businessName: NotRequired[str]
    businessNameLocal: NotRequired[str]
    businessRegistrationDocUrl: NotRequired[str]
    businessType: NotRequired[
        Literal[
            "cooperative",
            "s_corporation",
            "b_corporation",
            "c_corporation",
            "close_corporation",
            "nonprofit_corporation",
            "general_partnership",
            "limited_partnership",
            "limited_liability_company",
            "other",
            "sole_proprietorship",
            "trust",
        ]
    ]
    certificateNumber: NotRequired[str]
    certificateOfIncorporationDocUrl: NotRequired[str]
    certificateOfIncumbencyUrl: NotRequired[str]
    certificateOfRegistrationDocType: NotRequired[
        Literal["ACRA", "GST", "MSME", "CERTIFICATE_OF_REGISTRATION"]
    ]
    certificateOfRegistrationDocUrl: NotRequired[str]
    complianceScreeningExplanation: NotRequired[str]
    constitutionOrAnnualReportUrl: NotRequired[str]
    controlScheme: NotRequired[str]
    daoStatus: NotRequired[bool]
    email: NotRequired[str]
    exportCountry: NotRequired[str]
    flowOfFundsUrl: NotRequired[str]
    formationDate: NotRequired[str]
    formationDocUrl: NotRequired[str]
    incorporationCountry: NotRequired[str]
    incorporationDate: NotRequired[str]
    incorporationNumber: NotRequired[str]
    incorporationState: NotRequired[str]
    ipAddress: NotRequired[str]
    leiNumber: NotRequired[str]
    licenseExpirationDate: NotRequired[str]
    organizationStructureUrl: NotRequired[str]
    partnershipDeedUrl: NotRequired[str]
    partnershipMinsOfMeetingUrl: NotRequired[str]
    phone: NotRequired[str]
    postalAddress: NotRequired[Address]
    productServiceCategory: NotRequired[str]
    proofOfAddressType: NotRequired[
        Literal["UTILITY_BILL", "BANK_STATEMENT", "RENTAL_AGREEMENT", "TAX_DOCUMENT"]
    ]
    proofOfAddressUrl: NotRequired[str]
    proofOfOwnershipUrl: NotRequired[str]
    purpose: NotRequired[
        Sequence[
            Literal[
                "PAY_SUPPLIERS",
                "PAY_SERVICE_PROVIDERS",
                "GOODS_MERCHANDISE_COMMODITIES",
                "FREELANCERS_CONTRACTORS_PAYROLL",
                "FINANCIAL_SERVICES_LOANS_INVESTMENTS",
                "TAX_REGULATORY_FEES",
                "LEGAL_SERVICES",
                "OPERATIONAL_EXPENSES",
                "SUBSCRIPTIONS",
                "TRAVEL_RELATED_EXPENSES",
                "INSURANCE",
                "ADVERTISING_MARKETING_EXPENSES",
                "EQUIPMENT_MACHINERY",
                "TECHNOLOGY_SERVICES",
                "EDUCATION_RELATED_EXPENSES",
                "TREASURY_PAYMENTS",
                "FX_SERVICES",
                "OTHER",
                "ONLINE_MARKETPLACE_TRADING",
                "OFFLINE_TRADING",
            ]
        ]
    ]
    registeredAddress: NotRequired[Address]
    registrationNumber: NotRequired[str]
    shareStructureUrl: NotRequired[str]
    sofEuQuestionnaire: NotRequired[BusinessKycUpdateSofEuQuestionnaire]
    sourceOfFunds: NotRequired[str]
    sourceOfFundsUrl: NotRequired[str]
    supplementaryInfo: NotRequired[str]
    supplementaryUrl: NotRequired[str]
    taxIdentificationNumber: NotRequired[str]
    taxIdentificationNumberType: NotRequired[Literal["EIN", "SSN", "VAT", "TIN", "UTR"]]
    tradeName: NotRequired[str]
    tradeType: NotRequired[str]
    transmitsCustomerFunds: NotRequired[bool]
    uboDeclarationUrl: NotRequired[str]
    ultimateBeneficialOwners: NotRequired[Sequence[BusinessKycUpdateUltimateBeneficialOwners]]
    website: NotRequired[str]


class BusinessKycUpdateSofEuQuestionnaire(TypedDict):
    """BusinessKycUpdateSofEuQuestionnaire"""

    conductsMoneyServices: NotRequired[bool]
    customerFundsDescription: NotRequired[str]
    estimatedAnnualRevenueUsd: NotRequired[
        Literal[
            "0_99999",
            "100000_999999",
            "1000000_9999999",
            "10000000_49999999",
            "50000000_249999999",
            "250000000_plus",
        ]
    ]
    expectedMonthlyPaymentsUsd: NotRequired[str]
    highRiskActivities: NotRequired[
        Sequence[
            Literal[
                "none_of_the_above",
                "adult_entertainment",
                "gambling",
                "hold_client_funds",
                "investment_services",
                "lending_banking",
                "marijuana_or_related_services",
                "money_services",
                "operate_foreign_exchange_virtual_currencies_brokerage_otc",
                "safe_deposit_box_rentals",
                "third_party_payment_processing",
                "weapons_firearms_and_explosives",
            ]
        ]
    ]
    operatesInProhibitedCountries: NotRequired[bool]
    primaryPurpose: NotRequired[
        Literal[
            "charitable_donations",
            "ecommerce_retail_payments",
            "investment_purposes",
            "other",
            "payments_to_friends_or_family_abroad",
            "payroll",
            "personal_or_living_expenses",
            "protect_wealth",
            "purchase_goods_and_services",
            "receive_payments_for_goods_and_services",
            "tax_optimization",
            "third_party_money_transmission",
            "treasury_management",
        ]
    ]
    primaryPurposeOther: NotRequired[str]
    sourceOfFunds: NotRequired[
        Literal[
            "business_loans",
            "grants",
            "inter_company_funds",
            "investment_proceeds",
            "legal_settlement",
            "owners_capital",
            "pension_retirement",
            "sale_of_assets",
            "sales_of_goods_and_services",
            "tax_refund",
            "third_party_funds",
            "treasury_reserves",
        ]
    ]
    sourceOfFundsDescription: NotRequired[str]
    transmitsCustomerFunds: NotRequired[bool]
    transmitsCustomerFundsDescription: NotRequired[str]


class BusinessKycUpdateUltimateBeneficialOwners(TypedDict):
    """BusinessKycUpdateUltimateBeneficialOwners"""

    address: NotRequired[Address]
    authLetterUrl: NotRequired[str]
    businessTitle: NotRequired[str]
    countryOfBirth: NotRequired[str]
    dateOfBirth: NotRequired[str]
    email: NotRequired[str]
    firstName: NotRequired[str]
    firstNameLocal: NotRequired[str]
    gender: NotRequired[Literal["M", "F"]]
    govIdBackUrl: NotRequired[str]
    govIdCountry: NotRequired[str]
    govIdExpirationDate: NotRequired[str]
    govIdFrontUrl: NotRequired[str]
    govIdIssuanceAuthority: NotRequired[str]
    govIdIssuanceDate: NotRequired[str]
    govIdNumber: NotRequired[str]
    govIdType: NotRequired[Literal["PASSPORT", "ID_CARD", "DRIVERS"]]
    hasControl: NotRequired[bool]
    hasOwnership: NotRequired[bool]
    id: NotRequired[str]
    isSigner: NotRequired[bool]
    lastName: NotRequired[str]
    lastNameLocal: NotRequired[str]
    middleName: NotRequired[str]
    middleNameLocal: NotRequired[str]
    nationality: NotRequired[str]
    phone: NotRequired[str]
    placeOfBirth: NotRequired[str]
    proofOfAddressType: NotRequired[
        Literal["UTILITY_BILL", "BANK_STATEMENT", "RENTAL_AGREEMENT", "TAX_DOCUMENT"]
    ]
    proofOfAddressUrl: NotRequired[str]
    relationshipEstablishedAt: NotRequired[str]
    role: NotRequired[
        Literal[
            "OWNER_OR_OPERATOR",
            "PARTNER",
            "UBO",
            "DIRECTOR_CONTROL_PERSON_OR_LEGAL_REP",
            "AGENT_OR_AUTHORISED_PERSON",
        ]
    ]
    roles: NotRequired[Sequence[Literal["UBO", "DIRECTOR", "REPRESENTATIVE", "SHAREHOLDER"]]]
    shareProportion: NotRequired[float]
    stateOfBirth: NotRequired[str]
    supplementaryInfo: NotRequired[str]
    supplementaryUrl: NotRequired[str]
    taxIdentificationNumber: NotRequired[str]
    taxResidenceCountry: NotRequired[str]


class BusinessOwner(TypedDict):
    """BusinessOwner"""

    dateOfBirth: str
    firstName: str
    hasControl: bool
    isSigner: bool
    lastName: str


class ChinaGlobalNetworkBank(TypedDict):
    """ChinaGlobalNetworkBank"""

    accountNumber: NotRequired[str | None]
    bankName: NotRequired[str | None]
    currency: NotRequired[Literal["usd", "cny"] | None]
    swiftCode: NotRequired[str | None]


class ClockAdvance(TypedDict):
    """ClockAdvance"""

    seconds: int


class CloseConfirmation(TypedDict):
    """CloseConfirmation"""

    digest: str


class CloseRejection(TypedDict):
    """CloseRejection"""

    reason: str


class CloseSignature(TypedDict):
    """CloseSignature"""

    day: str
    reason: NotRequired[str | None]


class CoinDeposit(TypedDict):
    """CoinDeposit"""

    amount: NotRequired[str | Decimal | None]


class ColombiaBank(TypedDict):
    """ColombiaBank"""

    accountNumber: NotRequired[str | None]
    accountType: NotRequired[Literal["checking", "savings"] | None]
    bankCode: NotRequired[str | None]
    bankName: NotRequired[
        Literal[
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
        ]
        | None
    ]
    currency: NotRequired[Literal["cop"] | None]


class CoolDownDocument(TypedDict):
    """CoolDownDocument"""

    hours: int
    maxUsd: str | Decimal
    over: NotRequired[Literal["REFUSE", "APPROVE"]]


class CounterpartyData(TypedDict):
    """CounterpartyData"""

    amountUnit: Literal["WHOLE", "SMALLEST"]
    host: str
    name: str
    policy: NotRequired[Literal["REVIEW", "APPROVE"]]


class DecisionBody(TypedDict):
    """DecisionBody"""

    comment: NotRequired[str | Literal[""] | None]
    decision: Literal["approve", "reject", "retry", "requestInformation", "revoke"]
    documents: NotRequired[Sequence[RejectedDocument] | None]
    fields: NotRequired[Sequence[str] | None]
    note: NotRequired[str | Literal[""] | None]
    rejectReasons: NotRequired[Sequence[str] | None]
    version: NotRequired[int | None]


class DepositMatch(TypedDict):
    """DepositMatch"""

    comment: str
    transferId: NotRequired[str | None]
    virtualAccountId: NotRequired[str | None]


class DepositReturn(TypedDict):
    """DepositReturn"""

    comment: str


class DepositSettlement(TypedDict):
    """DepositSettlement"""

    comment: str


class DeveloperFee(TypedDict):
    """DeveloperFee"""

    type: Literal["PERCENTAGE", "FLAT"]
    value: str | Decimal
    walletAddress: str


class DeveloperFees(TypedDict):
    """DeveloperFees"""

    fees: Sequence[DeveloperFee]


class DifferenceAcceptance(TypedDict):
    """DifferenceAcceptance"""

    amount: NotRequired[str | None]


class DifferenceAssignment(TypedDict):
    """DifferenceAssignment"""

    memberId: NotRequired[str | None]


class DifferenceExplanation(TypedDict):
    """DifferenceExplanation"""

    adjustLedger: NotRequired[bool]
    amount: NotRequired[str | None]
    reason: str


class EuropeGlobalNetworkBank(TypedDict):
    """EuropeGlobalNetworkBank"""

    bankName: NotRequired[str | None]
    currency: NotRequired[Literal["eur"] | None]
    iban: NotRequired[str | None]
    swiftCode: NotRequired[str | None]
    transferType: NotRequired[Literal["sepa", "sepaInstant", "swift"] | None]


class ExchangeSettingRequest(TypedDict):
    """ExchangeSettingRequest"""

    assets: Sequence[TokenIdentifierData]
    counterparties: Sequence[CounterpartyData]
    isOn: bool
    requiresTravelAddress: NotRequired[bool]
    version: NotRequired[int | None]


class ExplanationRejection(TypedDict):
    """ExplanationRejection"""

    reason: str


class FeeRequest(TypedDict):
    """FeeRequest"""

    type: Literal["FIX", "PERCENT"]
    value: int | float | Decimal


class FiatDeposit(TypedDict):
    """FiatDeposit"""

    amount: NotRequired[str | Decimal | None]
    paymentRail: NotRequired[
        Literal["wire", "ach", "rtp", "sepa", "sepaInstant", "pix", "spei", "bank", "momo"] | None
    ]
    reference: NotRequired[str | Literal[""] | None]
    source: NotRequired[FiatDepositSource | None]


class FiatDepositSource(TypedDict):
    """FiatDepositSource"""

    accountNumber: NotRequired[str | None]
    bankName: NotRequired[str | None]
    name: NotRequired[str | None]
    routingNumber: NotRequired[str | None]


class FreezeRequest(TypedDict):
    """FreezeRequest"""

    reason: NotRequired[str | None]


class FundingRequest(TypedDict):
    """FundingRequest"""

    amount: str | Decimal
    chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"]
    currency: Literal["usdHifi", "usdc", "usdg", "usdt"]


class HaltLift(TypedDict):
    """HaltLift"""

    amount: NotRequired[str | None]
    reason: str


class HongKongGlobalNetworkBank(TypedDict):
    """HongKongGlobalNetworkBank"""

    accountNumber: NotRequired[str | None]
    bankCode: NotRequired[str | None]
    bankName: NotRequired[str | None]
    currency: NotRequired[Literal["hkd", "usd"] | None]
    swiftCode: NotRequired[str | None]
    transferType: NotRequired[Literal["chats", "fps", "swift"] | None]


class IndividualDocumentAdd(TypedDict):
    """IndividualDocumentAdd"""

    description: NotRequired[str]
    expiryDate: NotRequired[str]
    fileId: NotRequired[str]
    issuedCountry: str
    issuedDate: NotRequired[str]
    number: NotRequired[str]
    subType: Literal["FRONT_SIDE", "BACK_SIDE", "SINGLE_SIDE"]
    type: Literal[
        "DRIVERS",
        "ID_CARD",
        "PASSPORT",
        "INCOME_SOURCE",
        "INVESTOR_DOC",
        "PAYMENT_SOURCE",
        "RESIDENCE_PERMIT",
        "SELFIE",
        "PROOF_OF_ADDRESS",
        "AUTH_LETTER",
        "OTHER",
    ]
    uboId: NotRequired[str]
    url: NotRequired[str]


class IndividualKycUpdate(TypedDict):
    """IndividualKycUpdate"""

    additionalIdNumber: NotRequired[str]
    additionalIdType: NotRequired[str]
    address: NotRequired[Address]
    country: NotRequired[str]
    countryOfBirth: NotRequired[str]
    dateOfBirth: NotRequired[str]
    email: NotRequired[str]
    firstName: NotRequired[str]
    firstNameLocal: NotRequired[str]
    gender: NotRequired[Literal["M", "F"]]
    govIdBackUrl: NotRequired[str]
    govIdCountry: NotRequired[str]
    govIdExpirationDate: NotRequired[str]
    govIdFrontUrl: NotRequired[str]
    govIdHandHoldUrl: NotRequired[str]
    govIdIssuanceAuthority: NotRequired[str]
    govIdIssuanceDate: NotRequired[str]
    govIdNumber: NotRequired[str]
    govIdType: NotRequired[Literal["PASSPORT", "ID_CARD", "DRIVERS"]]
    idNumber: NotRequired[str]
    idType: NotRequired[Literal["PASSPORT", "ID_CARD", "DRIVERS", "NIN"]]
    ipAddress: NotRequired[str]
    lastName: NotRequired[str]
    lastNameLocal: NotRequired[str]
    middleName: NotRequired[str]
    middleNameLocal: NotRequired[str]
    nationality: NotRequired[str]
    phone: NotRequired[str]
    placeOfBirth: NotRequired[str]
    productServiceCategory: NotRequired[str]
    proofOfAddressType: NotRequired[
        Literal["UTILITY_BILL", "BANK_STATEMENT", "RENTAL_AGREEMENT", "TAX_DOCUMENT"]
    ]
    proofOfAddressUrl: NotRequired[str]
    purpose: NotRequired[Sequence[str]]
    sofEuQuestionnaire: NotRequired[IndividualKycUpdateSofEuQuestionnaire]
    stateOfBirth: NotRequired[str]
    supplementaryInfo: NotRequired[str]
    supplementaryUrl: NotRequired[str]
    taxIdentificationNumber: NotRequired[str]
    taxResidenceCountry: NotRequired[str]


class IndividualKycUpdateSofEuQuestionnaire(TypedDict):
    """IndividualKycUpdateSofEuQuestionnaire"""

    actingAsIntermediary: NotRequired[bool]
    employmentStatus: NotRequired[
        Literal["employed", "homemaker", "retired", "self_employed", "student", "unemployed"]
    ]
    expectedMonthlyPayments: NotRequired[
        Literal["0_4999", "5000_9999", "10000_49999", "50000_plus"]
    ]
    mostRecentOccupation: NotRequired[str]
    primaryPurpose: NotRequired[
        Literal[
            "charitable_donations",
            "ecommerce_retail_payments",
            "investment_purposes",
            "operating_a_company",
            "payments_to_friends_or_family_abroad",
            "personal_or_living_expenses",
            "protect_wealth",
            "purchase_goods_and_services",
            "receive_payment_for_freelancing",
            "receive_salary",
            "other",
        ]
    ]
    primaryPurposeOther: NotRequired[str]
    sourceOfFunds: NotRequired[
        Literal[
            "company_funds",
            "ecommerce_reseller",
            "gambling_proceeds",
            "gifts",
            "government_benefits",
            "inheritance",
            "investments_loans",
            "pension_retirement",
            "salary",
            "sale_of_assets_real_estate",
            "savings",
            "someone_elses_funds",
        ]
    ]


class InquiryApproval(TypedDict):
    """InquiryApproval"""

    walletAddress: NotRequired[str | None]


class InquiryRejection(TypedDict):
    """InquiryRejection"""

    comment: str


class KeyRotation(TypedDict):
    """KeyRotation"""

    overlapSeconds: NotRequired[int]


class KycDocumentUpdate(TypedDict):
    """KycDocumentUpdate"""

    description: NotRequired[str]
    expiryDate: NotRequired[str]
    fileId: NotRequired[str]
    issuedCountry: NotRequired[str]
    issuedDate: NotRequired[str]
    number: NotRequired[str]
    url: NotRequired[str]


class KycOwnerUpdate(TypedDict):
    """KycOwnerUpdate"""

    address: NotRequired[Address]
    authLetterUrl: NotRequired[str]
    businessTitle: NotRequired[str]
    countryOfBirth: NotRequired[str]
    dateOfBirth: NotRequired[str]
    email: NotRequired[str]
    firstName: NotRequired[str]
    firstNameLocal: NotRequired[str]
    gender: NotRequired[Literal["M", "F"]]
    govIdBackUrl: NotRequired[str]
    govIdCountry: NotRequired[str]
    govIdExpirationDate: NotRequired[str]
    govIdFrontUrl: NotRequired[str]
    govIdIssuanceAuthority: NotRequired[str]
    govIdIssuanceDate: NotRequired[str]
    govIdNumber: NotRequired[str]
    govIdType: NotRequired[Literal["PASSPORT", "ID_CARD", "DRIVERS"]]
    hasControl: NotRequired[bool]
    hasOwnership: NotRequired[bool]
    isSigner: NotRequired[bool]
    lastName: NotRequired[str]
    lastNameLocal: NotRequired[str]
    middleName: NotRequired[str]
    middleNameLocal: NotRequired[str]
    nationality: NotRequired[str]
    phone: NotRequired[str]
    placeOfBirth: NotRequired[str]
    proofOfAddressType: NotRequired[
        Literal["UTILITY_BILL", "BANK_STATEMENT", "RENTAL_AGREEMENT", "TAX_DOCUMENT"]
    ]
    proofOfAddressUrl: NotRequired[str]
    relationshipEstablishedAt: NotRequired[str]
    role: NotRequired[
        Literal[
            "OWNER_OR_OPERATOR",
            "PARTNER",
            "UBO",
            "DIRECTOR_CONTROL_PERSON_OR_LEGAL_REP",
            "AGENT_OR_AUTHORISED_PERSON",
        ]
    ]
    roles: NotRequired[Sequence[Literal["UBO", "DIRECTOR", "REPRESENTATIVE", "SHAREHOLDER"]]]
    shareProportion: NotRequired[float]
    stateOfBirth: NotRequired[str]
    supplementaryInfo: NotRequired[str]
    supplementaryUrl: NotRequired[str]
    taxIdentificationNumber: NotRequired[str]
    taxResidenceCountry: NotRequired[str]


class LatencyRequest(TypedDict):
    """LatencyRequest"""

    chains: NotRequired[Literal["instant", "real"] | None]
    rails: NotRequired[Literal["instant", "real"] | None]


class LiftAcceptance(TypedDict):
    """LiftAcceptance"""

    amount: NotRequired[str | None]


class LiftRejection(TypedDict):
    """LiftRejection"""

    reason: str


class LimitSimulationRequest(TypedDict):
    """LimitSimulationRequest"""

    days: NotRequired[int]
    limits: LimitsDocument


class LimitsDocument(TypedDict):
    """LimitsDocument"""

    allow: NotRequired[ListDocument | None]
    block: NotRequired[ListDocument | None]
    coolDown: NotRequired[CoolDownDocument | None]
    rules: NotRequired[Sequence[RuleDocument]]


class LineResolution(TypedDict):
    """LineResolution"""

    comment: str
    depositId: NotRequired[str | None]
    resolution: Literal[
        "NO_ACTION", "HANDLED", "DUPLICATE", "SETTLE", "FAIL", "RETURN", "REVERSAL", "DEPOSIT"
    ]
    transferId: NotRequired[str | None]


class LinkRequest(TypedDict):
    """LinkRequest"""

    rails: Any


class ListDocument(TypedDict):
    """ListDocument"""

    destinations: Sequence[str]
    over: NotRequired[Literal["REFUSE", "APPROVE"]]


class Measure(TypedDict):
    """Measure"""

    digits: NotRequired[int | None]
    filters: NotRequired[TemplateFilters]
    function: Literal[
        "count",
        "sum",
        "average",
        "minimum",
        "maximum",
        "distinctUsers",
        "successShare",
        "failureShare",
        "median",
        "p95",
        "ratio",
        "difference",
    ]
    ifZero: NotRequired[Literal["null", "zero"] | None]
    left: NotRequired[Operand | None]
    of: NotRequired[Literal["amountUsd", "amount", "feesUsd", "fees"] | None]
    right: NotRequired[Operand | None]
    rounding: NotRequired[Literal["halfUp", "halfEven", "down", "up"] | None]


class MetadataUpdate(TypedDict):
    """MetadataUpdate"""

    metadata: Mapping[str, str | None]


class MetricChange(TypedDict):
    """MetricChange"""

    name: NotRequired[str | None]
    params: NotRequired[MetricChangeParams | None]
    templateVersion: NotRequired[int | None]


class MetricChangeParams(TypedDict):
    """What the template takes, by name: GET /v2/reporting/templates has them all."""

    approvalStatuses: NotRequired[Sequence[Literal["PENDING", "APPROVED", "REJECTED", "EXPIRED"]]]
    breakdowns: NotRequired[
        Sequence[
            Literal[
                "approvalStatus",
                "chain",
                "country",
                "currency",
                "destinationCurrency",
                "endpointId",
                "feePayer",
                "holder",
                "initiatedBy",
                "outcome",
                "rail",
                "reason",
                "sourceCurrency",
                "transactionStatus",
                "transactionType",
                "userId",
                "userType",
            ]
        ]
    ]
    calculationInterval: NotRequired[Literal["day", "week", "month", "quarter", "year"]]
    chains: NotRequired[
        Sequence[Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE", "BANK", "OPTIMISM", "ARBITRUM"]]
    ]
    createdAfter: NotRequired[str | datetime]
    createdBefore: NotRequired[str | datetime]
    currencies: NotRequired[
        Sequence[
            Literal[
                "usdc",
                "usdt",
                "usdHifi",
                "usdg",
                "usd",
                "eur",
                "brl",
                "mxn",
                "cop",
                "ars",
                "hkd",
                "cny",
                "sgd",
                "ngn",
                "kes",
                "zmw",
                "mwk",
                "tzs",
                "bwp",
                "cdf",
                "ghs",
                "zar",
                "ugx",
                "rwf",
                "xaf",
                "xof",
            ]
        ]
    ]
    destinationCurrencies: NotRequired[Sequence[Literal["usdc", "usdt", "usdHifi", "usdg"]]]
    endpointIds: NotRequired[Sequence[str]]
    holders: NotRequired[
        Sequence[
            Literal[
                "customers",
                "liquidity",
                "fees",
                "outside",
                "in_transit",
                "receivable",
                "write_offs",
                "suspense",
                "payable",
            ]
        ]
    ]
    limit: NotRequired[int]
    reasons: NotRequired[Sequence[str]]
    sourceCurrencies: NotRequired[Sequence[Literal["usdc", "usdt", "usdHifi", "usdg"]]]
    timeZone: NotRequired[str]
    transactionStatuses: NotRequired[
        Sequence[
            Literal[
                "AWAITING_FUNDS",
                "FIAT_INITIATED",
                "FIAT_PENDING",
                "FIAT_PROCESSED",
                "CRYPTO_INITIATED",
                "CRYPTO_PENDING",
                "FIAT_FAILED",
                "CRYPTO_FAILED",
                "QUOTE_FAILED",
                "NOT_INITIATED",
                "FIAT_RETURNED",
                "COMPLETED",
                "PENDING_APPROVAL",
                "INITIATED",
                "PENDING",
                "FAILED",
                "REJECTED",
            ]
        ]
    ]
    transactionTypes: NotRequired[
        Sequence[Literal["onramp", "offramp", "transfer", "swap", "bridge", "correction"]]
    ]
    userIds: NotRequired[Sequence[str]]


class MetricPreview(TypedDict):
    """MetricPreview"""

    definition: NotRequired[TemplateDefinition | None]
    params: MetricPreviewParams
    template: NotRequired[str | None]


class MetricPreviewParams(TypedDict):
    """What the template takes, by name: GET /v2/reporting/templates has them all."""

    approvalStatuses: NotRequired[Sequence[Literal["PENDING", "APPROVED", "REJECTED", "EXPIRED"]]]
    breakdowns: NotRequired[
        Sequence[
            Literal[
                "approvalStatus",
                "chain",
                "country",
                "currency",
                "destinationCurrency",
                "endpointId",
                "feePayer",
                "holder",
                "initiatedBy",
                "outcome",
                "rail",
                "reason",
                "sourceCurrency",
                "transactionStatus",
                "transactionType",
                "userId",
                "userType",
            ]
        ]
    ]
    calculationInterval: NotRequired[Literal["day", "week", "month", "quarter", "year"]]
    chains: NotRequired[
        Sequence[Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE", "BANK", "OPTIMISM", "ARBITRUM"]]
    ]
    createdAfter: NotRequired[str | datetime]
    createdBefore: NotRequired[str | datetime]
    currencies: NotRequired[
        Sequence[
            Literal[
                "usdc",
                "usdt",
                "usdHifi",
                "usdg",
                "usd",
                "eur",
                "brl",
                "mxn",
                "cop",
                "ars",
                "hkd",
                "cny",
                "sgd",
                "ngn",
                "kes",
                "zmw",
                "mwk",
                "tzs",
                "bwp",
                "cdf",
                "ghs",
                "zar",
                "ugx",
                "rwf",
                "xaf",
                "xof",
            ]
        ]
    ]
    destinationCurrencies: NotRequired[Sequence[Literal["usdc", "usdt", "usdHifi", "usdg"]]]
    endpointIds: NotRequired[Sequence[str]]
    holders: NotRequired[
        Sequence[
            Literal[
                "customers",
                "liquidity",
                "fees",
                "outside",
                "in_transit",
                "receivable",
                "write_offs",
                "suspense",
                "payable",
            ]
        ]
    ]
    limit: NotRequired[int]
    reasons: NotRequired[Sequence[str]]
    sourceCurrencies: NotRequired[Sequence[Literal["usdc", "usdt", "usdHifi", "usdg"]]]
    timeZone: NotRequired[str]
    transactionStatuses: NotRequired[
        Sequence[
            Literal[
                "AWAITING_FUNDS",
                "FIAT_INITIATED",
                "FIAT_PENDING",
                "FIAT_PROCESSED",
                "CRYPTO_INITIATED",
                "CRYPTO_PENDING",
                "FIAT_FAILED",
                "CRYPTO_FAILED",
                "QUOTE_FAILED",
                "NOT_INITIATED",
                "FIAT_RETURNED",
                "COMPLETED",
                "PENDING_APPROVAL",
                "INITIATED",
                "PENDING",
                "FAILED",
                "REJECTED",
            ]
        ]
    ]
    transactionTypes: NotRequired[
        Sequence[Literal["onramp", "offramp", "transfer", "swap", "bridge", "correction"]]
    ]
    userIds: NotRequired[Sequence[str]]


class MexicoBank(TypedDict):
    """MexicoBank"""

    currency: NotRequired[Literal["mxn"] | None]
    speiClabe: NotRequired[str | None]
    speiInstitutionCode: NotRequired[str | None]
    speiProtocol: NotRequired[Literal["clabe", "debitcard", "phonenum"] | None]


class MexicoGlobalNetworkBank(TypedDict):
    """MexicoGlobalNetworkBank"""

    currency: NotRequired[Literal["mxn"] | None]
    speiClabe: NotRequired[str | None]


class NewAccount(TypedDict):
    """NewAccount"""

    accountHolder: NotRequired[AccountHolder | None]
    africa: NotRequired[AfricaBank | None]
    argentina: NotRequired[ArgentinaBank | None]
    brazil: NotRequired[BrazilBank | None]
    brazilGlobalNetwork: NotRequired[BrazilGlobalNetworkBank | None]
    chinaGlobalNetwork: NotRequired[ChinaGlobalNetworkBank | None]
    colombia: NotRequired[ColombiaBank | None]
    europeGlobalNetwork: NotRequired[EuropeGlobalNetworkBank | None]
    hongKongGlobalNetwork: NotRequired[HongKongGlobalNetworkBank | None]
    metadata: NotRequired[Mapping[str, str] | None]
    mexico: NotRequired[MexicoBank | None]
    mexicoGlobalNetwork: NotRequired[MexicoGlobalNetworkBank | None]
    nigeriaGlobalNetwork: NotRequired[NigeriaGlobalNetworkBank | None]
    rail: Literal["onramp", "offramp"]
    requestId: NotRequired[str | None]
    singaporeGlobalNetwork: NotRequired[SingaporeGlobalNetworkBank | None]
    type: Literal[
        "us",
        "brazil",
        "colombia",
        "argentina",
        "mexico",
        "africa",
        "brazilGlobalNetwork",
        "nigeriaGlobalNetwork",
        "mexicoGlobalNetwork",
        "hongKongGlobalNetwork",
        "chinaGlobalNetwork",
        "singaporeGlobalNetwork",
        "europeGlobalNetwork",
    ]
    us: NotRequired[UsBank | None]


class NewBatch(TypedDict):
    """NewBatch"""

    chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"]
    currency: str
    destination: BatchDestination
    metadata: NotRequired[Mapping[str, str] | None]
    requestId: NotRequired[str]
    requireApproval: NotRequired[bool | None]
    source: BatchSource


class NewBridge(TypedDict):
    """NewBridge"""

    amount: int | float | Decimal
    destination: BridgeDestination
    metadata: NotRequired[Mapping[str, str] | None]
    requestId: NotRequired[str]
    requireApproval: NotRequired[bool | None]
    source: BridgeSource


class NewBusiness(TypedDict):
    """NewBusiness"""

    address: NotRequired[Address | None]
    businessName: str
    chains: NotRequired[Sequence[Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"]] | None]
    email: str
    ipAddress: NotRequired[str | None]
    metadata: NotRequired[Mapping[str, str] | None]
    requestId: NotRequired[str | None]
    signedAgreementId: str
    type: Literal["business"]
    ultimateBeneficialOwners: NotRequired[Sequence[BusinessOwner] | None]


class NewExternalWallet(TypedDict):
    """NewExternalWallet"""

    address: str
    chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"]
    name: str
    referenceId: str


class NewIndividual(TypedDict):
    """NewIndividual"""

    address: NotRequired[Address | None]
    chains: NotRequired[Sequence[Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"]] | None]
    dateOfBirth: str
    email: str
    firstName: str
    ipAddress: NotRequired[str | None]
    lastName: str
    metadata: NotRequired[Mapping[str, str] | None]
    requestId: NotRequired[str | None]
    signedAgreementId: str
    type: Literal["individual"]


class NewKycLink(TypedDict):
    """NewKycLink"""

    rails: NotRequired[Sequence[Any] | None]
    recipientEmail: NotRequired[str | None]
    redirectUrl: NotRequired[str | None]
    templateId: NotRequired[str | None]
    userId: NotRequired[str | None]
    userType: NotRequired[Any]


class NewMetric(TypedDict):
    """NewMetric"""

    name: str
    params: NewMetricParams
    template: str


class NewMetricParams(TypedDict):
    """What the template takes, by name: GET /v2/reporting/templates has them all."""

    approvalStatuses: NotRequired[Sequence[Literal["PENDING", "APPROVED", "REJECTED", "EXPIRED"]]]
    breakdowns: NotRequired[
        Sequence[
            Literal[
                "approvalStatus",
                "chain",
                "country",
                "currency",
                "destinationCurrency",
                "endpointId",
                "feePayer",
                "holder",
                "initiatedBy",
                "outcome",
                "rail",
                "reason",
                "sourceCurrency",
                "transactionStatus",
                "transactionType",
                "userId",
                "userType",
            ]
        ]
    ]
    calculationInterval: NotRequired[Literal["day", "week", "month", "quarter", "year"]]
    chains: NotRequired[
        Sequence[Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE", "BANK", "OPTIMISM", "ARBITRUM"]]
    ]
    createdAfter: NotRequired[str | datetime]
    createdBefore: NotRequired[str | datetime]
    currencies: NotRequired[
        Sequence[
            Literal[
                "usdc",
                "usdt",
                "usdHifi",
                "usdg",
                "usd",
                "eur",
                "brl",
                "mxn",
                "cop",
                "ars",
                "hkd",
                "cny",
                "sgd",
                "ngn",
                "kes",
                "zmw",
                "mwk",
                "tzs",
                "bwp",
                "cdf",
                "ghs",
                "zar",
                "ugx",
                "rwf",
                "xaf",
                "xof",
            ]
        ]
    ]
    destinationCurrencies: NotRequired[Sequence[Literal["usdc", "usdt", "usdHifi", "usdg"]]]
    endpointIds: NotRequired[Sequence[str]]
    holders: NotRequired[
        Sequence[
            Literal[
                "customers",
                "liquidity",
                "fees",
                "outside",
                "in_transit",
                "receivable",
                "write_offs",
                "suspense",
                "payable",
            ]
        ]
    ]
    limit: NotRequired[int]
    reasons: NotRequired[Sequence[str]]
    sourceCurrencies: NotRequired[Sequence[Literal["usdc", "usdt", "usdHifi", "usdg"]]]
    timeZone: NotRequired[str]
    transactionStatuses: NotRequired[
        Sequence[
            Literal[
                "AWAITING_FUNDS",
                "FIAT_INITIATED",
                "FIAT_PENDING",
                "FIAT_PROCESSED",
                "CRYPTO_INITIATED",
                "CRYPTO_PENDING",
                "FIAT_FAILED",
                "CRYPTO_FAILED",
                "QUOTE_FAILED",
                "NOT_INITIATED",
                "FIAT_RETURNED",
                "COMPLETED",
                "PENDING_APPROVAL",
                "INITIATED",
                "PENDING",
                "FAILED",
                "REJECTED",
            ]
        ]
    ]
    transactionTypes: NotRequired[
        Sequence[Literal["onramp", "offramp", "transfer", "swap", "bridge", "correction"]]
    ]
    userIds: NotRequired[Sequence[str]]


class NewOfframp(TypedDict):
    """NewOfframp"""

    description: NotRequired[str | None]
    destination: OfframpDestination
    developerFee: NotRequired[DeveloperFees | Sequence[DeveloperFees] | None]
    fee: NotRequired[Mapping[str, Any] | None]
    metadata: NotRequired[Mapping[str, str] | None]
    purposeOfPayment: NotRequired[
        Literal[
            "gift",
            "bills",
            "groceries",
            "travel",
            "health",
            "entertainment",
            "housing",
            "school-fees",
            "other",
            "invoice_payments",
            "payment_for_services",
            "payment_for_software",
            "payment_for_imported_goods",
            "travel_services",
            "transfer_to_own_account",
            "repayment_of_loans",
            "payroll",
            "payment_of_property_rental",
            "information_service_charges",
            "advertising_and_public_relations",
            "royalty_and_ip_fees",
            "financial_service_fees",
            "advisory_and_consulting_fees",
            "representative_office_expenses",
            "tax_payment",
            "transportation_fees",
            "construction_costs",
            "insurance_premium",
            "offline_goods_trade",
            "insurance_claims",
            "remittance_to_family_or_friends",
            "education_expenses",
            "medical_treatment",
            "donations",
            "mutual_fund_investment",
            "currency_exchange",
            "advance_payment_for_goods",
            "merchant_settlement",
            "repatriation_fund_settlement",
        ]
        | None
    ]
    requestId: NotRequired[str]
    requireApproval: NotRequired[bool | None]
    source: OfframpSource
    supportingDocumentType: NotRequired[
        Literal[
            "billing_document",
            "order_document",
            "shipment_document",
            "regulatory_document",
            "transport_document",
            "other_document",
        ]
        | None
    ]
    supportingDocumentUrl: NotRequired[str | None]
    supportingInformation: NotRequired[SupportingInformation | None]


class NewOnramp(TypedDict):
    """NewOnramp"""

    destination: OnrampDestination
    fee: NotRequired[OnrampFee | None]
    isInstant: NotRequired[bool | None]
    metadata: NotRequired[Mapping[str, str] | None]
    purposeOfPayment: NotRequired[
        Literal[
            "gift",
            "bills",
            "groceries",
            "travel",
            "health",
            "entertainment",
            "housing",
            "school-fees",
            "other",
        ]
        | None
    ]
    requestId: NotRequired[str]
    source: OnrampSource


class NewPart(TypedDict):
    """NewPart"""

    calculationModel: Literal["FIXED", "TIERED"]
    tiers: NotRequired[Sequence[NewTier] | None]
    type: Literal["PERCENTAGE", "FIXED"]
    value: NotRequired[int | float | Decimal | None]
    walletAddress: str


class NewReveal(TypedDict):
    """NewReveal"""

    field: Literal[
        "accountNumber",
        "additionalIdNumber",
        "certificateNumber",
        "corrected",
        "govIdNumber",
        "iban",
        "idNumber",
        "incorporationNumber",
        "leiNumber",
        "number",
        "partyAccount",
        "pix",
        "pixKey",
        "registrationNumber",
        "speiClabe",
        "taxIdentificationNumber",
    ]
    reason: str
    record: Literal["ACCOUNT", "KYC", "OWNER", "DOCUMENT"]
    recordId: str


class NewRule(TypedDict):
    """NewRule"""

    chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"]
    includeHIFIFee: bool
    requestId: NotRequired[str]
    rules: Sequence[NewPart]


class NewSchedule(TypedDict):
    """NewSchedule"""

    at: NotRequired[str]
    every: Literal["day", "week", "month"]
    format: NotRequired[Literal["csv", "parquet"]]
    metricId: NotRequired[str | None]
    name: str
    params: NotRequired[Mapping[str, Any] | None]
    recipientIds: NotRequired[Sequence[str] | None]
    template: NotRequired[str | None]
    timeZone: NotRequired[str]


class NewSwap(TypedDict):
    """NewSwap"""

    destination: SwapDestination
    metadata: NotRequired[Mapping[str, str] | None]
    minReceive: NotRequired[str | Decimal | None]
    requestId: NotRequired[str]
    source: SwapSource


class NewTemplate(TypedDict):
    """NewTemplate"""

    definition: TemplateDefinition
    description: NotRequired[str | Literal[""]]
    displayName: str
    name: str


class NewTermsLink(TypedDict):
    """NewTermsLink"""

    idempotencyKey: NotRequired[str]
    redirectUrl: NotRequired[str | None]
    templateId: NotRequired[str | None]


class NewTier(TypedDict):
    """NewTier"""

    max: str
    min: str
    value: int | float | Decimal


class NewTimeZone(TypedDict):
    """NewTimeZone"""

    timeZone: str


class NewTransactionNote(TypedDict):
    """NewTransactionNote"""

    text: str


class NewVirtualAccount(TypedDict):
    """NewVirtualAccount"""

    destinationChain: NotRequired[Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"] | None]
    destinationCurrency: Literal["usdc", "usdt"]
    externalWalletId: NotRequired[str | None]
    sourceCurrency: Literal["usd"]


class NewWalletTransfer(TypedDict):
    """NewWalletTransfer"""

    amount: int | float | Decimal
    chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"]
    currency: str
    destination: TransferDestination
    fee: NotRequired[FeeRequest | None]
    metadata: NotRequired[Mapping[str, str] | None]
    requestId: NotRequired[str]
    requireApproval: NotRequired[bool | None]
    source: TransferSource


class NewWebhook(TypedDict):
    """NewWebhook"""

    createEventSpelling: NotRequired[Literal["CREATE", "CREATED"]]
    description: NotRequired[str | Literal[""] | None]
    eventTypes: NotRequired[Sequence[str] | None]
    standardWebhooks: NotRequired[bool]
    url: str


class NigeriaGlobalNetworkBank(TypedDict):
    """NigeriaGlobalNetworkBank"""

    accountNumber: NotRequired[str | None]
    bankName: NotRequired[str | None]
    currency: NotRequired[Literal["ngn"] | None]


class OfframpBeneficiary(TypedDict):
    """OfframpBeneficiary"""

    jurisdictionOfIncorporation: NotRequired[str | None]
    legalEntityName: NotRequired[str | None]
    natureOfBusiness: NotRequired[str | None]
    relationshipToBeneficiary: NotRequired[str | None]
    website: NotRequired[str | None]


class OfframpDestination(TypedDict):
    """OfframpDestination"""

    accountId: str
    achReference: NotRequired[str | None]
    amount: NotRequired[int | float | Decimal | None]
    currency: str
    paymentReference: NotRequired[str | None]
    sameDayAch: NotRequired[bool | None]
    sepaReference: NotRequired[str | None]
    swiftCharges: NotRequired[Any]
    swiftReference: NotRequired[str | None]
    userId: NotRequired[str | None]
    wireMessage: NotRequired[str | None]


class OfframpSource(TypedDict):
    """OfframpSource"""

    amount: NotRequired[int | float | Decimal | None]
    chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"]
    currency: str
    externalWalletId: NotRequired[str | None]
    returnAddress: NotRequired[str | None]
    userId: NotRequired[str | None]


class OnrampDestination(TypedDict):
    """OnrampDestination"""

    amount: NotRequired[int | float | Decimal | None]
    chain: NotRequired[Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"] | None]
    currency: NotRequired[str | None]
    externalWalletId: NotRequired[str | None]
    userId: NotRequired[str | None]


class OnrampFee(TypedDict):
    """OnrampFee"""

    type: Literal["FIX", "PERCENT"]
    value: int | float | Decimal


class OnrampSource(TypedDict):
    """OnrampSource"""

    accountId: NotRequired[str | None]
    amount: NotRequired[int | float | Decimal | None]
    currency: str
    transferType: NotRequired[Literal["ach", "wire"] | None]
    userId: str


class Operand(TypedDict):
    """Operand"""

    digits: NotRequired[int | None]
    filters: NotRequired[TemplateFilters]
    function: Literal[
        "count",
        "sum",
        "average",
        "minimum",
        "maximum",
        "distinctUsers",
        "successShare",
        "failureShare",
        "median",
        "p95",
        "ratio",
        "difference",
    ]
    of: NotRequired[Literal["amountUsd", "amount", "feesUsd", "fees"] | None]
    rounding: NotRequired[Literal["halfUp", "halfEven", "down", "up"] | None]


class OwnershipProofRequest(TypedDict):
    """OwnershipProofRequest"""

    signature: str


class RejectRequest(TypedDict):
    """RejectRequest"""

    reason: NotRequired[str | Literal[""] | None]


class RejectedDocument(TypedDict):
    """RejectedDocument"""

    id: str
    rejectReasons: NotRequired[Sequence[str] | None]


class ResendRequest(TypedDict):
    """ResendRequest"""

    only: Literal["all", "failed"]
    since: str | datetime


class ResolutionRequest(TypedDict):
    """ResolutionRequest"""

    accountId: NotRequired[str | None]
    action: Literal[
        "CONFIRM",
        "FAIL",
        "REDIRECT",
        "SETTLE_OUTSIDE",
        "PAYOUT_RETURNED",
        "DEPOSIT_REVERSED",
        "RELEASE",
        "REJECT",
        "RECOVER",
        "WRITE_OFF",
    ]
    address: NotRequired[str | None]
    evidence: str
    requestId: NotRequired[str]
    transactionHash: NotRequired[str | None]
    transferId: str


class RfiAnswer(TypedDict):
    """RfiAnswer"""

    answer: str
    fileIds: NotRequired[Sequence[str] | None]


class RfiClosing(TypedDict):
    """RfiClosing"""

    comment: NotRequired[str | Literal[""] | None]


class RfiCommand(TypedDict):
    """RfiCommand"""

    action: Literal["open", "close"]


class RfiQuestion(TypedDict):
    """RfiQuestion"""

    question: str


class RuleDocument(TypedDict):
    """RuleDocument"""

    corridors: NotRequired[
        Sequence[
            Literal[
                "ARBITRUM",
                "BASE",
                "ETHEREUM",
                "OPTIMISM",
                "POLYGON",
                "SOLANA",
                "ars",
                "brl",
                "bwp",
                "cdf",
                "cny",
                "cop",
                "eur",
                "ghs",
                "hkd",
                "kes",
                "mwk",
                "mxn",
                "ngn",
                "rwf",
                "sgd",
                "tzs",
                "ugx",
                "usd",
                "usd-chn",
                "usd-hka",
                "usd-sgp",
                "xaf",
                "xof",
                "zar",
                "zmw",
            ]
        ]
        | None
    ]
    id: str
    kinds: NotRequired[Sequence[str] | None]
    maxCount: NotRequired[int | None]
    maxUsd: NotRequired[str | Decimal | None]
    over: NotRequired[Literal["REFUSE", "APPROVE"]]
    per: NotRequired[Literal["ORG", "USER"]]
    rails: NotRequired[
        Sequence[
            Literal[
                "ach",
                "achCop",
                "bank",
                "chats",
                "fps",
                "momo",
                "pix",
                "rtp",
                "sepa",
                "sepaInstant",
                "spei",
                "swift",
                "transfers",
                "wire",
            ]
        ]
        | None
    ]
    userIds: NotRequired[Sequence[str] | None]
    window: Literal["PAYMENT", "DAY", "MONTH"]


class ScheduleChange(TypedDict):
    """ScheduleChange"""

    recipientIds: NotRequired[Sequence[str] | None]
    templateVersion: NotRequired[int | None]


class SharedSubmission(TypedDict):
    """SharedSubmission"""

    rails: Any
    shareToken: str


class SimulatedDeposit(TypedDict):
    """SimulatedDeposit"""

    amount: str | Decimal
    description: NotRequired[str | None]
    paymentRail: Literal["WIRE", "ACH"]
    reference: NotRequired[str | None]
    requestId: NotRequired[str]
    source: SimulatedDepositSource
    userId: NotRequired[str | None]


class SimulatedDepositSource(TypedDict):
    """SimulatedDepositSource"""

    accountNumber: str
    bankName: str
    name: str
    routingNumber: str


class SingaporeGlobalNetworkBank(TypedDict):
    """SingaporeGlobalNetworkBank"""

    accountNumber: NotRequired[str | None]
    bankName: NotRequired[str | None]
    currency: NotRequired[Literal["usd", "sgd"] | None]
    swiftCode: NotRequired[str | None]


class Submission(TypedDict):
    """Submission"""

    rails: Any


class SupportingDocument(TypedDict):
    """SupportingDocument"""

    description: NotRequired[str | None]
    fileId: str
    type: str


class SupportingInformation(TypedDict):
    """SupportingInformation"""

    beneficiaryDetails: NotRequired[OfframpBeneficiary | None]
    detailedPurposeOfPayment: NotRequired[str | None]
    documents: NotRequired[Sequence[SupportingDocument] | None]


class SwapDestination(TypedDict):
    """SwapDestination"""

    amount: NotRequired[str | Decimal | None]
    chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"]
    currency: str
    externalWalletId: NotRequired[str | None]
    userId: NotRequired[str | None]
    walletAddress: NotRequired[str | None]


class SwapProviderChoiceData(TypedDict):
    """SwapProviderChoiceData"""

    chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"]
    destinationCurrency: str
    provider: Literal["TREASURY", "MARKET", "BEST"]
    sourceCurrency: str


class SwapProvidersRequest(TypedDict):
    """SwapProvidersRequest"""

    choices: Sequence[SwapProviderChoiceData]


class SwapSource(TypedDict):
    """SwapSource"""

    amount: NotRequired[str | Decimal | None]
    chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"]
    currency: str
    userId: str


class TemplateChange(TypedDict):
    """TemplateChange"""

    definition: NotRequired[TemplateDefinition | None]
    description: NotRequired[str | Literal[""] | None]
    displayName: NotRequired[str | None]


class TemplateDefinition(TypedDict):
    """TemplateDefinition"""

    breakdowns: NotRequired[Sequence[str]]
    filters: NotRequired[TemplateFilters]
    intervals: NotRequired[Sequence[Literal["day", "week", "month", "quarter", "year"]]]
    measure: Measure
    params: NotRequired[Sequence[str]]
    subject: Literal["transactions", "users", "approvals", "deliveries", "balances"]


class TemplateFilters(TypedDict):
    """TemplateFilters"""

    amountUsd: NotRequired[AmountRange | None]
    approvalStatuses: NotRequired[Sequence[str]]
    chains: NotRequired[Sequence[str]]
    countries: NotRequired[Sequence[str]]
    currencies: NotRequired[Sequence[str]]
    destinationCurrencies: NotRequired[Sequence[str]]
    endpointIds: NotRequired[Sequence[str]]
    feePayers: NotRequired[Sequence[str]]
    holders: NotRequired[Sequence[str]]
    initiatedBy: NotRequired[Sequence[str]]
    outcomes: NotRequired[Sequence[str]]
    rails: NotRequired[Sequence[str]]
    transactionStatuses: NotRequired[Sequence[str]]
    transactionTypes: NotRequired[Sequence[str]]
    userIds: NotRequired[Sequence[str]]
    userTypes: NotRequired[Sequence[str]]


class TermsAcceptance(TypedDict):
    """TermsAcceptance"""

    sessionToken: str


class TokenIdentifierData(TypedDict):
    """TokenIdentifierData"""

    chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE", "OPTIMISM", "ARBITRUM"]
    currency: str
    identifier: str


class TransferDestination(TypedDict):
    """TransferDestination"""

    userId: NotRequired[str | None]
    walletAddress: NotRequired[str | None]


class TransferSource(TypedDict):
    """TransferSource"""

    userId: str


class TravelRuleRequest(TypedDict):
    """TravelRuleRequest"""

    jurisdiction: Literal["EU", "GB", "US", "SG", "CH"] | None


class UsBank(TypedDict):
    """UsBank"""

    accountNumber: NotRequired[str | None]
    accountType: NotRequired[Literal["Checking", "Savings"] | None]
    bankAddress: NotRequired[Address | None]
    bankName: NotRequired[str | None]
    currency: NotRequired[Literal["usd"] | None]
    iban: NotRequired[str | None]
    routingNumber: NotRequired[str | None]
    swiftCode: NotRequired[str | None]
    transferType: NotRequired[Literal["ach", "wire", "swift", "rtp"] | None]


class UserUpdate(TypedDict):
    """UserUpdate"""

    address: NotRequired[Address | None]
    businessName: NotRequired[str | None]
    dateOfBirth: NotRequired[str | None]
    email: NotRequired[str | None]
    firstName: NotRequired[str | None]
    ipAddress: NotRequired[str | None]
    lastName: NotRequired[str | None]
    metadata: NotRequired[Mapping[str, str | None] | None]
    signedAgreementId: NotRequired[str | None]
    type: NotRequired[Literal["individual", "business"] | None]
    ultimateBeneficialOwners: NotRequired[Sequence[BusinessOwner] | None]


class WalletDataRequest(TypedDict):
    """WalletDataRequest"""

    kind: Literal["SELF_HOSTED", "HOSTED"]
    owner: Literal["USER", "THIRD_PARTY"]
    person: NotRequired[WalletOwnerPerson | None]
    travelAddress: NotRequired[str | None]
    vaspName: NotRequired[str | None]


class WalletOwnerPerson(TypedDict):
    """WalletOwnerPerson"""

    address: NotRequired[Address | None]
    businessName: NotRequired[str | None]
    dateOfBirth: NotRequired[str | None]
    firstName: NotRequired[str | None]
    govIdNumber: NotRequired[str | None]
    lastName: NotRequired[str | None]
    placeOfBirth: NotRequired[str | None]
    type: Literal["individual", "business"]


class WebhookChange(TypedDict):
    """WebhookChange"""

    createEventSpelling: NotRequired[Literal["CREATE", "CREATED"] | None]
    description: NotRequired[str | Literal[""] | None]
    eventTypes: NotRequired[Sequence[str] | None]
    skipMissed: NotRequired[bool]
    standardWebhooks: NotRequired[bool | None]
    status: NotRequired[Literal["ACTIVE", "PAUSED"] | None]
    url: NotRequired[str | None]
