"""KYC links as events show them; no route retrieves one. Source: contract, webhooks 4.

Nothing personal: whom a link was sent to and where it leads on is for its organisation to know. The
address of a link has its `id`, so whoever made it tells them apart.
"""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from landbridge.kyc.model import Rail
from landbridge.onboarding.model import Link
from landbridge.web.reply import Moment, WireStruct, moment


class LinkUserType(StrEnum):
    """What a new user is to be."""

    INDIVIDUAL = "INDIVIDUAL"
    BUSINESS = "BUSINESS"


class KycLinkReply(WireStruct, frozen=True):
    """A link to the hosted form.

    `userId` is null as long as the user whom the link is to make does not exist.
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
    link: Link, *, user_id: UUID | None, completed_at: datetime | None
) -> KycLinkReply:
    """A link when this user had it, or nobody yet, and since when it was completed."""
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
