"""Organisations and API keys as they are stored."""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from landbridge.platform.http.caller import KeyScope, scopes_of

KEY_LENGTH_MIN = 24
KEY_LENGTH_MAX = 200
_HINT_LENGTH = 4
# Scopes of a new key: everything but the decisions of two-person rules, which need scopes of their
# own.
DEFAULT_SCOPES = frozenset({KeyScope.ADMIN})


class Mode(StrEnum):
    """Mode of an installation; there is one mode per database."""

    SANDBOX = "sandbox"  # simulated chains and banks, and a clock that can be advanced
    PRODUCTION = "production"  # real money; sandbox routes are refused


_PREFIX = {Mode.SANDBOX: "lb_sandbox_", Mode.PRODUCTION: "lb_live_"}


class KeyState(StrEnum):
    """State of an API key."""

    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class Org:
    """Tenant; the organisation's time is real time plus `clock_offset`."""

    id: UUID
    name: str
    clock_offset: timedelta
    created_at: datetime
    # Time of the freeze (in the organisation's time) and its reason; None while it is not frozen.
    frozen_at: datetime | None = None
    freeze_reason: str | None = None


@dataclass(frozen=True, slots=True)
class FirstOrganisation:
    """Organisation and key of the first start.

    `new_key` is the secret of a generated key; None if none was generated.
    """

    new_key: str | None
    is_preset_ours: bool  # False if the preset key belongs to another organisation


@dataclass(frozen=True, slots=True)
class ApiKey:
    """API key as shown after its creation, without the secret."""

    org_id: UUID
    id: UUID
    name: str
    hint: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    # Whether the key may decide reviews and approvals; in a sandbox every key with the scope admin
    # may.
    can_review: bool
    can_approve: bool
    can_pay: bool
    can_administer: bool
    # Member who created the key; None for a key created by a command.
    created_by: UUID | None = None

    @property
    def scopes(self) -> Sequence[KeyScope]:
        """Return the scopes of the key in their usual order."""
        return scopes_of(self)

    def state(self, now: datetime) -> KeyState:
        """Return the state of the key at `now` (real time)."""
        if self.revoked_at is not None:
            return KeyState.REVOKED
        is_over = self.expires_at is not None and self.expires_at <= now
        return KeyState.EXPIRED if is_over else KeyState.ACTIVE


def new_secret(mode: Mode) -> str:
    """Generate a secret: a prefix that secret scanners recognise, and 256 random bits."""
    return _PREFIX[mode] + secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    """Return the stored hash of a secret. It is not salted: 256 random bits can't be guessed."""
    return hashlib.sha256(secret.encode()).digest()


def hint(secret: str) -> str:
    """Return the last characters of a secret, by which people distinguish keys."""
    return secret[-_HINT_LENGTH:]


def check_secret(secret: str) -> str:
    """Check a secret chosen by the operator; raises `ValueError` with a sentence."""
    if not KEY_LENGTH_MIN <= len(secret) <= KEY_LENGTH_MAX:
        raise ValueError(f"must have {KEY_LENGTH_MIN} to {KEY_LENGTH_MAX} characters")
    if not (secret.isascii() and secret.isprintable() and secret == secret.strip()):
        raise ValueError("must be printable ASCII without blanks at its ends")
    return secret
