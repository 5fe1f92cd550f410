"""Who a user is, between the forms and the interface: names, birth, address, owners."""

from collections.abc import Mapping
from typing import Any, cast

from landbridge.core.errors import FieldInvalid
from landbridge.dashboard.forms import whole_number
from landbridge.dashboard.users.nesting import nested
from landbridge.users.checks import OWNERS_MAX
from landbridge.users.model import UserType

OWNERS = "ultimateBeneficialOwners"
OWNERS_SHOWN_MAX = OWNERS_MAX
_COMMON = ("email", "address", "ipAddress")
_OF_TYPE = {
    UserType.INDIVIDUAL: ("firstName", "lastName", "dateOfBirth"),
    UserType.BUSINESS: ("businessName", OWNERS),
}
_TICKS = ("hasControl", "isSigner")


def particulars_body(told: Mapping[str, str], type_: str) -> dict[str, Any]:
    """The members that a form tells of a user of this type; what is empty is left out."""
    body = nested(told, *_COMMON, *_OF_TYPE[UserType(type_)])
    owners = body.get(OWNERS)
    if isinstance(owners, list):
        many = cast("list[Any]", owners)
        body[OWNERS] = [
            _owner(cast("dict[str, Any]", each)) for each in many if isinstance(each, dict)
        ]
    elif owners is not None:
        del body[OWNERS]
    return body


def owner_count(told: Mapping[str, str]) -> int:
    """How many owners a form shows: one, if what was told is no such number."""
    try:
        return whole_number(told.get("owners", ""), "owners", least=1, most=OWNERS_SHOWN_MAX)
    except FieldInvalid:
        return 1


def changes(told: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """The members that differ from what is known."""
    return {name: value for name, value in told.items() if value != _settled(known.get(name))}


def _settled(value: Any) -> Any:
    """Without members that are null: forms have none."""
    if not isinstance(value, Mapping):
        return value
    told = cast("Mapping[str, Any]", value)
    return {name: each for name, each in told.items() if each is not None}


def _owner(told: dict[str, Any]) -> dict[str, Any]:
    return told | {name: bool(told.get(name)) for name in _TICKS}
