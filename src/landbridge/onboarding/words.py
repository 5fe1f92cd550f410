"""What people read instead of names of fields, words of enumerations and states."""

from collections.abc import Mapping
from dataclasses import dataclass

from landbridge.kyc.model import Rail
from landbridge.users.model import UserType
from landbridge.verification.model import KycStatus


@dataclass(frozen=True, slots=True)
class Word:
    """The label of a field, what helps to answer it, and how browsers fill it in."""

    label: str
    hint: str | None = None
    autocomplete: str | None = None
    inputmode: str | None = None


_PHONE_HINT = "With the country code, for example +44 20 7946 0958"
_TAX_HINT = "The number that your tax office knows you by, such as an SSN, TIN or VAT number"

_COMMON: Mapping[str, Word] = {
    "firstName": Word("First name", "As in your passport or identity card", "given-name"),
    "lastName": Word("Last name", "As in your passport or identity card", "family-name"),
    "email": Word("E-mail address", None, "email"),
    "phone": Word("Phone number", _PHONE_HINT, "tel"),
    "nationality": Word("Nationality", "The country that issued your passport"),
    "dateOfBirth": Word("Date of birth", "For example 27 3 1985", "bday"),
    "address": Word("Home address"),
    "address.addressLine1": Word("Street and number", None, "address-line1"),
    "address.addressLine2": Word("Flat or building (optional)", None, "address-line2"),
    "address.city": Word("Town or city", None, "address-level2"),
    "address.stateProvinceRegion": Word(
        "State, province or region",
        "Its name or code, for example California or CA",
        "address-level1",
    ),
    "address.postalCode": Word("Postal code", None, "postal-code"),
    "address.country": Word("Country", None, "country-name"),
    "taxIdentificationNumber": Word("Tax number", _TAX_HINT),
    "additionalIdNumber": Word(
        "Bank verification number (BVN)",
        "Eleven digits; dial *565*0# to see yours",
        inputmode="numeric",
    ),
    "sofEuQuestionnaire.actingAsIntermediary": Word("Do you act for somebody else?"),
    "sofEuQuestionnaire.employmentStatus": Word("What do you do?"),
    "sofEuQuestionnaire.expectedMonthlyPayments": Word(
        "How much will you pay in a month?", "In US dollars, roughly"
    ),
    "sofEuQuestionnaire.mostRecentOccupation": Word(
        "Occupation", "What you do for a living, or did last", "organization-title"
    ),
    "sofEuQuestionnaire.primaryPurpose": Word("What will you mainly use this for?"),
    "sofEuQuestionnaire.primaryPurposeOther": Word("What else will you use this for?"),
    "sofEuQuestionnaire.sourceOfFunds": Word("Where does the money come from?"),
}

_BUSINESS: Mapping[str, Word] = {
    "businessName": Word("Name of the business", "As it is registered", "organization"),
    "tradeName": Word("Trade name", "What customers know the business by"),
    "businessType": Word("Legal form"),
    "businessIndustry": Word("Industry", "What the business does, in a few words"),
    "registrationNumber": Word("Registration number", "From the register of companies"),
    "registeredAddress": Word("Registered address"),
    "address": Word("Where the business works"),
    "website": Word("Website", "For example https://example.com", "url"),
    "incorporationDate": Word("Date of incorporation", "For example 27 3 2015"),
    "email": Word("E-mail address of the business", None, "email"),
    "phone": Word("Phone number of the business", _PHONE_HINT, "tel"),
    "taxIdentificationNumber": Word("Tax number of the business", "Such as an EIN or VAT number"),
    "sofEuQuestionnaire.transmitsCustomerFunds": Word(
        "Does the business pass on money of its customers?"
    ),
    "sofEuQuestionnaire.transmitsCustomerFundsDescription": Word("How does it pass money on?"),
    "sofEuQuestionnaire.conductsMoneyServices": Word(
        "Does the business offer money services?",
        "Such as changing currencies, sending money or issuing cards",
    ),
    "sofEuQuestionnaire.highRiskActivities": Word(
        "Does the business do any of these?", "Choose all that apply"
    ),
    "sofEuQuestionnaire.estimatedAnnualRevenueUsd": Word(
        "How much does the business earn in a year?", "In US dollars, roughly"
    ),
    "sofEuQuestionnaire.expectedMonthlyPaymentsUsd": Word(
        "How much will the business pay in a month?", "In US dollars, roughly"
    ),
    "sofEuQuestionnaire.customerFundsDescription": Word(
        "Whose money will be moved?",
        "For example: only our own, from sales; or our customers', and how we keep it apart",
    ),
    "sofEuQuestionnaire.operatesInProhibitedCountries": Word(
        "Does the business work in countries under sanctions?"
    ),
    "sofEuQuestionnaire.sourceOfFundsDescription": Word("More about where the money comes from"),
}

