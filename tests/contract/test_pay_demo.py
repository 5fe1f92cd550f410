"""A public demo's story: documents as `data:` URIs, the rail as `USD_EURO`, and a paid offramp."""

from typing import Any

from tests.customers.kyc.test_inline_files import uri
from tests.payouts import accept, make_account, make_offramp, shown
from tests.platform.files.sample_files import GOOD
from tests.tenants import Tenant, fund, make_agreement, run_due

PHOTO, BACK = uri(GOOD["photo.png"], "image/png"), uri(GOOD["photo.jpg"], "image/jpeg")
LINK = "https://demo.example.com/file?token=eyJhbGciOiJFUzUxMiJ9"


async def test_inline_documents_and_the_older_rail_lead_to_a_payout(org: Tenant) -> None:
    user = await _make_user(org)
    await org.post(f"/v2/users/{user}/kyc", {**_kyc(PHOTO, BACK), "nationality": "CZE"})
    await org.post(f"/v2/users/{user}/kyc/submissions", {"rails": "USD_EURO"})
    assert (await org.get(f"/v2/users/{user}/kyc/status", rails="USD_EURO"))["status"] == "ACTIVE"
    await fund(org, user, "500")
    payout = await make_offramp(org, user, await make_account(org, user))
    await accept(org, payout)
    await org.post("/v2/sandbox/clock/advance", {"seconds": 60})
    await run_due(org)
    assert (await shown(org, payout))["status"] == "COMPLETED"


async def test_its_links_are_no_documents_and_its_data_has_no_nationality(org: Tenant) -> None:
    user = await _make_user(org)
    shown_data = (await org.post(f"/v2/users/{user}/kyc", _kyc(LINK, LINK)))["kycInfo"]
    assert shown_data["govIdFrontUrl"] == LINK
    answer = await org.send("POST", f"/v2/users/{user}/kyc/submissions", {"rails": "USD_EURO"})
    assert (answer.status_code, answer.json()["error"]) == (400, "USER_COMPLIANCE_DATA_INVALID")
    invalid = answer.json()["invalid"]
    assert invalid["fields"] == {"nationality": "missing"}
    assert list(invalid["documents"]["groups"]) == ["identity"]


async def _make_user(org: Tenant) -> str:
    """Create a person by the demo's own body: without chains and `requestId`."""
    agreement = await make_agreement(org)
    created = await org.post("/v2/users", {**_PERSON, "signedAgreementId": agreement})
    assert sorted(created["wallets"]["INDIVIDUAL"]) == ["ETHEREUM", "POLYGON"]
    return str(created["id"])


_PERSON = {
    "type": "individual",
    "firstName": "Ada",
    "lastName": "Approval",
    "email": "ada@example.com",
    "dateOfBirth": "1990-01-01",
    "address": {
        "addressLine1": "Vinohradska",
        "addressLine2": "",
        "city": "Praha",
        "postalCode": "120 00",
        "stateProvinceRegion": "10",
        "country": "CZE",
    },
}


def _kyc(front: str, back: str) -> dict[str, Any]:
    """Build the demo's KYC data: the person, with the type of the user, and documents."""
    return {
        **_PERSON,
        "phone": "+420606707808",
        "taxIdentificationNumber": "123456789",
        "govIdType": "PASSPORT",
        "govIdNumber": "123456789",
        "govIdIssuanceDate": "2025-01-01",
        "govIdFrontUrl": front,
        "govIdBackUrl": back,
        "govIdCountry": "CZE",
        "proofOfAddressType": "UTILITY_BILL",
        "proofOfAddressUrl": front,
    }
