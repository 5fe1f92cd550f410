"""What a caller tells about a user, checked. Source: contract, users 2.

Pure: every check answers the canonical value or raises `FieldInvalid` naming the field.
"""

from dataclasses import dataclass, replace
from datetime import date

import msgspec

from landbridge.core.errors import FieldInvalid
from landbridge.formats.people import check_birth_date, check_email, check_ip, check_name
from landbridge.formats.places import Address, check_address
from landbridge.users.model import Names, Owner, Profile, User, UserType
from landbridge.users.policy import Policy

# A business with more owners of 25 % each there can't be; this leaves room for all that are told.
OWNERS_MAX = 50


@dataclass(frozen=True, slots=True)
class Particulars:
    """What a caller tells about a user; on an update, None leaves a member as it is."""

    type: UserType | None
    email: str | None
    first_name: str | None = None
    last_name: str | None = None
    business_name: str | None = None
    date_of_birth: date | None = None
    address: Address | None = None
    ip_address: str | None = None
    ultimate_beneficial_owners: tuple[Owner, ...] | None = None


def changed(user: User, told: Particulars, policy: Policy, *, today: date) -> User:
    """The user with what was told; the one place where particulars are checked."""
    if told.type is not None and told.type is not user.type:
        raise FieldInvalid(f"type: this user is {user.type} and stays so", field="type")
    _check_kind(user.type, told)
    return replace(
        user,
        names=_names(user.names, told),
        profile=_profile(user.profile, told, policy, today=today),
    )


def _names(names: Names, told: Particulars) -> Names:
    return Names(
        email=names.email if told.email is None else check_email("email", told.email),
        first_name=_name("firstName", told.first_name, names.first_name),
        last_name=_name("lastName", told.last_name, names.last_name),
        business_name=_name("businessName", told.business_name, names.business_name),
    )


def _name(field: str, told: str | None, before: str | None) -> str | None:
    return before if told is None else check_name(field, told)


def _profile(profile: Profile, told: Particulars, policy: Policy, *, today: date) -> Profile:
    changes: dict[str, object] = {}
    if told.date_of_birth is not None:
        born = check_birth_date("dateOfBirth", told.date_of_birth, today=today)
        changes["date_of_birth"] = born
    if told.address is not None:
        address = check_address("address", told.address)
        policy.check_supported("address", address)
        changes["address"] = address
    if told.ip_address is not None:
        changes["ip_address"] = check_ip("ipAddress", told.ip_address)
    if told.ultimate_beneficial_owners is not None:
        owners = _owners(told.ultimate_beneficial_owners, today=today)
        changes["ultimate_beneficial_owners"] = owners
    return msgspec.structs.replace(profile, **changes)


def _check_kind(kind: UserType, told: Particulars) -> None:
    """Individuals have no business name and no owners; businesses have no personal names."""
    foreign = (
        {
            "businessName": told.business_name,
            "ultimateBeneficialOwners": told.ultimate_beneficial_owners,
        }
        if kind is UserType.INDIVIDUAL
        else {
            "firstName": told.first_name,
            "lastName": told.last_name,
            "dateOfBirth": told.date_of_birth,
        }
    )
    for field, value in foreign.items():
        if value is not None:
            raise FieldInvalid(f"{field} does not belong to type {kind}", field=field)


def _owners(owners: tuple[Owner, ...], *, today: date) -> tuple[Owner, ...]:
    field = "ultimateBeneficialOwners"
    if not 1 <= len(owners) <= OWNERS_MAX:
        raise FieldInvalid(
            f"{field} must have 1 to {OWNERS_MAX} owners: one with hasControl, one with isSigner",
            field=field,
        )
    checked = tuple(
        _owner(f"{field}[{place}]", owner, today=today) for place, owner in enumerate(owners)
    )
    if not any(owner.has_control for owner in checked):
        raise FieldInvalid(f"{field}: at least one must have hasControl true", field=field)
    if not any(owner.is_signer for owner in checked):
        raise FieldInvalid(f"{field}: at least one must have isSigner true", field=field)
    return checked


def _owner(field: str, owner: Owner, *, today: date) -> Owner:
    return Owner(
        first_name=check_name(f"{field}.firstName", owner.first_name),
        last_name=check_name(f"{field}.lastName", owner.last_name),
        date_of_birth=check_birth_date(f"{field}.dateOfBirth", owner.date_of_birth, today=today),
        has_control=owner.has_control,
        is_signer=owner.is_signer,
    )