_OWNER: Mapping[str, Word] = {
    "roles": Word("What is this person to the business?", "Choose all that apply"),
    "businessTitle": Word("Title in the business", "For example Managing director"),
    "firstName": Word("First name", "As in their passport or identity card"),
    "lastName": Word("Last name", "As in their passport or identity card"),
    "email": Word("E-mail address"),
    "phone": Word("Phone number", _PHONE_HINT),
    "nationality": Word("Nationality", "The country that issued their passport"),
    "dateOfBirth": Word("Date of birth", "For example 27 3 1985"),
    "taxIdentificationNumber": Word(
        "Tax number", "The number that their tax office knows them by, such as an SSN or TIN"
    ),
    "shareProportion": Word(
        "Share of the business", "In percent, for example 40; 0 for none", inputmode="decimal"
    ),
    "relationshipEstablishedAt": Word("Since when?", "For example 27 3 2015"),
    "isSigner": Word("Does this person also sign for the business?"),
    "type": Word("What is it?"),
    "subType": Word("What does the file show?"),
    "issuedCountry": Word("Which country issued it?"),
    "number": Word("Number on it (optional)"),
    "expiryDate": Word("Last day on which it is valid (optional)", "For example 27 3 2031"),
    "description": Word("What is it, if it is none of these? (optional)"),
}

# Browsers know the person at the keyboard, who need not be the owner.
_NOT_FILLED_IN = Word("", autocomplete="off")

_VALUES: Mapping[str, str] = {
    "0_4999": "Less than 5,000",
    "5000_9999": "5,000 to 9,999",
    "10000_49999": "10,000 to 49,999",
    "50000_plus": "50,000 or more",
    "0_99999": "Less than 100,000",
    "100000_999999": "100,000 to 999,999",
    "1000000_9999999": "1 million to 10 million",
    "10000000_49999999": "10 million to 50 million",
    "50000000_249999999": "50 million to 250 million",
    "250000000_plus": "250 million or more",
    "self_employed": "Self-employed",
    "s_corporation": "S corporation",
    "b_corporation": "B corporation",
    "c_corporation": "C corporation",
    "nonprofit_corporation": "Non-profit corporation",
    "investments_loans": "Investments or loans",
    "pension_retirement": "Pension",
    "sale_of_assets_real_estate": "Sale of real estate or other assets",
    "someone_elses_funds": "Somebody else's money",
    "owners_capital": "Owners' capital",
    "inter_company_funds": "Funds from companies of the group",
    "lending_banking": "Lending or banking",
    "money_services": "Money services",
    "none_of_the_above": "None of these",
    "operate_foreign_exchange_virtual_currencies_brokerage_otc": (
        "Exchange or brokerage of currencies, virtual ones included"
    ),
    "weapons_firearms_and_explosives": "Weapons, firearms or explosives",
    "third_party_payment_processing": "Payment processing for others",
    "ecommerce_retail_payments": "Paying or being paid in online shops",
    "ecommerce_reseller": "Selling online",
    "UBO": "Owner of 25 percent or more",
    "DIRECTOR": "Director",
    "REPRESENTATIVE": "Representative",
    "SHAREHOLDER": "Shareholder",
    "DRIVERS": "Driver's licence",
    "ID_CARD": "Identity card",
    "AUTH_LETTER": "Letter of authority",
    "INVESTOR_DOC": "Investor document",
    "PROOF_OF_ADDRESS": "Proof of address, such as a bill or bank statement",
    "INCORPORATION_ARTICLES": "Articles of incorporation",
    "INCORPORATION_CERT": "Certificate of incorporation",
    "STATE_REGISTRY": "Extract from the state register",
    "SHAREHOLDER_REGISTRY": "Register of shareholders",
    "DIRECTORS_REGISTRY": "Register of directors",
    "TRUST_AGREEMENT": "Trust agreement",
    "UBO_DECLARATION": "Declaration of owners",
    "PARTNERSHIP_MINS_OF_MEETING": "Minutes of a partners' meeting",
    "CONSTITUTION_OR_ANNUAL_REPORT": "Constitution or annual report",
    "SINGLE_SIDE": "The whole document",
    "FRONT_SIDE": "The front",
    "BACK_SIDE": "The back",
}
_CERTIFICATE = " cert"

