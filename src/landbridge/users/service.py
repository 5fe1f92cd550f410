"""Verbs on users. Source: contract, users 2."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from ipaddress import AddressValueError, IPv4Address
from typing import Any
from uuid import UUID

import msgspec

from landbridge.chains.tokens import Chain
from landbridge.changes.service import tell
from landbridge.core.clock import Clock
from landbridge.core.errors import Busy, FieldInvalid, ResourceConflict
from landbridge.core.ids import new_id
from landbridge.core.pages import Window
from landbridge.db.group import Group
from landbridge.db.pool import Database, Tx
from landbridge.ledger.service import first_difference
from landbridge.users import store, terms
from landbridge.users.errors import UserNotFound
from landbridge.users.model import USER_KIND, Address, Owner, Profile, User, UserType
from landbridge.wallets.service import Wallets
from landbridge.web.caller import Caller

# Source: contract, users 2.
DEFAULT_CHAINS = (Chain.POLYGON, Chain.ETHEREUM)

_TEXT_LENGTH_MAX = 200
_COUNTRY_LENGTH = 3
_ATTEMPTS = 3


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


@dataclass(frozen=True, slots=True)
class Filters:
    """Case-insensitive partial matches."""

    type: UserType | None
    first_name: str | None
    last_name: str | None
    business_name: str | None
    email: str | None


class Users:
    """Users of all organisations."""

    def __init__(self, database: Database, wallets: Wallets, clock: Clock) -> None:
        self._database = database
        self._wallets = wallets
        self._clock = clock
        self._lookups = Group(self._which_exist, lanes=2)

    async def create(
        self,
        caller: Caller,
        told: Particulars,
        *,
        agreement_id: UUID,
        chains: Collection[Chain],
        request_id: UUID | None,
        request: dict[str, Any],
    ) -> User:
        """Make a user with wallets on `chains`, once per request id.

        Raises `FieldInvalid` (also for terms that were not accepted) and `ResourceConflict` for a
        request id that was used with another body.
        """
        at = self._clock.stamp(caller.clock_offset)
        user = _new_user(
            caller,
            told,
            agreement_id=agreement_id,
            request_id=request_id or new_id(),
            request=request,
            at=at,
        )

        async def work(tx: Tx) -> User:
            known = await store.find_request(tx, caller.org_id, user.request_id)
            if known is None:
                await terms.check_signed(tx, caller.org_id, agreement_id)
                if await store.add(tx, user):
                    await self._wallets.open(tx, caller.org_id, user.id, chains, at)
                    await _tell(tx, user, "create", caller.actor, at)
                    return user
                known = await store.find_request(tx, caller.org_id, user.request_id)
            if known is None:
                raise Busy("another request with this requestId has just been rolled back")
            if field := first_difference(known.request, request):
                raise ResourceConflict(
                    f"requestId {user.request_id} was already used with another {field}",
                    field=field,
                )
            return known

        return await self._database.transact(work)

    async def get(self, org_id: UUID, user_id: UUID) -> User:
        """A user; raises `UserNotFound`, also for another organisation's."""
        found = await self._database.single(lambda tx: store.get(tx, org_id, user_id))
        if found is None:
            raise UserNotFound(f"there is no user {user_id}")
        return found

    async def check_exists(self, org_id: UUID, user_id: UUID) -> None:
        """Raise `UserNotFound` unless there is such a user; cheap under load."""
        if not await self._lookups.call((org_id, user_id)):
            raise UserNotFound(f"there is no user {user_id}")

    async def page(self, org_id: UUID, filters: Filters, window: Window) -> Sequence[User]:
        """A page of users, newest first."""
        like = (
            filters.type,
            _pattern(filters.first_name),
            _pattern(filters.last_name),
            _pattern(filters.business_name),
            _pattern(filters.email),
        )
        return await self._database.single(
            lambda tx: store.page(
                tx,
                org_id,
                after=window.since,
                before=window.position,
                limit=window.limit,
                like=like,
            )
        )

    async def update(
        self, caller: Caller, user_id: UUID, told: Particulars, *, agreement_id: UUID | None
    ) -> User:
        """Change what `told` names, leave the rest; raises `FieldInvalid` and `UserNotFound`.

        `agreement_id` is set when the person has accepted terms again.
        """
        for _ in range(_ATTEMPTS):
            before = await self.get(caller.org_id, user_id)
            at = self._clock.stamp(caller.clock_offset)
            after = _changed(before, told)
            if agreement_id is not None:
                after = replace(after, agreement_id=agreement_id)

            async def work(tx: Tx, after: User = after, at: datetime = at) -> bool:
                if agreement_id is not None:
                    await terms.check_signed(tx, caller.org_id, agreement_id)
                if not await store.update(tx, after, at):
                    return False
                changed = replace(after, version=after.version + 1)
                await _tell(tx, changed, "update", caller.actor, at)
                return True

            if await self._database.transact(work):
                return replace(after, version=after.version + 1, updated_at=at)
        raise Busy("the user is being changed by somebody else")

    async def add_wallets(self, caller: Caller, user_id: UUID, chains: Collection[Chain]) -> User:
        """Open wallets on more chains; those that the user has stay as they are."""
        user = await self.get(caller.org_id, user_id)
        at = self._clock.stamp(caller.clock_offset)

        async def work(tx: Tx) -> None:
            await self._wallets.open(tx, caller.org_id, user_id, chains, at)

        await self._database.transact(work)
        return user

    async def _which_exist(self, wanted: list[tuple[UUID, UUID]]) -> list[bool]:
        found = await self._database.single(lambda tx: store.which_exist(tx, wanted))
        return [each in found for each in wanted]


