"""Users and their agreements as they are stored."""

import secrets
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

USER_KIND = "USER"
AGREEMENT_KIND = "TOS_LINK"

# Source: contract, users 1 (the sample's createdAt to expiredAt).
AGREEMENT_LIFETIME = timedelta(days=5)


class UserType(StrEnum):
    """What a user is."""

    INDIVIDUAL = "individual"
    BUSINESS = "business"


class Address(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A postal address; `state_province_region` is the second half of an ISO 3166-2 code."""

    address_line1: str
    address_line2: str | None = None
    city: str
    state_province_region: str
    postal_code: str
    country: str


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


@dataclass(frozen=True, slots=True)
class User:
    """An individual has a first and a last name, a business a business name."""

    org_id: UUID
    id: UUID
    request_id: UUID
    request: Any
    type: UserType
    email: str
    first_name: str | None
    last_name: str | None
    business_name: str | None
    profile: Profile
    agreement_id: UUID
    version: int
    created_at: datetime
    updated_at: datetime

    @property
    def name(self) -> str:
        """As it is shown: first and last name, or the business's."""
        return self.business_name or f"{self.first_name} {self.last_name}"


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


def new_session_token() -> str:
    """A token that only the page behind the link knows."""
    return secrets.token_urlsafe(32)
