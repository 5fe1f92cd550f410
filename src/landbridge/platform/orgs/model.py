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
# Everything but the decisions of two-person rules, which keys are given on purpose.
DEFAULT_SCOPES = frozenset({KeyScope.ADMIN})


class Mode(StrEnum):
    """Mode of an installation; there is one mode per database."""

    SANDBOX = "sandbox"  # simulated chains and banks, a clock that can be moved
    PRODUCTION = "production"  # real money; sandbox routes are refused


_PREFIX = {Mode.SANDBOX: "lb_sandbox_", Mode.PRODUCTION: "lb_live_"}


class KeyState(StrEnum):
    """State of an API key."""

    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class Org:
    """A tenant; its time is real time plus `clock_offset`."""

    id: UUID
    name: str
    clock_offset: timedelta
    created_at: datetime
    # Since when it is frozen, in its own time, and why; None while it may move money.
    frozen_at: datetime | None = None
    freeze_reason: str | None = None


@dataclass(frozen=True, slots=True)
class FirstOrganisation:
    """Organisation and key of the first start; `new_key` is the secret of a generated key."""

    new_key: str | None
    is_preset_ours: bool  # False if the preset key is another organisation's


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key as shown after creation: never the secret itself."""

    org_id: UUID
    id: UUID
    name: str
    hint: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    # Whether it may decide reviews, approvals (in a sandbox every key of an admin's scope may).
    can_review: bool
    can_approve: bool
    can_pay: bool
    can_administer: bool
    # The member who created it; None for a key created by a command.
    created_by: UUID | None = None

    @property
    def scopes(self) -> Sequence[KeyScope]:
        """Return its scopes in their usual order."""
        return scopes_of(self)

    def state(self, now: datetime) -> KeyState:
        """Return the state of the key at `now` (real time)."""
        if self.revoked_at is not None:
            return KeyState.REVOKED
        is_over = self.expires_at is not None and self.expires_at <= now
        return KeyState.EXPIRED if is_over else KeyState.ACTIVE


def new_secret(mode: Mode) -> str:
    """Generate a key: a prefix that secret scanners recognise, and 256 random bits."""
    return _PREFIX[mode] + secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    """Return the stored hash of a key. A plain hash is enough: 256 random bits can't be guessed."""
    return hashlib.sha256(secret.encode()).digest()


def hint(secret: str) -> str:
    """Return the last characters, by which people distinguish keys."""
    return secret[-_HINT_LENGTH:]


def check_secret(secret: str) -> str:
    """Validate a key chosen by the operator; raises ValueError with a sentence."""
    if not KEY_LENGTH_MIN <= len(secret) <= KEY_LENGTH_MAX:
        raise ValueError(f"must have {KEY_LENGTH_MIN} to {KEY_LENGTH_MAX} characters")
    if not (secret.isascii() and secret.isprintable() and secret == secret.strip()):
        raise ValueError("must be printable ASCII without blanks at its ends")
    return secret
