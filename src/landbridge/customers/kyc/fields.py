"""Fields of a person, a business and its owners. Source: contract, interface/kyc.

There is one table for each, in the order of the contract; responses have every member of the table.
Where the contract leaves the values open (occupation, industry, purpose of a person), any text is
accepted.
"""

from collections.abc import Mapping

from landbridge.customers.kyc import enumerations
from landbridge.customers.kyc.field_types import (
    PROSE_LENGTH_MAX,
    TEXT,
    AddressFieldType,
    BooleanFieldType,
    ChoiceFieldType,
    DateFieldType,
    Kind,
    ListFieldType,
    PercentFieldType,
    QuestionnaireFieldType,
    TextFieldType,
    any_day,
    birth_day,
    past_day,
    prose,
    url_or_file,
)
from landbridge.customers.users.model import UserType
from landbridge.platform.files.model import FILE_ID
from landbridge.platform.formats import schemas
from landbridge.platform.formats.addresses import check_country
from landbridge.platform.formats.people import check_email, check_ip, check_name, check_phone
from landbridge.platform.formats.texts import TEXT_LENGTH_MAX, check_text, check_url

_NAME = TextFieldType("name", check_name, schemas.NAME)
_EMAIL = TextFieldType("e-mail address", check_email, schemas.EMAIL)
_PHONE = TextFieldType(
    "phone number with its country code, E.164; checked at submission",
    check_phone,
    schemas.line(),
    is_number=True,
)
_COUNTRY = TextFieldType("ISO 3166-1 alpha-3 code", check_country, schemas.COUNTRY)
_URL = TextFieldType(
    "http or https URL, kept as a reference and never fetched", check_url, schemas.URL
)
# The schema has no URI format, because replies may contain the id of a file instead of a URL.
_FILE = TextFieldType(
    "http or https URL, kept as a reference and never fetched; or a file",
    url_or_file,
    {name: value for name, value in schemas.URL.items() if name != "format"},
)
_IP = TextFieldType("IPv4 address", check_ip, schemas.IP)
_PROSE = TextFieldType(
    f"text of 1 to {PROSE_LENGTH_MAX} characters", prose, schemas.line(PROSE_LENGTH_MAX)
)
# The format of a tax number depends on a country that another field names; see numbers.py.
_TAX_NUMBER = TextFieldType(
    "tax number; checked at submission by the rules of its country", check_text, schemas.line()
)
_STATE = TextFieldType(
    "second half of an ISO 3166-2 code of `incorporationCountry`", check_text, schemas.line()
)
_FILE_ID = TextFieldType(f"text of 1 to {TEXT_LENGTH_MAX} characters", check_text, FILE_ID)
_PAST = DateFieldType("date in the past", past_day)
_BORN = DateFieldType("date in the past, at most 120 years ago", birth_day)
_DAY = DateFieldType("date", any_day)
_ADDRESS = AddressFieldType()
_FLAG = BooleanFieldType()


def _one_of(labels: Mapping[str, str]) -> ChoiceFieldType:
    return ChoiceFieldType(tuple(labels))


# Fields of every person, user or owner.
_PERSON: Mapping[str, Kind] = {
    "firstName": _NAME,
    "firstNameLocal": _NAME,
    "middleName": _NAME,
    "middleNameLocal": _NAME,
    "lastName": _NAME,
    "lastNameLocal": _NAME,
    "nationality": _COUNTRY,
    "email": _EMAIL,
    "phone": _PHONE,
    "address": _ADDRESS,
    "dateOfBirth": _BORN,
    "countryOfBirth": _COUNTRY,
    "stateOfBirth": TEXT,
    "placeOfBirth": TEXT,
    "gender": _one_of(enumerations.GENDERS),
}

INDIVIDUAL: Mapping[str, Kind] = {
    **_PERSON,
    "country": _COUNTRY,
    "taxIdentificationNumber": _TAX_NUMBER,
    "taxResidenceCountry": _COUNTRY,
    "ipAddress": _IP,
    "govIdType": _one_of(enumerations.GOV_ID_TYPES),
    "govIdFrontUrl": _FILE,
    "govIdBackUrl": _FILE,
    "govIdCountry": _COUNTRY,
    "govIdNumber": TEXT,
    "govIdIssuanceDate": _PAST,
    "govIdExpirationDate": _DAY,
    "govIdIssuanceAuthority": TEXT,
    "govIdHandHoldUrl": _FILE,
    "proofOfAddressType": _one_of(enumerations.PROOF_OF_ADDRESS_TYPES),
    "proofOfAddressUrl": _FILE,
    "sofEuQuestionnaire": QuestionnaireFieldType(
        {
            "actingAsIntermediary": _FLAG,
            "employmentStatus": _one_of(enumerations.EMPLOYMENT_STATUSES),
            "expectedMonthlyPayments": _one_of(enumerations.MONTHLY_PAYMENTS),
            "mostRecentOccupation": TEXT,
            "primaryPurpose": _one_of(enumerations.INDIVIDUAL_PRIMARY_PURPOSES),
            "primaryPurposeOther": _PROSE,
            "sourceOfFunds": _one_of(enumerations.INDIVIDUAL_SOURCES_OF_FUNDS),
        }
    ),
    "idType": _one_of(enumerations.ID_TYPES),
    "idNumber": TEXT,
    "additionalIdType": TEXT,
    "additionalIdNumber": TEXT,
    "purpose": ListFieldType(TEXT, is_joined=True),
    "productServiceCategory": TEXT,
    "supplementaryInfo": _PROSE,
    "supplementaryUrl": _FILE,
}

