"""Pages in Python and TypeScript print what they show."""

import os
import sys
from pathlib import Path

import pytest

from landbridge.app.settings import PREFIX
from tests.documented_examples import KEY, MARK, Example, check_printed, examples, run, serving
from tests.sdk.test_real_server import built_library
from tests.sources import ROOT

pytestmark = pytest.mark.long

PAGES = [
    page.relative_to(ROOT).as_posix()
    for folder in ("docs/start", "docs/guides")
    for page in sorted((ROOT / folder).glob("*.md"))
    if examples(page, "ts")
]


@pytest.mark.parametrize("name", PAGES)
def test_page_in_python(name: str, tmp_path: Path) -> None:
    blocks = examples(ROOT / name, "python")
    program = "".join(f"{each.script}\nprint({MARK!r}, flush=True)\n" for each in blocks)
    _check(name, blocks, [sys.executable, "-c", program], tmp_path)


@pytest.mark.parametrize("name", PAGES)
def test_page_in_typescript(name: str, tmp_path: Path) -> None:
    library = built_library(tmp_path)
    project = tmp_path / "project"
    (project / "node_modules").mkdir(parents=True)
    (project / "node_modules/landbridge-sdk").symlink_to(library)
    (project / "package.json").write_text('{"type": "module"}')
    blocks = examples(ROOT / name, "ts")
    program = "".join(f'{each.script}\nconsole.log("{MARK}");\n' for each in blocks)
    (project / "page.ts").write_text(program)
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
    compiler = str(library / "node_modules/typescript/bin/tsc")
    types = str(library / "node_modules/@types")
    run(["node", compiler, *options, types, "page.ts"], project, os.environ)
    _check(name, blocks, ["node", str(project / "page.js")], tmp_path)


def _check(name: str, blocks: list[Example], argv: list[str], folder: Path) -> None:
    key = KEY.search((ROOT / name).read_text(encoding="utf-8"))
    assert key is not None, f"{name} exports no key"
    with serving(folder, {f"{PREFIX}API_KEY": key[1]}) as (address, environ):
        environ |= {f"{PREFIX}API_KEY": key[1], f"{PREFIX}URL": f"http://{address}"}
        printed = run(argv, folder, environ | {"PYTHONPATH": str(ROOT / "sdk/python/src")})
    check_printed(name, blocks, printed, address)
