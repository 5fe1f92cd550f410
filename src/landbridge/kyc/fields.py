"""What can be told about a person, a business and its owners. Source: contract, interface/kyc.

One table each, in the order of the contract; answers have every member of the table. Where the
contract leaves the words open (occupation, industry, purpose of a person), any text is taken.
"""

from collections.abc import Mapping

from landbridge.formats.people import check_email, check_ip, check_name, check_phone
from landbridge.formats.places import check_country
from landbridge.formats.texts import check_text, check_url
from landbridge.kyc import words
from landbridge.kyc.kinds import (
    PROSE_LENGTH_MAX,
    TEXT,
    Day,
    Flag,
    Kind,
    PostalAddress,
    Questionnaire,
    Several,
    Share,
    Text,
    Words,
    any_day,
    birth_day,
    past_day,
    prose,
)
from landbridge.users.model import UserType

_NAME = Text("name", check_name)
_EMAIL = Text("e-mail address", check_email, format="email")
_PHONE = Text("phone number with its country code, E.164", check_phone)
_COUNTRY = Text("ISO 3166-1 alpha-3 code", check_country)
_URL = Text("http or https URL, kept as a reference and never fetched", check_url)
_IP = Text("IPv4 address", check_ip, format="ipv4")
_PROSE = Text(f"text of 1 to {PROSE_LENGTH_MAX} characters", prose)
# Its form depends on a country that another field names: see reading.py.
_TAX_NUMBER = Text("tax number; checked by the rules of its country", check_text)
_STATE = Text("second half of an ISO 3166-2 code of `incorporationCountry`", check_text)
_PAST = Day("date in the past", past_day)
_BORN = Day("date in the past, at most 120 years ago", birth_day)
_DAY = Day("date", any_day)
_ADDRESS = PostalAddress()
_FLAG = Flag()

# What is asked of everybody, whether a user or an owner.
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
    "gender": Words(words.GENDERS),
}

INDIVIDUAL: Mapping[str, Kind] = {
    **_PERSON,
    "country": _COUNTRY,
    "taxIdentificationNumber": _TAX_NUMBER,
    "taxResidenceCountry": _COUNTRY,
    "ipAddress": _IP,
    "govIdType": Words(words.GOV_ID_TYPES),
    "govIdFrontUrl": _URL,
    "govIdBackUrl": _URL,
    "govIdCountry": _COUNTRY,
    "govIdNumber": TEXT,
    "govIdIssuanceDate": _PAST,
    "govIdExpirationDate": _DAY,
    "govIdIssuanceAuthority": TEXT,
    "govIdHandHoldUrl": _URL,
    "proofOfAddressType": Words(words.PROOF_OF_ADDRESS_TYPES),
    "proofOfAddressUrl": _URL,
    "sofEuQuestionnaire": Questionnaire(
        {
            "actingAsIntermediary": _FLAG,
            "employmentStatus": Words(words.EMPLOYMENT_STATUSES),
            "expectedMonthlyPayments": Words(words.MONTHLY_PAYMENTS),
            "mostRecentOccupation": TEXT,
            "primaryPurpose": Words(words.INDIVIDUAL_PRIMARY_PURPOSES),
            "primaryPurposeOther": _PROSE,
            "sourceOfFunds": Words(words.INDIVIDUAL_SOURCES_OF_FUNDS),
        }
    ),
    "idType": Words(words.ID_TYPES),
    "idNumber": TEXT,
    "additionalIdType": TEXT,
    "additionalIdNumber": TEXT,
    "purpose": Several(TEXT, is_joined=True),
    "productServiceCategory": TEXT,
    "supplementaryInfo": _PROSE,
    "supplementaryUrl": _URL,
}

