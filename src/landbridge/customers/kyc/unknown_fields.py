"""Unknown members of KYC requests. The bodies are plain objects, so field tables detect them."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from landbridge.customers.kyc.field_types import AddressFieldType, Kind, QuestionnaireFieldType
from landbridge.customers.kyc.fields import BY_TYPE, DOCUMENT, OWNER, OWNERS
from landbridge.customers.users.model import UserType
from landbridge.platform.formats.addresses import Address
from landbridge.platform.http.unknown_names import AnyConnection, handle_unknown, unknown_members

_ID = "id"
_DOCUMENT = {*DOCUMENT, "type", "subType", "uboId"}


def handle_unknown_fields(connection: AnyConnection, of: UserType, data: Mapping[str, Any]) -> None:
    """Apply the setting for unknown fields to a KYC update."""
    fields = BY_TYPE[of]
    is_business = of is UserType.BUSINESS
    found = _unknown(fields, data, {OWNERS} if is_business else set(), "")
    handle_unknown(
        connection, "member", [*found, *(_of_owners(data) if is_business else ())], fields
    )


def handle_unknown_owner_fields(connection: AnyConnection, data: Mapping[str, Any]) -> None:
    """Apply the setting for unknown fields to an owner."""
    handle_unknown(connection, "member", _unknown(OWNER, data, {_ID}, ""), OWNER)


def handle_unknown_document_fields(connection: AnyConnection, *documents: Any) -> None:
    """Apply the setting for unknown fields to documents."""
    found = [
        name
        for each in documents
        if isinstance(each, dict)
        for name in cast("dict[str, Any]", each)
        if name not in _DOCUMENT
    ]
    handle_unknown(connection, "member", found, _DOCUMENT)


def _of_owners(data: Mapping[str, Any]) -> Iterator[str]:
    owners = data.get(OWNERS)
    for index, each in enumerate(cast("list[Any]", owners) if isinstance(owners, list) else ()):
        if isinstance(each, dict):
            yield from _unknown(OWNER, cast("dict[str, Any]", each), {_ID}, f"{OWNERS}[{index}].")


def _unknown(
    fields: Mapping[str, Kind], data: Mapping[str, Any], others: set[str], under: str
) -> Iterator[str]:
    for name, value in data.items():
        match fields.get(name):
            case None if name not in others:
                yield f"{under}{name}"
            case AddressFieldType() if isinstance(value, dict):
                yield from (f"{under}{name}.{each}" for each in unknown_members(Address, value))
            case QuestionnaireFieldType(inner) if isinstance(value, dict):
                parts = cast("dict[str, Any]", value)
                yield from _unknown(inner, parts, set(), f"{under}{name}.")
            case _:
                pass
