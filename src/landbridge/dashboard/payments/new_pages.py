"""Beginning a payment: who pays, what and to whom, a review, and then it is made."""

from collections.abc import Mapping
from typing import Any

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.core.errors import Refused
from landbridge.dashboard.forms import Form, new_request_id, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.payments.bodies import body_of
from landbridge.dashboard.payments.choices import choices_for
from landbridge.dashboard.payments.creating import (
    ALREADY_USED,
    create,
    on_our_inputs,
    plan_of,
)
from landbridge.dashboard.payments.kinds import Kind, kind_named
from landbridge.dashboard.payments.reviews import review_of
from landbridge.dashboard.payments.user_search import newest_users, search_users
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.users.paths import known_user
from landbridge.web.caller import check_editor
from landbridge.web.inside import Interface

_OWN_FIELDS = frozenset({"csrf", "step"})
_PAYER = "userId"
# Hidden fields: ids of those whom a name means, and what a sandbox plays.
_UNSEEN, _PLAYED = ("Id", "For"), ("forced.", "delay.")


class NewPaymentPages(Controller):
    """`/dashboard/new/{kind}`; batches have pages of their own."""

    path = "/new"

    @get("/users")
    async def users(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """Users that fit what is being typed: for scripts."""
        found = await search_users(interface, request.query_params.get("q", ""))
        return renderer.page(request, "payments/options.html", found=found)

    @get("/{kind:str}")
    async def show(
        self,
        request: PageRequest,
        kind: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """Who pays; once that is known, the form."""
        check_editor(request.user.caller)
        of = kind_named(kind)
        form = asked_in_address(request)
        if not form.text("userId"):
            return await choose_user(request, renderer, interface, of)
        values = await _values(request, renderer, interface, of, form)
        return renderer.page(request, f"payments/{of.name}.html", **values)

    @post("/{kind:str}")
    async def send(
        self,
        request: PageRequest,
        kind: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """The form again (`edit`), its review (`review`), or the payment itself (`create`)."""
        check_editor(request.user.caller)
        of = kind_named(kind)
        form = await read_form(request)
        try:
            match form.text("step"):
                case "create":
                    return await _create(interface, of, form)
                case "review":
                    return await _review(request, renderer, interface, of, form)
                case _:
                    values = await _values(request, renderer, interface, of, form)
                    return renderer.page(request, f"payments/{of.name}.html", **values)
        except Refused as error:
            form = after_refusal(form, error)
            values = await _values(request, renderer, interface, of, form)
            problem = on_our_inputs(of, error)
            return renderer.again(request, f"payments/{of.name}.html", problem, **values)


async def choose_user(
    request: PageRequest, renderer: Renderer, interface: Interface, kind: Kind
) -> Response[str]:
    """The first step: whose money it is."""
    text = request.query_params.get("q", "").replace("\x00", "").strip()
    found = await (search_users(interface, text) if text else newest_users(interface))
    return renderer.page(request, "payments/choose_user.html", kind=kind, found=found, text=text)


def asked_in_address(request: PageRequest) -> Form:
    """What the address fills in beforehand: nothing that its reader would not see.

    Whoever made a link does not choose whom a name means, nor what a sandbox plays.
    """
    told: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        if name == _PAYER or not (name.endswith(_UNSEEN) or name.startswith(_PLAYED)):
            told.setdefault(name, []).append(value.replace("\x00", ""))
    return Form({"requestId": [new_request_id()], **told})


def carried(form: Form) -> list[tuple[str, str]]:
    """All that was filled in, for the hidden fields of the next step."""
    return [
        (name, each)
        for name, values in form.fields.items()
        for each in values
        if name not in _OWN_FIELDS
    ]


def after_refusal(form: Form, error: Refused) -> Form:
    """The form, with a new id where something else was made of its own."""
    if error.name != ALREADY_USED:
        return form
    return Form({**form.fields, "requestId": [new_request_id()]}, form.files)


async def payer_of(interface: Interface, form: Form) -> Mapping[str, Any]:
    """The user who pays; raises `UserNotFound`."""
    return await interface.get(f"/v2/users/{known_user(form.text('userId'))}")


async def _values(
    request: PageRequest, renderer: Renderer, interface: Interface, kind: Kind, form: Form
) -> Mapping[str, Any]:
    """What the form's template shows."""
    user = await payer_of(interface, form)
    offered = await choices_for(
        interface,
        kind,
        user,
        form,
        language=request.user.language,
        is_sandbox=renderer.surroundings.is_sandbox,
    )
    return {"kind": kind, "form": form, "must_ask": request.user.caller.must_ask, **offered}


async def _review(
    request: PageRequest, renderer: Renderer, interface: Interface, kind: Kind, form: Form
) -> Page:
    """What would be made, with nothing made yet."""
    user = await payer_of(interface, form)
    body = await body_of(kind.name, interface, user["id"], form)
    plan = plan_of(form)
    reply = await create(interface, kind, body, plan=plan, is_dry=True)
    review = review_of(reply)
    if review is None:
        return _made(reply, said=_("This payment was made already."))
    payee_id = review.details["destination"].get("userId")
    payee = user if payee_id in {None, user["id"]} else await _named(interface, payee_id)
    return renderer.page(
        request,
        "payments/review.html",
        kind=kind,
        user=user,
        payee=payee,
        names={each["id"]: each["name"] for each in (user, payee)},
        plan=plan,
        review=review,
        carried=carried(form),
        must_ask=request.user.caller.must_ask,
    )


async def _create(interface: Interface, kind: Kind, form: Form) -> Page:
    user = await payer_of(interface, form)
    body = await body_of(kind.name, interface, user["id"], form)
    reply = await create(interface, kind, body, plan=plan_of(form))
    is_quoted = reply["transferDetails"]["status"] == "OPEN_QUOTE"
    return _made(reply, said=_("Accept the quote to go on.") if is_quoted else _("It was made."))


def _made(reply: Mapping[str, Any], *, said: str) -> Page:
    return go(f"/dashboard/transactions/{reply['transferDetails']['id']}", said=said)


async def _named(interface: Interface, user_id: str) -> Mapping[str, Any]:
    return await interface.get(f"/v2/users/{user_id}")
