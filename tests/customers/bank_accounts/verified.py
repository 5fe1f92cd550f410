"""Creates verified users, over the routes of an integrator."""

from typing import Any

from landbridge.customers.kyc.model import Rail
from tests.customers.bank_accounts.bodies import ADDRESS
from tests.tenants import Tenant, make_user

PROFILE = {
    "phone": "+14155550123",
    "nationality": "USA",
    "address": ADDRESS,
    "taxIdentificationNumber": "123-45-6789",
    "additionalIdType": "BVN",
    "additionalIdNumber": "12345678901",
    "sofEuQuestionnaire": {"mostRecentOccupation": "151252", "sourceOfFunds": "salary"},
}
PDF = b"%PDF-1.4\n%" + b"x" * 12_000 + b"\n%%EOF\n"


async def make_verified(org: Tenant, *rails: Rail, **changes: Any) -> str:
    """Create a person verified on these rails, or on all; return their id."""
    user = await make_user(org, **{"lastName": "Approval", **changes})
    await verify(org, user, *rails)
    return user


async def verify(org: Tenant, user: str, *rails: Rail) -> None:
    """Verify a user with the last name Approval on these rails, or on all."""
    path = f"/v2/users/{user}/kyc"
    await org.post(path, PROFILE)
    document = {
        "type": "PASSPORT",
        "subType": "SINGLE_SIDE",
        "issuedCountry": "USA",
        "number": "P1234567",
        "expiryDate": "2100-01-01",
        "url": "https://example.com/passport.pdf",
    }
    await org.post(f"{path}/documents", [document])
    rail_names = [rail.value for rail in rails or tuple(Rail)]
    submitted = await org.post(f"{path}/submissions", {"rails": rail_names})
    assert set(submitted) == set(rail_names)
    for rail in rail_names:
        assert (await org.get(f"{path}/status", rails=rail))["status"] == "ACTIVE"
