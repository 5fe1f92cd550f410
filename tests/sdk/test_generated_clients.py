"""Clients that generators of others make of openapi.json: they compile, swap and pay out.

Each is generated from the document, compiled with strict types, and run against a server.
"""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from sdk.emitter.document import ROOT

from landbridge_sdk import Landbridge
from tests.app.processes.server_process import KEY, Served
from tests.npm_tools import install_tools, run_tool
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
    printed = run_tool([*generate, "--output-path", "generated"], tmp_path, environment)
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
    run_tool([TOOLS / "basedpyright", "--pythonpath", sys.executable], tmp_path, environment)
    assert run_tool([sys.executable, "payments.py"], tmp_path, environment) == "all true\n"


def test_openapi_ts_swaps_and_pays_out(environment: dict[str, str], tmp_path: Path) -> None:
    tools = install_tools(SOURCES, tmp_path, environment)
    shutil.copy(SOURCES / "tsconfig.json", tmp_path)
    run_tool([tools / "openapi-ts", "-i", DOCUMENT, "-o", "src/client"], tmp_path, environment)
    shutil.copy(SOURCES / "payments.ts", tmp_path / "src")
    run_tool([tools / "tsc"], tmp_path, environment)
    assert run_tool(["node", "dist/payments.js"], tmp_path, environment) == "all true\n"
