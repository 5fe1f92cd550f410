"""Clients that generators of others make of openapi.json: they compile, swap and pay out.

Each is generated from the document, compiled with strict types, and run against a server.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sdk.emitter.document import ROOT

from landbridge_sdk import Landbridge
from tests.app.processes.server_process import KEY, Served
from tests.sdk.verified_user import make_user, url_of, verify

pytestmark = pytest.mark.long

SOURCES = ROOT / "tests/sdk/generators"
DOCUMENT = ROOT / "openapi.json"
TOOLS = Path(sys.executable).parent


@pytest.fixture
def environment(server: Served) -> dict[str, str]:
    """Environment of a client with a key, for a verified person with coins."""
    with Landbridge(KEY, base_url=url_of(server)) as lb:
        user = make_user(lb)
        verify(lb, user)
    of_client = {"LANDBRIDGE_URL": url_of(server), "LANDBRIDGE_API_KEY": KEY, "USER_ID": user}
    # The Python generator formats with ruff.
    path = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, **of_client, "PATH": path, "DO_NOT_TRACK": "1"}


def test_openapi_python_client_swaps_and_pays_out(
    environment: dict[str, str], tmp_path: Path
) -> None:
    generate = [TOOLS / "openapi-python-client", "generate", "--path", DOCUMENT, "--meta", "none"]
    printed = run([*generate, "--output-path", "generated"], tmp_path, environment)
    # What a generator can't express it leaves out, with a warning.
    assert "arning" not in printed, printed
    shutil.copy(SOURCES / "payments_python.txt", tmp_path / "payments.py")
    check = {
        "include": ["payments.py", "generated"],
        "strict": ["payments.py"],
        # The generator's own; nothing in it comes from the document.
        "ignore": ["generated/client.py"],
        "typeCheckingMode": "standard",
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(check), encoding="utf-8")
    run([TOOLS / "basedpyright", "--pythonpath", sys.executable], tmp_path, environment)
    assert run([sys.executable, "payments.py"], tmp_path, environment) == "all true\n"


def test_openapi_ts_swaps_and_pays_out(environment: dict[str, str], tmp_path: Path) -> None:
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("there is no npm here, which brings the generator and the compiler")
    for name in ("package.json", "package-lock.json", "tsconfig.json"):
        shutil.copy(SOURCES / name, tmp_path)
    run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], tmp_path, environment)
    tools = tmp_path / "node_modules/.bin"
    run([tools / "openapi-ts", "-i", DOCUMENT, "-o", "src/client"], tmp_path, environment)
    shutil.copy(SOURCES / "payments.ts", tmp_path / "src")
    run([tools / "tsc"], tmp_path, environment)
    assert run([node, "dist/payments.js"], tmp_path, environment) == "all true\n"


def run(command: list[str | Path], folder: Path, environment: dict[str, str]) -> str:
    """Run a command that must succeed; return what it prints."""
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
