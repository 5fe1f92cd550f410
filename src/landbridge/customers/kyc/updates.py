"""Validation and storage of submitted user and owner data in a KYC profile. Pure.

Every check names the invalid field; members without a field are ignored.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

from landbridge.customers.kyc.field_types import ValidationContext, changed, elements, members
from landbridge.customers.kyc.fields import BY_TYPE, OWNER, OWNERS
from landbridge.customers.kyc.model import OWNERS_MAX, KycOwner, KycProfile
from landbridge.customers.kyc.numbers import TAX_COUNTRY, TAX_NUMBER, canonical_or_same, check_tax
from landbridge.customers.users.model import UserType
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import as_uuid, derived_id
from landbridge.platform.formats.addresses import check_region

_SHARES_MAX = 100
_SAME_PERSON = ("firstName", "lastName", "dateOfBirth")


def with_data(
    dossier: KycProfile,
    submitted: Mapping[str, Any],
    context: ValidationContext,
    *,
    request_id: UUID,
    at: datetime,
) -> KycProfile:
    """Return the KYC profile after an update; null removes a value.

    `ultimateBeneficialOwners` replaces the list. An element with `id` changes that owner. An
    element with the first name, last name and birth date of an owner changes that owner. Other
    elements are new owners, and unlisted owners are removed with their documents. Ids of new owners
    derive from `request_id`: repeating the update with the same one changes nothing.
    """
    data = changed(BY_TYPE[dossier.type], dossier.data, submitted, context)
    data = _linked(dossier.type, data, submitted, context, under="")
    if dossier.type is UserType.INDIVIDUAL or OWNERS not in submitted:
        return replace(dossier, data=data)
    listed = elements(OWNERS, [] if submitted[OWNERS] is None else submitted[OWNERS])
    if len(listed) > OWNERS_MAX:
        raise _too_many()
    owners: list[KycOwner] = []
    for index, each in enumerate(listed):
        under = f"{OWNERS}[{index}]"
        submitted_owner = members(under, each)
        fresh = derived_id(request_id, str(index))
        before = _known(dossier, submitted_owner, owners, fresh, under=under)
        owners.append(
            _owner(before, submitted_owner, context, fresh=fresh, at=at, under=f"{under}.")
        )
    _check_shares(owners, OWNERS)
    owner_ids = {owner.id for owner in owners}
    documents = tuple(
        each for each in dossier.documents if each.owner_id is None or each.owner_id in owner_ids
    )
    return replace(dossier, data=data, owners=tuple(owners), documents=documents)


def with_new_owner(
    dossier: KycProfile,
    submitted: Mapping[str, Any],
    context: ValidationContext,
    *,
    owner_id: UUID,
    at: datetime,
) -> tuple[KycProfile, KycOwner]:
    """Return the KYC profile with one new owner of this id, and that owner; idempotent by id."""
    for known in dossier.owners:
        if known.id == owner_id:
            return dossier, known
    if len(dossier.owners) >= OWNERS_MAX:
        raise _too_many()
    owner = _owner(None, submitted, context, fresh=owner_id, at=at, under="")
    owners = (*dossier.owners, owner)
    _check_shares(owners, "shareProportion")
    return replace(dossier, owners=owners), owner


def with_owner(
    dossier: KycProfile,
    before: KycOwner,
    submitted: Mapping[str, Any],
    context: ValidationContext,
    *,
    at: datetime,
) -> tuple[KycProfile, KycOwner]:
    """Return the KYC profile with one changed owner, and that owner."""
    owner = _owner(before, submitted, context, fresh=before.id, at=at, under="")
    owners = tuple(owner if each.id == owner.id else each for each in dossier.owners)
    _check_shares(owners, "shareProportion")
    return replace(dossier, owners=owners), owner


def _known(
    dossier: KycProfile,
    submitted: Mapping[str, Any],
    matched_owners: list[KycOwner],
    fresh: UUID,
    *,
    under: str,
) -> KycOwner | None:
    """Return the owner that a list element refers to; None for a new one, with id `fresh`."""
    free = {each.id: each for each in dossier.owners}
    for each in matched_owners:
        free.pop(each.id, None)
    if submitted.get("id") is not None:
        known = as_uuid(submitted["id"]) if isinstance(submitted["id"], str) else None
        if known is None or known not in free:
            raise FieldInvalid(
                f"{under}.id must be the id of an owner of this user, given once",
                field=f"{under}.id",
            )
        return free[known]
    if fresh in free:
        return free[fresh]
    identity = [_folded(submitted.get(name)) for name in _SAME_PERSON]
    same = (
        owner
        for owner in free.values()
        if None not in identity
        and [_folded(owner.data.get(name)) for name in _SAME_PERSON] == identity
    )
    return next(same, None)


def _folded(value: Any) -> str | None:
    return value.strip().casefold() if isinstance(value, str) else None


def _owner(
    before: KycOwner | None,
    submitted: Mapping[str, Any],
    context: ValidationContext,
    *,
    fresh: UUID,
    at: datetime,
    under: str,
) -> KycOwner:
    data = changed(OWNER, {} if before is None else before.data, submitted, context, under=under)
    data = _linked(UserType.INDIVIDUAL, data, submitted, context, under=under)
    if before is None:
        return KycOwner(id=fresh, data=data, created_at=at, updated_at=at)
    return before if data == before.data else replace(before, data=data, updated_at=at)


def _linked(
    of: UserType,
    data: dict[str, Any],
    submitted: Mapping[str, Any],
    context: ValidationContext,
    *,
    under: str,
) -> dict[str, Any]:
    """Check fields with a format that depends on another field, if either is submitted."""
    after = dict(data)
    if submitted.keys() & {TAX_NUMBER, *TAX_COUNTRY} and (number := after.get(TAX_NUMBER)):
        check, field = partial(check_tax, of, after), f"{under}{TAX_NUMBER}"
        after[TAX_NUMBER] = (
            canonical_or_same(check, field, number)
            if context.keeps_wrong_numbers
            else check(field, number)
        )
    if submitted.keys() & {"incorporationCountry", "incorporationState"} and (
        (state := after.get("incorporationState"))
        and (country := after.get("incorporationCountry"))
    ):
        after["incorporationState"] = check_region(f"{under}incorporationState", country, state)
    issued, expires = after.get("govIdIssuanceDate"), after.get("govIdExpirationDate")
    # Both are ISO 8601 dates, so comparing the texts compares the dates.
    if issued and expires and issued >= expires:
        field = f"{under}govIdExpirationDate"
        raise FieldInvalid(f"{field} must be after govIdIssuanceDate", field=field)
    return after


def _check_shares(owners: Iterable[KycOwner], field: str) -> None:
    shares = sum(Decimal(each.data.get("shareProportion", 0)) for each in owners)
    if shares > _SHARES_MAX:
        raise FieldInvalid(
            f"{field}: the shares of all owners come to {shares} %, which is over {_SHARES_MAX}",
            field=field,
        )


def _too_many() -> FieldInvalid:
    return FieldInvalid(f"{OWNERS} has at most {OWNERS_MAX} owners", field=OWNERS)
