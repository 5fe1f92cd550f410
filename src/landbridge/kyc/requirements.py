"""What a rail asks of a user, and what is wrong with what the user told. Pure.

The shapes are the contract's (interface/kyc, requirements): leaves are names of types, objects
whose members matter are `{required, optional}`, groups of documents `{minCount, acceptedDocTypes}`.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from landbridge.kyc.fields import BY_TYPE, OWNER, OWNERS
from landbridge.kyc.kinds import Kind, Questionnaire
from landbridge.kyc.model import Data, Document, Dossier, Rail, Requirements, SubType
from landbridge.kyc.rails import RAILS
from landbridge.kyc.rails.table import Ask, Group, Parts
from landbridge.users.model import UserType

MISSING = "missing"
_DOCUMENTS = "documents"
_ADDRESS = "address"


def ask(rail: Rail, dossier: Dossier, *, today: date) -> Requirements:
    """What this rail asks of a user of this type, and what this one lacks."""
    table = RAILS[rail]
    asked = table.BUSINESS if dossier.type is UserType.BUSINESS else table.INDIVIDUAL
    required, optional = _shape(asked, BY_TYPE[dossier.type], _country(dossier.data))
    return Requirements(
        rail=rail,
        type=dossier.type,
        required=required,
        optional=optional,
        invalid=_invalid(asked, dossier, today),
    )


def _shape(
    asked: Ask, fields: Mapping[str, Kind], country: str | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    required = {name: _field(asked, fields, name) for name in asked.required}
    if asked.owners is not None:
        of_owner = _shape(asked.owners, OWNER, None)
        required[OWNERS] = [dict(zip(("required", "optional"), of_owner, strict=True))]
    if asked.documents:
        required[_DOCUMENTS] = {
            name: _group(group, country) for name, group in asked.documents.items()
        }
    return required, {name: _field(asked, fields, name) for name in asked.optional}


def _field(asked: Ask, fields: Mapping[str, Kind], name: str) -> Any:
    kind, parts = fields[name], asked.parts.get(name)
    if parts is None:
        return kind.wire
    # The members of an address are texts.
    inner: Mapping[str, Kind] = kind.fields if isinstance(kind, Questionnaire) else {}
    wires = {each: inner[each].wire if each in inner else "string" for each in _all(parts)}
    return {
        "required": {each: wires[each] for each in parts.required},
        "optional": {each: wires[each] for each in parts.optional},
    }


def _group(group: Group, country: str | None) -> dict[str, Any]:
    return {"minCount": group.min_count, "acceptedDocTypes": list(group.accepted_at(country))}


def _invalid(asked: Ask, dossier: Dossier, today: date) -> dict[str, Any]:
    """Empty if nothing is wrong."""
    fields = dict(_faults(asked, dossier.data))
    groups, expired = _lacking(asked, dossier.data, dossier.documents_of(None), today)
    if asked.owners is not None:
        if not dossier.owners:
            fields[OWNERS] = MISSING
        for place, owner in enumerate(dossier.owners):
            under = f"{OWNERS}[{place}]"
            fields |= {f"{under}.{name}": why for name, why in _faults(asked.owners, owner.data)}
            documents = dossier.documents_of(owner.id)
            lacking, old = _lacking(asked.owners, owner.data, documents, today)
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


def _faults(asked: Ask, data: Data) -> Iterable[tuple[str, str]]:
    """Each field that is missing or wrong, with the reason."""
    for name in asked.required:
        parts = asked.parts.get(name)
        if name in data:
            lacking = [each for each in (parts.required if parts else ()) if each not in data[name]]
            yield from ((f"{name}.{each}", MISSING) for each in lacking)
        elif asked.instead.get(name) not in data:
            yield name, MISSING
    for rule in asked.rules:
        if rule.field in data and not rule.holds(data):
            yield rule.field, rule.why


def _lacking(
    asked: Ask, data: Data, documents: Sequence[Document], today: date
) -> tuple[dict[str, Any], list[Document]]:
    """The groups without enough documents, and the expired documents that would have counted."""
    groups: dict[str, Any] = {}
    expired: list[Document] = []
    for name, group in asked.documents.items():
        accepted = group.accepted_at(_country(data))
        good = [each for each in documents if not each.is_expired(today)]
        if sum(_count(each, good) for each in accepted) < group.min_count:
            groups[name] = _group(group, _country(data))
            expired += [
                each for each in documents if each.type in accepted and each.is_expired(today)
            ]
    return groups, expired


def _count(type_: str, documents: Sequence[Document]) -> int:
    """How many documents of this type there are; a back without its front is none."""
    return sum(each.type == type_ and each.sub_type is not SubType.BACK_SIDE for each in documents)


def _message(fields: Mapping[str, str], groups: Mapping[str, Any]) -> str:
    counts = {"fields": len(fields), "groups of documents": len(groups)}
    told = " and ".join(f"{count} {noun}" for noun, count in counts.items() if count)
    return f"Missing or wrong: {told}."


def _documents_message(groups: Mapping[str, Any], expired: Sequence[Document]) -> str:
    old = ", ".join(f"{each.type} {each.id}" for each in expired)
    return " ".join(
        [
            f"Not enough documents for {', '.join(groups)}.",
            *([f"Expired: {old}."] if old else []),
        ]
    )


def _country(data: Data) -> str | None:
    return data[_ADDRESS]["country"] if _ADDRESS in data else None


def _all(parts: Parts) -> tuple[str, ...]:
    return (*parts.required, *parts.optional)
