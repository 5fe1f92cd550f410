"""What is sent to create an applicant.

Sources: docs.sumsub.com/reference/create-applicant, and /autokyb-api-examples for businesses.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from landbridge.providers.packages.fields import read_text
from landbridge.providers.packages.interface import ApplicationRequest
from landbridge_sumsub.messages import CONTENT, TEST_OUTCOME


def applicant_body(request: ApplicationRequest, *, is_cross_checked: bool) -> dict[str, Any]:
    """Return the body of a creation. Without a cross-check it says nothing about the person."""
    fixed = _company(request) if request.is_business else _person(request)
    items = applicant_items(request)
    return {
        "externalUserId": str(request.key),
        "type": "company" if request.is_business else "individual",
        "metadata": [{"key": key, "value": value} for key, value in items.items()],
        **({"fixedInfo": fixed} if is_cross_checked and fixed else {}),
    }


def applicant_items(request: ApplicationRequest) -> dict[str, str]:
    """Return what is kept at Sumsub to know the request again.

    A hash, so that nothing is there twice. A share token is not part of it: it is a secret.
    """
    content = {
        "business": request.is_business,
        "businessName": request.business_name,
        "facts": request.facts,
        "lastName": request.last_name,
        "owners": [[str(each.id), each.last_name, each.facts] for each in request.owners],
        "rail": request.rail,
    }
    encoded = msgspec.json.encode(content, order="deterministic")
    items = {CONTENT: hashlib.sha256(encoded).hexdigest()}
    if request.test_outcome is not None:
        items[TEST_OUTCOME] = request.test_outcome.value
    return items


def _person(request: ApplicationRequest) -> dict[str, str]:
    facts = request.facts
    return _present(
        {
            "firstName": read_text(facts, "firstName"),
            "middleName": read_text(facts, "middleName"),
            "lastName": read_text(facts, "lastName") or request.last_name,
            "dob": read_text(facts, "dateOfBirth"),
        }
    )


def _company(request: ApplicationRequest) -> dict[str, Any]:
    """Return the business; nothing unless there are the name and the country that are needed."""
    facts = request.facts
    name = read_text(facts, "businessName") or request.business_name
    country = read_text(facts, "incorporationCountry")
    if not name or not country:
        return {}
    number = read_text(facts, "registrationNumber")
    company = {"companyName": name, "country": country, "registrationNumber": number}
    return {"companyInfo": _present(company)}


def _present(members: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in members.items() if value}
