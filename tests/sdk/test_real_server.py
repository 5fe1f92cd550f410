"""Both libraries against a running server: a swap and a payout, as a customer would write them."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from sdk.emitter.document import ROOT

from landbridge_sdk import Landbridge, requests
from tests.app.processes.server_process import KEY, PATIENCE_S, Served, served

pytestmark = pytest.mark.long

ADDRESS: requests.Address = {
    "addressLine1": "1 Main Street",
    "city": "Denver",
    "stateProvinceRegion": "CO",
    "postalCode": "80202",
    "country": "USA",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("sdk") / "data") as running:
        yield running


def url_of(server: Served) -> str:
    return f"http://127.0.0.1:{server.port}"


def until(read: Callable[[], str], wanted: str) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while (found := read()) != wanted:
        assert time.monotonic() < deadline_s, found
        time.sleep(0.1)


def make_user(lb: Landbridge) -> str:
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


def test_python_library_swaps_and_pays_out(server: Served) -> None:
    with Landbridge(KEY, base_url=url_of(server)) as lb:
        user = make_user(lb)
        swap = lb.swaps.create(
            {
                "source": {
                    "userId": user,
                    "chain": "POLYGON",
                    "currency": "usdc",
                    "amount": "10",
                },
                "destination": {"chain": "POLYGON", "currency": "usdt"},
            }
        )
        assert lb.swaps.accept(swap.transfer_details.id).transfer_details.status == "COMPLETED"
        verify(lb, user)
        account = lb.accounts.create(
            user,
            {
                "rail": "offramp",
                "type": "us",
                "accountHolder": {"type": "individual", "name": "Ada Approval", "address": ADDRESS},
                "us": {
                    "transferType": "wire",
                    "accountType": "Checking",
                    "accountNumber": "000123456789",
                    "routingNumber": "021000021",
                    "bankName": "Test Bank",
                    "currency": "usd",
                },
            },
        )
        payout = lb.offramps.create(
            {
                "source": {"userId": user, "chain": "POLYGON", "currency": "usdc", "amount": 100},
                "destination": {"accountId": account.id, "currency": "usd"},
            }
        )
        id_ = payout.transfer_details.id
        lb.offramps.accept(id_)
        until(lambda: lb.offramps.retrieve(id_).transfer_details.status, "COMPLETED")
        assert [each.transfer_details.id for each in lb.swaps.list_all(user_id=user)] == [
            swap.transfer_details.id
        ]


def test_typescript_library_compiles_strictly_and_does_the_same(
    server: Served, tmp_path: Path
) -> None:
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("there is no npm here, which brings the TypeScript compiler")
    library = tmp_path / "typescript"
    shutil.copytree(
        ROOT / "sdk/typescript", library, ignore=shutil.ignore_patterns("node_modules", "dist")
    )
    shutil.copy(ROOT / "tests/sdk/story.ts", library / "src")
    environ = {**os.environ, "LANDBRIDGE_API_KEY": KEY, "LANDBRIDGE_URL": url_of(server)}
    for command in (
        [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        [npm, "run", "--silent", "build"],
        [node, "dist/story.js"],
    ):
        done = subprocess.run(
            command, cwd=library, env=environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "all true\n"
