"""Adapters of ours are packages of their own. Source: docs/decisions/0047-adapters.md."""

import ast
import asyncio
import importlib
import re
import shutil
import sys
import sysconfig
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import landbridge
from landbridge.providers.packages.interface import PackageSettings
from tests.adapters.served import ROOT
from tests.sources import sources

ADAPTERS = sorted(path.parent for path in (ROOT / "adapters").glob("*/pyproject.toml"))
ALLOWED = {
    "landbridge.providers.packages.fields",
    "landbridge.providers.packages.http_client",
    "landbridge.providers.packages.interface",
}
LOAD = (
    "from importlib.metadata import entry_points\n"
    "(found,) = entry_points(group='landbridge.providers', name='{name}')\n"
    "print(found.load())"
)
UV = Path(sys.executable).parent / "uv"


def project(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text())


def imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_each_folder_is_a_package() -> None:
    folders = {path for path in (ROOT / "adapters").iterdir() if path.is_dir()}
    assert folders == set(ADAPTERS)
    assert len(ADAPTERS) > 1


@pytest.mark.parametrize("folder", ADAPTERS, ids=lambda path: path.name)
def test_names_and_files_are_those_of_the_decision(folder: Path) -> None:
    about = project(folder)["project"]
    module = f"landbridge_{folder.name}"
    (entry,) = about["entry-points"]["landbridge.providers"].items()
    assert (about["name"], entry[0]) == (f"landbridge-{folder.name}", folder.name)
    assert entry[1].startswith(f"{module}:")
    assert "never run live" in about["description"]
    assert (folder / about["readme"]).exists()
    assert (folder / module / "__init__.py").exists()


@pytest.mark.parametrize("folder", ADAPTERS, ids=lambda path: path.name)
def test_an_adapter_imports_what_packages_of_others_import(folder: Path) -> None:
    for file in folder.rglob("*.py"):
        ours = {each for each in imports(file) if each.split(".")[0] == "landbridge"}
        assert ours <= ALLOWED, file


def test_nothing_of_ours_imports_an_adapter() -> None:
    modules = tuple(f"landbridge_{folder.name}" for folder in ADAPTERS)
    for source in sources("src"):
        if any(each in source.text for each in modules):
            assert not any(each.startswith(modules) for each in imports(source.path)), source.name


@pytest.mark.parametrize("folder", ADAPTERS, ids=lambda path: path.name)
def test_an_adapter_is_checked_tested_and_described(folder: Path) -> None:
    name = f"adapters/{folder.name}"
    tool = project(ROOT)["tool"]
    assert name in tool["ruff"]["src"]
    assert name in tool["basedpyright"]["extraPaths"]
    assert name in tool["pytest"]["ini_options"]["pythonpath"]
    tests = ROOT / "tests" / name
    assert (tests / "test_suite.py").exists()
    assert (tests / "simulation.py").exists()
    assert list((tests / "recorded").glob("*.json"))
    guide = (ROOT / "docs/guides/adapters.md").read_text().lower()
    assert f"\n## {folder.name}\n" in guide
    assert f"(#{folder.name})" in guide


def test_settings_of_the_guide_are_valid() -> None:
    guide = (ROOT / "docs/guides/adapters.md").read_text()
    shown: set[str] = set()
    for block in re.findall(r"```toml\n(.*?)```", guide, re.DOTALL):
        for name, table in tomllib.loads(block)["providers"].items():
            shown.add(name)
            settings = importlib.import_module(f"landbridge_{name}.settings")
            secrets = dict.fromkeys(table["secret_files"], "c2VjcmV0LW9mLWEtdGVzdA==")
            secrets.pop("certificate", None)
            settings.read_settings(
                PackageSettings(name=name, options=table["options"], secrets=secrets)
            )
    assert shown == {folder.name for folder in ADAPTERS}


async def run(*command: object) -> str:
    process = await asyncio.create_subprocess_exec(
        *map(str, command), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    assert process.stdout is not None
    output = (await process.stdout.read()).decode()
    assert await process.wait() == 0, output
    return output


@pytest.mark.long
@pytest.mark.parametrize("folder", ADAPTERS, ids=lambda path: path.name)
async def test_an_adapter_can_be_installed(tmp_path: Path, folder: Path) -> None:
    environment, source = tmp_path / "environment", tmp_path / "source"
    shutil.copytree(folder, source)
    await run(UV, "venv", "--quiet", "--python", sys.executable, environment)
    (site,) = environment.glob("lib/python*/site-packages")
    places = [sysconfig.get_path("purelib"), str(Path(landbridge.__file__ or "").parents[1])]
    (site / "landbridge.pth").write_text("\n".join(places))
    python = environment / "bin/python"
    await run(UV, "pip", "install", "--quiet", "--no-deps", "--python", python, source)
    output = await run(python, "-c", LOAD.format(name=folder.name))
    assert f"landbridge_{folder.name}" in output
