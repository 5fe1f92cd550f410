"""The particulars that make a user: what is asked of a person and of a business. Pure."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import msgspec

from landbridge.formats.places import Address
from landbridge.kyc.fields import BUSINESS, INDIVIDUAL, OWNER, OWNERS
from landbridge.kyc.kinds import Flag
from landbridge.onboarding.inputs import Question
from landbridge.users.checks import Particulars
from landbridge.users.model import Owner, UserType

_PERSON = ("firstName", "lastName", "email", "dateOfBirth", "address")
_COMPANY = ("businessName", "email", "address")
_OWNER = ("firstName", "lastName", "dateOfBirth")
# Whoever controls the business, and whoever signs for it, if that is somebody else.
CONTROLLER, SIGNER = "controller", "signer"
SAME_PERSON = "controller.isSigner"


def about(of: UserType) -> list[Question]:
    """What is asked of somebody who becomes a user."""
    if of is UserType.INDIVIDUAL:
        return [Question(name, INDIVIDUAL[name], of) for name in _PERSON]
    return [Question(name, BUSINESS[name], of) for name in _COMPANY]


def controller() -> list[Question]:
    """What is asked about who controls the business."""
    return [*_owner(CONTROLLER), Question(SAME_PERSON, Flag(), None, name="isSigner")]


def signer() -> list[Question]:
    """What is asked about who signs for it."""
    return _owner(SIGNER)


def particulars(of: UserType, told: Mapping[str, Any]) -> Particulars:
    """What was answered, as users are made of it."""
    owners = None
    if of is UserType.BUSINESS:
        is_same = told[SAME_PERSON]
        owners = (_as_owner(told, CONTROLLER, has_control=True, is_signer=is_same),)
        if not is_same:
            owners += (_as_owner(told, SIGNER, has_control=False, is_signer=True),)
    born = told.get("dateOfBirth")
    return Particulars(
        type=of,
        email=told["email"],
        first_name=told.get("firstName"),
        last_name=told.get("lastName"),
        business_name=told.get("businessName"),
        date_of_birth=None if born is None else date.fromisoformat(born),
        address=msgspec.convert(told["address"], Address),
        ultimate_beneficial_owners=owners,
    )


def asked_as(field: str) -> str:
    """Under which path a field of `particulars` is asked."""
    for place, who in enumerate((CONTROLLER, SIGNER)):
        if field.startswith(f"{OWNERS}[{place}]."):
            return f"{who}.{field.partition('].')[2]}"
    return field


def _owner(who: str) -> list[Question]:
    return [Question(f"{who}.{name}", OWNER[name], None, name=name) for name in _OWNER]


def _as_owner(told: Mapping[str, Any], who: str, *, has_control: bool, is_signer: bool) -> Owner:
    return Owner(
        first_name=told[f"{who}.firstName"],
        last_name=told[f"{who}.lastName"],
        date_of_birth=date.fromisoformat(told[f"{who}.dateOfBirth"]),
        has_control=has_control,
        is_signer=is_signer,
    )
