"""Stored members and sessions. Source: contract, dashboard 2."""

import hashlib
import hmac
import secrets
from base64 import b32encode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.platform.encryption.model import DataKey
from landbridge.platform.formats.people import check_email
from landbridge.platform.http.caller import Caller, MemberRole

# Kinds of objects in the change log.
KIND, SESSION = "MEMBER", "SESSION"
# An unused session ends after the first, and any session after the second.
IDLE_MAX, LIFETIME = timedelta(hours=12), timedelta(days=7)
# Period after sign-in in which a member may change sign-in methods.
FRESH = timedelta(minutes=10)
INVITATION_LIFETIME, RESET_LIFETIME = timedelta(days=7), timedelta(hours=1)
_CSRF_LENGTH = 43
_RECOVERY_BYTES, _RECOVERY_GROUP = 10, 4


class Theme(StrEnum):
    """Colour scheme of pages."""

    SYSTEM = "system"  # the browser's preference
    LIGHT = "light"
    DARK = "dark"


class MemberLinkPurpose(StrEnum):
    """Purpose of a link."""

    INVITATION = "invitation"
    RESET = "reset"


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamMember:
    """Member as shown to the team. `removed_at` is None while they may sign in."""

    org_id: UUID
    id: UUID
    email: str
    name: str
    role: MemberRole
    has_password: bool
    language: str
    theme: Theme
    receives_approval_emails: bool
    created_at: datetime
    removed_at: datetime | None
    version: int
    # True until the member accepts the invitation.
    is_invited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberSignInStatus:
    """Sign-in status of a member: activity and sign-in methods."""

    last_seen_at: datetime | None
    has_second_factor: bool
    passkeys: int
    # Expiry of the invitation; None without an invitation.
    invitation_ends_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedInSession:
    """Signed-in member of a browser.

    `needs_second` while the second factor is outstanding: until then `caller` may perform no other
    operation. `csrf` is the token in every form of this session. `secret_hash` is that of the
    cookie by which the session was found.
    """

    caller: Caller
    session_id: UUID
    person: TeamMember
    org_name: str
    needs_second: bool
    verified_at: datetime | None
    csrf: str
    secret_hash: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Session of a member in a browser."""

    id: UUID
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    verified_at: datetime | None
    ip_address: str | None
    browser: str | None


class SessionOrigin(msgspec.Struct, frozen=True):
    """Origin of a session, as encrypted."""

    ip_address: str | None
    browser: str | None


@dataclass(frozen=True, slots=True)
class MemberCredentials:
    """Member with credentials; used only inside this package."""

    person: TeamMember
    password_hash: str | None
    clock_offset: timedelta
    org_name: str


@dataclass(frozen=True, slots=True)
class ChangeAuthor:
    """Author of a change in the change log, with the clock offset of the organisation."""

    org_id: UUID
    actor: str
    clock_offset: timedelta

    @staticmethod
    def caller(caller: Caller) -> "ChangeAuthor":
        """Return the author for a member or a key."""
        return ChangeAuthor(caller.org_id, caller.actor, caller.clock_offset)

    @staticmethod
    def member(account: MemberCredentials) -> "ChangeAuthor":
        """Return the author for a member who is not signed in yet."""
        person = account.person
        return ChangeAuthor(person.org_id, f"member:{person.id}", account.clock_offset)


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """New invitation; the link is returned once and stored nowhere."""

    person: TeamMember
    link: str
    expires_at: datetime
    is_mailed: bool


@dataclass(frozen=True, slots=True)
class Invitation:
    """Invitation as shown to the invited person."""

    email: str
    name: str
    role: MemberRole
    org_name: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class FirstAdmin:
    """First admin of an organisation; `password` is None unless it was generated now."""

    email: str
    password: str | None


def address(text: str) -> str:
    """Return the normalised e-mail address by which members are found; raises `FieldInvalid`."""
    return check_email("email", text).lower()


def new_secret() -> str:
    """Return a secret for a session's cookie or a link: 256 random bits."""
    return secrets.token_urlsafe(32)


def new_password() -> str:
    """Return a generated password: 120 random bits."""
    return secrets.token_urlsafe(15)


def new_recovery_code() -> str:
    """Return a recovery code: 80 random bits, in groups that are easy to copy by hand."""
    text = b32encode(secrets.token_bytes(_RECOVERY_BYTES)).decode().lower()
    groups = range(0, len(text), _RECOVERY_GROUP)
    return "-".join(text[at : at + _RECOVERY_GROUP] for at in groups)


def digest(secret: str) -> bytes:
    """Return the stored hash of a secret; a plain hash suffices because of its entropy."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


def email_hash(key: DataKey, email: str) -> bytes:
    """Return the keyed hash of a removed member's address; `key` is the organisation's."""
    return hmac.digest(key.derive("members.email"), email.encode(), "sha256")


def next_secret(key: DataKey, secret_hash: bytes) -> str:
    """Return a session's next cookie secret, derived from the present one and the member's key."""
    following = hmac.digest(key.derive("sessions.next_secret"), secret_hash, "sha256")
    return urlsafe_b64encode(following).rstrip(b"=").decode()


def csrf_of(secret: str) -> str:
    """Return the token of a session's forms, derived from the cookie without revealing it."""
    return hmac.new(secret.encode(), b"csrf", hashlib.sha256).hexdigest()[:_CSRF_LENGTH]
