"""US dollars. Source: contract, users 3.4 and interface/kyc (requirements)."""

from decimal import Decimal

from landbridge.kyc.model import Data
from landbridge.kyc.rails.table import Ask, Group, Methods, Parts, Rule

# Percent. Source: contract, users 3.5.
_UBO_SHARE_MIN = 25

ADDRESS = Parts(
    required=("addressLine1", "city", "stateProvinceRegion", "postalCode", "country"),
    optional=("addressLine2",),
)
# What shows where somebody lives in the United States and Canada besides.
_ID_WITH_ADDRESS = ("DRIVERS", "ID_CARD", "RESIDENCE_PERMIT")
IDENTITY = Group(1, ("DRIVERS", "ID_CARD", "PASSPORT", "RESIDENCE_PERMIT"))
PROOF_OF_RESIDENCE = Group(
    0, ("PROOF_OF_ADDRESS",), {"USA": _ID_WITH_ADDRESS, "CAN": _ID_WITH_ADDRESS}
)

INDIVIDUAL = Ask(
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
        "sofEuQuestionnaire": Parts(
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


OWNER = Ask(
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
        Rule("shareProportion", _owns_enough, f"must be at least {_UBO_SHARE_MIN} for role UBO"),
    ),
    documents={"identity": IDENTITY, "proofOfResidence": PROOF_OF_RESIDENCE},
)

BUSINESS = Ask(
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
        "sofEuQuestionnaire": Parts(
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
        "legalPresence": Group(
            1, ("INCORPORATION_ARTICLES", "INCORPORATION_CERT", "STATE_REGISTRY")
        ),
        "ownershipStructure": Group(
            1,
            ("SHAREHOLDER_REGISTRY", "TRUST_AGREEMENT", "INFORMATION_STATEMENT", "STATE_REGISTRY"),
        ),
        "companyDetails": Group(1, ("PROOF_OF_ADDRESS",)),
        "controlStructure": Group(
            1, ("DIRECTORS_REGISTRY", "TRUST_AGREEMENT", "INFORMATION_STATEMENT", "STATE_REGISTRY")
        ),
    },
    owners=OWNER,
)

# Its status object has the review in items instead of ways to pay.
ON_RAMP: Methods = {}
OFF_RAMP: Methods = {}
