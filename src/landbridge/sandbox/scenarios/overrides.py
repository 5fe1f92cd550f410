"""Overrides of `landbridge trigger`: members of the bodies that a scenario sends."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from landbridge.platform.core.errors import LandbridgeError


class OverrideInvalid(LandbridgeError):
    """An override is malformed, or the scenario sent no request that it changes."""


@dataclass(frozen=True, slots=True)
class BodyOverride:
    """Value of a member, by the last part of the path to which it is posted: `swaps`."""

    resource: str
    path: tuple[str, ...]
    text: str


@dataclass(slots=True)
class BodyOverrides:
    """Overrides of one scenario, and those that were used."""

    all: Sequence[BodyOverride] = ()
    used: set[int] = field(default_factory=set[int], init=False)

    def apply(self, path: str, body: Any) -> Any:
        """Return the body with the members of these overrides that belong to this path."""
        resource = path.rstrip("/").rsplit("/", 1)[-1]
        for number, each in enumerate(self.all):
            if each.resource == resource and isinstance(body, dict):
                body = _with_member(cast("dict[str, Any]", body), each.path, each.text)
                self.used.add(number)
        return body

    def check_used(self) -> None:
        """Raise `OverrideInvalid` for an override of a request that the scenario did not send."""
        for number, each in enumerate(self.all):
            if number not in self.used:
                raise OverrideInvalid(f"the scenario created no {each.resource}: nothing to set")


def read_overrides(texts: Sequence[str]) -> BodyOverrides:
    """Parse overrides as in `swaps:source.amount=25`.

    A value that replaces a text is a text; any other is read as JSON.
    """
    return BodyOverrides([_read(each) for each in texts])


def _read(text: str) -> BodyOverride:
    name, equals, value = text.partition("=")
    resource, colon, path = name.partition(":")
    members = tuple(path.split("."))
    if not (equals and colon and resource and all(members)):
        raise OverrideInvalid(f"{text} is no override; one is written as in swaps:source.amount=25")
    return BodyOverride(resource, members, value)


def _with_member(body: dict[str, Any], path: tuple[str, ...], text: str) -> dict[str, Any]:
    first, *rest = path
    before = body.get(first)
    if rest:
        members = cast("dict[str, Any]", before) if isinstance(before, dict) else {}
        return {**body, first: _with_member(members, tuple(rest), text)}
    return {**body, first: text if isinstance(before, str) else _value(text)}


def _value(text: str) -> Any:
    """Return what a text says as JSON; the text itself if it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return text
