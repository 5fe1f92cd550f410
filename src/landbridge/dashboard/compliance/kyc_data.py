"""Values for the pages about a user's verification."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from landbridge.customers.kyc.field_types import Kind
from landbridge.customers.kyc.fields import BY_TYPE, OWNER, OWNERS
from landbridge.customers.kyc.model import Rail
from landbridge.customers.kyc.value_labels import value_word
from landbridge.customers.users.model import UserType
from landbridge.customers.verification.model import KycStatus
from landbridge.customers.verification.provider_links import OPEN_AT_PROVIDER
from landbridge.dashboard.compliance.field_labels import field_label, proof_label
from landbridge.dashboard.compliance.kyc_form import (
    FieldValues,
    KycFormSection,
    encode_original,
    form_sections,
    input_values,
)
from landbridge.dashboard.compliance.verification_status import (
    RAIL_LABELS,
    RequiredData,
    VerificationRequirements,
    combine_requirements,
)
from landbridge.dashboard.countries import countries
from landbridge.platform.formats.translations import catalogue
from landbridge.platform.http.internal_client import InternalClient

_WAITS_FOR_USER = {KycStatus.INCOMPLETE, KycStatus.RFI_PENDING, KycStatus.CONTACT_SUPPORT}
SUBMITTABLE = {KycStatus.INACTIVE, *_WAITS_FOR_USER}
_ALL_EXPANDED = f"documents,{OWNERS}"
# Kinds of providers that may have a page of their own.
_CONNECTED = {"SIDECAR", "PACKAGE"}


async def load_verification(
    interface: InternalClient, user_id: str, rails: Sequence[str], locale: str
) -> dict[str, Any]:
    """Load the user, the status of each rail, and the requirements of the chosen rails."""
    path = f"/v2/users/{user_id}"
    user, freeze, kyc, *statuses = await asyncio.gather(
        interface.get(path),
        interface.get(f"{path}/freeze"),
        interface.get(f"{path}/kyc", expand=_ALL_EXPANDED),
        *(interface.get(f"{path}/kyc/status", rails=rail) for rail in Rail),
    )
    rail_statuses = dict(zip(Rail, statuses, strict=True))
    chosen_rails = _chosen_rails(rails, rail_statuses)
    reply: Any = await interface.get(f"{path}/kyc/requirements", rails=",".join(chosen_rails))
    requirements = combine_requirements([reply] if len(chosen_rails) == 1 else reply)
    info = kyc["kycInfo"]
    translate = catalogue(locale).gettext
    submittable = [
        each for each in chosen_rails if rail_statuses[Rail(each)]["status"] in SUBMITTABLE
    ]
    return {
        "user": user,
        "freeze": freeze,
        "info": info,
        "is_business": info["type"] == UserType.BUSINESS,
        "statuses": [_rail_status(rail, status) for rail, status in rail_statuses.items()],
        "linked_rails": await _linked_rails(interface, rail_statuses),
        "chosen_rails": chosen_rails,
        "rail_labels": RAIL_LABELS,
        "requirements": requirements,
        "owners": _owners(info, requirements),
        "documents": _documents(info, rail_statuses),
        "countries": countries(locale),
        "submittable": submittable,
        "submittable_labels": ", ".join(translate(RAIL_LABELS[each]) for each in submittable),
        "field_label": field_label,
        "proof_label": proof_label,
        "value_label": value_word,
    }


def user_form(
    info: Mapping[str, Any], requirements: VerificationRequirements, submitted: FieldValues | None
) -> dict[str, Any]:
    """Return the form of a user's data: required or known fields, and the other fields."""
    fields = BY_TYPE[UserType(info["type"])]
    return split_form(fields, info, requirements.user, submitted)


def owner_form(
    owner: Mapping[str, Any], required_data: RequiredData, submitted: FieldValues | None
) -> dict[str, Any]:
    """Return the form of an owner's data."""
    return split_form(OWNER, owner, required_data, submitted)


def split_form(
    fields: Mapping[str, Kind],
    data: Mapping[str, Any],
    required_data: RequiredData,
    submitted: FieldValues | None,
) -> dict[str, Any]:
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


def owner_index(info: Mapping[str, Any], owner_id: str) -> int:
    """Return the index of the owner; -1 if there is none with this ID."""
    ids = [each["id"] for each in info.get(OWNERS, ())]
    return ids.index(owner_id) if owner_id in ids else -1


def _chosen_rails(
    rails: Sequence[str], rail_statuses: Mapping[Rail, Mapping[str, Any]]
) -> list[str]:
    """Return the requested rails; by default those waiting for the user, else the first open."""
    requested = [rail.value for rail in Rail if rail in rails]
    if requested:
        return requested
    waiting_rails = [
        rail.value for rail, each in rail_statuses.items() if each["status"] in _WAITS_FOR_USER
    ]
    open_rails = [
        rail.value for rail, each in rail_statuses.items() if each["status"] in SUBMITTABLE
    ]
    return waiting_rails or open_rails[:1] or [Rail.USD.value]


def _rail_status(rail: Rail, status: Mapping[str, Any]) -> dict[str, Any]:
    result = status.get("reviewResult", {})
    return {
        "rail": rail.value,
        "status": status["status"],
        "message": status["message"],
        "comment": result.get("comment"),
        "reasons": result.get("rejectReasons") or status.get("warnings") or [],
    }


async def _linked_rails(
    interface: InternalClient, statuses: Mapping[Rail, Mapping[str, Any]]
) -> list[Rail]:
    """Return the rails for which a connected provider may have a page for the user now."""
    open_rails = [each for each, status in statuses.items() if status["status"] in OPEN_AT_PROVIDER]
    if not open_rails:
        return []
    connected = {
        rail
        for provider in (await interface.get("/v2/providers"))["providers"]
        if provider["kind"] in _CONNECTED
        for route in provider["serves"]
        if route["service"] == "IDENTITY"
        for rail in (Rail if route["rails"] is None else route["rails"])
    }
    return [each for each in open_rails if each in connected]


def _owners(
    info: Mapping[str, Any], requirements: VerificationRequirements
) -> list[dict[str, Any]]:
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
        for index, owner in enumerate(info.get(OWNERS, ()))
    ]


def _documents(
    info: Mapping[str, Any], rail_statuses: Mapping[Rail, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the documents with the owner and review result of each."""
    results = {
        str(result["id"]): result
        for status in rail_statuses.values()
        for result in _results(status)
    }
    names = {
        owner["id"]: f"{owner['firstName'] or ''} {owner['lastName'] or ''}".strip()
        for owner in info.get(OWNERS, ())
    }
    return [
        {
            **each,
            "owner": names.get(each["uboId"]),
            "reasons": _reasons(results.get(each["id"], {})),
            "is_rejected": _review_result(results.get(each["id"], {})).get("reviewAnswer")
            == "DECLINED",
        }
        for each in info["documents"]
    ]


def _results(status: Any) -> Iterator[Mapping[str, Any]]:
    """Yield every document result in a status object, at any depth."""
    if isinstance(status, list):
        for each in cast("list[Any]", status):
            yield from _results(each)
    elif isinstance(status, dict):
        members = cast("dict[str, Any]", status)
        if "subType" in members:
            yield members
        for each in members.values():
            yield from _results(each)


def _review_result(document: Mapping[str, Any]) -> Mapping[str, Any]:
    return document.get("reviewResult", {})


def _reasons(document: Mapping[str, Any]) -> Sequence[str]:
    return _review_result(document).get("rejectReasons") or ()
