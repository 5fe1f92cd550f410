"""Conversion between profile forms and API bodies: name, date of birth, address, owners."""

from collections.abc import Mapping

from landbridge.customers.users.model import UserType
from landbridge.customers.users.validation import OWNERS_MAX
from landbridge.dashboard.forms import parse_integer
from landbridge.dashboard.json_text import JsonObject, JsonValue
from landbridge.dashboard.users.nested_fields import nest
from landbridge.platform.core.errors import FieldInvalid

_OWNERS = "ultimateBeneficialOwners"
OWNERS_SHOWN_MAX = OWNERS_MAX
_COMMON = ("email", "address", "ipAddress")
_FIELDS_BY_TYPE = {
    UserType.INDIVIDUAL: ("firstName", "lastName", "dateOfBirth"),
    UserType.BUSINESS: ("businessName", _OWNERS),
}
_CHECKBOXES = ("hasControl", "isSigner")


def particulars_body(submitted: Mapping[str, str], type_: str) -> JsonObject:
    """Return the body for a user of this type; empty fields are left out."""
    body = nest(submitted, *_COMMON, *_FIELDS_BY_TYPE[UserType(type_)])
    owners = body.get(_OWNERS)
    if isinstance(owners, list):
        body[_OWNERS] = [
            {**each, **{name: bool(each.get(name)) for name in _CHECKBOXES}}
            for each in owners
            if isinstance(each, dict)
        ]
    elif owners is not None:
        del body[_OWNERS]
    return body


def owner_count(submitted: Mapping[str, str]) -> int:
    """Return the number of owners to show; 1 if the submitted number is invalid."""
    try:
        return parse_integer(
            submitted.get("owners", ""), "owners", minimum=1, maximum=OWNERS_SHOWN_MAX
        )
    except FieldInvalid:
        return 1


def changed_fields(submitted: JsonObject, current: JsonObject) -> JsonObject:
    """Return the fields that differ from the current ones."""
    return {
        name: value
        for name, value in submitted.items()
        if value != _without_nulls(current.get(name))
    }


def _without_nulls(value: JsonValue) -> JsonValue:
    """Return an object without its null fields, which forms do not have."""
    if not isinstance(value, Mapping):
        return value
    return {name: each for name, each in value.items() if each is not None}
