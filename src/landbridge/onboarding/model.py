"""KYC links as they are stored, and who acts through one. Source: contract, users 3.2."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import msgspec
from typing_extensions import override

from landbridge.core.ids import derived_id
from landbridge.kyc.model import Rail
from landbridge.users.hosted import way_back
from landbridge.users.model import UserType
from landbridge.web.caller import Caller

KIND = "KYC_LINK"
ACTOR = "person:kyc-link"
# As long as terms can be accepted. Source: contract, users 1; for KYC links ours.
LIFETIME = timedelta(days=5)


class Details(msgspec.Struct, frozen=True, kw_only=True):
    """What of a link is sealed."""

    recipient_email: str | None = None
    redirect_url: str | None = None
    template_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link to the hosted form.

    `entered` names what was told through it: fields of the user (`phone`), of its owners
    (`<owner id>.phone`), documents by id. `details` is None once the link has expired, and where
    the user was erased.
    """

    org_id: UUID
    id: UUID
    user_type: UserType
    makes_user: bool
    user_id: UUID | None
    rails: tuple[Rail, ...]
    details: Details | None
    entered: frozenset[str]
    created_at: datetime
    expires_at: datetime
    completed_at: datetime | None

    @property
    def agreement_id(self) -> UUID:
        """The terms link that is accepted on the form."""
        return derived_id(self.id, "terms")

    @property
    def request_id(self) -> UUID:
        """Under which the user is made, once."""
        return derived_id(self.id, "user")

    @property
    def redirect_url(self) -> str | None:
        """Where the person goes in the end."""
        return None if self.details is None else self.details.redirect_url


@dataclass(frozen=True, slots=True)
class Person(Caller):
    """Whoever has the link: may do what the form does, and nothing that takes a key."""

    @property
    @override
    def actor(self) -> str:
        """How the change log names this caller."""
        return ACTOR


def person(link: Link, clock_offset: timedelta) -> Person:
    """The caller who acts through `link`."""
    return Person(link.org_id, link.id, clock_offset)


def token_hash(token: str) -> bytes:
    """What is stored of a token; see docs/decisions/0012-keys-as-plain-sha-256.md."""
    return hashlib.sha256(token.encode()).digest()


def rail_names(rails: Sequence[Rail]) -> list[str]:
    """As facts and rows have them."""
    return [rail.value for rail in rails]


def redirect_to(url: str, user_id: UUID) -> str:
    """Where a person goes in the end."""
    return way_back(url, "userId", user_id)
