"""KYC links in events; no route retrieves one. Source: contract, webhooks 4.

The events contain no personal data: the organisation knows recipient and redirect target. The URL
of a link contains its `id`, by which its creator recognises it.
"""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from landbridge.customers.kyc.model import Rail
from landbridge.customers.onboarding.model import KycLink
from landbridge.platform.http.responses import Moment, WireStruct, moment


class LinkUserType(StrEnum):
    """Type of the new user."""

    INDIVIDUAL = "INDIVIDUAL"
    BUSINESS = "BUSINESS"


class KycLinkReply(WireStruct, frozen=True):
    """Link to the hosted form.

    `userId` is null until the user of the link is created.
    """

    id: UUID
    user_id: UUID | None
    user_type: LinkUserType
    rails: tuple[Rail, ...]
    created_at: Moment
    expired_at: Moment
    completed: bool
    completed_at: Moment | None


def kyc_link_reply(
    link: KycLink, *, user_id: UUID | None, completed_at: datetime | None
) -> KycLinkReply:
    """Return a link as it was at an event, with its user and completion time, if any, then."""
    return KycLinkReply(
        id=link.id,
        user_id=user_id,
        user_type=LinkUserType(link.user_type.upper()),
        rails=link.rails,
        created_at=moment(link.created_at),
        expired_at=moment(link.expires_at),
        completed=completed_at is not None,
        completed_at=None if completed_at is None else moment(completed_at),
    )
