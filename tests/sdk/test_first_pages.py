"""Pages in Python and TypeScript print what they show."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.documented_examples import (
    MARK,
    SHOWN,
    Example,
    at_addresses,
    check_printed,
    examples,
    run,
    serving,
    settings_of,
)
from tests.sdk.test_real_server import built_library
from tests.sources import ROOT

pytestmark = pytest.mark.long

PAGES = [
    page.relative_to(ROOT).as_posix()
    for folder in ("docs/start", "docs/guides")
    for page in sorted((ROOT / folder).glob("*.md"))
    if examples(page, "ts")
]

# A block that is shown in shell alone runs between the others. What it exports is in the
# environment of the program afterwards, as if the program had been started after it.
_SHELL_ENDS: Final = "\nenv -0 > page.env\n"
_PYTHON_BEGINS: Final = """
import os as _os, subprocess as _subprocess

def _shell(script):
    _subprocess.run(["sh", "-eu", "-c", script], check=True)
    with open("page.env") as file:
        _os.environ.update(each.split("=", 1) for each in file.read().split("\\0") if each)

"""
_TYPESCRIPT_BEGINS: Final = """
import { execFileSync as _execFileSync } from "node:child_process";
import { readFileSync as _readFileSync } from "node:fs";

function _shell(script: string): void {
  _execFileSync("sh", ["-eu", "-c", script], { stdio: "inherit" });
  for (const each of _readFileSync("page.env", "utf8").split("\\0")) {
    const equals = each.indexOf("=");
    if (equals > 0) process.env[each.slice(0, equals)] = each.slice(equals + 1);
  }
}

"""


@pytest.mark.parametrize("name", PAGES)
def test_page_in_python(name: str, tmp_path: Path) -> None:
    def program(blocks: list[Example]) -> list[str]:
        parts = [f"{_step(each)}\nprint({MARK!r}, flush=True)\n" for each in blocks]
        return [sys.executable, "-c", _PYTHON_BEGINS + "".join(parts)]

    _check(name, "python", program, tmp_path)


@pytest.mark.parametrize("name", PAGES)
def test_page_in_typescript(name: str, tmp_path: Path) -> None:
    library = built_library(tmp_path)
    project = tmp_path / "project"
    (project / "node_modules").mkdir(parents=True)
    (project / "node_modules/landbridge-sdk").symlink_to(library)
    (project / "package.json").write_text('{"type": "module"}')

    def program(blocks: list[Example]) -> list[str]:
        parts = [f'{_step(each)}\nconsole.log("{MARK}");\n' for each in blocks]
        (project / "page.ts").write_text(_TYPESCRIPT_BEGINS + "".join(parts))
        compiler = str(library / "node_modules/typescript/bin/tsc")
        types = str(library / "node_modules/@types")
        options = [
            "--strict",
            "--target",
            "ES2022",
            "--module",
            "NodeNext",
            "--types",
            "node",
            "--typeRoots",
        ]
        run(["node", compiler, *options, types, "page.ts"], project, os.environ)
        return ["node", str(project / "page.js")]

    _check(name, "ts", program, tmp_path)


def _step(block: Example) -> str:
    """Return a block as a part of the program."""
    if block.language != "sh":
        return block.script
    return f"_shell({json.dumps(block.script + _SHELL_ENDS, ensure_ascii=False)})"


def _check(
    name: str, language: str, program: Callable[[list[Example]], list[str]], folder: Path
) -> None:
    page = ROOT / name
    with serving(folder, settings_of(page.read_text(encoding="utf-8"))) as (address, environ):
        blocks = at_addresses(examples(page, language, with_commands=True), {SHOWN: address})
        environ |= {"PYTHONPATH": str(ROOT / "sdk/python/src")}
        printed = run(program(blocks), folder, environ)
    check_printed(name, blocks, printed)
