"""Values for the pages about a user's verification, with the issues of several rails combined.

Built from responses of `GET /v2/users/{userId}/kyc/requirements`.
"""

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from msgspec import convert

from landbridge.customers.kyc.api import RequirementsReply
from landbridge.customers.kyc.enumerations import value_word
from landbridge.customers.kyc.field_types import Kind
from landbridge.customers.kyc.fields import OWNERS
from landbridge.customers.kyc.model import Rail
from landbridge.customers.users.model import UserType
from landbridge.customers.verification.model import KycStatus
from landbridge.customers.verification.provider_links import OPEN_AT_PROVIDER
from landbridge.customers.verification.schemas import CheckResultReply
from landbridge.dashboard.compliance.field_labels import field_label, proof_label
from landbridge.dashboard.compliance.kyc_form import (
    FieldValues,
    KycFormSection,
    encode_original,
    form_sections,
    input_values,
)
from landbridge.dashboard.compliance.kyc_replies import KycDocumentReply, KycReply, RailStatusReply
from landbridge.dashboard.countries import countries
from landbridge.dashboard.json_text import JsonObject, as_object, as_objects, as_texts
from landbridge.dashboard.users.page_context import user_context
from landbridge.payments.provider_operations.api import ProviderList
from landbridge.payments.provider_operations.model import ProviderKind, ProviderService
from landbridge.platform.formats.translations import catalogue
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient
from landbridge.providers.identity.port import ReviewOutcome

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


_WAITS_FOR_USER = {KycStatus.INCOMPLETE, KycStatus.RFI_PENDING, KycStatus.CONTACT_SUPPORT}
SUBMITTABLE = {KycStatus.INACTIVE, *_WAITS_FOR_USER}
_ALL_EXPANDED = f"documents,{OWNERS}"
# Kinds of providers that may have a page of their own.
_CONNECTED = {ProviderKind.SIDECAR, ProviderKind.PACKAGE}


@dataclass(frozen=True, slots=True)
class KycDocumentRow:
    """Document with the name of its owner, if it is an owner's, and the result of its review."""

    document: KycDocumentReply
    owner: str | None
    reasons: Sequence[str]
    is_rejected: bool


@dataclass(frozen=True, slots=True)
class VerificationData:
    """Data of a user or business, and what it lacks; `values` are all values of a page about it."""

    user_type: UserType
    info: JsonObject
    documents: Sequence[KycDocumentRow]
    requirements: VerificationRequirements
    values: Mapping[str, object]


async def load_verification(
    interface: InternalClient, user_id: str, rails: Sequence[str], locale: str
) -> VerificationData:
    """Load the user, the status of each rail, and the requirements of the chosen rails."""
    path = f"/v2/users/{user_id}"
    context, kyc, statuses = await asyncio.gather(
        user_context(interface, user_id),
        interface.read(KycReply, f"{path}/kyc", expand=_ALL_EXPANDED),
        asyncio.gather(
            *(interface.read(RailStatusReply, f"{path}/kyc/status", rails=rail) for rail in Rail)
        ),
    )
    rail_statuses = dict(zip(Rail, statuses, strict=True))
    chosen_rails = _chosen_rails(rails, rail_statuses)
    replies = await asyncio.gather(
        *(
            interface.read(RequirementsReply, f"{path}/kyc/requirements", rails=rail)
            for rail in chosen_rails
        )
    )
    requirements = combine_requirements(replies)
    info = as_object(kyc.kyc_info)
    user_type = context["user"].type
    documents = _documents(info, rail_statuses)
    translate = catalogue(locale).gettext
    submittable = [each for each in chosen_rails if rail_statuses[Rail(each)].status in SUBMITTABLE]
    values = {
        **context,
        "is_business": user_type is UserType.BUSINESS,
        "statuses": [_rail_status(rail, status) for rail, status in rail_statuses.items()],
        "linked_rails": await _linked_rails(interface, rail_statuses),
        "chosen_rails": chosen_rails,
        "rail_labels": RAIL_LABELS,
        "requirements": requirements,
        "owners": _owners(info, requirements),
        "documents": documents,
        "countries": countries(locale),
        "submittable": submittable,
        "submittable_labels": ", ".join(translate(RAIL_LABELS[each]) for each in submittable),
        "field_label": field_label,
        "proof_label": proof_label,
        "value_label": value_word,
    }
    return VerificationData(user_type, info, documents, requirements, values)