BUSINESS: Mapping[str, Kind] = {
    "businessName": _NAME,
    "businessNameLocal": _NAME,
    "alternativeNames": ListFieldType(_NAME),
    "businessDescription": _PROSE,
    "businessIndustry": TEXT,
    "businessType": _one_of(enumerations.BUSINESS_TYPES),
    "email": _EMAIL,
    "phone": _PHONE,
    "taxIdentificationNumberType": _one_of(enumerations.TAX_NUMBER_TYPES),
    "taxIdentificationNumber": _TAX_NUMBER,
    "registrationNumber": TEXT,
    "leiNumber": TEXT,
    "formationDate": _PAST,
    "incorporationDate": _PAST,
    "incorporationCountry": _COUNTRY,
    "incorporationState": _STATE,
    "website": _URL,
    "address": _ADDRESS,
    "registeredAddress": _ADDRESS,
    "postalAddress": _ADDRESS,
    "ipAddress": _IP,
    "sourceOfFunds": _PROSE,
    "transmitsCustomerFunds": _FLAG,
    "complianceScreeningExplanation": _PROSE,
    "daoStatus": _FLAG,
    "proofOfAddressType": _one_of(enumerations.PROOF_OF_ADDRESS_TYPES),
    "proofOfAddressUrl": _FILE,
    "formationDocUrl": _FILE,
    "proofOfOwnershipUrl": _FILE,
    "certificateOfRegistrationDocType": _one_of(enumerations.REGISTRATION_TYPES),
    "certificateOfRegistrationDocUrl": _FILE,
    "certificateNumber": TEXT,
    "businessRegistrationDocUrl": _FILE,
    "licenseExpirationDate": _DAY,
    "certificateOfIncorporationDocUrl": _FILE,
    "incorporationNumber": TEXT,
    "controlScheme": _PROSE,
    "shareStructureUrl": _FILE,
    "constitutionOrAnnualReportUrl": _FILE,
    "articlesOfAssociationUrl": _FILE,
    "uboDeclarationUrl": _FILE,
    "partnershipMinsOfMeetingUrl": _FILE,
    "partnershipDeedUrl": _FILE,
    "certificateOfIncumbencyUrl": _FILE,
    "organizationStructureUrl": _FILE,
    "sourceOfFundsUrl": _FILE,
    "flowOfFundsUrl": _FILE,
    "purpose": ListFieldType(_one_of(enumerations.BUSINESS_PURPOSES), is_joined=True),
    "productServiceCategory": TEXT,
    "tradeName": _NAME,
    "exportCountry": _COUNTRY,
    "tradeType": TEXT,
    "supplementaryInfo": _PROSE,
    "supplementaryUrl": _FILE,
    "sofEuQuestionnaire": QuestionnaireFieldType(
        {
            "estimatedAnnualRevenueUsd": _one_of(enumerations.ANNUAL_REVENUES),
            "expectedMonthlyPaymentsUsd": TEXT,
            "operatesInProhibitedCountries": _FLAG,
            "primaryPurpose": _one_of(enumerations.BUSINESS_PRIMARY_PURPOSES),
            "primaryPurposeOther": _PROSE,
            "highRiskActivities": ListFieldType(_one_of(enumerations.HIGH_RISK_ACTIVITIES)),
            "sourceOfFunds": _one_of(enumerations.BUSINESS_SOURCES_OF_FUNDS),
            "sourceOfFundsDescription": _PROSE,
            "transmitsCustomerFunds": _FLAG,
            "transmitsCustomerFundsDescription": _PROSE,
            "customerFundsDescription": _PROSE,
            "conductsMoneyServices": _FLAG,
        }
    ),
}

OWNER: Mapping[str, Kind] = {
    "role": _one_of(enumerations.ROLE),
    "roles": ListFieldType(_one_of(enumerations.ROLES)),
    "businessTitle": TEXT,
    **_PERSON,
    "taxIdentificationNumber": _TAX_NUMBER,
    "taxResidenceCountry": _COUNTRY,
    "govIdType": _one_of(enumerations.GOV_ID_TYPES),
    "govIdCountry": _COUNTRY,
    "govIdNumber": TEXT,
    "govIdFrontUrl": _FILE,
    "govIdBackUrl": _FILE,
    "govIdIssuanceDate": _PAST,
    "govIdExpirationDate": _DAY,
    "govIdIssuanceAuthority": TEXT,
    "proofOfAddressType": _one_of(enumerations.PROOF_OF_ADDRESS_TYPES),
    "proofOfAddressUrl": _FILE,
    "authLetterUrl": _FILE,
    "shareProportion": PercentFieldType(),
    "hasOwnership": _FLAG,
    "hasControl": _FLAG,
    "isSigner": _FLAG,
    "relationshipEstablishedAt": _PAST,
    "supplementaryInfo": _PROSE,
    "supplementaryUrl": _FILE,
}

# Document fields that may change; type, side and owner never change.
DOCUMENT: Mapping[str, Kind] = {
    "issuedCountry": _COUNTRY,
    "issuedDate": _PAST,
    "expiryDate": _DAY,
    "number": TEXT,
    "description": _PROSE,
    "url": _URL,
    "fileId": _FILE_ID,
}

BY_TYPE: Mapping[UserType, Mapping[str, Kind]] = {
    UserType.INDIVIDUAL: INDIVIDUAL,
    UserType.BUSINESS: BUSINESS,
}
OWNERS = "ultimateBeneficialOwners"
