"""Encryption and decryption of user rows."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from landbridge.customers.users.model import User, UserCard, UserNames, UserProfile, UserRecord
from landbridge.platform.core.fields import field_values
from landbridge.platform.encryption.service import DataKey


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCard(UserRecord):
    """Columns of a row that lists read."""

    sealed_summary: bytes | None


@dataclass(frozen=True, slots=True)
class StoredUser:
    """Row of `users`."""

    card: StoredCard
    request_id: UUID
    sealed_profile: bytes | None


@dataclass(frozen=True, slots=True)
class SealedUser:
    """Encrypted columns of a user's row, which are written when user data changes."""

    card: bytes
    profile: bytes
    search_trigrams: list[int]


def open_card(stored: StoredCard, key: DataKey | None) -> UserCard:
    """Return the list entry of a user; blank if `key` is None, as an erasure destroys it."""
    return UserCard(**_common(stored, key))


def open_user(stored: StoredUser, key: DataKey | None) -> User:
    """Return the decrypted user; blank if `key` is None after an erasure."""
    card, sealed = stored.card, stored.sealed_profile
    profile = UserProfile()
    if key is not None and sealed is not None:
        profile = key.open(sealed, context=_context("profile", card.id), type=UserProfile)
    return User(**_common(card, key), request_id=stored.request_id, profile=profile)


def seal_card(user: UserCard, key: DataKey) -> bytes:
    """Encrypt names and e-mail address."""
    return key.seal(user.names, context=_context("card", user.id))


def seal_profile(user: User, key: DataKey) -> bytes:
    """Encrypt all further submitted data."""
    return key.seal(user.profile, context=_context("profile", user.id))


def seal_request(user_id: UUID, request: dict[str, Any], key: DataKey) -> bytes:
    """Encrypt the creation request."""
    return key.seal(request, context=_context("request", user_id))


def open_request(user_id: UUID, sealed: bytes, key: DataKey) -> dict[str, Any]:
    """Decrypt the creation request."""
    return key.open(sealed, context=_context("request", user_id), type=dict[str, Any])


def seal_reason(user_id: UUID, reason: str, key: DataKey) -> bytes:
    """Encrypt the reason for a freeze."""
    return key.seal(reason, context=_context("freeze_reason", user_id))


def open_reason(user_id: UUID, sealed: bytes, key: DataKey) -> str:
    """Decrypt the reason for a freeze."""
    return key.open(sealed, context=_context("freeze_reason", user_id), type=str)


def _common(stored: StoredCard, key: DataKey | None) -> dict[str, Any]:
    names = UserNames()
    if key is not None and stored.sealed_summary is not None:
        names = key.open(stored.sealed_summary, context=_context("card", stored.id), type=UserNames)
    return {**field_values(stored, UserRecord), "names": names}


def _context(column: str, user_id: UUID) -> str:
    return f"users.{column}:{user_id}"
