"""Members and sessions as they are stored. Source: contract, dashboard 2."""

import hashlib
import hmac
import secrets
from base64 import b32encode
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.formats.people import check_email
from landbridge.privacy.model import DataKey
from landbridge.web.caller import Caller, Role

# Kinds of objects, as the change log names them.
KIND, SESSION = "MEMBER", "SESSION"
# A session that nobody uses ends after the first, and any after the second.
IDLE_MAX, LIFETIME = timedelta(hours=12), timedelta(days=7)
# How long after signing in one may change how one does.
FRESH = timedelta(minutes=10)
INVITATION_LIFETIME, RESET_LIFETIME = timedelta(days=7), timedelta(hours=1)
_CSRF_LENGTH = 43
_RECOVERY_BYTES, _RECOVERY_GROUP = 10, 4


class Theme(StrEnum):
    """How bright pages are."""

    SYSTEM = "system"  # as the browser has it
    LIGHT = "light"
    DARK = "dark"


class Purpose(StrEnum):
    """What a link is for."""

    INVITATION = "invitation"
    RESET = "reset"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A member as the team sees them. `removed_at` is None while they may sign in."""

    org_id: UUID
    id: UUID
    email: str
    name: str
    role: Role
    has_password: bool
    language: str
    theme: Theme
    wants_approval_mails: bool
    created_at: datetime
    removed_at: datetime | None
    version: int
    # Until they have taken the invitation up.
    is_invited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a member gets in: what a team wants to know beside who they are."""

    last_seen_at: datetime | None
    has_second_factor: bool
    passkeys: int
    # Until when the invitation can be taken up; None if there is none.
    invitation_ends_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """Who sits at this browser.

    `needs_second` while a second factor is still to be given: until then `caller` may do nothing
    else. `csrf` is what every form of this session holds.
    """

    caller: Caller
    session_id: UUID
    person: Person
    org_name: str
    needs_second: bool
    verified_at: datetime | None
    csrf: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A browser that a member is signed in at."""

    id: UUID
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    verified_at: datetime | None
    ip_address: str | None
    browser: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Browser:
    """Where somebody signs in from, as far as we are told."""

    ip_address: str | None = None
    name: str | None = None


class Origin(msgspec.Struct, frozen=True):
    """Where a session began, as it is sealed."""

    ip_address: str | None
    browser: str | None


@dataclass(frozen=True, slots=True)
class Account:
    """A member with what opens the door; stays inside this package."""

    person: Person
    password_hash: str | None
    clock_offset: timedelta
    org_name: str


@dataclass(frozen=True, slots=True)
class By:
    """Who changes something, as the change log names them, and by which clock."""

    org_id: UUID
    actor: str
    clock_offset: timedelta

    @staticmethod
    def caller(caller: Caller) -> "By":
        """A member, or a key."""
        return By(caller.org_id, caller.actor, caller.clock_offset)

    @staticmethod
    def member(account: Account) -> "By":
        """A member who is not signed in yet."""
        person = account.person
        return By(person.org_id, f"member:{person.id}", account.clock_offset)


@dataclass(frozen=True, slots=True)
class Invited:
    """An invitation, told once: the link is stored nowhere."""

    person: Person
    link: str
    expires_at: datetime
    is_mailed: bool


@dataclass(frozen=True, slots=True)
class Invitation:
    """What somebody is invited to."""

    email: str
    name: str
    role: Role
    org_name: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class First:
    """The first admin; `password` only if it was made up now."""

    email: str
    password: str | None


def address(text: str) -> str:
    """An e-mail address as members are found by; raises `FieldInvalid`."""
    return check_email("email", text).lower()


def new_secret() -> str:
    """What a session's cookie, or a link of ours, holds: 256 random bits."""
    return secrets.token_urlsafe(32)


def new_password() -> str:
    """A password that nobody chose: 120 random bits."""
    return secrets.token_urlsafe(15)


def new_recovery_code() -> str:
    """80 random bits, in groups that can be written down."""
    text = b32encode(secrets.token_bytes(_RECOVERY_BYTES)).decode().lower()
    groups = range(0, len(text), _RECOVERY_GROUP)
    return "-".join(text[at : at + _RECOVERY_GROUP] for at in groups)


def digest(secret: str) -> bytes:
    """What is stored of a secret: there is too much to guess, so a plain hash will do."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


def email_hash(key: DataKey, email: str) -> bytes:
    """What finds a removed member's address again; `key` is the organisation's data key."""
    return hmac.digest(key.derive("members.email"), email.encode(), "sha256")


def csrf_of(secret: str) -> str:
    """The token of a session's forms: it takes the cookie to make it, and says nothing of that."""
    return hmac.new(secret.encode(), b"csrf", hashlib.sha256).hexdigest()[:_CSRF_LENGTH]
