"""Request bodies from forms whose inputs are named by their API field path, as `address.city`."""

import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias, cast

from landbridge.dashboard.json_text import JsonObject, JsonValue
from landbridge.dashboard.page_request import Form

_Tree: TypeAlias = "dict[str | int, str | _Tree]"
_PATH_SEGMENT = re.compile(r"([^.\[\]]+)|\[([0-9]{1,2})\]")
# The CSRF token and the pressed button: never part of a body.
_NOT_BODY_FIELDS = frozenset({"csrf", "do", "locale"})


def submitted_values(form: Form, *numbers: str) -> dict[str, str]:
    """Return the submitted texts by input name, to build a body or to show the form again.

    The fields `numbers` are converted to the API's format, for a body; raises `FieldInvalid`.
    """
    texts = {name: form.text(name) for name in form.fields if name not in _NOT_BODY_FIELDS}
    return texts | {name: form.number(name) for name in numbers if name in texts}


def nest(fields: Mapping[str, str], *roots: str) -> JsonObject:
    """Return the non-empty fields below these roots as nested objects and lists.

    List items keep the order of their indexes, without gaps. A refusal therefore names the right
    item only if no item before it was left empty.
    """
    found: _Tree = {}
    for name, value in fields.items():
        if value and name.partition(".")[0].partition("[")[0] in roots:
            _set(found, [key or int(index) for key, index in _PATH_SEGMENT.findall(name)], value)
    return {str(name): _with_lists(each) for name, each in found.items()}


def flatten(value: object, name: str = "") -> dict[str, str]:
    """Return the texts of an object by input name, the reverse of `nest`."""
    if isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value)
        return _merged(
            flatten(each, f"{name}.{key}" if name else key) for key, each in members.items()
        )
    if isinstance(value, list):
        items = cast("list[object]", value)
        return _merged(flatten(each, f"{name}[{index}]") for index, each in enumerate(items))
    if isinstance(value, bool):
        return {name: "yes" if value else ""}
    return {} if value is None else {name: str(value)}


def _merged(parts: Iterable[dict[str, str]]) -> dict[str, str]:
    return {name: value for part in parts for name, value in part.items()}


def _set(target: _Tree, path: list[str | int], value: str) -> None:
    for segment in path[:-1]:
        inner = target.setdefault(segment, {})
        if not isinstance(inner, dict):
            return
        target = inner
    if path and not isinstance(target.get(path[-1]), dict):
        target[path[-1]] = value


def _with_lists(value: "str | _Tree") -> JsonValue:
    """Return the value with every object whose keys are all indexes turned into a list."""
    if not isinstance(value, dict):
        return value
    inner = {key: _with_lists(each) for key, each in value.items()}
    indexes = [key for key in inner if isinstance(key, int)]
    if inner and len(indexes) == len(inner):
        return [inner[index] for index in sorted(indexes)]
    return {str(key): each for key, each in inner.items()}
