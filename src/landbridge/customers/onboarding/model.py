"""Stored KYC links, and the actor of a link. Source: contract, users 3.2."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import msgspec
from typing_extensions import override

from landbridge.customers.kyc.model import Rail
from landbridge.customers.users.hosted_pages import return_url
from landbridge.customers.users.model import UserType
from landbridge.platform.core.ids import derived_id
from landbridge.platform.http.caller import Caller

KIND = "KYC_LINK"
ACTOR = "person:kyc-link"
# Validity of KYC links, which we chose equal to that of terms links (contract, users 1).
LIFETIME = timedelta(days=5)


class KycLinkDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Encrypted content of a link."""

    recipient_email: str | None = None
    redirect_url: str | None = None
    template_id: str | None = None
    # URL of a link that was created with an idempotency key: a repeated request returns it.
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KycLink:
    """Link to the hosted form.

    `entered` names the data submitted through it: fields of the user (`phone`), fields of its
    owners (`<owner id>.phone`), documents by id. `details` is None after the link has expired or
    the user was erased.
    """

    org_id: UUID
    id: UUID
    user_type: UserType
    creates_user: bool
    user_id: UUID | None
    rails: tuple[Rail, ...]
    details: KycLinkDetails | None
    entered: frozenset[str]
    created_at: datetime
    expires_at: datetime
    completed_at: datetime | None

    @property
    def agreement_id(self) -> UUID:
        """Return the id of the terms link that is accepted on the form."""
        return derived_id(self.id, "terms")

    @property
    def request_id(self) -> UUID:
        """Return the request id that makes the creation of the user idempotent."""
        return derived_id(self.id, "user")

    @property
    def redirect_url(self) -> str | None:
        """Return the URL that the person is redirected to at the end; None without one."""
        return None if self.details is None else self.details.redirect_url


@dataclass(frozen=True, slots=True)
class LinkVisitor(Caller):
    """Holder of the link: may use the form, and no operation that requires a key."""

    @property
    @override
    def actor(self) -> str:
        """Return the name of this caller in the change log."""
        return ACTOR


def person(link: KycLink, clock_offset: timedelta) -> LinkVisitor:
    """Return the caller that acts through `link`, and changes data of its user."""
    return LinkVisitor(link.org_id, link.id, clock_offset, can_pay=True)


def token_hash(token: str) -> bytes:
    """Return the stored hash of a token; see docs/decisions/0012-keys-as-plain-sha-256.md."""
    return hashlib.sha256(token.encode()).digest()


def rail_names(rails: Sequence[Rail]) -> list[str]:
    """Return the rails in the form used by events and rows."""
    return [rail.value for rail in rails]


def redirect_to(url: str, user_id: UUID) -> str:
    """Return the final redirect target of a person."""
    return return_url(url, "userId", user_id)
