"""Programs from npm, pinned by a lock file with digests, for tests."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest


def install_tools(source: Path, folder: Path, environment: Mapping[str, str]) -> Path:
    """Install what `source` pins into this folder; return the folder of programs.

    Skips the test where npm is missing. No script of a package runs.
    """
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("there is no npm here, which brings the programs of this test")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(source / name, folder)
    run_tool([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder, environment)
    return folder / "node_modules/.bin"


def run_tool(command: list[str | Path], folder: Path, environment: Mapping[str, str]) -> str:
    """Run a command that must succeed; return what it prints."""
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
