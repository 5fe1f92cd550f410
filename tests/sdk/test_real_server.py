"""Both libraries against a running server: a swap and a payout, as a customer would write them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from sdk.emitter.document import ROOT

from landbridge_sdk import Landbridge
from tests.app.processes.server_process import KEY, Served
from tests.sdk.verified_user import ADDRESS, make_user, until, url_of, verify

pytestmark = pytest.mark.long


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
    library = built_library(tmp_path, "story.ts")
    environ = {**os.environ, "LANDBRIDGE_API_KEY": KEY, "LANDBRIDGE_URL": url_of(server)}
    done = subprocess.run(
        ["node", "dist/story.js"],
        cwd=library,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "all true\n"


def built_library(folder: Path, *more: str) -> Path:
    """Return a copy of the TypeScript library, built with more sources of this folder."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("there is no npm here, which brings the TypeScript compiler")
    library = folder / "typescript"
    shutil.copytree(
        ROOT / "sdk/typescript", library, ignore=shutil.ignore_patterns("node_modules", "dist")
    )
    for each in more:
        shutil.copy(ROOT / "tests/sdk" / each, library / "src")
    for command in (
        [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        [npm, "run", "--silent", "build"],
    ):
        done = subprocess.run(command, cwd=library, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return library
