"""Redocly and Spectral, with their recommended rules, find nothing in the OpenAPI document."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.contract.test_openapi import SNAPSHOT
from tests.npm_tools import install_tools, run_tool

pytestmark = pytest.mark.long

PINNED = Path(__file__).parent


def test_linters_find_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "REDOCLY_TELEMETRY": "off", "DO_NOT_TRACK": "1"}
    tools = install_tools(PINNED, tmp_path, environment)
    shutil.copy(SNAPSHOT, tmp_path)
    redocly = [tools / "redocly", "lint", SNAPSHOT.name, "--extends", "recommended"]
    found = json.loads(run_tool([*redocly, "--format", "json"], tmp_path, environment))
    assert found["problems"] == []
    spectral = [tools / "spectral", "lint", SNAPSHOT.name, "--ruleset", PINNED / "spectral.yaml"]
    strict = ["--fail-severity", "hint", "--format", "json", "--quiet"]
    assert json.loads(run_tool([*spectral, *strict], tmp_path, environment)) == []
