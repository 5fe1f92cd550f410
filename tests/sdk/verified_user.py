"""A verified person with coins, created by the Python library on a running server."""

import time
from collections.abc import Callable
from uuid import uuid4

from landbridge_sdk import Landbridge, requests
from tests.app.processes.server_process import PATIENCE_S, Served

ADDRESS: requests.Address = {
    "addressLine1": "1 Main Street",
    "city": "Denver",
    "stateProvinceRegion": "CO",
    "postalCode": "80202",
    "country": "USA",
}


def url_of(server: Served) -> str:
    """Return the address of a server."""
    return f"http://127.0.0.1:{server.port}"


def until(read: Callable[[], str], wanted: str) -> None:
    """Wait until `read` returns this."""
    deadline_s = time.monotonic() + PATIENCE_S
    while (found := read()) != wanted:
        assert time.monotonic() < deadline_s, found
        time.sleep(0.1)


def make_user(lb: Landbridge) -> str:
    """Create a person with coins; return their id."""
    agreement = str(uuid4())
    lb.terms_links.create({"idempotencyKey": agreement})
    token = lb.terms_links.retrieve(agreement).session_token
    assert token is not None
    lb.terms_links.accept(agreement, {"sessionToken": token})
    user = lb.users.create(
        {
            "type": "individual",
            "firstName": "Ada",
            "lastName": "Approval",
            "email": "ada@example.com",
            "dateOfBirth": "1990-01-01",
            "address": ADDRESS,
            "signedAgreementId": agreement,
        }
    )
    lb.sandbox.fund_wallet(user.id, {"chain": "POLYGON", "currency": "usdc", "amount": "500"})
    return user.id


def verify(lb: Landbridge, user: str) -> None:
    """Verify a person for dollars."""
    lb.kyc.update(
        user,
        {
            "phone": "+13035550123",
            "nationality": "USA",
            "address": ADDRESS,
            "taxIdentificationNumber": "123-45-6789",
        },
    )
    file = lb.files.create("passport.pdf", b"%PDF-1.4\n%" + b"x" * 12_000 + b"\n%%EOF\n")
    lb.kyc.add_documents(
        user,
        [
            {
                "type": "PASSPORT",
                "subType": "SINGLE_SIDE",
                "issuedCountry": "USA",
                "number": "P1234567",
                "expiryDate": "2100-01-01",
                "fileId": file.id,
            }
        ],
    )
    lb.kyc.submit(user, {"rails": ["USD"]})
    until(lambda: lb.kyc.retrieve_status(user, rails="USD")["status"], "ACTIVE")
