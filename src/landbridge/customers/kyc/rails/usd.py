"""US dollars. Source: contract, users 3.4 and interface/kyc (requirements)."""

from decimal import Decimal

from landbridge.customers.kyc.model import Data
from landbridge.customers.kyc.rails.requirement_table import (
    DocumentGroup,
    FieldRule,
    ObjectFields,
    RequirementSet,
)

# Smallest share of an ultimate beneficial owner, in percent. Source: contract, users 3.5.
_UBO_SHARE_MIN = 25

ADDRESS = ObjectFields(
    required=("addressLine1", "city", "stateProvinceRegion", "postalCode", "country"),
    optional=("addressLine2",),
)
# Document types that are also accepted as proof of address in the United States and Canada.
_ID_WITH_ADDRESS = ("DRIVERS", "ID_CARD", "RESIDENCE_PERMIT")
IDENTITY = DocumentGroup(1, ("DRIVERS", "ID_CARD", "PASSPORT", "RESIDENCE_PERMIT"))
PROOF_OF_RESIDENCE = DocumentGroup(
    0, ("PROOF_OF_ADDRESS",), {"USA": _ID_WITH_ADDRESS, "CAN": _ID_WITH_ADDRESS}
)

INDIVIDUAL = RequirementSet(
    required=(
        "firstName",
        "lastName",
        "email",
        "phone",
        "nationality",
        "dateOfBirth",
        "address",
        "taxIdentificationNumber",
    ),
    optional=("sofEuQuestionnaire",),
    parts={
        "address": ADDRESS,
        "sofEuQuestionnaire": ObjectFields(
            required=(
                "actingAsIntermediary",
                "employmentStatus",
                "expectedMonthlyPayments",
                "mostRecentOccupation",
                "primaryPurpose",
                "sourceOfFunds",
            ),
            optional=("primaryPurposeOther",),
        ),
    },
    documents={"identity": IDENTITY, "proofOfResidence": PROOF_OF_RESIDENCE},
)


def _owns_enough(owner: Data) -> bool:
    is_owner = "UBO" in (*owner.get("roles", ()), owner.get("role"))
    return not is_owner or Decimal(owner["shareProportion"]) >= _UBO_SHARE_MIN


OWNER = RequirementSet(
    required=(
        "roles",
        "businessTitle",
        "firstName",
        "lastName",
        "nationality",
        "email",
        "phone",
        "address",
        "taxIdentificationNumber",
        "dateOfBirth",
        "shareProportion",
        "relationshipEstablishedAt",
    ),
    parts={"address": ADDRESS},
    instead={"roles": "role"},
    rules=(
        FieldRule(
            "shareProportion", _owns_enough, f"must be at least {_UBO_SHARE_MIN} for role UBO"
        ),
    ),
    documents={"identity": IDENTITY, "proofOfResidence": PROOF_OF_RESIDENCE},
)

BUSINESS = RequirementSet(
    required=(
        "businessName",
        "businessType",
        "businessIndustry",
        "registrationNumber",
        "registeredAddress",
        "address",
        "website",
        "incorporationDate",
        "email",
        "phone",
        "taxIdentificationNumber",
        "sofEuQuestionnaire",
    ),
    optional=("incorporationCountry", "incorporationState"),
    parts={
        "address": ADDRESS,
        "sofEuQuestionnaire": ObjectFields(
            required=(
                "primaryPurpose",
                "sourceOfFunds",
                "transmitsCustomerFunds",
                "conductsMoneyServices",
                "highRiskActivities",
                "estimatedAnnualRevenueUsd",
                "expectedMonthlyPaymentsUsd",
                "customerFundsDescription",
            ),
            optional=(
                "operatesInProhibitedCountries",
                "primaryPurposeOther",
                "sourceOfFundsDescription",
                "transmitsCustomerFundsDescription",
            ),
        ),
    },
    documents={
        "legalPresence": DocumentGroup(
            1, ("INCORPORATION_ARTICLES", "INCORPORATION_CERT", "STATE_REGISTRY")
        ),
        "ownershipStructure": DocumentGroup(
            1,
            ("SHAREHOLDER_REGISTRY", "TRUST_AGREEMENT", "INFORMATION_STATEMENT", "STATE_REGISTRY"),
        ),
        "companyDetails": DocumentGroup(1, ("PROOF_OF_ADDRESS",)),
        "controlStructure": DocumentGroup(
            1, ("DIRECTORS_REGISTRY", "TRUST_AGREEMENT", "INFORMATION_STATEMENT", "STATE_REGISTRY")
        ),
    },
    owners=OWNER,
)
