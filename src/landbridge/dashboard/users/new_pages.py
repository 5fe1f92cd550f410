"""Create a user: accept the terms first, then enter the user's details.

No user is created before the terms are accepted. The form can create a terms link for the user,
check whether it was accepted, or accept it on the user's behalf. Each step keeps the values entered
so far.
"""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from litestar import Controller, Response, get, post

from landbridge.customers.users.model import UserType
from landbridge.customers.users.schemas import UserReply
from landbridge.customers.users.service import DEFAULT_CHAINS
from landbridge.customers.users.terms_api import TermsLinkCreated, TermsLinkReply
from landbridge.dashboard.countries import countries
from landbridge.dashboard.page_request import Page, PageRequest, new_request_id, read_form, redirect
from landbridge.dashboard.page_visitor import check_may_edit
from landbridge.dashboard.users.nested_fields import submitted_values
from landbridge.dashboard.users.overview_pages import (
    OWNERS_SHOWN_MAX,
    owner_count,
    particulars_body,
)
from landbridge.dashboard.users.page_context import page_path
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient
from landbridge.providers.chains.tokens import Chain

_TEMPLATE = "users/new.html"
_AGREEMENT = "signedAgreementId"


class NewUserPages(Controller):
    """`/dashboard/users/new`."""

    path = "/users/new"

    @get("/")
    async def form(self, request: PageRequest) -> Response[str]:
        """Show an empty form; `agreement` is the ID of an existing terms link."""
        check_may_edit(request.user)
        submitted = {
            "type": request.query_params.get("type", ""),
            _AGREEMENT: request.query_params.get("agreement", ""),
            "requestId": new_request_id(),
        }
        return request.page(_TEMPLATE, **await _values(request, submitted, DEFAULT_CHAINS))

    @post("/")
    async def submit(self, request: PageRequest) -> Page:
        """Perform the action of the pressed button; only `create` creates the user."""
        form = await read_form(request)
        submitted, chains, button = (
            submitted_values(form),
            form.texts("chains"),
            form.text("do", "create"),
        )
        try:
            match button:
                case "link":
                    submitted[_AGREEMENT] = await _link(request.interface)
                case "accept":
                    await _accept(request.interface, submitted.get(_AGREEMENT, ""))
                case "owner":
                    submitted["owners"] = str(min(owner_count(submitted) + 1, OWNERS_SHOWN_MAX))
                case "create":
                    created = await request.interface.submit(
                        UserReply, "/v2/users", _body(submitted, chains)
                    )
                    return redirect(page_path(str(created.id)), notice=_("User created"))
                case _:
                    pass
        except Refused as problem:
            values = await _values(request, submitted, chains)
            return request.with_problem(_TEMPLATE, problem, **values)
        return request.page(_TEMPLATE, **await _values(request, submitted, chains))


def _body(submitted: Mapping[str, str], chains: Sequence[str]) -> dict[str, object]:
    agreement = submitted.get(_AGREEMENT, "")
    if not agreement:
        raise FieldInvalid(
            "Create a terms link and have it accepted first, or enter the ID of an accepted one.",
            field=_AGREEMENT,
        )
    type_ = _type_of(submitted)
    return {
        "type": type_,
        **particulars_body(submitted, type_),
        _AGREEMENT: agreement,
        "requestId": submitted.get("requestId") or None,
        "chains": list(chains),
    }


async def _link(interface: InternalClient) -> str:
    body = {"idempotencyKey": new_request_id()}
    created = await interface.submit(TermsLinkCreated, "/v2/tos-link", body)
    return str(created.signed_agreement_id)


async def _accept(interface: InternalClient, agreement_id: str) -> None:
    agreement = await interface.read(TermsLinkReply, f"/v2/tos-link/{_validated_id(agreement_id)}")
    await interface.post(
        f"/v2/tos-link/{agreement.id}/accept", {"sessionToken": agreement.session_token}
    )


def _validated_id(agreement_id: str) -> str:
    if as_uuid(agreement_id) is None:
        raise FieldInvalid(f"{_AGREEMENT} is not a terms link ID", field=_AGREEMENT)
    return agreement_id


async def _values(
    request: PageRequest, submitted: Mapping[str, str], chains: Sequence[str]
) -> dict[str, object]:
    agreement = await _agreement(request.interface, submitted.get(_AGREEMENT, ""))
    link = ""
    if agreement is not None:
        query = urlencode({"session": agreement.session_token})
        link = f"{request.installation.base_url}/tos/{agreement.id}?{query}"
    return {
        "form_values": submitted,
        "type": _type_of(submitted),
        "agreement": agreement,
        "link": link,
        "chains": chains,
        "all_chains": [each.value for each in Chain],
        "owners": owner_count(submitted),
        "owners_max": OWNERS_SHOWN_MAX,
        "countries": countries(request.user.language),
    }


async def _agreement(interface: InternalClient, agreement_id: str) -> TermsLinkReply | None:
    """Return the terms link, or None if unknown; submitting the form then reports that."""
    if as_uuid(agreement_id) is None:
        return None
    try:
        return await interface.read(TermsLinkReply, f"/v2/tos-link/{agreement_id}")
    except Refused:
        return None


def _type_of(submitted: Mapping[str, str]) -> str:
    is_business = submitted.get("type") == UserType.BUSINESS
    return (UserType.BUSINESS if is_business else UserType.INDIVIDUAL).value
