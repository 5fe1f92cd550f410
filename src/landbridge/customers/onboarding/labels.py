"""Labels of field names, enumerated values and states."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from landbridge.customers.kyc.enumerations import value_word
from landbridge.customers.kyc.model import Rail
from landbridge.customers.users.model import UserType
from landbridge.customers.users.page_language import translate
from landbridge.customers.verification.model import KycStatus
from landbridge.platform.formats.translations import later as _


@dataclass(frozen=True, slots=True)
class FieldLabel:
    """Label of a field, its hint, and its autocomplete token for browsers."""

    label: str
    hint: str | None = None
    autocomplete: str | None = None
    inputmode: str | None = None

    def translated(self) -> "FieldLabel":
        """Return this label in the language of the current request."""
        hint = None if self.hint is None else translate(self.hint)
        return replace(self, label=translate(self.label), hint=hint)


_PHONE_HINT = _("With country code, for example +44 20 7946 0958")
_TAX_HINT = _("For example an SSN, TIN or VAT number")

_COMMON: Mapping[str, FieldLabel] = {
    "firstName": FieldLabel(
        _("First name"), _("As shown in your passport or ID card"), "given-name"
    ),
    "lastName": FieldLabel(
        _("Last name"), _("As shown in your passport or ID card"), "family-name"
    ),
    "email": FieldLabel(_("E-mail"), None, "email"),
    "phone": FieldLabel(_("Phone number"), _PHONE_HINT, "tel"),
    "nationality": FieldLabel(_("Nationality"), _("The country that issued your passport")),
    "dateOfBirth": FieldLabel(_("Date of birth"), _("For example 27 3 1985"), "bday"),
    "address": FieldLabel(_("Home address")),
    "address.addressLine1": FieldLabel(_("Street address"), None, "address-line1"),
    "address.addressLine2": FieldLabel(
        _("Apartment, suite or building (optional)"), None, "address-line2"
    ),
    "address.city": FieldLabel(_("City"), None, "address-level2"),
    "address.stateProvinceRegion": FieldLabel(
        _("State, province or region"),
        _("Name or code, for example California or CA"),
        "address-level1",
    ),
    "address.postalCode": FieldLabel(_("Postal code"), None, "postal-code"),
    "address.country": FieldLabel(_("Country"), None, "country-name"),
    "taxIdentificationNumber": FieldLabel(_("Tax ID"), _TAX_HINT),
    "additionalIdNumber": FieldLabel(
        _("Bank verification number (BVN)"),
        _("Eleven digits; dial *565*0# to see yours"),
        inputmode="numeric",
    ),
    "sofEuQuestionnaire.actingAsIntermediary": FieldLabel(
        _("Do you act on behalf of someone else?")
    ),
    "sofEuQuestionnaire.employmentStatus": FieldLabel(_("What is your employment status?")),
    "sofEuQuestionnaire.expectedMonthlyPayments": FieldLabel(
        _("What are your expected monthly payments?"), _("Approximate amount in US dollars")
    ),
    "sofEuQuestionnaire.mostRecentOccupation": FieldLabel(
        _("Occupation"), _("Your current or most recent occupation"), "organization-title"
    ),
    "sofEuQuestionnaire.primaryPurpose": FieldLabel(_("What will you mainly use this for?")),
    "sofEuQuestionnaire.primaryPurposeOther": FieldLabel(_("What else will you use this for?")),
    "sofEuQuestionnaire.sourceOfFunds": FieldLabel(_("Where does the money come from?")),
}

_BUSINESS: Mapping[str, FieldLabel] = {
    "businessName": FieldLabel(_("Business name"), _("As registered"), "organization"),
    "tradeName": FieldLabel(_("Trade name"), _("The name your customers know")),
    "businessType": FieldLabel(_("Legal structure")),
    "businessIndustry": FieldLabel(
        _("Industry"), _("A short description of the business activity")
    ),
    "registrationNumber": FieldLabel(_("Registration number"), _("From the company register")),
    "registeredAddress": FieldLabel(_("Registered address")),
    "address": FieldLabel(_("Business address")),
    "website": FieldLabel(_("Website"), _("For example https://example.com"), "url"),
    "incorporationDate": FieldLabel(_("Date of incorporation"), _("For example 27 3 2015")),
    "email": FieldLabel(_("Business e-mail"), None, "email"),
    "phone": FieldLabel(_("Business phone number"), _PHONE_HINT, "tel"),
    "taxIdentificationNumber": FieldLabel(
        _("Business tax ID"), _("For example an EIN or VAT number")
    ),
    "sofEuQuestionnaire.transmitsCustomerFunds": FieldLabel(
        _("Does the business transmit customer funds?")
    ),
    "sofEuQuestionnaire.transmitsCustomerFundsDescription": FieldLabel(
        _("How does it transmit customer funds?")
    ),
    "sofEuQuestionnaire.conductsMoneyServices": FieldLabel(
        _("Does the business offer money services?"),
        _("For example currency exchange, money transfer or card issuing"),
    ),
    "sofEuQuestionnaire.highRiskActivities": FieldLabel(
        _("Is the business active in any of these areas?"), _("Select all that apply")
    ),
    "sofEuQuestionnaire.estimatedAnnualRevenueUsd": FieldLabel(
        _("What is the annual revenue of the business?"), _("Approximate amount in US dollars")
    ),
    "sofEuQuestionnaire.expectedMonthlyPaymentsUsd": FieldLabel(
        _("What are the expected monthly payments of the business?"),
        _("Approximate amount in US dollars"),
    ),
    "sofEuQuestionnaire.customerFundsDescription": FieldLabel(
        _("Whose funds will be transferred?"),
        _("For example only own funds, or customer funds and how they are segregated"),
    ),
    "sofEuQuestionnaire.operatesInProhibitedCountries": FieldLabel(
        _("Does the business operate in sanctioned countries?")
    ),
    "sofEuQuestionnaire.sourceOfFundsDescription": FieldLabel(_("Source of funds details")),
}

_OWNER: Mapping[str, FieldLabel] = {
    "roles": FieldLabel(
        _("What is this person's role in the business?"), _("Select all that apply")
    ),
    "businessTitle": FieldLabel(_("Job title"), _("For example Managing director")),
    "firstName": FieldLabel(_("First name"), _("As shown in their passport or ID card")),
    "lastName": FieldLabel(_("Last name"), _("As shown in their passport or ID card")),
    "email": FieldLabel(_("E-mail")),
    "phone": FieldLabel(_("Phone number"), _PHONE_HINT),
    "nationality": FieldLabel(_("Nationality"), _("The country that issued their passport")),
    "dateOfBirth": FieldLabel(_("Date of birth"), _("For example 27 3 1985")),
    "taxIdentificationNumber": FieldLabel(_("Tax ID"), _("For example an SSN or TIN")),
    "shareProportion": FieldLabel(
        _("Ownership share"), _("In percent, for example 40; 0 for none"), inputmode="decimal"
    ),
    "relationshipEstablishedAt": FieldLabel(_("Date the role started"), _("For example 27 3 2015")),
    "isSigner": FieldLabel(_("Is this person also an authorized signer?")),
    "type": FieldLabel(_("Document type")),
    "subType": FieldLabel(_("Which side does the file show?")),
    "issuedCountry": FieldLabel(_("Which country issued it?")),
    "number": FieldLabel(_("Document number (optional)")),
    "expiryDate": FieldLabel(_("Expiry date (optional)"), _("For example 27 3 2031")),
    "description": FieldLabel(_("Description, if the type is Other (optional)")),
}

# Autofill is off: browsers fill in data of their own user, who may not be the owner.
_NOT_FILLED_IN = FieldLabel("", autocomplete="off")

GROUPS: Mapping[str, FieldLabel] = {
    "identity": FieldLabel(_("Proof of identity"), _("For example a passport or ID card")),
    "proofOfResidence": FieldLabel(
        _("Proof of address"), _("For example a utility bill or bank statement with your address")
    ),
    "legalPresence": FieldLabel(_("Proof of legal existence")),
    "ownershipStructure": FieldLabel(_("Proof of ownership")),
    "companyDetails": FieldLabel(_("Proof of business address")),
    "controlStructure": FieldLabel(_("Proof of control")),
    "other": FieldLabel(_("Other requested documents")),
}

RAILS: Mapping[Rail, str] = {
    Rail.USD: _("Payments in US dollars"),
    Rail.SOUTH_AMERICA_STANDARD: _("Payments in South America"),
    Rail.AFRICA_GENERAL: _("Payments in Africa"),
    Rail.AFRICA_NIGERIA: _("Payments in Nigeria"),
    Rail.GLOBAL_NETWORK: _("International payments"),
}

IN_REVIEW = _("In review")
_STATES: Mapping[KycStatus, tuple[str, str]] = {
    KycStatus.ACTIVE: (_("Approved"), _("You can use this service now.")),
    KycStatus.REJECTED: (_("Declined"), _("We can't offer this service to you.")),
    KycStatus.INCOMPLETE: (
        _("Incomplete"),
        _("Some information was not accepted. Ask the company that sent you here for a new link."),
    ),
    KycStatus.RFI_PENDING: (
        _("Information requested"),
        _("We need more information. Ask the company that sent you here for a new link."),
    ),
    KycStatus.CONTACT_SUPPORT: (
        _("Contact support"),
        _("The check could not be completed. Contact the company that sent you here."),
    ),
    KycStatus.INACTIVE: (_("Not submitted"), _("No information has been submitted yet.")),
}
_WAITING = {
    UserType.INDIVIDUAL: _("We are reviewing your information. This usually takes a few minutes."),
    UserType.BUSINESS: _(
        "We are reviewing your information. This usually takes one to three days."
    ),
}


def field_label(of: UserType | None, path: str) -> FieldLabel:
    """Return the translated label of a field of a user, or of an owner if `of` is None.

    Parts of all addresses have the same labels.
    """
    known = find_word(of, path)
    if known is not None:
        return known.translated()
    name = path.rpartition(".")[2]
    spaced = "".join(f" {each.lower()}" if each.isupper() else each for each in name)
    return FieldLabel(spaced[:1].upper() + spaced[1:])


def find_word(of: UserType | None, path: str) -> FieldLabel | None:
    """Return the label of a field in English; None for a field without one."""
    group, _dot, part = path.partition(".")
    if part and group.lower().endswith("address"):
        path = f"address.{part}"
    match of:
        case UserType.BUSINESS if path in _BUSINESS:
            return _BUSINESS[path]
        case None if path in _OWNER:
            return _unfilled(_OWNER[path])
        case None if path in _COMMON:
            return _unfilled(_COMMON[path])
        case _other:
            return _COMMON.get(path)


def value(code: str) -> str:
    """Return the label of an enumerated value, translated."""
    return translate(value_word(code))


def group(name: str) -> FieldLabel:
    """Return the label of a group of documents, translated."""
    known = GROUPS.get(name)
    return FieldLabel(value(name)) if known is None else known.translated()


def rail(of: Rail) -> str:
    """Return the label of a rail, translated."""
    return translate(RAILS[of])


def status(found: KycStatus, of: UserType) -> tuple[str, str]:
    """Return a status as its label and a sentence, translated."""
    state, sentence = _STATES.get(found, (IN_REVIEW, ""))
    return translate(state), translate(sentence or _WAITING[of])


def is_in_review(found: KycStatus) -> bool:
    """Return whether a status waits for the provider or a reviewer."""
    return found not in _STATES


def _unfilled(known: FieldLabel) -> FieldLabel:
    return FieldLabel(known.label, known.hint, _NOT_FILLED_IN.autocomplete, known.inputmode)
