"""Bodies from forms whose inputs are named as the interface names places: `address.city`."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from landbridge.dashboard.forms import Form

_STEP = re.compile(r"([^.\[\]]+)|\[([0-9]{1,2})\]")
# Of the door, and of ours; none is a member of a body.
_NOT_MEMBERS = frozenset({"csrf", "do"})


def typed(form: Form) -> dict[str, str]:
    """What was typed by name of input, as it is shown again."""
    return {name: form.text(name) for name in form.fields if name not in _NOT_MEMBERS}


def nested(fields: Mapping[str, str], *starts: str) -> dict[str, Any]:
    """The members below these names that are not empty, as objects and lists.

    A list has what was told in the order of its numbers, without gaps: which place a refusal is
    about is told right as long as no place before it was left empty.
    """
    found: dict[str, Any] = {}
    for name, value in fields.items():
        if value and name.partition(".")[0].partition("[")[0] in starts:
            _put(found, [key or int(place) for key, place in _STEP.findall(name)], value)
    return {name: _settled(each) for name, each in found.items()}


def flat(value: Any, name: str = "") -> dict[str, str]:
    """The other way round: what an object has, by name of input."""
    if isinstance(value, Mapping):
        told = cast("Mapping[str, Any]", value)
        return _joined(flat(each, f"{name}.{key}" if name else key) for key, each in told.items())
    if isinstance(value, list):
        many = cast("list[Any]", value)
        return _joined(flat(each, f"{name}[{place}]") for place, each in enumerate(many))
    if isinstance(value, bool):
        return {name: "yes" if value else ""}
    return {} if value is None else {name: str(value)}


def _joined(parts: Iterable[dict[str, str]]) -> dict[str, str]:
    return {name: value for part in parts for name, value in part.items()}


def _put(into: dict[Any, Any], steps: list[str | int], value: str) -> None:
    for step in steps[:-1]:
        inner = into.setdefault(step, {})
        if not isinstance(inner, dict):
            return
        into = cast("dict[Any, Any]", inner)
    if steps and not isinstance(into.get(steps[-1]), dict):
        into[steps[-1]] = value


def _settled(value: Any) -> Any:
    """Objects whose keys are all places become lists."""
    if not isinstance(value, dict):
        return value
    told = cast("dict[Any, Any]", value)
    inner = {key: _settled(each) for key, each in told.items()}
    if inner and all(isinstance(key, int) for key in inner):
        return [inner[place] for place in sorted(inner)]
    return {str(key): each for key, each in inner.items()}
