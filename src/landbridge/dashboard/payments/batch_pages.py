"""Beginning a batch: many payees at once, typed or from a file; each line is looked at first."""

from collections.abc import Mapping
from typing import Any

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency

from landbridge.core.errors import FieldInvalid, Refused
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.pages import Page, Renderer, go, headers
from landbridge.dashboard.payments.batch_files import COLUMNS, FIELD, rows_of, text_of
from landbridge.dashboard.payments.batch_lines import preview
from landbridge.dashboard.payments.choices import choices_for
from landbridge.dashboard.payments.creating import create, on_our_inputs, plan_of
from landbridge.dashboard.payments.kinds import BATCH
from landbridge.dashboard.payments.new_pages import (
    after_refusal,
    asked_in_address,
    carried,
    choose_user,
    payer_of,
)
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.web.caller import check_editor
from landbridge.web.inside import Interface

_TEMPLATE = "payments/batch.html"
_EXAMPLE = (
    ",".join(COLUMNS)
    + "\r\nada@example.com,10.50,usdc,Invoice 1"
    + "\r\n0199d5b1-5c1e-7b9a-8a50-3a4f0f6f7b11,25,usdc,a user by id"
    + "\r\n0x8ba1f109551bD432803012645Ac136ddd64DBA72,3.25,usdc,a registered address\r\n"
)


class BatchPages(Controller):
    """`/dashboard/new/batch`."""

    path = "/new/batch"

    @get("/template.csv")
    async def example(self) -> Response[str]:
        """A file to begin with."""
        told = {**headers(), "Content-Disposition": 'attachment; filename="batch.csv"'}
        return Response(_EXAMPLE, media_type="text/csv", headers=told)

    @get("/")
    async def show(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """Who pays; once that is known, the form."""
        check_editor(request.user.caller)
        form = asked_in_address(request)
        if not form.text("userId"):
            return await choose_user(request, renderer, interface, BATCH)
        values = await _values(request, renderer, interface, form)
        return renderer.page(request, _TEMPLATE, **values)

    @post("/")
    async def send(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """The form again (`edit`), a preview of every line (`review`), or the batch (`create`)."""
        check_editor(request.user.caller)
        form = await read_form(request)
        try:
            form = await _with_file(form)
            match form.text("step"):
                case "review" | "create":
                    return await _preview(request, renderer, interface, form)
                case _:
                    values = await _values(request, renderer, interface, form)
                    return renderer.page(request, _TEMPLATE, **values)
        except Refused as error:
            form = after_refusal(form, error)
            values = await _values(request, renderer, interface, form)
            problem = on_our_inputs(BATCH, error)
            return renderer.again(request, _TEMPLATE, problem, **values)


async def _with_file(form: Form) -> Form:
    """The form, with the text of the file as its lines, if one was sent."""
    file = form.files.get("file")
    if file is None or not file.filename:
        return form
    content = await file.read()
    if not content:
        raise FieldInvalid("The file is empty.", field=FIELD)
    return Form({**form.fields, FIELD: [text_of(content)]})


async def _values(
    request: PageRequest, renderer: Renderer, interface: Interface, form: Form
) -> Mapping[str, Any]:
    user = await payer_of(interface, form)
    offered = await choices_for(
        interface,
        BATCH,
        user,
        form,
        language=request.user.language,
        is_sandbox=renderer.surroundings.is_sandbox,
    )
    return {"kind": BATCH, "form": form, "must_ask": request.user.caller.must_ask, **offered}


async def _preview(
    request: PageRequest, renderer: Renderer, interface: Interface, form: Form
) -> Page:
    """Every line; the batch is made only if all are good and it is asked for."""
    user = await payer_of(interface, form)
    plan = plan_of(form)
    seen = await preview(interface, user, form, rows_of(form.raw(FIELD)), plan)
    if seen.made is not None:
        return go(f"/dashboard/transactions/{seen.made}", said=_("This batch was made already."))
    if seen.is_good and form.text("step") == "create":
        reply = await create(interface, BATCH, seen.body, plan=plan)
        made = reply["transferDetails"]["id"]
        return go(f"/dashboard/transactions/{made}", said=_("It was made."))
    values = {
        "kind": BATCH,
        "user": user,
        "seen": seen,
        "plan": plan,
        "review": seen.review,
        "names": {each["id"]: each["name"] for each in (user, *seen.users)},
        "carried": carried(form),
        "must_ask": request.user.caller.must_ask,
    }
    if seen.problem is None:
        status = 200 if seen.is_good else 422
        return renderer.page(request, "payments/batch_review.html", status=status, **values)
    problem = on_our_inputs(BATCH, seen.problem)
    return renderer.again(request, "payments/batch_review.html", problem, **values)
