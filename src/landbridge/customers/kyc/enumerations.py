"""Enumerations of field values. Source: contract, interface/kyc."""

GENDERS = ("M", "F")
GOV_ID_TYPES = ("PASSPORT", "ID_CARD", "DRIVERS")
ID_TYPES = ("PASSPORT", "ID_CARD", "DRIVERS", "NIN")
PROOF_OF_ADDRESS_TYPES = ("UTILITY_BILL", "BANK_STATEMENT", "RENTAL_AGREEMENT", "TAX_DOCUMENT")
BUSINESS_TYPES = (
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
)
TAX_NUMBER_TYPES = ("EIN", "SSN", "VAT", "TIN", "UTR")
REGISTRATION_TYPES = ("ACRA", "GST", "MSME", "CERTIFICATE_OF_REGISTRATION")
BUSINESS_PURPOSES = (
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
)

EMPLOYMENT_STATUSES = (
    "employed",
    "homemaker",
    "retired",
    "self_employed",
    "student",
    "unemployed",
)
MONTHLY_PAYMENTS = ("0_4999", "5000_9999", "10000_49999", "50000_plus")
INDIVIDUAL_PRIMARY_PURPOSES = (
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
)
INDIVIDUAL_SOURCES_OF_FUNDS = (
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
)
ANNUAL_REVENUES = (
    "0_99999",
    "100000_999999",
    "1000000_9999999",
    "10000000_49999999",
    "50000000_249999999",
    "250000000_plus",
)
BUSINESS_PRIMARY_PURPOSES = (
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
)
HIGH_RISK_ACTIVITIES = (
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
)
BUSINESS_SOURCES_OF_FUNDS = (
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
)

# Older value for a person's role in a business, and the newer values it maps to.
ROLE = (
    "OWNER_OR_OPERATOR",
    "PARTNER",
    "UBO",
    "DIRECTOR_CONTROL_PERSON_OR_LEGAL_REP",
    "AGENT_OR_AUTHORISED_PERSON",
)
ROLES = ("UBO", "DIRECTOR", "REPRESENTATIVE", "SHAREHOLDER")

INDIVIDUAL_DOCUMENTS = (
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
)
BUSINESS_DOCUMENTS = (
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
)
