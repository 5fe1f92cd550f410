"""Requirements of a rail for a user, and violations in the submitted data. Pure.

The schemas are the contract's (interface/kyc, requirements): leaves are names of types, objects
with significant members are `{required, optional}`, groups of documents `{minCount,
acceptedDocTypes}`.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from landbridge.customers.kyc.field_types import Kind, QuestionnaireFieldType
from landbridge.customers.kyc.fields import BY_TYPE, OWNER, OWNERS
from landbridge.customers.kyc.model import (
    Data,
    KycDocument,
    KycProfile,
    Rail,
    Requirements,
    SubType,
)
from landbridge.customers.kyc.numbers import wrong_numbers
from landbridge.customers.kyc.rails import RAILS
from landbridge.customers.kyc.rails.requirement_table import (
    DocumentGroup,
    ObjectFields,
    RequirementSet,
)
from landbridge.customers.users.model import UserType

MISSING = "missing"
_DOCUMENTS = "documents"
_ADDRESS = "address"


def ask(
    rail: Rail, dossier: KycProfile, *, today: date, takes_dummies: bool = False
) -> Requirements:
    """Return the requirements of this rail for this type of user, and the user's violations.

    For `takes_dummies`, see `wrong_numbers`.
    """
    table = RAILS[rail]
    requirements = table.business if dossier.type is UserType.BUSINESS else table.individual
    required, optional = _shape(requirements, BY_TYPE[dossier.type], _country(dossier.data))
    return Requirements(
        rail=rail,
        type=dossier.type,
        required=required,
        optional=optional,
        invalid=_invalid(requirements, dossier, today, takes_dummies=takes_dummies),
    )


def _shape(
    requirements: RequirementSet, fields: Mapping[str, Kind], country: str | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    required = {name: _field(requirements, fields, name) for name in requirements.required}
    if requirements.owners is not None:
        of_owner = _shape(requirements.owners, OWNER, None)
        required[OWNERS] = [dict(zip(("required", "optional"), of_owner, strict=True))]
    if requirements.documents:
        required[_DOCUMENTS] = {
            name: _group(group, country) for name, group in requirements.documents.items()
        }
    return required, {name: _field(requirements, fields, name) for name in requirements.optional}


def _field(requirements: RequirementSet, fields: Mapping[str, Kind], name: str) -> Any:
    kind, parts = fields[name], requirements.parts.get(name)
    if parts is None:
        return kind.wire
    # Other objects are addresses, in which all members are texts.
    inner: Mapping[str, Kind] = kind.fields if isinstance(kind, QuestionnaireFieldType) else {}
    wires = {each: inner[each].wire if each in inner else "string" for each in _all(parts)}
    return {
        "required": {each: wires[each] for each in parts.required},
        "optional": {each: wires[each] for each in parts.optional},
    }


def _group(group: DocumentGroup, country: str | None) -> dict[str, Any]:
    return {"minCount": group.min_count, "acceptedDocTypes": list(group.accepted_at(country))}


def _invalid(
    requirements: RequirementSet, dossier: KycProfile, today: date, *, takes_dummies: bool
) -> dict[str, Any]:
    """Return the violations; empty if there are none."""
    fields = _faults(requirements, dossier.type, dossier.data, takes_dummies=takes_dummies)
    groups, expired = _lacking(requirements, dossier.data, dossier.documents_of(None), today)
    if requirements.owners is not None:
        if not dossier.owners:
            fields[OWNERS] = MISSING
        for index, owner in enumerate(dossier.owners):
            under = f"{OWNERS}[{index}]"
            faults = _faults(
                requirements.owners, UserType.INDIVIDUAL, owner.data, takes_dummies=takes_dummies
            )
            fields |= {f"{under}.{name}": why for name, why in faults.items()}
            documents = dossier.documents_of(owner.id)
            lacking, old = _lacking(requirements.owners, owner.data, documents, today)
            groups |= {f"{under}.{name}": group for name, group in lacking.items()}
            expired += old
    if not fields and not groups:
        return {}
    documents = {"message": _documents_message(groups, expired), "groups": groups}
    return {
        "message": _message(fields, groups),
        "fields": fields,
        **({_DOCUMENTS: documents} if groups else {}),
    }


def _faults(
    requirements: RequirementSet, of: UserType, data: Data, *, takes_dummies: bool
) -> dict[str, str]:
    """Return each field that is missing or wrong, with the reason."""
    names = (*requirements.required, *requirements.optional)
    return {
        **dict(_missing(requirements, data)),
        **wrong_numbers(of, data, names, takes_dummies=takes_dummies),
        **{
            rule.field: rule.why
            for rule in requirements.rules
            if rule.field in data and not rule.holds(data)
        },
    }


def _missing(requirements: RequirementSet, data: Data) -> Iterable[tuple[str, str]]:
    for name in requirements.required:
        parts = requirements.parts.get(name)
        if name in data:
            lacking = [each for each in (parts.required if parts else ()) if each not in data[name]]
            yield from ((f"{name}.{each}", MISSING) for each in lacking)
        elif requirements.instead.get(name) not in data:
            yield name, MISSING


def _lacking(
    requirements: RequirementSet, data: Data, documents: Sequence[KycDocument], today: date
) -> tuple[dict[str, Any], list[KycDocument]]:
    """Return incomplete document groups, and expired documents that would complete them."""
    groups: dict[str, Any] = {}
    expired: list[KycDocument] = []
    for name, group in requirements.documents.items():
        accepted = group.accepted_at(_country(data))
        good = [each for each in documents if not each.is_expired(today)]
        if sum(_count(each, good) for each in accepted) < group.min_count:
            groups[name] = _group(group, _country(data))
            expired += [
                each for each in documents if each.type in accepted and each.is_expired(today)
            ]
    return groups, expired


def _count(type_: str, documents: Sequence[KycDocument]) -> int:
    """Count the documents of this type; a back without its front does not count."""
    return sum(each.type == type_ and each.sub_type is not SubType.BACK_SIDE for each in documents)


def _message(fields: Mapping[str, str], groups: Mapping[str, Any]) -> str:
    counts = {"fields": len(fields), "groups of documents": len(groups)}
    missing = " and ".join(f"{count} {noun}" for noun, count in counts.items() if count)
    return f"Missing or wrong: {missing}."


def _documents_message(groups: Mapping[str, Any], expired: Sequence[KycDocument]) -> str:
    old = ", ".join(f"{each.type} {each.id}" for each in expired)
    return " ".join(
        [
            f"Not enough documents for {', '.join(groups)}.",
            *([f"Expired: {old}."] if old else []),
        ]
    )


def _country(data: Data) -> str | None:
    return data[_ADDRESS]["country"] if _ADDRESS in data else None


def _all(parts: ObjectFields) -> tuple[str, ...]:
    return (*parts.required, *parts.optional)
