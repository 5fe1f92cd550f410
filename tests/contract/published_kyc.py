"""Published names of bodies about KYC data. Source: contract, interface/kyc.

They are written down independently, so that an error in the field tables is noticed.
"""

ADDRESS = (
    "addressLine1*",
    "addressLine2",
    "city*",
    "stateProvinceRegion*",
    "postalCode*",
    "country*",
)
INDIVIDUAL = (
    "firstName firstNameLocal middleName middleNameLocal lastName lastNameLocal nationality"
    " email phone address dateOfBirth countryOfBirth stateOfBirth placeOfBirth gender country"
    " taxIdentificationNumber taxResidenceCountry ipAddress govIdType govIdFrontUrl"
    " govIdBackUrl govIdCountry govIdNumber govIdIssuanceDate govIdExpirationDate"
    " govIdIssuanceAuthority govIdHandHoldUrl proofOfAddressType proofOfAddressUrl"
    " sofEuQuestionnaire idType idNumber additionalIdType additionalIdNumber purpose"
    " productServiceCategory supplementaryInfo supplementaryUrl"
)
INDIVIDUAL_ANSWERS = (
    "actingAsIntermediary employmentStatus expectedMonthlyPayments mostRecentOccupation"
    " primaryPurpose primaryPurposeOther sourceOfFunds"
)
BUSINESS = (
    "businessName businessNameLocal alternativeNames businessDescription businessIndustry"
    " businessType email phone taxIdentificationNumberType taxIdentificationNumber"
    " registrationNumber leiNumber formationDate incorporationDate incorporationCountry"
    " incorporationState website address registeredAddress postalAddress ipAddress"
    " sourceOfFunds transmitsCustomerFunds complianceScreeningExplanation daoStatus"
    " proofOfAddressType proofOfAddressUrl formationDocUrl proofOfOwnershipUrl"
    " certificateOfRegistrationDocType certificateOfRegistrationDocUrl certificateNumber"
    " businessRegistrationDocUrl licenseExpirationDate certificateOfIncorporationDocUrl"
    " incorporationNumber controlScheme shareStructureUrl constitutionOrAnnualReportUrl"
    " articlesOfAssociationUrl uboDeclarationUrl partnershipMinsOfMeetingUrl"
    " partnershipDeedUrl certificateOfIncumbencyUrl organizationStructureUrl sourceOfFundsUrl"
    " flowOfFundsUrl purpose productServiceCategory tradeName exportCountry tradeType"
    " supplementaryInfo supplementaryUrl sofEuQuestionnaire ultimateBeneficialOwners"
)
BUSINESS_ANSWERS = (
    "estimatedAnnualRevenueUsd expectedMonthlyPaymentsUsd operatesInProhibitedCountries"
    " primaryPurpose primaryPurposeOther highRiskActivities sourceOfFunds"
    " sourceOfFundsDescription transmitsCustomerFunds transmitsCustomerFundsDescription"
    " customerFundsDescription conductsMoneyServices"
)
OWNER = (
    "role roles businessTitle firstName firstNameLocal middleName middleNameLocal lastName"
    " lastNameLocal nationality email phone address dateOfBirth countryOfBirth stateOfBirth"
    " placeOfBirth gender taxIdentificationNumber taxResidenceCountry govIdType govIdCountry"
    " govIdNumber govIdFrontUrl govIdBackUrl govIdIssuanceDate govIdExpirationDate"
    " govIdIssuanceAuthority proofOfAddressType proofOfAddressUrl authLetterUrl"
    " shareProportion hasOwnership hasControl isSigner relationshipEstablishedAt"
    " supplementaryInfo supplementaryUrl"
)
DOCUMENT = "type* subType* issuedCountry* issuedDate expiryDate number description url fileId uboId"


def _within(name: str, members: str | tuple[str, ...]) -> str:
    names = members.split() if isinstance(members, str) else members
    return " ".join(f"{name}.{each}" for each in names)


_QUESTIONNAIRE = "sofEuQuestionnaire"
_OWNER = f"{OWNER} {_within('address', ADDRESS)}"
_OWNERS = _within("ultimateBeneficialOwners", f"id {_OWNER}")
_ADDRESSES = " ".join(
    _within(name, ADDRESS) for name in ("address", "registeredAddress", "postalAddress")
)

BODIES = {
    "POST /v2/users/{userId}/kyc": [
        f"{INDIVIDUAL} {_within('address', ADDRESS)} {_within(_QUESTIONNAIRE, INDIVIDUAL_ANSWERS)}",
        f"{BUSINESS} {_ADDRESSES} {_within(_QUESTIONNAIRE, BUSINESS_ANSWERS)} {_OWNERS}",
    ],
    "POST /v2/users/{userId}/kyc/ubos": [_OWNER],
    "POST /v2/users/{userId}/kyc/ubos/{uboId}": [_OWNER],
    "POST /v2/users/{userId}/kyc/documents": [DOCUMENT, DOCUMENT],
    "POST /v2/users/{userId}/kyc/documents/{documentId}": [
        "issuedCountry issuedDate expiryDate number description url fileId"
    ],
}