async def _tell(tx: Tx, user: User, what: str, actor: str, at: datetime) -> None:
    await tell(
        tx,
        org_id=user.org_id,
        object_id=user.id,
        seq=user.version,
        kind=USER_KIND,
        what=what,
        actor=actor,
        at=at,
    )


def _new_user(
    caller: Caller,
    told: Particulars,
    *,
    agreement_id: UUID,
    request_id: UUID,
    request: dict[str, Any],
    at: datetime,
) -> User:
    blank = User(
        org_id=caller.org_id,
        id=new_id(),
        request_id=request_id,
        request=request,
        type=told.type or UserType.INDIVIDUAL,
        email="",
        first_name=None,
        last_name=None,
        business_name=None,
        profile=Profile(),
        agreement_id=agreement_id,
        version=1,
        created_at=at,
        updated_at=at,
    )
    if told.address is None and told.ip_address is None:
        raise FieldInvalid("address or ipAddress is required", field="address")
    return _changed(blank, told)


def _changed(user: User, told: Particulars) -> User:
    """The user with what was told; the one place where particulars are checked."""
    if told.type is not None and told.type is not user.type:
        raise FieldInvalid(f"type: this user is {user.type} and stays so", field="type")
    _check_kind(user.type, told)
    profile = msgspec.structs.replace(
        user.profile,
        date_of_birth=told.date_of_birth or user.profile.date_of_birth,
        address=_checked_address(told.address) or user.profile.address,
        ip_address=_checked_ip(told.ip_address) or user.profile.ip_address,
        ultimate_beneficial_owners=_checked_owners(told.ultimate_beneficial_owners)
        or user.profile.ultimate_beneficial_owners,
    )
    return replace(
        user,
        email=user.email if told.email is None else _checked_email(told.email),
        first_name=_text("firstName", told.first_name) or user.first_name,
        last_name=_text("lastName", told.last_name) or user.last_name,
        business_name=_text("businessName", told.business_name) or user.business_name,
        profile=profile,
    )


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


def _checked_email(email: str) -> str:
    name, at, domain = email.strip().rpartition("@")
    fits = len(email) <= _TEXT_LENGTH_MAX and not any(each.isspace() for each in email.strip())
    if not (at and name and "." in domain.strip(".") and fits):
        raise FieldInvalid("email is not an e-mail address", field="email")
    return email.strip()


def _checked_address(address: Address | None) -> Address | None:
    if address is None:
        return None
    for field in ("addressLine1", "city", "stateProvinceRegion", "postalCode"):
        _text(f"address.{field}", msgspec.to_builtins(address)[field])
    country = address.country
    if not (len(country) == _COUNTRY_LENGTH and country.isascii() and country.isalpha()):
        raise FieldInvalid(
            "address.country must be an ISO 3166-1 alpha-3 code, as in USA", field="address.country"
        )
    return address


def _checked_ip(ip_address: str | None) -> str | None:
    if ip_address is None:
        return None
    try:
        return str(IPv4Address(ip_address))
    except AddressValueError as error:
        raise FieldInvalid("ipAddress is not an IPv4 address", field="ipAddress") from error


def _checked_owners(owners: tuple[Owner, ...] | None) -> tuple[Owner, ...] | None:
    if owners is None:
        return None
    field = "ultimateBeneficialOwners"
    for place, owner in enumerate(owners):
        _text(f"{field}[{place}].firstName", owner.first_name)
        _text(f"{field}[{place}].lastName", owner.last_name)
    if not any(owner.has_control for owner in owners):
        raise FieldInvalid(f"{field}: at least one must have hasControl true", field=field)
    if not any(owner.is_signer for owner in owners):
        raise FieldInvalid(f"{field}: at least one must have isSigner true", field=field)
    return owners


def _text(field: str, text: str | None) -> str | None:
    if text is None:
        return None
    if not 1 <= len(text.strip()) <= _TEXT_LENGTH_MAX:
        raise FieldInvalid(f"{field} must have 1 to {_TEXT_LENGTH_MAX} characters", field=field)
    return text.strip()


def _pattern(text: str | None) -> str | None:
    """A LIKE pattern that finds `text` anywhere, whatever characters it has."""
    if text is None:
        return None
    escaped = text.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
    return f"%{escaped}%"
