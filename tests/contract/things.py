"""Single things of an organisation, for the tests that walk over all routes."""

from tests.tenants import Tenant, business, good, make_agreement

ACCOUNT = {
    "rail": "offramp",
    "type": "brazil",
    "brazil": {"pixKey": "123.456.789-09", "currency": "brl"},
}
DOCUMENT = {
    "type": "PASSPORT",
    "subType": "SINGLE_SIDE",
    "issuedCountry": "USA",
    "url": "https://example.com/scan",
}


async def send_file(org: Tenant) -> str:
    """The id of a file."""
    file = ("a.pdf", b"%PDF-1.7\n%%EOF")
    return good(await org.client.post("/v2/files", files={"file": file}, headers=org.headers))["id"]


async def make_owner(org: Tenant) -> str:
    """The id of an owner of some business."""
    user = (await org.post("/v2/users", business(await make_agreement(org))))["id"]
    return (await org.get(f"/v2/users/{user}/kyc/ubos"))["data"][0]["id"]


async def make_document(org: Tenant, user: str) -> str:
    """The id of a document of this user."""
    return (await org.post(f"/v2/users/{user}/kyc/documents", [DOCUMENT]))["data"][0]["id"]
