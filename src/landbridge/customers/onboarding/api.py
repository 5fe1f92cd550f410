"""Routes of KYC links: /v2/kyc-link. Source: contract, users 3.2 and interface/kyc."""

from typing import Annotated

from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import JSONBody

from landbridge.customers.kyc.model import Rail
from landbridge.customers.onboarding.model import KycLinkDetails
from landbridge.customers.onboarding.schemas import LinkUserType
from landbridge.customers.onboarding.service import KycLinks
from landbridge.customers.users.model import UserType
from landbridge.customers.users.path_params import known_user
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.schemas import EmailText, LineText, UrlText
from landbridge.platform.http.caller import ApiRequest, Caller
from landbridge.platform.http.constraints import with_schema
from landbridge.platform.http.responses import WireStruct
from landbridge.platform.idempotency.model import Claim
from landbridge.platform.idempotency.service import IdempotencyKeys

_RAILS_MAX = len(Rail)


class NewKycLink(WireStruct, frozen=True):
    """Request for a KYC link: `userType` for a new user, with rails unless it needs only wallets.

    For an existing user: `userId` and at least one rail.
    """

    user_type: LinkUserType | None = None
    user_id: str | None = None
    rails: Annotated[list[Rail], with_schema({"minItems": 1, "maxItems": _RAILS_MAX})] | None = None
    redirect_url: UrlText | None = None
    recipient_email: EmailText | None = None
    template_id: LineText | None = None


class KycLinkCreatedReply(WireStruct, frozen=True):
    """Response with the link for the person; `kycLinkUrl` is not returned again."""

    kyc_link_url: str


class KycLinkRoutes(Controller):
    """Links to the hosted form."""

    path = "/v2/kyc-link"
    tags = ("KYC",)

    @post(
        status_code=200,
        summary="Make a link to the hosted form",
        keyed=True,
        operation_id="kycLinks.create",
    )
    async def make(
        self,
        request: ApiRequest,
        data: JSONBody[NewKycLink],
        kyc_links: NamedDependency[KycLinks],
        idempotency_keys: NamedDependency[IdempotencyKeys],
    ) -> KycLinkCreatedReply:
        """Create a link, which is valid for five days and can be completed once."""
        url = await idempotency_keys.run(
            request,
            data,
            lambda claim: _make(kyc_links, request.user, data, claim),
            lambda key: kyc_links.url(key.org_id, key.object_id),
        )
        return KycLinkCreatedReply(kyc_link_url=url)


async def _make(kyc_links: KycLinks, caller: Caller, data: NewKycLink, claim: Claim) -> str:
    rails = data.rails or []
    if len(rails) > _RAILS_MAX:
        raise FieldInvalid(f"rails may have at most {_RAILS_MAX} elements", field="rails")
    details = KycLinkDetails(
        recipient_email=data.recipient_email,
        redirect_url=data.redirect_url,
        template_id=data.template_id,
    )
    if data.user_id is not None:
        if data.user_type is not None:
            raise FieldInvalid("userType: leave it out for a user that there is", field="userType")
        user_id = known_user(data.user_id)
        return await kyc_links.make_for(caller, user_id, rails, details, claim=claim)
    if data.user_type is not None:
        user_type = UserType(data.user_type.lower())
        return await kyc_links.make_for_new(caller, user_type, rails, details, claim=claim)
    raise FieldInvalid(
        "userType is required for a new user, userId for one that there is", field="userType"
    )
