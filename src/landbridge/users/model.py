"""Users and their agreements as they are stored."""

import secrets
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.formats.places import Address

USER_KIND = "USER"
AGREEMENT_KIND = "TOS_LINK"

# Source: contract, users 1 (the sample's createdAt to expiredAt).
AGREEMENT_LIFETIME = timedelta(days=5)


class UserType(StrEnum):
    """What a user is."""

    INDIVIDUAL = "individual"
    BUSINESS = "business"


class Owner(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An ultimate beneficial owner of a business."""

    first_name: str
    last_name: str
    date_of_birth: date
    has_control: bool
    is_signer: bool


class Profile(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What else was told about a user, in the words of the contract."""

    date_of_birth: date | None = None
    address: Address | None = None
    ip_address: str | None = None
    ultimate_beneficial_owners: tuple[Owner, ...] = ()


class Names(msgspec.Struct, frozen=True, kw_only=True):
    """What a user is called and written to: all that lists show, and what is searched."""

    email: str = ""
    first_name: str | None = None
    last_name: str | None = None
    business_name: str | None = None


@dataclass(frozen=True, slots=True)
class UserCard:
    """A user as lists show it. One whose personal data was erased has no names and no e-mail."""

    org_id: UUID
    id: UUID
    type: UserType
    names: Names
    agreement_id: UUID
    version: int
    created_at: datetime
    updated_at: datetime
    frozen_at: datetime | None
    erased_at: datetime | None

    @property
    def name(self) -> str:
        """As it is shown: first and last name, or the business's."""
        names = self.names
        return names.business_name or f"{names.first_name or ''} {names.last_name or ''}".strip()

    @property
    def email(self) -> str:
        """Where the user is written to; empty once erased."""
        return self.names.email

    @property
    def first_name(self) -> str | None:
        """An individual's; None for a business."""
        return self.names.first_name

    @property
    def last_name(self) -> str | None:
        """An individual's; None for a business."""
        return self.names.last_name

    @property
    def business_name(self) -> str | None:
        """A business's; None for an individual."""
        return self.names.business_name

    @property
    def is_frozen(self) -> bool:
        """Whether the user may move nothing; so it is after erasure."""
        return self.frozen_at is not None


@dataclass(frozen=True, slots=True)
class User(UserCard):
    """An individual has a first and a last name, a business a business name."""

    request_id: UUID
    profile: Profile


@dataclass(frozen=True, slots=True)
class Agreement:
    """A link to the terms of service; signed once somebody has accepted them."""

    org_id: UUID
    id: UUID
    template_id: str | None
    redirect_url: str | None
    session_token: str
    created_at: datetime
    expires_at: datetime
    signed_at: datetime | None
    signed_from: str | None
    # Of the terms, as it was in force when they were accepted.
    version: str | None


def new_session_token() -> str:
    """A token that only the page behind the link knows."""
    return secrets.token_urlsafe(32)
