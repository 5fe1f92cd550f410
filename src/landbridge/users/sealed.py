"""Users between plain and sealed: what stands in the columns of `users`, and what it means."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.privacy.service import DataKey
from landbridge.users.model import Names, Profile, User, UserCard, UserType


@dataclass(frozen=True, slots=True)
class StoredCard:
    """What lists read of a row."""

    org_id: UUID
    id: UUID
    type: UserType
    agreement_id: UUID
    version: int
    created_at: datetime
    updated_at: datetime
    frozen_at: datetime | None
    erased_at: datetime | None
    sealed_card: bytes | None


@dataclass(frozen=True, slots=True)
class StoredUser:
    """A row."""

    card: StoredCard
    request_id: UUID
    sealed_profile: bytes | None


@dataclass(frozen=True, slots=True)
class SealedUser:
    """What is written when somebody has told something about a user."""

    card: bytes
    profile: bytes
    grams: list[int]


def open_card(stored: StoredCard, key: DataKey | None) -> UserCard:
    """The user as lists show it; blank without its key, which is destroyed to erase it."""
    return UserCard(**_common(stored, key))


def open_user(stored: StoredUser, key: DataKey | None) -> User:
    """The user; blank without its key."""
    card, sealed = stored.card, stored.sealed_profile
    profile = Profile()
    if key is not None and sealed is not None:
        profile = key.open(sealed, context=_context("profile", card.id), type=Profile)
    return User(**_common(card, key), request_id=stored.request_id, profile=profile)


def seal_card(user: UserCard, key: DataKey) -> bytes:
    """Names and e-mail address."""
    return key.seal(user.names, context=_context("card", user.id))


def seal_profile(user: User, key: DataKey) -> bytes:
    """Everything else that was told."""
    return key.seal(user.profile, context=_context("profile", user.id))


def seal_request(user_id: UUID, request: dict[str, Any], key: DataKey) -> bytes:
    """What was asked at creation."""
    return key.seal(request, context=_context("request", user_id))


def open_request(user_id: UUID, sealed: bytes, key: DataKey) -> dict[str, Any]:
    """What was asked at creation."""
    return key.open(sealed, context=_context("request", user_id), type=dict[str, Any])


def seal_reason(user_id: UUID, reason: str, key: DataKey) -> bytes:
    """Why a user was frozen."""
    return key.seal(reason, context=_context("freeze_reason", user_id))


def open_reason(user_id: UUID, sealed: bytes, key: DataKey) -> str:
    """Why a user was frozen."""
    return key.open(sealed, context=_context("freeze_reason", user_id), type=str)


def _common(stored: StoredCard, key: DataKey | None) -> dict[str, Any]:
    names = Names()
    if key is not None and stored.sealed_card is not None:
        names = key.open(stored.sealed_card, context=_context("card", stored.id), type=Names)
    return {
        "org_id": stored.org_id,
        "id": stored.id,
        "type": stored.type,
        "names": names,
        "agreement_id": stored.agreement_id,
        "version": stored.version,
        "created_at": stored.created_at,
        "updated_at": stored.updated_at,
        "frozen_at": stored.frozen_at,
        "erased_at": stored.erased_at,
    }


def _context(column: str, user_id: UUID) -> str:
    return f"users.{column}:{user_id}"