BUSINESS: Mapping[str, Kind] = {
    "businessName": _NAME,
    "businessNameLocal": _NAME,
    "alternativeNames": Several(_NAME),
    "businessDescription": _PROSE,
    "businessIndustry": TEXT,
    "businessType": Words(words.BUSINESS_TYPES),
    "email": _EMAIL,
    "phone": _PHONE,
    "taxIdentificationNumberType": Words(words.TAX_NUMBER_TYPES),
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
    "proofOfAddressType": Words(words.PROOF_OF_ADDRESS_TYPES),
    "proofOfAddressUrl": _URL,
    "formationDocUrl": _URL,
    "proofOfOwnershipUrl": _URL,
    "certificateOfRegistrationDocType": Words(words.REGISTRATION_TYPES),
    "certificateOfRegistrationDocUrl": _URL,
    "certificateNumber": TEXT,
    "businessRegistrationDocUrl": _URL,
    "licenseExpirationDate": _DAY,
    "certificateOfIncorporationDocUrl": _URL,
    "incorporationNumber": TEXT,
    "controlScheme": _PROSE,
    "shareStructureUrl": _URL,
    "constitutionOrAnnualReportUrl": _URL,
    "articlesOfAssociationUrl": _URL,
    "uboDeclarationUrl": _URL,
    "partnershipMinsOfMeetingUrl": _URL,
    "partnershipDeedUrl": _URL,
    "certificateOfIncumbencyUrl": _URL,
    "organizationStructureUrl": _URL,
    "sourceOfFundsUrl": _URL,
    "flowOfFundsUrl": _URL,
    "purpose": Several(Words(words.BUSINESS_PURPOSES), is_joined=True),
    "productServiceCategory": TEXT,
    "tradeName": _NAME,
    "exportCountry": _COUNTRY,
    "tradeType": TEXT,
    "supplementaryInfo": _PROSE,
    "supplementaryUrl": _URL,
    "sofEuQuestionnaire": Questionnaire(
        {
            "estimatedAnnualRevenueUsd": Words(words.ANNUAL_REVENUES),
            "expectedMonthlyPaymentsUsd": TEXT,
            "operatesInProhibitedCountries": _FLAG,
            "primaryPurpose": Words(words.BUSINESS_PRIMARY_PURPOSES),
            "primaryPurposeOther": _PROSE,
            "highRiskActivities": Several(Words(words.HIGH_RISK_ACTIVITIES)),
            "sourceOfFunds": Words(words.BUSINESS_SOURCES_OF_FUNDS),
            "sourceOfFundsDescription": _PROSE,
            "transmitsCustomerFunds": _FLAG,
            "transmitsCustomerFundsDescription": _PROSE,
            "customerFundsDescription": _PROSE,
            "conductsMoneyServices": _FLAG,
        }
    ),
}

OWNER: Mapping[str, Kind] = {
    "role": Words(words.ROLE),
    "roles": Several(Words(words.ROLES)),
    "businessTitle": TEXT,
    **_PERSON,
    "taxIdentificationNumber": _TAX_NUMBER,
    "taxResidenceCountry": _COUNTRY,
    "govIdType": Words(words.GOV_ID_TYPES),
    "govIdCountry": _COUNTRY,
    "govIdNumber": TEXT,
    "govIdFrontUrl": _URL,
    "govIdBackUrl": _URL,
    "govIdIssuanceDate": _PAST,
    "govIdExpirationDate": _DAY,
    "govIdIssuanceAuthority": TEXT,
    "proofOfAddressType": Words(words.PROOF_OF_ADDRESS_TYPES),
    "proofOfAddressUrl": _URL,
    "authLetterUrl": _URL,
    "shareProportion": Share(),
    "hasOwnership": _FLAG,
    "hasControl": _FLAG,
    "isSigner": _FLAG,
    "relationshipEstablishedAt": _PAST,
    "supplementaryInfo": _PROSE,
    "supplementaryUrl": _URL,
}

# What is told about a document besides its type, side and owner, which never change.
DOCUMENT: Mapping[str, Kind] = {
    "issuedCountry": _COUNTRY,
    "issuedDate": _PAST,
    "expiryDate": _DAY,
    "number": TEXT,
    "description": _PROSE,
    "url": _URL,
    "fileId": TEXT,
}

BY_TYPE: Mapping[UserType, Mapping[str, Kind]] = {
    UserType.INDIVIDUAL: INDIVIDUAL,
    UserType.BUSINESS: BUSINESS,
}
OWNERS = "ultimateBeneficialOwners"
