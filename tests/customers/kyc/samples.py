"""Valid values for every field of KYC data, and complete bodies for every rail."""

from collections.abc import Callable, Mapping
from typing import Any

from landbridge.customers.kyc.field_types import (
    AddressFieldType,
    BooleanFieldType,
    ChoiceFieldType,
    DateFieldType,
    Kind,
    ListFieldType,
    PercentFieldType,
    QuestionnaireFieldType,
    TextFieldType,
    prose,
    url_or_file,
)
from landbridge.customers.kyc.fields import BUSINESS, INDIVIDUAL, OWNER, OWNERS
from landbridge.platform.formats import addresses, people, texts
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
# By field, where a sample of its type is not valid.
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
    addresses.check_country: "USA",
    texts.check_url: "https://example.com/ada",
    url_or_file: "https://example.com/ada",
    texts.check_text: "a word",
    prose: "some words",
}


def sample(name: str, kind: Kind) -> Any:
    """Return a valid value for a field, as a client submits it."""
    match kind:
        case _ if name in _SAMPLES:
            value = _SAMPLES[name]
        case TextFieldType():
            value = _TEXTS[kind.check]
        case ChoiceFieldType():
            value = kind.values[0]
        case ListFieldType():
            value = [sample("", kind.each)]
        case DateFieldType():
            value = "2020-01-31"
        case BooleanFieldType():
            value = True
        case PercentFieldType():
            value = 25
        case AddressFieldType():
            value = ADDRESS
        case QuestionnaireFieldType():
            value = everything(kind.fields)
    return value


def everything(fields: Mapping[str, Kind], **changes: Any) -> dict[str, Any]:
    """Build a body with every field of a table; None omits a member."""
    values = {name: sample(name, kind) for name, kind in fields.items()} | changes
    return {name: value for name, value in values.items() if value is not None}


def person(**changes: Any) -> dict[str, Any]:
    """Build complete data of a person; None omits a member."""
    return everything(INDIVIDUAL, **changes)


def owner(**changes: Any) -> dict[str, Any]:
    """Build complete data of an owner; None omits a member."""
    return everything(OWNER, **changes)


def company(*owners: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """Build complete data of a business with these owners, or one; None omits a member."""
    return {**everything(BUSINESS, **changes), OWNERS: list(owners or [owner()])}


def document(type_: str = "PASSPORT", **changes: Any) -> dict[str, Any]:
    """Build a document with a URL instead of a file; None omits a member."""
    fields = {
        "type": type_,
        "subType": "SINGLE_SIDE",
        "issuedCountry": "USA",
        "url": "https://example.com/scan",
        **changes,
    }
    return {name: value for name, value in fields.items() if value is not None}


async def make_business(org: Tenant, *owners: str) -> str:
    """Create a business with owners of these first names, or one; return its id."""
    of = business(await make_agreement(org))["ultimateBeneficialOwners"][0]
    body = business(
        await make_agreement(org),
        ultimateBeneficialOwners=[{**of, "firstName": each} for each in owners or ["Ada"]],
    )
    return str((await org.post("/v2/users", body))["id"])