GROUPS: Mapping[str, Word] = {
    "identity": Word("Proof of identity", "A passport, identity card or similar"),
    "proofOfResidence": Word("Proof of address", "A bill or bank statement with your address"),
    "legalPresence": Word("Proof that the business exists"),
    "ownershipStructure": Word("Proof of who owns the business"),
    "companyDetails": Word("Proof of the business's address"),
    "controlStructure": Word("Proof of who controls the business"),
    "other": Word("Anything else that was asked for"),
}

RAILS: Mapping[Rail, str] = {
    Rail.USD: "Payments in US dollars",
    Rail.SOUTH_AMERICA_STANDARD: "Payments in South America",
    Rail.AFRICA_GENERAL: "Payments in Africa",
    Rail.AFRICA_NIGERIA: "Payments in Nigeria",
    Rail.GLOBAL_NETWORK: "International payments",
}

_STATES: Mapping[KycStatus, tuple[str, str]] = {
    KycStatus.ACTIVE: ("Approved", "You can use this now."),
    KycStatus.REJECTED: ("Declined", "We can't offer you this."),
    KycStatus.INCOMPLETE: (
        "Not complete",
        "Something was not accepted. Ask the company that sent you here for a new link.",
    ),
    KycStatus.RFI_PENDING: (
        "More needed",
        "We need more information. Ask the company that sent you here for a new link.",
    ),
    KycStatus.CONTACT_SUPPORT: (
        "Not finished",
        "Something went wrong. Ask the company that sent you here.",
    ),
    KycStatus.INACTIVE: ("Not sent", "Nothing has been sent for this yet."),
}
_WAITING = {
    UserType.INDIVIDUAL: "We are checking your details. This usually takes some minutes.",
    UserType.BUSINESS: "We are checking your details. This usually takes one to three days.",
}


def word(of: UserType | None, path: str) -> Word:
    """What to say of a field of a person, a business or (None) an owner.

    Parts of all addresses are called the same.
    """
    known = find_word(of, path)
    if known is not None:
        return known
    name = path.rpartition(".")[2]
    spaced = "".join(f" {each.lower()}" if each.isupper() else each for each in name)
    return Word(spaced[:1].upper() + spaced[1:])


def find_word(of: UserType | None, path: str) -> Word | None:
    """What to say of a field, if anybody has thought of it."""
    group, _, part = path.partition(".")
    if part and group.lower().endswith("address"):
        path = f"address.{part}"
    match of:
        case UserType.BUSINESS if path in _BUSINESS:
            return _BUSINESS[path]
        case None if path in _OWNER:
            return _unfilled(_OWNER[path])
        case None if path in _COMMON:
            return _unfilled(_COMMON[path])
        case _:
            return _COMMON.get(path)


def value(told: str) -> str:
    """A word of an enumeration."""
    if told in _VALUES:
        return _VALUES[told]
    spaced = told.replace("_", " ").lower()
    if spaced.endswith(_CERTIFICATE):
        spaced = f"certificate of {spaced.removesuffix(_CERTIFICATE)}"
    return spaced[:1].upper() + spaced[1:]


def status(found: KycStatus, of: UserType) -> tuple[str, str]:
    """A status in two words, and in a sentence."""
    state, sentence = _STATES.get(found, ("Being checked", ""))
    return state, sentence or _WAITING[of]


def _unfilled(known: Word) -> Word:
    return Word(known.label, known.hint, _NOT_FILLED_IN.autocomplete, known.inputmode)
