"""Registration data of a user: questions for a person and for a business. Pure."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import msgspec

from landbridge.customers.kyc.field_types import BooleanFieldType
from landbridge.customers.kyc.fields import BUSINESS, INDIVIDUAL, OWNER, OWNERS
from landbridge.customers.onboarding.form_inputs import FormQuestion
from landbridge.customers.users.model import BusinessOwner, UserType
from landbridge.customers.users.validation import UserDetails
from landbridge.platform.formats.addresses import Address

_PERSON = ("firstName", "lastName", "email", "dateOfBirth", "address")
_COMPANY = ("businessName", "email", "address")
_OWNER = ("firstName", "lastName", "dateOfBirth")
# Prefixes of questions about a business's controller, and its signer if that is another person.
CONTROLLER, SIGNER = "controller", "signer"
SAME_PERSON = "controller.isSigner"


def subject_questions(of: UserType) -> list[FormQuestion]:
    """Return the questions for a new user."""
    if of is UserType.INDIVIDUAL:
        return [FormQuestion(name, INDIVIDUAL[name], of) for name in _PERSON]
    return [FormQuestion(name, BUSINESS[name], of) for name in _COMPANY]


def controller() -> list[FormQuestion]:
    """Return the questions about the controller of the business."""
    return [
        *_owner(CONTROLLER),
        FormQuestion(SAME_PERSON, BooleanFieldType(), None, name="isSigner"),
    ]


def signer() -> list[FormQuestion]:
    """Return the questions about the signer of the business."""
    return _owner(SIGNER)


def particulars(of: UserType, answers: Mapping[str, Any]) -> UserDetails:
    """Return the answers as the input of user creation."""
    owners = None
    if of is UserType.BUSINESS:
        is_same = answers[SAME_PERSON]
        owners = (_as_owner(answers, CONTROLLER, has_control=True, is_signer=is_same),)
        if not is_same:
            owners += (_as_owner(answers, SIGNER, has_control=False, is_signer=True),)
    birth_date = answers.get("dateOfBirth")
    return UserDetails(
        type=of,
        email=answers["email"],
        first_name=answers.get("firstName"),
        last_name=answers.get("lastName"),
        business_name=answers.get("businessName"),
        date_of_birth=None if birth_date is None else date.fromisoformat(birth_date),
        address=msgspec.convert(answers["address"], Address),
        ultimate_beneficial_owners=owners,
    )


def question_path(field: str) -> str:
    """Return the question path of a field of `particulars`."""
    for index, role in enumerate((CONTROLLER, SIGNER)):
        if field.startswith(f"{OWNERS}[{index}]."):
            return f"{role}.{field.partition('].')[2]}"
    return field


def _owner(role: str) -> list[FormQuestion]:
    return [FormQuestion(f"{role}.{name}", OWNER[name], None, name=name) for name in _OWNER]


def _as_owner(
    answers: Mapping[str, Any], role: str, *, has_control: bool, is_signer: bool
) -> BusinessOwner:
    return BusinessOwner(
        first_name=answers[f"{role}.firstName"],
        last_name=answers[f"{role}.lastName"],
        date_of_birth=date.fromisoformat(answers[f"{role}.dateOfBirth"]),
        has_control=has_control,
        is_signer=is_signer,
    )
