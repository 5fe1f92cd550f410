"""Validation of submitted user data. Source: contract, users 2.

Pure: every check returns the canonical value or raises `FieldInvalid` naming the field.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date

import msgspec

from landbridge.customers.users.country_policy import CountryPolicy
from landbridge.customers.users.model import BusinessOwner, User, UserNames, UserProfile, UserType
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.addresses import Address, check_address
from landbridge.platform.formats.people import check_birth_date, check_email, check_ip, check_name
from landbridge.platform.metadata.model import merged

# Most owners in a request. A business has at most four with 25 % each, but smaller owners, too.
OWNERS_MAX = 50


@dataclass(frozen=True, slots=True)
class UserDetails:
    """Submitted user data; on an update, None leaves a member unchanged."""

    type: UserType | None
    email: str | None
    first_name: str | None = None
    last_name: str | None = None
    business_name: str | None = None
    date_of_birth: date | None = None
    address: Address | None = None
    ip_address: str | None = None
    ultimate_beneficial_owners: tuple[BusinessOwner, ...] | None = None
    # A value of None removes the key.
    metadata: Mapping[str, str | None] | None = None


def changed(user: User, details: UserDetails, policy: CountryPolicy, *, today: date) -> User:
    """Return the user with the submitted data; all user data is validated here."""
    if details.type is not None and details.type is not user.type:
        raise FieldInvalid(f"type: this user is {user.type} and stays so", field="type")
    _check_kind(user.type, details)
    return replace(
        user,
        names=_names(user.names, details),
        profile=_profile(user.profile, details, policy, today=today),
        metadata=merged(user.metadata, details.metadata or {}),
    )


def _names(names: UserNames, details: UserDetails) -> UserNames:
    return UserNames(
        email=names.email if details.email is None else check_email("email", details.email),
        first_name=_name("firstName", details.first_name, names.first_name),
        last_name=_name("lastName", details.last_name, names.last_name),
        business_name=_name("businessName", details.business_name, names.business_name),
    )


def _name(field: str, value: str | None, before: str | None) -> str | None:
    return before if value is None else check_name(field, value)


def _profile(
    profile: UserProfile, details: UserDetails, policy: CountryPolicy, *, today: date
) -> UserProfile:
    changes: dict[str, object] = {}
    if details.date_of_birth is not None:
        birth_date = check_birth_date("dateOfBirth", details.date_of_birth, today=today)
        changes["date_of_birth"] = birth_date
    if details.address is not None:
        address = check_address("address", details.address)
        policy.check_supported("address", address)
        changes["address"] = address
    if details.ip_address is not None:
        changes["ip_address"] = check_ip("ipAddress", details.ip_address)
    if details.ultimate_beneficial_owners is not None:
        owners = _owners(details.ultimate_beneficial_owners, today=today)
        changes["ultimate_beneficial_owners"] = owners
    return msgspec.structs.replace(profile, **changes)


def _check_kind(kind: UserType, details: UserDetails) -> None:
    """Refuse a business name or owners of an individual, and personal names of a business."""
    foreign = (
        {
            "businessName": details.business_name,
            "ultimateBeneficialOwners": details.ultimate_beneficial_owners,
        }
        if kind is UserType.INDIVIDUAL
        else {
            "firstName": details.first_name,
            "lastName": details.last_name,
            "dateOfBirth": details.date_of_birth,
        }
    )
    for field, value in foreign.items():
        if value is not None:
            raise FieldInvalid(f"{field} does not belong to type {kind}", field=field)


def _owners(owners: tuple[BusinessOwner, ...], *, today: date) -> tuple[BusinessOwner, ...]:
    field = "ultimateBeneficialOwners"
    if not 1 <= len(owners) <= OWNERS_MAX:
        raise FieldInvalid(
            f"{field} must have 1 to {OWNERS_MAX} owners: one with hasControl, one with isSigner",
            field=field,
        )
    checked = tuple(
        _owner(f"{field}[{index}]", owner, today=today) for index, owner in enumerate(owners)
    )
    if not any(owner.has_control for owner in checked):
        raise FieldInvalid(f"{field}: at least one must have hasControl true", field=field)
    if not any(owner.is_signer for owner in checked):
        raise FieldInvalid(f"{field}: at least one must have isSigner true", field=field)
    return checked


def _owner(field: str, owner: BusinessOwner, *, today: date) -> BusinessOwner:
    return BusinessOwner(
        first_name=check_name(f"{field}.firstName", owner.first_name),
        last_name=check_name(f"{field}.lastName", owner.last_name),
        date_of_birth=check_birth_date(f"{field}.dateOfBirth", owner.date_of_birth, today=today),
        has_control=owner.has_control,
        is_signer=owner.is_signer,
    )
