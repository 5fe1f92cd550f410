"""Requirements and issues of several rails combined. Pure.

Built from responses of `GET /v2/users/{userId}/kyc/requirements`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from landbridge.customers.kyc.api import RequirementsReply
from landbridge.customers.kyc.fields import OWNERS
from landbridge.customers.kyc.model import Rail
from landbridge.dashboard.json_text import JsonObject, as_object, as_objects, as_texts
from landbridge.platform.formats.translations import later as _

# Display labels of the rails.
RAIL_LABELS: Mapping[str, str] = {
    Rail.USD: _("US dollars"),
    Rail.SOUTH_AMERICA_STANDARD: _("South America"),
    Rail.AFRICA_GENERAL: _("Africa"),
    Rail.AFRICA_NIGERIA: _("Nigeria"),
    Rail.GLOBAL_NETWORK: _("Global network"),
}
_DOCUMENTS: Final = "documents"
_OWNER_PATH = re.compile(rf"{OWNERS}\[(\d+)\]\.(.+)")
_ISSUE_LABELS: Mapping[str, str] = {
    "missing": _("Missing"),
    "rejected": _("Not accepted. Enter it again."),
}


@dataclass(frozen=True, slots=True)
class DocumentGroupStatus:
    """Documents of which at least one is needed; `is_missing` if too few were provided."""

    name: str
    types: Sequence[str]
    is_required: bool
    is_missing: bool


@dataclass(slots=True)
class RequiredData:
    """Required and optional fields of a user or an owner by input name, and their issues."""

    names: set[str] = field(default_factory=set[str])
    required: set[str] = field(default_factory=set[str])
    issues: dict[str, str] = field(default_factory=dict[str, str])
    groups: dict[str, DocumentGroupStatus] = field(default_factory=dict[str, DocumentGroupStatus])


@dataclass(slots=True)
class VerificationRequirements:
    """Combined requirements of the rails. `owners` holds the issues of each owner by index."""

    user: RequiredData = field(default_factory=RequiredData)
    owner: RequiredData = field(default_factory=RequiredData)
    owners: dict[int, RequiredData] = field(default_factory=dict[int, RequiredData])
    notes: list[str] = field(default_factory=list[str])
    # Rails without issues.
    ready: list[str] = field(default_factory=list[str])

    @property
    def issue_count(self) -> int:
        """Return the number of missing or invalid items."""
        subjects = [self.user, *self.owners.values()]
        return sum(
            len(each.issues) + sum(group.is_missing for group in each.groups.values())
            for each in subjects
        )


def combine_requirements(replies: Iterable[RequirementsReply]) -> VerificationRequirements:
    """Combine the requirements of several rails."""
    combined = VerificationRequirements()
    for reply in replies:
        required, invalid = as_object(reply.required), reply.invalid
        for owner in as_objects(required.pop(OWNERS, ())):
            _add_fields(combined.owner, as_object(owner["required"]), as_object(owner["optional"]))
        _add_fields(combined.user, required, reply.optional)
        if not invalid:
            combined.ready.append(reply.rails.value)
            continue
        for path, code in as_object(invalid["fields"]).items():
            subject, name = _owner_and_name(combined, path)
            subject.issues[name] = _ISSUE_LABELS.get(str(code), str(code).replace("%", "%%"))
        missing_documents = as_object(invalid.get(_DOCUMENTS))
        for path, group in as_object(missing_documents.get("groups")).items():
            subject, name = _owner_and_name(combined, path)
            subject.groups[name] = _group(name, as_object(group), is_missing=True)
        message = str(missing_documents.get("message") or "")
        if "Expired" in message:
            combined.notes.append(message)
    return combined


def _owner_and_name(combined: VerificationRequirements, path: str) -> tuple[RequiredData, str]:
    """Return the user or owner that a field path belongs to, and the path within it."""
    match = _OWNER_PATH.fullmatch(path)
    if match is None:
        return combined.user, path
    return combined.owners.setdefault(int(match[1]), RequiredData()), match[2]


def _add_fields(data: RequiredData, required: JsonObject, optional: JsonObject) -> None:
    for name, group in as_object(required.get(_DOCUMENTS)).items():
        data.groups.setdefault(name, _group(name, as_object(group), is_missing=False))
    required_fields = {name: kind for name, kind in required.items() if name != _DOCUMENTS}
    data.names |= required_fields.keys() | optional.keys()
    data.required |= required_fields.keys()
    for name, kind in required_fields.items():
        if isinstance(kind, dict):
            data.required |= {f"{name}.{each}" for each in as_object(kind["required"])}


def _group(name: str, group: JsonObject, *, is_missing: bool) -> DocumentGroupStatus:
    types, is_required = as_texts(group["acceptedDocTypes"]), bool(group["minCount"])
    return DocumentGroupStatus(name, types, is_required, is_missing)
