"""Routes of verification by connected providers. Ours; docs/reference/verification.md."""

from datetime import timedelta
from typing import Annotated

import msgspec
from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.customers.kyc.model import Rail
from landbridge.customers.users.path_params import known_user
from landbridge.customers.verification.provider_links import VerificationLinks
from landbridge.customers.verification.schemas import SubmissionReplies, submission_objects
from landbridge.customers.verification.service import Verification
from landbridge.platform.core.clock import Clock
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import stated, text
from landbridge.platform.http.responses import Moment, WireStruct, moment

_TOKEN_LENGTH_MAX = 4_000


class SharedSubmission(WireStruct, frozen=True):
    """Submission with a token by which the provider takes over an earlier verification."""

    rails: Rail | Annotated[list[Rail], msgspec.Meta(min_length=1, max_length=len(Rail))]
    share_token: Annotated[str, stated(text(_TOKEN_LENGTH_MAX, length_min=1))]


class LinkRequest(WireStruct, frozen=True):
    """Rail for which the person is verified."""

    rails: Rail


class ProviderLinkReply(WireStruct, frozen=True):
    """Page of the provider for the person. Anyone who has the address can act as the person.

    `expiresAt` is null if the provider does not say it.
    """

    url: str
    expires_at: Moment | None


class ProviderVerificationRoutes(Controller):
    """Routes of users whom a connected provider verifies."""

    path = "/v2/users/{userId:str}/kyc"
    tags = ("KYC",)

    @post(
        "/shared-submissions",
        status_code=200,
        summary="Submit KYC with a share token",
        operation_id="kyc.submitShared",
    )
    async def submit(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: JSONBody[SharedSubmission],
        verification: NamedDependency[Verification],
    ) -> SubmissionReplies:
        """Submit the current data, and have the provider take over an earlier verification.

        Refused if no connected provider verifies for one of the rails.
        """
        rails = data.rails if isinstance(data.rails, list) else [data.rails]
        cases = await verification.submit(
            request.user,
            known_user(userId),
            list(dict.fromkeys(rails)),
            share_token=data.share_token,
        )
        return submission_objects(cases)

    @post(
        "/provider-links",
        status_code=200,
        summary="Open the page of the identity provider",
        operation_id="kyc.openProviderLink",
    )
    async def open_link(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: JSONBody[LinkRequest],
        verification_links: NamedDependency[VerificationLinks],
        clock: NamedDependency[Clock],
    ) -> ProviderLinkReply:
        """Return a new address of the provider's page, on which the person continues.

        The user's case must be PENDING, INCOMPLETE or RFI_PENDING at a connected provider.
        """
        caller = request.user
        link = await verification_links.open(caller, known_user(userId), data.rails)
        expires_at = None
        if link.expires_in_s is not None:
            now = clock.now(caller.clock_offset)
            expires_at = moment(now + timedelta(seconds=link.expires_in_s))
        return ProviderLinkReply(url=link.url, expires_at=expires_at)
