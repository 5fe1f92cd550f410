"""Users and their agreements as they are stored."""

import secrets
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.platform.formats.addresses import Address
from landbridge.platform.formats.schemas import NameText

USER_KIND = "USER"
AGREEMENT_KIND = "TOS_LINK"

# Validity of a terms link. Source: contract, users 1 (the sample's createdAt to expiredAt).
AGREEMENT_LIFETIME = timedelta(days=5)


class UserType(StrEnum):
    """Type of a user."""

    INDIVIDUAL = "individual"
    BUSINESS = "business"


class BusinessOwner(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Ultimate beneficial owner of a business."""

    first_name: NameText
    last_name: NameText
    date_of_birth: date
    has_control: bool
    is_signer: bool


class UserProfile(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Further submitted data of a user, under the names of the contract."""

    date_of_birth: date | None = None
    address: Address | None = None
    ip_address: str | None = None
    ultimate_beneficial_owners: tuple[BusinessOwner, ...] = ()


class UserNames(msgspec.Struct, frozen=True, kw_only=True):
    """Names and e-mail of a user: all data that lists show and searches use."""

    email: str = ""
    first_name: str | None = None
    last_name: str | None = None
    business_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRecord:
    """Members of a user that are not encrypted."""

    org_id: UUID
    id: UUID
    type: UserType
    agreement_id: UUID
    version: int
    created_at: datetime
    updated_at: datetime
    frozen_at: datetime | None
    erased_at: datetime | None
    metadata: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class UserCard(UserRecord):
    """User in a list. An erased user has no names and no e-mail."""

    names: UserNames

    @property
    def name(self) -> str:
        """Return the display name: first and last name, or the business's name."""
        names = self.names
        return names.business_name or f"{names.first_name or ''} {names.last_name or ''}".strip()

    @property
    def email(self) -> str:
        """Return the user's e-mail address; empty after erasure."""
        return self.names.email

    @property
    def first_name(self) -> str | None:
        """Return the first name of an individual; None for a business."""
        return self.names.first_name

    @property
    def last_name(self) -> str | None:
        """Return the last name of an individual; None for a business."""
        return self.names.last_name

    @property
    def business_name(self) -> str | None:
        """Return the name of a business; None for an individual."""
        return self.names.business_name

    @property
    def is_frozen(self) -> bool:
        """Return whether the user is frozen; True after erasure."""
        return self.frozen_at is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class User(UserCard):
    """User with all submitted data."""

    request_id: UUID
    profile: UserProfile


@dataclass(frozen=True, slots=True)
class Agreement:
    """Link to the terms of service; signed after the terms are accepted."""

    org_id: UUID
    id: UUID
    template_id: str | None
    redirect_url: str | None
    session_token: str
    created_at: datetime
    expires_at: datetime
    signed_at: datetime | None
    signed_from: str | None
    # Version of the terms that was accepted; None before acceptance.
    version: str | None


def new_session_token() -> str:
    """Return a random token, which only the page of a link contains."""
    return secrets.token_urlsafe(32)
