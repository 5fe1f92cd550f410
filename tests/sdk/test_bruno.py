"""Bruno reads the collection."""

import os
from pathlib import Path

import pytest
from sdk.emitter.document import ROOT, ApiDocument

from tests.npm_tools import install_tools, run_tool


@pytest.mark.long
def test_bruno_reads_a_request_for_every_operation(tmp_path: Path) -> None:
    source = ROOT / "tests/sdk/bruno"
    install_tools(source, tmp_path, os.environ)
    (tmp_path / "read.cjs").write_text((source / "read.cjs").read_text(encoding="utf-8"))
    printed = run_tool(["node", "read.cjs", ROOT / "sdk/bruno"], tmp_path, os.environ)
    assert int(printed) == len(ApiDocument.read().operations)
