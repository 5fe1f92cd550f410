"""Contexts of sealed values: each is of one column and one row, so no value opens elsewhere."""

import ast
from collections import defaultdict
from collections.abc import Iterator

from tests.sources import Source, sources


def contexts(source: Source) -> Iterator[ast.JoinedStr]:
    """Yield the contexts of a module: named `context`, or returned by a function of that name."""
    for node in source.nodes:
        match node:
            case ast.keyword(arg="context", value=ast.JoinedStr() as found):
                yield found
            case ast.Assign(targets=[ast.Name(id="context")], value=ast.JoinedStr() as found):
                yield found
            case ast.FunctionDef(name=name) if "context" in name:
                for each in ast.walk(node):
                    if isinstance(each, ast.Return) and isinstance(each.value, ast.JoinedStr):
                        yield each.value
            case _:
                pass


def test_each_column_has_a_context_with_the_id_of_its_row() -> None:
    modules: defaultdict[str, set[str]] = defaultdict(set)
    without_id: list[str] = []
    for source in sources("src"):
        for found in contexts(source) if "context" in source.text else ():
            column, colon, _ = ast.unparse(found)[2:-1].partition(":")
            modules[column].add(source.name)
            if not (colon and isinstance(found.values[-1], ast.FormattedValue)):
                without_id.append(f"{source.name}: {column}")
    assert len(modules) > 30
    assert not without_id, "A context ends with the id of its row"
    shared = {column: names for column, names in modules.items() if len(names) > 1}
    assert not shared, "A context is of one column, and written in one module"
