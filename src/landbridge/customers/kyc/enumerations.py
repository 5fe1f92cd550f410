"""Enumerations of field values, each with the labels of its values. Source: interface/kyc."""

from collections.abc import Mapping

from landbridge.platform.formats.translations import later as _

GENDERS = {
    "M": _("Male"),
    "F": _("Female"),
}
GOV_ID_TYPES = {
    "PASSPORT": _("Passport"),
    "ID_CARD": _("ID card"),
    "DRIVERS": _("Driver's license"),
}
ID_TYPES = {**GOV_ID_TYPES, "NIN": _("NIN")}
PROOF_OF_ADDRESS_TYPES = {
    "UTILITY_BILL": _("Utility bill"),
    "BANK_STATEMENT": _("Bank statement"),
    "RENTAL_AGREEMENT": _("Rental agreement"),
    "TAX_DOCUMENT": _("Tax document"),
}
BUSINESS_TYPES = {
    "cooperative": _("Cooperative"),
    "s_corporation": _("S corporation"),
    "b_corporation": _("B corporation"),
    "c_corporation": _("C corporation"),
    "close_corporation": _("Close corporation"),
    "nonprofit_corporation": _("Non-profit corporation"),
    "general_partnership": _("General partnership"),
    "limited_partnership": _("Limited partnership"),
    "limited_liability_company": _("Limited liability company"),
    "other": _("Other"),
    "sole_proprietorship": _("Sole proprietorship"),
    "trust": _("Trust"),
}
TAX_NUMBER_TYPES = {
    "EIN": _("EIN"),
    "SSN": _("SSN"),
    "VAT": _("VAT number"),
    "TIN": _("TIN"),
    "UTR": _("UTR"),
}
REGISTRATION_TYPES = {
    "ACRA": _("ACRA"),
    "GST": _("GST"),
    "MSME": _("MSME"),
    "CERTIFICATE_OF_REGISTRATION": _("Certificate of registration"),
}
BUSINESS_PURPOSES = {
    "PAY_SUPPLIERS": _("Supplier payments"),
    "PAY_SERVICE_PROVIDERS": _("Service provider payments"),
    "GOODS_MERCHANDISE_COMMODITIES": _("Goods, merchandise, commodities"),
    "FREELANCERS_CONTRACTORS_PAYROLL": _("Freelancers, contractors, payroll"),
    "FINANCIAL_SERVICES_LOANS_INVESTMENTS": _("Financial services, loans, investments"),
    "TAX_REGULATORY_FEES": _("Taxes and regulatory fees"),
    "LEGAL_SERVICES": _("Legal services"),
    "OPERATIONAL_EXPENSES": _("Operating expenses"),
    "SUBSCRIPTIONS": _("Subscriptions"),
    "TRAVEL_RELATED_EXPENSES": _("Travel"),
    "INSURANCE": _("Insurance"),
    "ADVERTISING_MARKETING_EXPENSES": _("Advertising and marketing"),
    "EQUIPMENT_MACHINERY": _("Equipment and machinery"),
    "TECHNOLOGY_SERVICES": _("Technology services"),
    "EDUCATION_RELATED_EXPENSES": _("Education"),
    "TREASURY_PAYMENTS": _("Treasury payments"),
    "FX_SERVICES": _("Currency exchange"),
    "OTHER": _("Other"),
    "ONLINE_MARKETPLACE_TRADING": _("Online marketplace trading"),
    "OFFLINE_TRADING": _("Offline trading"),
}
EMPLOYMENT_STATUSES = {
    "employed": _("Employed"),
    "homemaker": _("Homemaker"),
    "retired": _("Retired"),
    "self_employed": _("Self-employed"),
    "student": _("Student"),
    "unemployed": _("Unemployed"),
}
MONTHLY_PAYMENTS = {
    "0_4999": _("Less than 5,000"),
    "5000_9999": _("5,000 to 9,999"),
    "10000_49999": _("10,000 to 49,999"),
    "50000_plus": _("50,000 or more"),
}
INDIVIDUAL_PRIMARY_PURPOSES = {
    "charitable_donations": _("Charitable donations"),
    "ecommerce_retail_payments": _("E-commerce payments"),
    "investment_purposes": _("Investment"),
    "operating_a_company": _("Operating a company"),
    "payments_to_friends_or_family_abroad": _("Payments to friends or family abroad"),
    "personal_or_living_expenses": _("Personal or living expenses"),
    "protect_wealth": _("Wealth protection"),
    "purchase_goods_and_services": _("Buying goods and services"),
    "receive_payment_for_freelancing": _("Freelance income"),
    "receive_salary": _("Salary payments"),
    "other": _("Other"),
}
INDIVIDUAL_SOURCES_OF_FUNDS = {
    "company_funds": _("Company funds"),
    "ecommerce_reseller": _("E-commerce sales"),
    "gambling_proceeds": _("Gambling proceeds"),
    "gifts": _("Gifts"),
    "government_benefits": _("Government benefits"),
    "inheritance": _("Inheritance"),
    "investments_loans": _("Investments or loans"),
    "pension_retirement": _("Pension"),
    "salary": _("Salary"),
    "sale_of_assets_real_estate": _("Sale of real estate or other assets"),
    "savings": _("Savings"),
    "someone_elses_funds": _("Someone else's funds"),
}
ANNUAL_REVENUES = {
    "0_99999": _("Less than 100,000"),
    "100000_999999": _("100,000 to 999,999"),
    "1000000_9999999": _("1 million to 10 million"),
    "10000000_49999999": _("10 million to 50 million"),
    "50000000_249999999": _("50 million to 250 million"),
    "250000000_plus": _("250 million or more"),
}
BUSINESS_PRIMARY_PURPOSES = {
    "charitable_donations": _("Charitable donations"),
    "ecommerce_retail_payments": _("E-commerce payments"),
    "investment_purposes": _("Investment"),
    "other": _("Other"),
    "payments_to_friends_or_family_abroad": _("Payments to friends or family abroad"),
    "payroll": _("Payroll"),
    "personal_or_living_expenses": _("Personal or living expenses"),
    "protect_wealth": _("Wealth protection"),
    "purchase_goods_and_services": _("Buying goods and services"),
    "receive_payments_for_goods_and_services": _("Receiving payments for goods and services"),
    "tax_optimization": _("Tax optimization"),
    "third_party_money_transmission": _("Sending money on behalf of others"),
    "treasury_management": _("Treasury management"),
}
HIGH_RISK_ACTIVITIES = {
    "none_of_the_above": _("None of the above"),
    "adult_entertainment": _("Adult entertainment"),
    "gambling": _("Gambling"),
    "hold_client_funds": _("Holding client funds"),
    "investment_services": _("Investment services"),
    "lending_banking": _("Lending or banking"),
    "marijuana_or_related_services": _("Marijuana or related services"),
    "money_services": _("Money services"),
    "operate_foreign_exchange_virtual_currencies_brokerage_otc": _(
        "Currency or virtual currency exchange or brokerage"
    ),
    "safe_deposit_box_rentals": _("Safe deposit box rental"),
    "third_party_payment_processing": _("Third-party payment processing"),
    "weapons_firearms_and_explosives": _("Weapons, firearms or explosives"),
}
BUSINESS_SOURCES_OF_FUNDS = {
    "business_loans": _("Business loans"),
    "grants": _("Grants"),
    "inter_company_funds": _("Intercompany funds"),
    "investment_proceeds": _("Investment proceeds"),
    "legal_settlement": _("Legal settlement"),
    "owners_capital": _("Owners' capital"),
    "pension_retirement": _("Pension"),
    "sale_of_assets": _("Sale of assets"),
    "sales_of_goods_and_services": _("Sale of goods and services"),
    "tax_refund": _("Tax refund"),
    "third_party_funds": _("Third-party funds"),
    "treasury_reserves": _("Treasury reserves"),
}
# Values of the older `role` of a person in a business; `ROLES` has those of the newer `roles`.
ROLE = {
    "OWNER_OR_OPERATOR": _("Owner or operator"),
    "PARTNER": _("Partner"),
    "UBO": _("Beneficial owner of 25 percent or more (UBO)"),
    "DIRECTOR_CONTROL_PERSON_OR_LEGAL_REP": _("Director, control person or legal representative"),
    "AGENT_OR_AUTHORISED_PERSON": _("Agent or authorized person"),
}
ROLES = {
    "UBO": _("Beneficial owner of 25 percent or more (UBO)"),
    "DIRECTOR": _("Director"),
    "REPRESENTATIVE": _("Representative"),
    "SHAREHOLDER": _("Shareholder"),
}
INDIVIDUAL_DOCUMENTS = {
    "DRIVERS": _("Driver's license"),
    "ID_CARD": _("ID card"),
    "PASSPORT": _("Passport"),
    "INCOME_SOURCE": _("Income source"),
    "INVESTOR_DOC": _("Investor document"),
    "PAYMENT_SOURCE": _("Payment source"),
    "RESIDENCE_PERMIT": _("Residence permit"),
    "SELFIE": _("Selfie"),
    "PROOF_OF_ADDRESS": _("Proof of address"),
    "AUTH_LETTER": _("Authorization letter"),
    "OTHER": _("Other"),
}
BUSINESS_DOCUMENTS = {
    "DIRECTORS_REGISTRY": _("Register of directors"),
    "GOOD_STANDING_CERT": _("Certificate of good standing"),
    "INCORPORATION_ARTICLES": _("Articles of incorporation"),
    "INCORPORATION_CERT": _("Certificate of incorporation"),
    "INCUMBENCY_CERT": _("Certificate of incumbency"),
    "INFORMATION_STATEMENT": _("Information statement"),
    "POWER_OF_ATTORNEY": _("Power of attorney"),
    "PROOF_OF_ADDRESS": _("Proof of address"),
    "SHAREHOLDER_REGISTRY": _("Shareholder register"),
    "STATE_REGISTRY": _("State registry extract"),
    "TRUST_AGREEMENT": _("Trust agreement"),
    "SOURCE_OF_FUNDS": _("Source of funds"),
    "FORMATION_CERT": _("Certificate of formation"),
    "REGISTRATION_CERT": _("Certificate of registration"),
    "PROOF_OF_OWNERSHIP": _("Proof of ownership"),
    "CONSTITUTION_OR_ANNUAL_REPORT": _("Constitution or annual report"),
    "ARTICLES_OF_ASSOCIATION": _("Articles of association"),
    "UBO_DECLARATION": _("Beneficial owner declaration"),
    "PARTNERSHIP_MINS_OF_MEETING": _("Partners' meeting minutes"),
    "PARTNERSHIP_DEED": _("Partnership deed"),
    "FLOW_OF_FUNDS": _("Flow of funds"),
    "ORGANIZATION_STRUCTURE": _("Organization structure"),
    "SHARE_STRUCTURE": _("Share structure"),
    "BUSINESS_REGISTRATION": _("Business registration"),
    "OTHER": _("Other"),
}
_SIDES = {
    "FRONT_SIDE": _("Front side"),
    "BACK_SIDE": _("Back side"),
    "SINGLE_SIDE": _("Single side"),
}

VALUES: Mapping[str, str] = {
    **GENDERS,
    **GOV_ID_TYPES,
    **ID_TYPES,
    **PROOF_OF_ADDRESS_TYPES,
    **BUSINESS_TYPES,
    **TAX_NUMBER_TYPES,
    **REGISTRATION_TYPES,
    **BUSINESS_PURPOSES,
    **EMPLOYMENT_STATUSES,
    **MONTHLY_PAYMENTS,
    **INDIVIDUAL_PRIMARY_PURPOSES,
    **INDIVIDUAL_SOURCES_OF_FUNDS,
    **ANNUAL_REVENUES,
    **BUSINESS_PRIMARY_PURPOSES,
    **HIGH_RISK_ACTIVITIES,
    **BUSINESS_SOURCES_OF_FUNDS,
    **ROLE,
    **ROLES,
    **INDIVIDUAL_DOCUMENTS,
    **BUSINESS_DOCUMENTS,
    **_SIDES,
}


def value_word(value: str) -> str:
    """Return the English label of an enumerated value; the caller translates it for display."""
    return VALUES.get(value, value)
