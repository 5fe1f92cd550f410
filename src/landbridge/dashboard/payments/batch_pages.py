"""Pages that create a batch of payments, typed or from a file, with a preview of each line."""

from collections.abc import Mapping

from litestar import Controller, Response, get, post

from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.page_request import Page, PageRequest, redirect
from landbridge.dashboard.payments.batch_files import COLUMNS, FIELD, decode_file, parse_rows
from landbridge.dashboard.payments.batch_lines import preview
from landbridge.dashboard.payments.choices import choices_for
from landbridge.dashboard.payments.kinds import BATCH
from landbridge.dashboard.payments.new_pages import (
    after_refusal,
    choose_user,
    form_from_url,
    hidden_fields,
    payer_of,
)
from landbridge.dashboard.payments.submission import create, plan_of, with_form_fields
from landbridge.dashboard.rendering import headers
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.caller import check_editor

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
        """Download an example file."""
        response_headers = {**headers(), "Content-Disposition": 'attachment; filename="batch.csv"'}
        return Response(_EXAMPLE, media_type="text/csv", headers=response_headers)

    @get("/")
    async def show(self, request: PageRequest) -> Response[str]:
        """Choose the payer, then show the form."""
        check_editor(request.user.caller)
        form = form_from_url(request)
        if not form.text("userId"):
            return await choose_user(request, BATCH)
        values = await _values(request, form)
        return request.page(_TEMPLATE, **values)

    @post("/")
    async def send(self, request: PageRequest) -> Page:
        """Show the form (`edit`) or a preview of every line (`review`), or create it (`create`)."""
        check_editor(request.user.caller)
        form = await read_form(request)
        try:
            form = await _with_file(form)
            match form.text("step"):
                case "review" | "create":
                    return await _preview(request, form)
                case _:
                    values = await _values(request, form)
                    return request.page(_TEMPLATE, **values)
        except Refused as error:
            form = after_refusal(form, error)
            values = await _values(request, form)
            problem = with_form_fields(BATCH, error)
            return request.with_problem(_TEMPLATE, problem, **values)


async def _with_file(form: Form) -> Form:
    """Return the form with the text of an uploaded file as its lines."""
    file = form.files.get("file")
    if file is None or not file.filename:
        return form
    content = await file.read()
    if not content:
        raise FieldInvalid("The file is empty.", field=FIELD)
    return Form({**form.fields, FIELD: [decode_file(content)]})


async def _values(request: PageRequest, form: Form) -> Mapping[str, object]:
    user = await payer_of(request.interface, form)
    offered = await choices_for(
        request.interface,
        BATCH,
        user,
        form,
        language=request.user.language,
        is_sandbox=request.installation.is_sandbox,
    )
    return {
        "kind": BATCH,
        "form": form,
        "payments_need_approval": request.user.caller.payments_need_approval,
        **offered,
    }


async def _preview(request: PageRequest, form: Form) -> Page:
    """Preview every line; create the batch only if all are valid and the step is `create`."""
    user = await payer_of(request.interface, form)
    plan = plan_of(form)
    batch = await preview(request.interface, user, form, parse_rows(form.raw(FIELD)), plan)
    if batch.created_id is not None:
        return redirect(
            f"/dashboard/transactions/{batch.created_id}", notice=_("Batch already created")
        )
    if batch.is_good and form.text("step") == "create":
        reply = await create(request.interface, BATCH, batch.body, plan=plan)
        transfer_id = reply.transfer_details.id
        return redirect(f"/dashboard/transactions/{transfer_id}", notice=_("Payment created"))
    values = {
        "kind": BATCH,
        "user": user,
        "batch": batch,
        "plan": plan,
        "review": batch.review,
        "names": {str(each.id): each.name for each in (user, *batch.users)},
        "hidden_fields": hidden_fields(form),
        "payments_need_approval": request.user.caller.payments_need_approval,
    }
    if batch.problem is None:
        status = 200 if batch.is_good else 422
        return request.page("payments/batch_review.html", status, **values)
    problem = with_form_fields(BATCH, batch.problem)
    return request.with_problem("payments/batch_review.html", problem, **values)
