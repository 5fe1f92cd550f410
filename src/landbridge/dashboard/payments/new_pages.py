"""Pages that create a payment: choose the payer, fill in the form, review, create.

Those of a batch take lines, typed or from a file, and show a preview of each line.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

from litestar import Controller, Response, get, post
from litestar.params import FromPath

from landbridge.customers.users.path_params import known_user
from landbridge.customers.users.schemas import UserReply
from landbridge.dashboard.number_formats import number_text
from landbridge.dashboard.page_request import (
    Form,
    Page,
    PageRequest,
    new_request_id,
    read_form,
    redirect,
)
from landbridge.dashboard.payment_lines import read_lines, recipient_of
from landbridge.dashboard.payments.batch_files import COLUMNS, FIELD, decode_file, parse_rows
from landbridge.dashboard.payments.batch_lines import preview
from landbridge.dashboard.payments.choices import choices_for
from landbridge.dashboard.payments.destinations import destination_of
from landbridge.dashboard.payments.kinds import (
    BATCH,
    BRIDGE,
    OFFRAMP,
    TRANSFER,
    PaymentFormKind,
    find_kind,
)
from landbridge.dashboard.payments.payment_details import PaymentReply, read_payment
from landbridge.dashboard.payments.request_bodies import body_of
from landbridge.dashboard.payments.reviews import review_of
from landbridge.dashboard.payments.submission import ALREADY_USED, create, plan_of, with_form_fields
from landbridge.dashboard.payments.user_search import newest_users, search_users
from landbridge.dashboard.rendering import headers
from landbridge.dashboard.transactions.repeat_links import repeat_link
from landbridge.payments.transactions.schemas import TransactionReply
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.caller import check_editor
from landbridge.platform.http.internal_client import InternalClient

_OWN_FIELDS = frozenset({"csrf", "step"})
_PAYER = "userId"
# Hidden fields that a link must not set: resolved user ids and sandbox outcomes.
_NUMBER = re.compile("amount|feeValue|fee[0-9]+")
_HIDDEN_SUFFIXES, _SANDBOX_PREFIXES = ("Id", "For"), ("forced.", "delay.")


class NewPaymentPages(Controller):
    """Handlers of `/dashboard/new/{kind}`; batches have their own pages."""

    path = "/new"

    @get("/users")
    async def users(self, request: PageRequest) -> Response[str]:
        """Return user suggestions for typed text, for scripts."""
        found = await search_users(request.interface, request.query_params.get("q", ""))
        return request.page("payments/options.html", found=found)

    @get("/{kind:str}")
    async def show(self, request: PageRequest, kind: FromPath[str]) -> Response[str]:
        """Choose the payer, then show the form."""
        check_editor(request.user.caller)
        form_kind = find_kind(kind)
        form = form_from_url(request)
        if not form.text("userId"):
            return await choose_user(request, form_kind)
        values = await _values(request, form_kind, form)
        return request.page(f"payments/{form_kind.name}.html", **values)

    @post("/{kind:str}")
    async def send(self, request: PageRequest, kind: FromPath[str]) -> Page:
        """Show the form (`edit`) or its review (`review`), or create the payment (`create`)."""
        check_editor(request.user.caller)
        form_kind = find_kind(kind)
        form = await read_form(request)
        try:
            match form.text("step"):
                case "create":
                    return await _create(request.interface, form_kind, form)
                case "review":
                    return await _review(request, form_kind, form)
                case _:
                    values = await _values(request, form_kind, form)
                    return request.page(f"payments/{form_kind.name}.html", **values)
        except Refused as error:
            form = after_refusal(form, error)
            values = await _values(request, form_kind, form)
            problem = with_form_fields(form_kind, error)
            return request.with_problem(f"payments/{form_kind.name}.html", problem, **values)


async def choose_user(request: PageRequest, kind: PaymentFormKind) -> Response[str]:
    """Show the first step: choosing the payer."""
    text = request.query_params.get("q", "").replace("\x00", "").strip()
    found = await (
        search_users(request.interface, text) if text else newest_users(request.interface)
    )
    return request.page("payments/choose_user.html", kind=kind, found=found, text=text)


def form_from_url(request: PageRequest) -> Form:
    """Return the form values preset by the URL: visible fields only.

    A link writes numbers as the API does, and the form shows them in the reader's format. It cannot
    choose which user a name resolves to, nor the outcome of a sandbox payment.
    """
    fields: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        language = request.user.language
        text = number_text(value, language) if _NUMBER.fullmatch(name) else value
        if name == _PAYER or not (
            name.endswith(_HIDDEN_SUFFIXES) or name.startswith(_SANDBOX_PREFIXES)
        ):
            fields.setdefault(name, []).append(text.replace("\x00", ""))
    return Form({"requestId": [new_request_id()], **fields}, language=request.user.language)


def hidden_fields(form: Form) -> list[tuple[str, str]]:
    """Return all submitted values, for the hidden fields of the next step."""
    return [
        (name, each)
        for name, values in form.fields.items()
        for each in values
        if name not in _OWN_FIELDS
    ]


def after_refusal(form: Form, error: Refused) -> Form:
    """Return the form, with a new request id if its own was already used."""
    if error.name != ALREADY_USED:
        return form
    return Form({**form.fields, "requestId": [new_request_id()]}, form.files, form.language)


async def payer_of(interface: InternalClient, form: Form) -> UserReply:
    """Return the paying user; raise `UserNotFound` if there is none."""
    return await interface.read(UserReply, f"/v2/users/{known_user(form.text('userId'))}")


async def _values(request: PageRequest, kind: PaymentFormKind, form: Form) -> Mapping[str, object]:
    """Return the values of the form's template."""
    user = await payer_of(request.interface, form)
    offered = await choices_for(
        request.interface,
        kind,
        user,
        form,
        language=request.user.language,
        is_sandbox=request.installation.is_sandbox,
    )
    return {
        "kind": kind,
        "form": form,
        "payments_need_approval": request.user.caller.payments_need_approval,
        "recent": await recent_recipients(request.interface, kind, user.id),
        **offered,
    }


