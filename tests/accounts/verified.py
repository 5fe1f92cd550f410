"""A maker of users who are verified, by the routes that an integrator takes."""

from typing import Any
from uuid import uuid4

from landbridge.kyc.model import Rail
from tests.tenants import Tenant, good, make_user

from .bodies import ADDRESS

DOSSIER = {
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
    """The id of a person who is verified on these rails, or on all of them."""
    user = await make_user(org, **{"lastName": "Approval", **changes})
    await verify(org, user, *rails)
    return user


async def verify(org: Tenant, user: str, *rails: Rail) -> None:
    """Have somebody whose last name is Approval verified on these rails, or on all of them."""
    path = f"/v2/users/{user}/kyc"
    await org.post(path, DOSSIER)
    upload = {"file": (f"{uuid4()}.pdf", PDF, "application/pdf")}
    sent = await org.client.post("/v2/files", files=upload, headers=org.headers)
    document = {
        "type": "PASSPORT",
        "subType": "SINGLE_SIDE",
        "issuedCountry": "USA",
        "number": "P1234567",
        "expiryDate": "2035-01-01",
        "fileId": good(sent)["id"],
    }
    await org.post(f"{path}/documents", [document])
    asked = [rail.value for rail in rails or tuple(Rail)]
    submitted = await org.post(f"{path}/submissions", {"rails": asked})
    assert set(submitted) == set(asked)
    for rail in asked:
        assert (await org.get(f"{path}/status", rails=rail))["status"] == "ACTIVE"
