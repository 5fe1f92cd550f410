"""What a tag publishes, and the workflow that does it."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from landbridge import __version__
from tests.sources import ROOT
from tests.test_deploy import run, tool

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
LOCKED = re.compile(r"^([a-z0-9][^ =]*)==", re.MULTILINE)


def test_workflows_have_no_weakness() -> None:
    run(tool("zizmor"), "--offline", "--quiet", *map(str, WORKFLOWS))


def test_workflows_are_well_formed() -> None:
    run(tool("actionlint"), *map(str, WORKFLOWS))


def _jobs() -> dict[str, Any]:
    return yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]


def test_nothing_is_published_before_it_is_tested_and_signed() -> None:
    jobs = _jobs()
    assert {"checks"} == {each for name in ("build", "image") for each in [jobs[name]["needs"]]}
    assert jobs["sign"]["needs"] == "build"
    for name in ("pypi", "npm"):
        assert jobs[name]["needs"] == ["sign", "image"]
        # A person releases what such an environment protects.
        assert jobs[name]["environment"] == name
    assert jobs["publish"]["needs"] == ["pypi", "npm", "image"]


def test_release_stores_no_secret() -> None:
    assert "secrets." not in "".join(each.read_text() for each in WORKFLOWS)


@pytest.mark.long
def test_release_is_built(tmp_path: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed; it builds the site and the library for TypeScript.")
    tree = tmp_path / "tree"
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    (tree / ".venv").symlink_to(Path(sys.prefix))
    run(str(tree / "deploy/make-release"), TAG="")
    dist = tree / "dist"

    lines = [line.split("  ./") for line in (dist / "SHA256SUMS").read_text().splitlines()]
    assert {name: digest for digest, name in lines} == {
        f"{folder}{name}": hashlib.sha256((dist / folder / name).read_bytes()).hexdigest()
        for folder, names in {
            "": (f"landbridge-{__version__}-constraints.txt", f"landbridge-{__version__}.cdx.json"),
            "python/": (
                f"landbridge-{__version__}-py3-none-any.whl",
                f"landbridge-{__version__}.tar.gz",
                f"landbridge_sdk-{__version__}-py3-none-any.whl",
                f"landbridge_sdk-{__version__}.tar.gz",
            ),
            "npm/": (f"landbridge-sdk-{__version__}.tgz",),
        }.items()
        for name in names
    }
    with zipfile.ZipFile(dist / f"python/landbridge-{__version__}-py3-none-any.whl") as wheel:
        names = wheel.namelist()
        assert "landbridge/platform/http/documentation_site.zip" in names
        assert "landbridge/platform/db/migrations/0001_organisations.sql" in names
    with tarfile.open(dist / f"npm/landbridge-sdk-{__version__}.tgz") as package:
        assert "package/dist/index.js" in package.getnames()
    locked = set(LOCKED.findall((ROOT / "requirements.lock").read_text()))
    constraints = (dist / f"landbridge-{__version__}-constraints.txt").read_text()
    assert set(LOCKED.findall(constraints)) == locked
    assert "\\" not in constraints
    bill = json.loads((dist / f"landbridge-{__version__}.cdx.json").read_text())
    assert {each["name"] for each in bill["components"]} == locked
    assert (dist / "notes.md").read_text().strip()


VERSIONED = {
    "pyproject.toml": r'^version = "(.+)"$',
    "src/landbridge/__init__.py": r'^__version__ = "(.+)"$',
    "sdk/python/pyproject.toml": r'^version = "(.+)"$',
    "sdk/python/src/landbridge_sdk/_version.py": r'^VERSION = "(.+)"$',
    "sdk/typescript/package.json": r'^  "version": "(.+)",$',
    "sdk/typescript/src/version.ts": r'^export const VERSION = "(.+)";$',
    "deploy/chart/Chart.yaml": r"^version: (.+)$",
}


@pytest.mark.parametrize("name", VERSIONED)
def test_versions_agree(name: str) -> None:
    found = re.findall(VERSIONED[name], (ROOT / name).read_text(), re.MULTILINE)
    assert found == [__version__]


def test_tag_must_fit_the_tree() -> None:
    done = subprocess.run(
        [ROOT / "deploy/make-release"],
        env={"TAG": "v99.0.0", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "The tag is v99.0.0" in done.stderr
