"""Making a user: the terms first, then who it is.

Nobody becomes a user before the terms are accepted. The form makes a link for the person, looks
whether they have accepted, or accepts for them; all the while it keeps what was typed.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency

from landbridge.chains.tokens import Chain
from landbridge.core.errors import FieldInvalid, Refused
from landbridge.core.ids import as_uuid
from landbridge.dashboard.countries import countries
from landbridge.dashboard.forms import new_request_id, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.users.nesting import typed
from landbridge.dashboard.users.particulars import OWNERS_SHOWN_MAX, owner_count, particulars_body
from landbridge.dashboard.users.whose import page_path
from landbridge.dashboard.visitors import PageRequest, check_may_edit
from landbridge.dashboard.words import later as _
from landbridge.users.model import UserType
from landbridge.users.service import DEFAULT_CHAINS
from landbridge.web.inside import Interface

_TEMPLATE = "users/new.html"
_AGREEMENT = "signedAgreementId"


class NewUserPages(Controller):
    """`/dashboard/users/new`."""

    path = "/users/new"

    @get("/")
    async def form(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """An empty form; `agreement` is a terms link that there is already."""
        check_may_edit(request.user)
        told = {
            "type": request.query_params.get("type", ""),
            _AGREEMENT: request.query_params.get("agreement", ""),
            "requestId": new_request_id(),
        }
        values = await _values(request, renderer, interface, told, DEFAULT_CHAINS)
        return renderer.page(request, _TEMPLATE, **values)

    @post("/")
    async def send(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """What the button that was pressed does; only `create` makes the user."""
        form = await read_form(request)
        told, chains, pressed = typed(form), form.texts("chains"), form.text("do", "create")
        try:
            match pressed:
                case "link":
                    told[_AGREEMENT] = await _link(interface)
                case "accept":
                    await _accept(interface, told.get(_AGREEMENT, ""))
                case "owner":
                    told["owners"] = str(min(owner_count(told) + 1, OWNERS_SHOWN_MAX))
                case "create":
                    made = await interface.post("/v2/users", _body(told, chains))
                    return go(page_path(made["id"]), said=_("The user was created."))
                case _:
                    pass
        except Refused as problem:
            values = await _values(request, renderer, interface, told, chains)
            return renderer.again(request, _TEMPLATE, problem, **values)
        values = await _values(request, renderer, interface, told, chains)
        return renderer.page(request, _TEMPLATE, **values)


def _body(told: Mapping[str, str], chains: Sequence[str]) -> dict[str, Any]:
    agreement = told.get(_AGREEMENT, "")
    if not agreement:
        raise FieldInvalid(
            "Make a terms link first, and have it accepted; or give the id of one.",
            field=_AGREEMENT,
        )
    type_ = _type_of(told)
    return {
        "type": type_,
        **particulars_body(told, type_),
        _AGREEMENT: agreement,
        "requestId": told.get("requestId") or None,
        "chains": list(chains),
    }


async def _link(interface: Interface) -> str:
    made = await interface.post("/v2/tos-link", {"idempotencyKey": new_request_id()})
    return str(made[_AGREEMENT])


async def _accept(interface: Interface, agreement_id: str) -> None:
    agreement = await interface.get(f"/v2/tos-link/{_known(agreement_id)}")
    await interface.post(
        f"/v2/tos-link/{agreement['id']}/accept", {"sessionToken": agreement["sessionToken"]}
    )


def _known(agreement_id: str) -> str:
    if as_uuid(agreement_id) is None:
        raise FieldInvalid(f"{_AGREEMENT} is not the id of a terms link", field=_AGREEMENT)
    return agreement_id


async def _values(
    request: PageRequest,
    renderer: Renderer,
    interface: Interface,
    told: Mapping[str, str],
    chains: Sequence[str],
) -> dict[str, Any]:
    agreement = await _agreement(interface, told.get(_AGREEMENT, ""))
    link = ""
    if agreement is not None:
        query = urlencode({"session": agreement["sessionToken"]})
        link = f"{renderer.surroundings.base_url}/tos/{agreement['id']}?{query}"
    return {
        "typed": told,
        "type": _type_of(told),
        "agreement": agreement,
        "link": link,
        "chains": chains,
        "all_chains": [each.value for each in Chain],
        "owners": owner_count(told),
        "owners_max": OWNERS_SHOWN_MAX,
        "countries": countries(request.user.language),
    }


async def _agreement(interface: Interface, agreement_id: str) -> Mapping[str, Any] | None:
    """The terms link; None if there is none, which sending the form then says."""
    if as_uuid(agreement_id) is None:
        return None
    try:
        return await interface.get(f"/v2/tos-link/{agreement_id}")
    except Refused:
        return None


def _type_of(told: Mapping[str, str]) -> str:
    is_business = told.get("type") == UserType.BUSINESS
    return (UserType.BUSINESS if is_business else UserType.INDIVIDUAL).value
