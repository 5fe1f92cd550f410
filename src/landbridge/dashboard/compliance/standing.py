"""What rails ask of a user and what is wrong, of several rails at once. Pure.

Made from what `GET /v2/users/{userId}/kyc/requirements` answers.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from landbridge.dashboard.words import later as _
from landbridge.kyc.fields import OWNERS
from landbridge.kyc.model import Rail

# What people call the rails.
RAIL_WORDS: Mapping[str, str] = {
    Rail.USD: _("US dollars"),
    Rail.SOUTH_AMERICA_STANDARD: _("South America"),
    Rail.AFRICA_GENERAL: _("Africa"),
    Rail.AFRICA_NIGERIA: _("Nigeria"),
    Rail.GLOBAL_NETWORK: _("Global network"),
}
_DOCUMENTS: Final = "documents"
_OF_OWNER = re.compile(rf"{OWNERS}\[(\d+)\]\.(.+)")
_WRONG: Mapping[str, str] = {
    "missing": _("Missing"),
    "rejected": _("Not accepted: tell it anew"),
}


@dataclass(frozen=True, slots=True)
class Group:
    """Documents of which at least one is accepted; `lacks` where there are too few."""

    name: str
    types: Sequence[str]
    is_required: bool
    lacks: bool


@dataclass(slots=True)
class Asked:
    """What is asked of a user or an owner, by the names of inputs, and what is wrong."""

    names: set[str] = field(default_factory=set[str])
    required: set[str] = field(default_factory=set[str])
    wrong: dict[str, str] = field(default_factory=dict[str, str])
    groups: dict[str, Group] = field(default_factory=dict[str, Group])


@dataclass(slots=True)
class Standing:
    """What these rails ask together. `owners` is what is asked of each, in their order."""

    user: Asked = field(default_factory=Asked)
    owner: Asked = field(default_factory=Asked)
    owners: dict[int, Asked] = field(default_factory=dict[int, Asked])
    notes: list[str] = field(default_factory=list[str])
    # Rails for which nothing is wrong.
    ready: list[str] = field(default_factory=list[str])

    @property
    def wrong_count(self) -> int:
        """How many things are missing or wrong."""
        everybody = [self.user, *self.owners.values()]
        return sum(
            len(each.wrong) + sum(group.lacks for group in each.groups.values())
            for each in everybody
        )


def standing(replies: Iterable[Mapping[str, Any]]) -> Standing:
    """What the rails of these answers ask."""
    found = Standing()
    for reply in replies:
        required, invalid = dict(reply["required"]), reply["invalid"]
        for of_owner in required.pop(OWNERS, ()):
            _ask(found.owner, of_owner["required"], of_owner["optional"])
        _ask(found.user, required, reply["optional"])
        if not invalid:
            found.ready.append(reply["rails"])
            continue
        for path, why in invalid["fields"].items():
            of, name = _whose(found, path)
            of.wrong[name] = _WRONG.get(why, why.replace("%", "%%"))
        lacking = invalid.get(_DOCUMENTS, {})
        for path, group in lacking.get("groups", {}).items():
            of, name = _whose(found, path)
            of.groups[name] = _group(name, group, lacks=True)
        if "Expired" in lacking.get("message", ""):
            found.notes.append(lacking["message"])
    return found


def _whose(found: Standing, path: str) -> tuple[Asked, str]:
    """Whom a name is about, and the name without them."""
    match = _OF_OWNER.fullmatch(path)
    if match is None:
        return found.user, path
    return found.owners.setdefault(int(match[1]), Asked()), match[2]


def _ask(asked: Asked, required: Mapping[str, Any], optional: Mapping[str, Any]) -> None:
    for name, group in required.get(_DOCUMENTS, {}).items():
        asked.groups.setdefault(name, _group(name, group, lacks=False))
    needed = {name: kind for name, kind in required.items() if name != _DOCUMENTS}
    asked.names |= needed.keys() | optional.keys()
    asked.required |= needed.keys()
    for name, kind in needed.items():
        if isinstance(kind, dict):
            parts = cast("Mapping[str, Mapping[str, str]]", kind)
            asked.required |= {f"{name}.{each}" for each in parts["required"]}


def _group(name: str, told: Mapping[str, Any], *, lacks: bool) -> Group:
    return Group(name, told["acceptedDocTypes"], bool(told["minCount"]), lacks)