def split_form(
    fields: Mapping[str, Kind],
    data: JsonObject,
    required_data: RequiredData,
    submitted: FieldValues | None,
) -> dict[str, object]:
    """Return form sections of required or known fields and of the others, and original values."""
    stored = input_values(fields, data)
    values = stored if submitted is None else submitted
    fields_with_issues = {path.partition(".")[0] for path in required_data.issues}
    needed = required_data.names | fields_with_issues | {path.partition(".")[0] for path in values}
    required = frozenset(required_data.required)

    def sections(names: Sequence[str]) -> list[KycFormSection]:
        return form_sections(fields, names, values, required_data.issues, required)

    return {
        "needed_sections": sections([name for name in fields if name in needed]),
        "other_sections": sections([name for name in fields if name not in needed]),
        "original_values": encode_original(stored),
    }


def merge_requirements(common: RequiredData, own: RequiredData | None) -> RequiredData:
    """Merge what every owner must provide with the issues of one owner."""
    if own is None:
        return common
    return RequiredData(common.names, common.required, own.issues, {**common.groups, **own.groups})


def owner_name(owner: JsonObject) -> str:
    """Return the first and last name of an owner; empty without both."""
    return f"{owner['firstName'] or ''} {owner['lastName'] or ''}".strip()


def owner_index(info: JsonObject, owner_id: str) -> int:
    """Return the index of the owner; -1 if there is none with this ID."""
    ids = [each["id"] for each in as_objects(info.get(OWNERS))]
    return ids.index(owner_id) if owner_id in ids else -1


def _chosen_rails(rails: Sequence[str], rail_statuses: Mapping[Rail, RailStatusReply]) -> list[str]:
    """Return the requested rails; by default those waiting for the user, else the first open."""
    requested = [rail.value for rail in Rail if rail in rails]
    if requested:
        return requested
    waiting_rails = [
        rail.value for rail, each in rail_statuses.items() if each.status in _WAITS_FOR_USER
    ]
    open_rails = [rail.value for rail, each in rail_statuses.items() if each.status in SUBMITTABLE]
    return waiting_rails or open_rails[:1] or [Rail.USD.value]


def _rail_status(rail: Rail, status: RailStatusReply) -> dict[str, object]:
    return {
        "rail": rail.value,
        "status": status.status,
        "message": status.message,
        "comment": status.review_result.comment,
        "reasons": status.review_result.reject_reasons or status.warnings,
    }


async def _linked_rails(
    interface: InternalClient, statuses: Mapping[Rail, RailStatusReply]
) -> list[Rail]:
    """Return the rails for which a connected provider may have a page for the user now."""
    open_rails = [each for each, status in statuses.items() if status.status in OPEN_AT_PROVIDER]
    if not open_rails:
        return []
    connected = {
        rail
        for provider in (await interface.read(ProviderList, "/v2/providers")).providers
        if provider.kind in _CONNECTED
        for route in provider.serves
        if route.service is ProviderService.IDENTITY
        for rail in (Rail if route.rails is None else route.rails)
    }
    return [each for each in open_rails if each in connected]


def _owners(info: JsonObject, requirements: VerificationRequirements) -> list[dict[str, object]]:
    return [
        {
            **owner,
            "issues": (requirements.owners.get(index) or RequiredData()).issues,
            "groups": [
                each
                for each in (requirements.owners.get(index) or RequiredData()).groups.values()
                if each.is_missing
            ],
        }
        for index, owner in enumerate(as_objects(info.get(OWNERS)))
    ]


def _documents(
    info: JsonObject, rail_statuses: Mapping[Rail, RailStatusReply]
) -> list[KycDocumentRow]:
    """Return the documents with the owner and review result of each."""
    results = {
        each.id: each.review_result
        for status in rail_statuses.values()
        for each in status.details.documents
    }
    names = {str(each["id"]): owner_name(each) for each in as_objects(info.get(OWNERS))}
    return [
        KycDocumentRow(
            each,
            names.get(str(each.ubo_id)),
            (result := results.get(each.id, CheckResultReply())).reject_reasons or (),
            result.review_answer is ReviewOutcome.DECLINED,
        )
        for each in convert(info["documents"], list[KycDocumentReply])
    ]
