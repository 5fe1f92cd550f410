"""Routes of KYC links: /v2/kyc-link. Source: contract, users 3.2 and interface/kyc."""

from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import JSONBody

from landbridge.core.errors import FieldInvalid
from landbridge.kyc.model import Rail
from landbridge.onboarding.model import Details
from landbridge.onboarding.service import Links
from landbridge.onboarding.shapes import LinkUserType
from landbridge.users.model import UserType
from landbridge.users.paths import known_user
from landbridge.web.caller import ApiRequest
from landbridge.web.reply import WireStruct

_RAILS_MAX = len(Rail)


class NewKycLink(WireStruct, frozen=True):
    """For a new user `userType`, and rails if it is to have more than wallets.

    For one that there is `userId` and at least one rail.
    """

    user_type: LinkUserType | None = None
    user_id: str | None = None
    rails: list[Rail] | None = None
    redirect_url: str | None = None
    recipient_email: str | None = None
    template_id: str | None = None


class KycLinkMade(WireStruct, frozen=True):
    """Send the person to `kycLinkUrl`; it is not shown again."""

    kyc_link_url: str


class KycLinkRoutes(Controller):
    """Links to the hosted form."""

    path = "/v2/kyc-link"
    tags = ("KYC",)

    @post(status_code=200, summary="Make a link to the hosted form", unkeyed=True)
    async def make(
        self, request: ApiRequest, data: JSONBody[NewKycLink], links: NamedDependency[Links]
    ) -> KycLinkMade:
        """Each call makes another link, which works for five days and can be completed once."""
        caller, rails = request.user, data.rails or []
        if len(rails) > _RAILS_MAX:
            raise FieldInvalid(f"rails may have at most {_RAILS_MAX} elements", field="rails")
        told = Details(
            recipient_email=data.recipient_email,
            redirect_url=data.redirect_url,
            template_id=data.template_id,
        )
        if data.user_id is not None:
            if data.user_type is not None:
                raise FieldInvalid(
                    "userType: leave it out for a user that there is", field="userType"
                )
            url = await links.make_for(caller, known_user(data.user_id), rails, told)
        elif data.user_type is not None:
            user_type = UserType(data.user_type.lower())
            url = await links.make_for_new(caller, user_type, rails, told)
        else:
            raise FieldInvalid(
                "userType is required for a new user, userId for one that there is",
                field="userType",
            )
        return KycLinkMade(kyc_link_url=url)
