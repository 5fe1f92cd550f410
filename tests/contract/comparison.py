"""Comparison of replies with the published members of each object and their types.

A published shape consists of:
- an object: its members by name; a name with a question mark is our own, beyond the interface;
- a list of one shape: an array of such values, or an empty one;
- `OrNull(shape)`: such a value, or null;
- `Omitted(shape)`: such a value, or no member at all;
- a set of words: one of them;
- a type such as `uuid`, `date-time`, `string`, `number`, `integer`, `boolean`; with a question mark
  it may also be null.

Every other member must be present, including our own and those that are null.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
}


@dataclass(frozen=True)
class OrNull:
    """Shape, or null."""

    shape: Any


@dataclass(frozen=True)
class Omitted:
    """Shape of a member that is omitted while it has no value."""

    shape: Any


def wrong(
    found: Any, published: Any, path: str = "", *, left_out: Collection[str] = ()
) -> Iterator[str]:
    """Return the differences between a reply and a published shape, except the paths `left_out`."""
    match published:
        case Omitted(shape) | OrNull(shape):
            if isinstance(published, Omitted) or found is not None:
                yield from wrong(found, shape, path, left_out=left_out)
        case dict():
            yield from _wrong_object(found, cast("dict[str, Any]", published), path, left_out)
        case [shape]:
            if not isinstance(found, list):
                yield f"{path} {found!r} is no array"
                return
            for each in cast("list[Any]", found):
                yield from wrong(each, shape, path, left_out=left_out)
        case frozenset():
            if found not in published:
                yield f"{path} {found!r} is none of {sorted(cast('frozenset[str]', published))}"
        case _:
            if not _is(found, str(published)):
                yield f"{path} {found!r} is no {published}"


def _wrong_object(
    found: Any, published: dict[str, Any], path: str, left_out: Collection[str]
) -> Iterator[str]:
    if not isinstance(found, dict):
        yield f"{path} {found!r} is no object"
        return
    reply = cast("dict[str, Any]", found)
    members = {name.rstrip("?"): shape for name, shape in published.items()}
    for name in sorted(members.keys() - reply.keys()):
        if f"{path}{name}" not in left_out and not isinstance(members[name], Omitted):
            yield f"{path}{name} is missing"
    for name in sorted(reply.keys() - members.keys()):
        yield f"{path}{name} is not published"
    for name in members.keys() & reply.keys():
        yield from wrong(reply[name], members[name], f"{path}{name}.", left_out=left_out)


def _is(found: Any, published: str) -> bool:
    name = published.removesuffix("?")
    if found is None:
        return published.endswith("?")
    match name:
        case "uuid":
            return isinstance(found, str) and str(UUID(found)) == found
        case "date-time":
            is_text = isinstance(found, str)
            return is_text and datetime.fromisoformat(found).utcoffset() is not None
        case _:
            is_flag = isinstance(found, bool)
            return isinstance(found, _TYPES[name]) and is_flag == (name == "boolean")
