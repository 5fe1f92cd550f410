"""Routes of terms links, and the page that a person accepts them on.

Source: contract, users 1. The page works without JavaScript and knows only its session token.
"""

from types import MappingProxyType
from typing import Annotated, Any
from urllib.parse import urlencode
from uuid import UUID

from litestar import Controller, Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.response import Redirect
from msgspec.structs import replace

from landbridge.customers.users.hosted_pages import PAGES, hosted_path, html, return_url
from landbridge.customers.users.model import Agreement
from landbridge.customers.users.page_language import choose_language
from landbridge.customers.users.terms import TermsOfService
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.schemas import LineText, UrlText
from landbridge.platform.http.caller import ApiRequest, check_editor, may_edit
from landbridge.platform.http.concurrency import KEYLESS_TURN
from landbridge.platform.http.forms import parse_form
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import Moment, WireStruct, moment, reply_of
from landbridge.platform.orgs.service import Orgs


class NewTermsLink(WireStruct, frozen=True):
    """New terms link; `idempotencyKey` is used as the `signedAgreementId`."""

    idempotency_key: UUID
    template_id: LineText | None = None
    redirect_url: UrlText | None = None


class TermsLinkCreated(WireStruct, frozen=True):
    """Send the person to `url`; create the user with `signedAgreementId` afterwards."""

    url: str
    signed_agreement_id: UUID


class TermsLinkReply(WireStruct, frozen=True):
    """Terms link; `signed` is true after the person has accepted.

    Extensions of the contract, null before acceptance: `signedAt`, `signedFrom` (the IP address, if
    a browser accepted) and `version` (of the terms in force at acceptance).
    """

    id: UUID
    created_at: Moment
    expired_at: Moment
    signed: bool
    session_token: str
    signed_at: Moment | None
    signed_from: str | None
    version: str | None


class TermsAcceptance(WireStruct, frozen=True):
    """Acceptance on behalf of a person who agreed within the caller's own terms."""

    session_token: str


class TermsRoutes(Controller):
    """Terms of service links."""

    path = "/v2/tos-link"
    tags = ("Terms of service",)

    @post(status_code=200, summary="Make a terms link", operation_id="termsLinks.create")
    async def link(
        self,
        request: ApiRequest,
        data: JSONBody[NewTermsLink],
        terms: NamedDependency[TermsOfService],
        public_url: NamedDependency[str],
    ) -> TermsLinkCreated:
        """Create a link; the same key returns the same link."""
        agreement = await terms.link(
            request.user,
            data.idempotency_key,
            template_id=data.template_id,
            redirect_url=data.redirect_url,
        )
        query = urlencode({"session": agreement.session_token})
        return TermsLinkCreated(
            url=f"{public_url}/tos/{agreement.id}?{query}", signed_agreement_id=agreement.id
        )

    @get(
        "/{signedAgreementId:str}",
        summary="Retrieve a terms link",
        operation_id="termsLinks.retrieve",
    )
    async def retrieve(
        self,
        request: ApiRequest,
        signedAgreementId: FromPath[str],
        terms: NamedDependency[TermsOfService],
    ) -> TermsLinkReply:
        """Return the acceptance state of the terms, and the expiry of the link.

        The `sessionToken` accepts the terms, so it is empty for a key without the scope `pay`.
        """
        link_id = known_id(signedAgreementId, "terms link")
        reply = link_reply(await terms.get(request.user.org_id, link_id))
        return reply if may_edit(request.user) else replace(reply, session_token="")

    @post(
        "/{signedAgreementId:str}/accept",
        status_code=200,
        summary="Accept the terms",
        operation_id="termsLinks.accept",
    )
    async def accept(
        self,
        request: ApiRequest,
        signedAgreementId: FromPath[str],
        data: JSONBody[TermsAcceptance],
        terms: NamedDependency[TermsOfService],
    ) -> TermsLinkReply:
        """Accept the terms; a repeated call returns the first response."""
        caller = request.user
        check_editor(caller)
        agreement = await terms.get(caller.org_id, known_id(signedAgreementId, "terms link"))
        accepted = await terms.accept(
            agreement,
            data.session_token,
            offset=caller.clock_offset,
            signed_from=None,
            actor=caller.actor,
        )
        return link_reply(accepted)


# Most bytes of the page's form, which has one field, a token.
_FORM_BYTES_MAX = 4 * 1024
_FORM_FIELDS_MAX = 10


class TermsPage(Controller):
    """Routes of the hosted page."""

    path = "/tos/{signedAgreementId:str}"
    dto = None  # forms, not JSON
    guards = (choose_language,)
    opt: Any = MappingProxyType({KEYLESS_TURN: True})

    @get(include_in_schema=False, public=True)
    async def show(
        self,
        signedAgreementId: FromPath[str],
        terms: NamedDependency[TermsOfService],
        orgs: NamedDependency[Orgs],
        public_url: NamedDependency[str],
        session: Annotated[str, QueryParameter(name="session")] = "",
    ) -> Response[str]:
        """Return the terms with a button."""
        agreement = await terms.find_session(session)
        if agreement is None or str(agreement.id) != signedAgreementId:
            return _page("gone.html", 404)
        expired = agreement.expires_at <= await orgs.now(agreement.org_id)
        if agreement.signed_at is None and expired:
            return _page("gone.html", 410)
        path = hosted_path(public_url, f"/tos/{agreement.id}")
        return _page("terms.html", 200, agreement=agreement, path=path)

    @post(
        "/accept",
        status_code=200,
        include_in_schema=False,
        public=True,
        request_max_body_size=_FORM_BYTES_MAX,
    )
    async def accept(
        self,
        request: Request[Any, Any, Any],
        signedAgreementId: FromPath[str],
        terms: NamedDependency[TermsOfService],
        orgs: NamedDependency[Orgs],
    ) -> Response[str] | Redirect:
        """Sign, then redirect to the address of the link, with `signedAgreementId` appended."""
        form = parse_form(await request.body(), fields_max=_FORM_FIELDS_MAX)
        session = form.get("session", [""])[0]
        agreement = await terms.find_session(session)
        if agreement is None or str(agreement.id) != signedAgreementId:
            return _page("gone.html", 404)
        try:
            accepted = await terms.accept(
                agreement,
                session,
                offset=await orgs.clock_offset(agreement.org_id),
                signed_from=request.client.host if request.client else None,
                actor="person:terms",
            )
        except Refused:
            return _page("gone.html", 410)
        if accepted.redirect_url:
            target = return_url(accepted.redirect_url, "signedAgreementId", accepted.id)
            return Redirect(target, status_code=303)
        return _page("terms.html", 200, agreement=accepted)


def _page(name: str, status: int, **values: Any) -> Response[str]:
    # The policy does not restrict form targets, because the form redirects to the organisation's
    # own redirectUrl.
    return html(PAGES.get_template(name).render(**values), status, "frame-ancestors *")


def link_reply(agreement: Agreement) -> TermsLinkReply:
    """Return a terms link as a response of any route."""
    return reply_of(
        agreement,
        TermsLinkReply,
        expired_at=moment(agreement.expires_at),
        signed=agreement.signed_at is not None,
    )
