"""Payments of a release, for the database that the upgrade test begins with.

    python -m tests.upgrade.play_release URL KEY

It runs against a server of the release with an empty sandbox, and uses nothing but HTTP: the
release answers as it did then. docs/internals/releasing.md says how the dump is made.
"""

import sys
import time
from typing import Any
from uuid import uuid4

import httpx2

PATIENCE_S = 60
ADDRESS = {
    "addressLine1": "1 Main Street",
    "city": "Denver",
    "stateProvinceRegion": "CO",
    "postalCode": "80202",
    "country": "USA",
}
PDF = b"%PDF-1.4\n%" + b"x" * 12_000 + b"\n%%EOF\n"


class Api:
    """Calls with one key."""

    def __init__(self, url: str, key: str) -> None:
        headers = {"Authorization": f"Bearer {key}"}
        self._client = httpx2.Client(base_url=url, headers=headers, timeout=PATIENCE_S)

    def call(self, path: str, body: Any = None, outcome: str | None = None) -> Any:
        """Send a POST if there is a body, else a GET; return the reply."""
        headers = {"Landbridge-Sandbox": outcome} if outcome else {}
        method = "GET" if body is None else "POST"
        return self._reply(self._client.request(method, path, json=body, headers=headers))

    def upload(self) -> str:
        """Upload a document; return its id."""
        files = {"file": ("passport.pdf", PDF, "application/pdf")}
        return self._reply(self._client.post("/v2/files", files=files))["id"]

    def _reply(self, response: httpx2.Response) -> Any:
        if not response.is_success:
            raise SystemExit(f"{response.url}: {response.text}")
        return response.json()


def make_user(api: Api) -> str:
    """Create a verified user with 500 usdc; return its id."""
    terms = str(uuid4())
    api.call("/v2/tos-link", {"idempotencyKey": terms})
    token = api.call(f"/v2/tos-link/{terms}")["sessionToken"]
    api.call(f"/v2/tos-link/{terms}/accept", {"sessionToken": token})
    user = api.call(
        "/v2/users",
        {
            "type": "individual",
            "firstName": "Ada",
            "lastName": "Approval",
            "email": "ada@example.com",
            "dateOfBirth": "1990-01-01",
            "address": ADDRESS,
            "signedAgreementId": terms,
        },
    )["id"]
    funds = {"chain": "POLYGON", "currency": "usdc", "amount": "500"}
    api.call(f"/v2/sandbox/users/{user}/wallets/fund", funds)
    data = {
        "phone": "+13035550123",
        "nationality": "USA",
        "address": ADDRESS,
        "taxIdentificationNumber": "123-45-6789",
    }
    api.call(f"/v2/users/{user}/kyc", data)
    document = {
        "type": "PASSPORT",
        "subType": "SINGLE_SIDE",
        "issuedCountry": "USA",
        "number": "P1234567",
        "expiryDate": "2100-01-01",
        "fileId": api.upload(),
    }
    api.call(f"/v2/users/{user}/kyc/documents", [document])
    api.call(f"/v2/users/{user}/kyc/submissions", {"rails": ["USD"]})
    return user


def make_account(api: Api, user: str) -> str:
    """Add an account of a bank in the United States; return its id."""
    bank = {
        "transferType": "wire",
        "accountType": "Checking",
        "accountNumber": "000123456789",
        "routingNumber": "021000021",
        "bankName": "Test Bank",
        "currency": "usd",
    }
    holder = {"type": "individual", "name": "Ada Approval", "address": ADDRESS}
    body = {"rail": "offramp", "type": "us", "accountHolder": holder, "us": bank}
    return api.call(f"/v2/users/{user}/accounts", body)["id"]


def offramp(api: Api, user: str, account: str, outcome: str | None = None) -> str:
    """Create and accept an offramp of a hundred usdc; return its id."""
    body = {
        "requestId": str(uuid4()),
        "source": {"userId": user, "chain": "POLYGON", "currency": "usdc", "amount": 100},
        "destination": {"accountId": account, "currency": "usd"},
    }
    created = api.call("/v2/offramps", body, outcome)["transferDetails"]["id"]
    api.call(f"/v2/offramps/{created}/quote/accept", {})
    return created


def until(api: Api, path: str, status: str) -> None:
    """Wait until a payment has a status."""
    deadline_s = time.monotonic() + PATIENCE_S
    while (found := api.call(path)["transferDetails"]["status"]) != status:
        if time.monotonic() > deadline_s:
            raise SystemExit(f"{path} is {found}, not {status}")
        time.sleep(0.1)


def main(url: str, key: str) -> None:
    """Play a swap, a payout that is paid, and one that waits for the bank."""
    api = Api(url, key)
    user = make_user(api)
    account = make_account(api, user)
    swap = {
        "requestId": str(uuid4()),
        "source": {"userId": user, "chain": "POLYGON", "currency": "usdc", "amount": "10"},
        "destination": {"chain": "POLYGON", "currency": "usdt"},
    }
    quoted = api.call("/v2/wallets/swaps", swap)["transferDetails"]["id"]
    api.call(f"/v2/wallets/swaps/{quoted}/accept", {})
    until(api, f"/v2/wallets/swaps/{quoted}", "COMPLETED")
    api.call("/v2/webhooks", {"url": "http://127.0.0.1:9/events", "eventTypes": ["ONRAMP.*"]})
    paid = offramp(api, user, account)
    until(api, f"/v2/offramps/{paid}", "COMPLETED")
    waiting = offramp(api, user, account, "payout=late:2h")
    until(api, f"/v2/offramps/{waiting}", "FIAT_PENDING")


if __name__ == "__main__":
    main(*sys.argv[1:])
