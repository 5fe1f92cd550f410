"""Phone and tax numbers: kept when KYC data changes, checked when it is submitted."""

from typing import Any
from uuid import UUID

import pytest

from landbridge.customers.kyc.model import Rail
from landbridge.customers.kyc.requirements import ask
from landbridge.customers.kyc.service import KycProfiles
from tests.customers.kyc.samples import (
    ADDRESS,
    COMPANY_DOCUMENTS,
    company,
    document,
    make_business,
    owner,
    person,
)
from tests.tenants import Tenant, make_user, refusal

# Numbers as the samples of documentation and test suites print them: no authority gives them.
PHONES = ["+8573491112", "(222) 333-4444", "1234567890", "+1 234 567 890"]
TAX_NUMBERS = ["000-00-0000", "123-45-678", "078-05-1120", "XX-1234567"]


def kyc(user: str) -> str:
    """Return the path of a user's KYC data."""
    return f"/v2/users/{user}/kyc"


async def production_faults(org: Tenant, user: str) -> dict[str, Any]:
    """Return the wrong fields of a user as production names them."""
    profiles: KycProfiles = org.container.kyc_profiles
    profile = await profiles.get(org.org_id, await org.container.users.get(org.org_id, UUID(user)))
    invalid = ask(Rail.USD, profile, today=org.container.clock.now().date()).invalid
    return invalid.get("fields", {})


@pytest.mark.parametrize("phone", PHONES)
async def test_a_phone_number_of_a_sample_passes_the_sandbox_as_sent(
    org: Tenant, phone: str
) -> None:
    user = await make_user(org)
    stored = await org.post(kyc(user), person(phone=phone))
    assert stored["kycInfo"]["phone"] == phone
    await org.post(f"{kyc(user)}/documents", [document()])
    assert (await org.get(f"{kyc(user)}/requirements", rails="USD"))["invalid"] == {}
    assert set(await production_faults(org, user)) == {"phone"}
    assert "USD" in await org.post(f"{kyc(user)}/submissions", {"rails": "USD"})


@pytest.mark.parametrize("number", TAX_NUMBERS)
async def test_a_tax_number_of_a_sample_passes_the_sandbox_as_sent(
    org: Tenant, number: str
) -> None:
    user = await make_user(org)
    stored = await org.post(kyc(user), person(taxIdentificationNumber=number))
    assert stored["kycInfo"]["taxIdentificationNumber"] == number
    await org.post(f"{kyc(user)}/documents", [document()])
    assert (await production_faults(org, user)) == {
        "taxIdentificationNumber": "is not a tax number of USA"
    }
    assert "USD" in await org.post(f"{kyc(user)}/submissions", {"rails": "USD"})


async def test_samples_of_a_business_and_its_owners_pass_the_sandbox(org: Tenant) -> None:
    user = await make_business(org)
    numbers = {"phone": PHONES[0], "taxIdentificationNumber": TAX_NUMBERS[0]}
    await org.post(kyc(user), company(owner(**numbers, role=None), **numbers))
    (owner_id,) = (await org.get(kyc(user)))["kycInfo"]["ultimateBeneficialOwners"]
    scans = [*map(document, COMPANY_DOCUMENTS), document(uboId=owner_id)]
    await org.post(f"{kyc(user)}/documents", scans)
    under = "ultimateBeneficialOwners[0]"
    assert set(await production_faults(org, user)) == {
        *numbers,
        *(f"{under}.{name}" for name in numbers),
    }
    assert "USD" in await org.post(f"{kyc(user)}/submissions", {"rails": "USD"})


@pytest.mark.parametrize(
    ("field", "text", "reason"),
    [
        ("phone", "none", "must be a phone number with its country code, as in +14155550123"),
        ("phone", "12 34", "must be a phone number with its country code, as in +14155550123"),
        (
            "taxIdentificationNumber",
            "12",
            "must have 3 to 32 letters, digits, blanks and . - /",
        ),
    ],
)
async def test_what_is_no_number_at_all_is_named_by_requirements_and_prevents_a_submission(
    org: Tenant, field: str, text: str, reason: str
) -> None:
    user = await make_user(org)
    assert (await org.post(kyc(user), person(**{field: text})))["kycInfo"][field] == text
    await org.post(f"{kyc(user)}/documents", [document()])
    invalid = (await org.get(f"{kyc(user)}/requirements", rails="USD"))["invalid"]
    assert invalid["fields"] == {field: reason}
    answer = await org.send("POST", f"{kyc(user)}/submissions", {"rails": "USD"})
    assert refusal(answer) == "400 USER_COMPLIANCE_DATA_INVALID"
    assert answer.json()["invalid"] == invalid
    await org.post(kyc(user), person())
    assert "USD" in await org.post(f"{kyc(user)}/submissions", {"rails": "USD"})


async def test_a_right_number_is_stored_in_its_canonical_form(org: Tenant) -> None:
    user = await make_user(org)
    # The country is not known yet.
    await org.post(kyc(user), {"taxIdentificationNumber": "529.982.247-25"})
    info = (await org.post(kyc(user), {"address": ADDRESS}))["kycInfo"]
    assert info["taxIdentificationNumber"] == "529.982.247-25"
    assert (await production_faults(org, user))["taxIdentificationNumber"] == (
        "is not a tax number of USA"
    )
    both = {"phone": "+1 415 555 0123", "taxResidenceCountry": "BRA"}
    info = (await org.post(kyc(user), both))["kycInfo"]
    assert (info["phone"], info["taxIdentificationNumber"]) == ("+14155550123", "52998224725")
    assert "taxIdentificationNumber" not in await production_faults(org, user)


async def test_a_tax_number_that_a_rail_does_not_require_prevents_nothing(org: Tenant) -> None:
    user = await make_user(org)
    await org.post(kyc(user), person(taxIdentificationNumber="12"))
    await org.post(f"{kyc(user)}/documents", [document()])
    path = f"{kyc(user)}/requirements"
    assert (await org.get(path, rails="AFRICA_GENERAL"))["invalid"] == {}
    assert set((await org.get(path, rails="USD"))["invalid"]["fields"]) == {
        "taxIdentificationNumber"
    }


@pytest.mark.parametrize("text", ["", " ", "+1\x00415", "1" * 201])
@pytest.mark.parametrize("field", ["phone", "taxIdentificationNumber"])
async def test_what_is_no_line_of_text_is_refused_at_once(
    org: Tenant, field: str, text: str
) -> None:
    answer = await org.send("POST", kyc(await make_user(org)), {field: text})
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