async def _review(request: PageRequest, kind: PaymentFormKind, form: Form) -> Page:
    """Show what a dry run of the payment found."""
    user = await payer_of(request.interface, form)
    body = await body_of(kind.name, request.interface, str(user.id), form)
    plan = plan_of(form)
    reply = await create(request.interface, kind, body, plan=plan, is_dry=True)
    review = review_of(reply)
    if review is None:
        return _to_payment(reply, notice=_("Payment already created"))
    payee_id = review.details.destination.user_id
    payee = (
        user
        if payee_id in {None, user.id}
        else await request.interface.read(UserReply, f"/v2/users/{payee_id}")
    )
    destination = await destination_of(
        request.interface,
        kind.transfer_type,
        review.details,
        with_history=True,
        verifies_payee=True,
    )
    return request.page(
        "payments/review.html",
        kind=kind,
        user=user,
        payee=payee,
        destination=destination,
        names={str(each.id): each.name for each in (user, payee)},
        plan=plan,
        review=review,
        hidden_fields=hidden_fields(form),
        payments_need_approval=request.user.caller.payments_need_approval,
    )


async def _create(interface: InternalClient, kind: PaymentFormKind, form: Form) -> Page:
    user = await payer_of(interface, form)
    body = await body_of(kind.name, interface, str(user.id), form)
    reply = await create(interface, kind, body, plan=plan_of(form))
    is_quoted = reply.transfer_details.status == "OPEN_QUOTE"
    return _to_payment(
        reply,
        notice=_("Payment created. Accept the quote to continue.")
        if is_quoted
        else _("Payment created"),
    )


def _to_payment(reply: PaymentReply, *, notice: str) -> Page:
    return redirect(f"/dashboard/transactions/{reply.transfer_details.id}", notice=notice)


RECIPIENTS_MAX: Final = 5
_PAYMENTS_READ: Final = 25
# Of other kinds, the money stays with the user.
_KINDS: Final = frozenset({TRANSFER.name, BRIDGE.name, OFFRAMP.name})
# What belongs to the earlier payment.
_DROPPED: Final = frozenset({"amount", "exact"})


@dataclass(frozen=True, slots=True)
class RecentRecipient:
    """Recipient of a payment, with the summary that names it, and the filled form."""

    line: TransactionReply
    path: str


async def recent_recipients(
    interface: InternalClient, kind: PaymentFormKind, user_id: UUID
) -> Sequence[RecentRecipient]:
    """Return the recipients of the latest payments of this kind, the newest first, each once."""
    if kind.name not in _KINDS:
        return ()
    found = await read_lines(
        interface, type=kind.transfer_type, userId=str(user_id), limit=_PAYMENTS_READ
    )
    lines: dict[tuple[UUID | str | None, ...], TransactionReply] = {}
    for each in found.data:
        to = recipient_of(each)
        if to.account_id or to.user_id != user_id:
            lines.setdefault((to.account_id, to.user_id, to.address), each)
    first = list(lines.values())[:RECIPIENTS_MAX]
    replies = await asyncio.gather(
        *(read_payment(interface, kind.transfer_type, each.id) for each in first)
    )
    links = (repeat_link(kind.transfer_type, each.transfer_details) for each in replies)
    return [
        RecentRecipient(line, _without_amount(link))
        for line, link in zip(first, links, strict=True)
        if link is not None
    ]


def _without_amount(link: str) -> str:
    path, _, query = link.partition("?")
    return f"{path}?{urlencode([each for each in parse_qsl(query) if each[0] not in _DROPPED])}"


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
        return request.page(_TEMPLATE, **await _batch_values(request, form))

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
                    return request.page(_TEMPLATE, **await _batch_values(request, form))
        except Refused as error:
            form = after_refusal(form, error)
            values = await _batch_values(request, form)
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


async def _batch_values(request: PageRequest, form: Form) -> Mapping[str, object]:
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
