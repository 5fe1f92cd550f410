"""Good values for every field of KYC data, and bodies made of them: enough for every rail."""

from collections.abc import Callable, Mapping
from typing import Any

from landbridge.formats import people, places, texts
from landbridge.kyc.fields import BUSINESS, INDIVIDUAL, OWNER, OWNERS
from landbridge.kyc.kinds import (
    Day,
    Flag,
    Kind,
    PostalAddress,
    Questionnaire,
    Several,
    Share,
    Text,
    Words,
    prose,
)
from tests.tenants import Tenant, business, make_agreement

ADDRESS = {
    "addressLine1": "1 Main Street",
    "addressLine2": "Suite 5",
    "city": "Austin",
    "stateProvinceRegion": "TX",
    "postalCode": "73301",
    "country": "USA",
}
COMPANY_DOCUMENTS = (
    "INCORPORATION_CERT",
    "SHAREHOLDER_REGISTRY",
    "DIRECTORS_REGISTRY",
    "PROOF_OF_ADDRESS",
)
# By field, where a sample of its kind won't do.
_SAMPLES: Mapping[str, Any] = {
    "firstName": "Ada",
    "lastName": "Example",
    "businessName": "Example Ltd",
    "dateOfBirth": "1990-01-01",
    "govIdExpirationDate": "2060-01-31",
    "taxIdentificationNumber": "536-90-4399",
    "incorporationState": "DE",
    "additionalIdType": "BVN",
    "additionalIdNumber": "22345678901",
    "shareProportion": 40,
}
_TEXTS: Mapping[Callable[[str, str], str], str] = {
    people.check_name: "Augusta",
    people.check_email: "ada@example.com",
    people.check_phone: "+14155550123",
    people.check_ip: "203.0.113.7",
    places.check_country: "USA",
    texts.check_url: "https://example.com/ada",
    texts.check_text: "a word",
    prose: "some words",
}


def sample(name: str, kind: Kind) -> Any:
    """A good value for a field, as a caller tells it."""
    match kind:
        case _ if name in _SAMPLES:
            value = _SAMPLES[name]
        case Text():
            value = _TEXTS[kind.check]
        case Words():
            value = kind.values[0]
        case Several():
            value = [sample("", kind.each)]
        case Day():
            value = "2020-01-31"
        case Flag():
            value = True
        case Share():
            value = 25
        case PostalAddress():
            value = ADDRESS
        case Questionnaire():
            value = everything(kind.fields)
    return value


def everything(fields: Mapping[str, Kind], **changes: Any) -> dict[str, Any]:
    """A body with every field of a table; None leaves a member out."""
    told = {name: sample(name, kind) for name, kind in fields.items()} | changes
    return {name: value for name, value in told.items() if value is not None}


def person(**changes: Any) -> dict[str, Any]:
    """Everything about a person; None leaves a member out."""
    return everything(INDIVIDUAL, **changes)


def owner(**changes: Any) -> dict[str, Any]:
    """Everything about an owner; None leaves a member out."""
    return everything(OWNER, **changes)


def company(*owners: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """Everything about a business with these owners, or one; None leaves a member out."""
    return {**everything(BUSINESS, **changes), OWNERS: list(owners or [owner()])}


def document(type_: str = "PASSPORT", **changes: Any) -> dict[str, Any]:
    """A document that is only referred to; None leaves a member out."""
    told = {
        "type": type_,
        "subType": "SINGLE_SIDE",
        "issuedCountry": "USA",
        "url": "https://example.com/scan",
        **changes,
    }
    return {name: value for name, value in told.items() if value is not None}


async def make_business(org: Tenant, *owners: str) -> str:
    """The id of a business with owners of these first names, or one."""
    of = business(await make_agreement(org))["ultimateBeneficialOwners"][0]
    body = business(
        await make_agreement(org),
        ultimateBeneficialOwners=[{**of, "firstName": each} for each in owners or ["Ada"]],
    )
    return str((await org.post("/v2/users", body))["id"])
