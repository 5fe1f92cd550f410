"""Every statement of the package, found in its sources."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tests.sources import PACKAGE, sources

# A literal that begins like this is a statement. "Select" with a capital letter begins a sentence.
STATEMENT = re.compile(
    r"\s*(?:select\b|SELECT\b|(?i:insert\s+into\s|update\s+\w+(?:\s+\w+)?\s+set\s"
    r"|delete\s+from\s|with\s+(?:recursive\s+)?\w+\s+as\b))"
)


@dataclass(frozen=True)
class Statement:
    """Statement in a module; `name` is its constant's name, or its line."""

    file: str
    name: str
    sql: str

    def __str__(self) -> str:
        """Return the name used in findings."""
        return f"src/landbridge/{self.file} {self.name}"


@cache
def statements() -> tuple[Statement, ...]:
    """Yield every string literal of the package that is a statement."""
    found: list[Statement] = []
    for source in sources("src/landbridge"):
        file = source.path.relative_to(PACKAGE).as_posix()
        names = _constant_names(source.tree)
        prose = {id(each) for each in _prose(source.tree)}
        found += [
            Statement(file, names.get(id(node), f"line {node.lineno}"), node.value)
            for node in source.nodes
            if isinstance(node, ast.Constant)
            and id(node) not in prose
            and isinstance(node.value, str)
            and STATEMENT.match(node.value)
        ]
    return tuple(found)


def _constant_names(tree: ast.Module) -> dict[int, str]:
    """Return the names of constants, by the identity of their literals."""
    return {
        id(node.value): target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _prose(tree: ast.Module) -> Iterator[ast.AST]:
    """Docstrings, and the pieces of f-strings, which the rule on building up judges."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield from node.values
