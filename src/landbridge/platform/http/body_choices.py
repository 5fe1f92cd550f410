"""What may stand at a place of a request body, from the types that it is decoded into."""

import re
from collections.abc import Iterator
from typing import Any, cast

from msgspec import inspect

_INDEX = re.compile(r"\[[^\]]*\]")


def choices(of: Any, path: str) -> list[str]:
    """Return the values of the enumeration at a path such as `chains[0]`; none if it is no one."""
    return list(_choices(inspect.type_info(of), path))


def _choices(info: inspect.Type, path: str) -> Iterator[str]:
    """Yield what a text at this path of such a body may be."""
    match info:
        case inspect.Metadata():
            yield from _choices(info.type, path)
        case inspect.UnionType():
            for each in info.types:
                yield from _choices(each, path)
        case inspect.ListType() | inspect.VarTupleType() if path.startswith("["):
            yield from _choices(info.item_type, _INDEX.sub("", path, count=1).removeprefix("."))
        case inspect.StructType():
            yield from _member_choices(info, path)
        case inspect.EnumType() if not path:
            yield from (str(cast("Any", each).value) for each in info.cls)
        case inspect.LiteralType() if not path:
            yield from (str(each) for each in info.values)
        case _:
            pass


def _member_choices(info: inspect.StructType, path: str) -> Iterator[str]:
    name, rest = _first(path)
    if name == info.tag_field:
        yield str(info.tag)
    for field in info.fields:
        if field.encode_name == name:
            yield from _choices(field.type, rest)


def _first(path: str) -> tuple[str, str]:
    """Split `chains[0].name` into `chains` and `[0].name`."""
    end = next((index for index, sign in enumerate(path) if sign in ".["), len(path))
    return path[:end], path[end:].removeprefix(".")
