"""The repository as the house rules and the tests of the documents read it."""

import ast
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "landbridge"

# Made by tools or by running, never written by us (see .gitignore).
_MADE = frozenset(
    {
        ".git",
        ".venv",
        ".landbridge",
        ".landbridge-demo",
        ".hypothesis",
        ".pytest_cache",
        ".ruff_cache",
        ".import_linter_cache",
        "__pycache__",
        "htmlcov",
        "dist",
        "build",
    }
)


@dataclass(frozen=True)
class Source:
    """A Python file and what it says."""

    path: Path
    text: str
    tree: ast.Module

    @property
    def name(self) -> str:
        """As findings name it: from the root of the repository."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def module(self) -> str:
        """As it is imported, if it is in the package."""
        parts = self.path.relative_to(PACKAGE.parent).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def walk(self) -> Iterator[ast.AST]:
        """Every node."""
        return ast.walk(self.tree)


@cache
def files() -> tuple[Path, ...]:
    """Every file of the repository that a person wrote."""
    found: list[Path] = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [each for each in folders if each not in _MADE]
        found += [Path(folder, name) for name in names]
    return tuple(sorted(found))


@cache
def sources(*folders: str) -> tuple[Source, ...]:
    """Every Python file under these folders of the repository."""
    return tuple(
        Source(path, text := path.read_text(encoding="utf-8"), ast.parse(text))
        for path in files()
        if path.suffix == ".py" and any(path.is_relative_to(ROOT / each) for each in folders)
    )


def documents() -> list[Path]:
    """Every page that a person reads."""
    return [path for path in files() if path.suffix == ".md"]


def report(rule: str, findings: list[str]) -> str:
    """A failed rule: what to do, then where."""
    return "\n  ".join([rule, *findings])
