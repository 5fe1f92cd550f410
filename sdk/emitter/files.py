"""The generated files, as they are and as they should be."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from sdk.emitter import bruno, python_resources, python_types, typescript
from sdk.emitter.document import ROOT, ApiDocument

_PYTHON = Path("sdk/python/src/landbridge_sdk")
_TYPESCRIPT = Path("sdk/typescript/src/generated")
_BRUNO = Path("sdk/bruno")


def generated() -> Mapping[Path, str]:
    """Return the text of each generated file by its path in the repository."""
    document = ApiDocument.read()
    python = {
        "replies.py": python_types.replies(document),
        "requests.py": python_types.requests(document),
        "resources.py": python_resources.resources(document, is_async=False),
        "async_resources.py": python_resources.resources(document, is_async=True),
    }
    return {
        **{_PYTHON / name: _formatted(text) for name, text in python.items()},
        _TYPESCRIPT / "types.ts": typescript.types(document),
        _TYPESCRIPT / "resources.ts": typescript.resources(document),
        **{_BRUNO / name: text for name, text in bruno.collection().items()},
    }


def write() -> None:
    """Write every generated file, and remove requests of operations that are gone."""
    files = generated()
    for path in outdated(files):
        (ROOT / path).unlink()
    for path, text in files.items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")


def outdated(files: Mapping[Path, str]) -> list[Path]:
    """Return the requests in the Bruno collection that are not among these files."""
    there = (each.relative_to(ROOT) for each in (ROOT / _BRUNO).rglob("*.bru"))
    return [each for each in there if each not in files]


def _formatted(text: str) -> str:
    """Return Python in the project's own format."""
    ruff = Path(sys.executable).with_name("ruff")
    command = [str(ruff), "format", "--stdin-filename", "generated.py", "-"]
    return subprocess.run(  # noqa: S603  our own tool
        command, input=text, capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout
