"""What a caller tells about a user and its owners, put into a dossier. Pure.

Every check names the field at fault; members that have no field are ignored.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import as_uuid, derived_id
from landbridge.formats.places import check_region
from landbridge.formats.tax import check_tax_number
from landbridge.kyc.fields import BY_TYPE, OWNER, OWNERS
from landbridge.kyc.kinds import Context, changed, elements, members
from landbridge.kyc.model import OWNERS_MAX, Data, Dossier, Owner
from landbridge.users.model import UserType

_SHARES_MAX = 100
_SAME_PERSON = ("firstName", "lastName", "dateOfBirth")
# Numbers that only one country gives.
_TAX_NUMBERS_OF_USA = {"EIN", "SSN"}


def with_data(
    dossier: Dossier,
    told: Mapping[str, Any],
    context: Context,
    *,
    request_id: UUID,
    at: datetime,
) -> Dossier:
    """The dossier after `told`; null takes a value away.

    `ultimateBeneficialOwners` replaces the list: an element with `id` changes that owner, one that
    has first and last name and birth date of an owner changes that one, others are new, and owners
    who are not listed are removed with their documents. Ids of new owners come from `request_id`:
    told again under the same one, nothing changes.
    """
    data = changed(BY_TYPE[dossier.type], dossier.data, told, context)
    data = _linked(dossier.type, data, told, under="")
    if dossier.type is UserType.INDIVIDUAL or OWNERS not in told:
        return replace(dossier, data=data)
    listed = elements(OWNERS, [] if told[OWNERS] is None else told[OWNERS])
    if len(listed) > OWNERS_MAX:
        raise _too_many()
    owners: list[Owner] = []
    for place, each in enumerate(listed):
        under = f"{OWNERS}[{place}]"
        told_owner = members(under, each)
        fresh = derived_id(request_id, str(place))
        before = _known(dossier, told_owner, owners, fresh, under=under)
        owners.append(_owner(before, told_owner, context, fresh=fresh, at=at, under=f"{under}."))
    _check_shares(owners, OWNERS)
    kept = {owner.id for owner in owners}
    documents = tuple(
        each for each in dossier.documents if each.owner_id is None or each.owner_id in kept
    )
    return replace(dossier, data=data, owners=tuple(owners), documents=documents)


def with_new_owner(
    dossier: Dossier,
    told: Mapping[str, Any],
    context: Context,
    *,
    owner_id: UUID,
    at: datetime,
) -> tuple[Dossier, Owner]:
    """The dossier with one more owner of this id, and that owner; told again, it stays one."""
    for known in dossier.owners:
        if known.id == owner_id:
            return dossier, known
    if len(dossier.owners) >= OWNERS_MAX:
        raise _too_many()
    owner = _owner(None, told, context, fresh=owner_id, at=at, under="")
    owners = (*dossier.owners, owner)
    _check_shares(owners, "shareProportion")
    return replace(dossier, owners=owners), owner


def with_owner(
    dossier: Dossier, before: Owner, told: Mapping[str, Any], context: Context, *, at: datetime
) -> tuple[Dossier, Owner]:
    """The dossier with one owner changed, and that owner."""
    owner = _owner(before, told, context, fresh=before.id, at=at, under="")
    owners = tuple(owner if each.id == owner.id else each for each in dossier.owners)
    _check_shares(owners, "shareProportion")
    return replace(dossier, owners=owners), owner


def _known(
    dossier: Dossier, told: Mapping[str, Any], taken: list[Owner], fresh: UUID, *, under: str
) -> Owner | None:
    """The owner of whom an element of the list tells; None for a new one, which will be `fresh`."""
    free = {each.id: each for each in dossier.owners}
    for each in taken:
        free.pop(each.id, None)
    if told.get("id") is not None:
        known = as_uuid(told["id"]) if isinstance(told["id"], str) else None
        if known is None or known not in free:
            raise FieldInvalid(
                f"{under}.id must be the id of an owner of this user, given once",
                field=f"{under}.id",
            )
        return free[known]
    if fresh in free:
        return free[fresh]
    who = [_folded(told.get(name)) for name in _SAME_PERSON]
    same = (
        owner
        for owner in free.values()
        if None not in who and [_folded(owner.data.get(name)) for name in _SAME_PERSON] == who
    )
    return next(same, None)


def _folded(value: Any) -> str | None:
    return value.strip().casefold() if isinstance(value, str) else None


def _owner(
    before: Owner | None,
    told: Mapping[str, Any],
    context: Context,
    *,
    fresh: UUID,
    at: datetime,
    under: str,
) -> Owner:
    data = changed(OWNER, {} if before is None else before.data, told, context, under=under)
    data = _linked(UserType.INDIVIDUAL, data, told, under=under)
    if before is None:
        return Owner(id=fresh, data=data, created_at=at, updated_at=at)
    return before if data == before.data else replace(before, data=data, updated_at=at)


def _linked(
    of: UserType, data: dict[str, Any], told: Mapping[str, Any], *, under: str
) -> dict[str, Any]:
    """Fields whose form another field decides, checked if either is told."""
    after = dict(data)
    if told.keys() & {
        *("taxIdentificationNumber", "taxIdentificationNumberType", "taxResidenceCountry"),
        *("address", "registeredAddress", "incorporationCountry"),
    } and (number := after.get("taxIdentificationNumber")):
        after["taxIdentificationNumber"] = check_tax_number(
            f"{under}taxIdentificationNumber", number, country=_tax_country(of, after)
        )
    if told.keys() & {"incorporationCountry", "incorporationState"} and (
        (state := after.get("incorporationState"))
        and (country := after.get("incorporationCountry"))
    ):
        after["incorporationState"] = check_region(f"{under}incorporationState", country, state)
    issued, expires = after.get("govIdIssuanceDate"), after.get("govIdExpirationDate")
    # Both are ISO 8601, which sorts as it dates.
    if issued and expires and issued >= expires:
        field = f"{under}govIdExpirationDate"
        raise FieldInvalid(f"{field} must be after govIdIssuanceDate", field=field)
    return after


def _tax_country(of: UserType, data: Data) -> str | None:
    """Whose rules a tax number goes by, as far as it is known."""
    if of is UserType.INDIVIDUAL:
        return data.get("taxResidenceCountry") or _country(data, "address")
    if data.get("taxIdentificationNumberType") in _TAX_NUMBERS_OF_USA:
        return "USA"
    return (
        data.get("incorporationCountry")
        or _country(data, "registeredAddress")
        or _country(data, "address")
    )


def _country(data: Data, address: str) -> str | None:
    return data[address]["country"] if address in data else None


def _check_shares(owners: Iterable[Owner], field: str) -> None:
    shares = sum(Decimal(each.data.get("shareProportion", 0)) for each in owners)
    if shares > _SHARES_MAX:
        raise FieldInvalid(
            f"{field}: the shares of all owners come to {shares} %, which is over {_SHARES_MAX}",
            field=field,
        )


def _too_many() -> FieldInvalid:
    return FieldInvalid(f"{OWNERS} has at most {OWNERS_MAX} owners", field=OWNERS)
