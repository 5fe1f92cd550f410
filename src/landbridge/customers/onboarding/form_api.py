"""Hosted form: pages that a person opens from a KYC link. Source: contract, users 3.2.

Every response is a page, including errors, and works without JavaScript. Addresses contain the
link's id and token, the step, and ids; never personal data.
"""

from types import MappingProxyType
from typing import Annotated, Any

import structlog
from litestar import Controller, Request, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import HTTPException
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from landbridge.customers.onboarding.document_uploads import DocumentUploads, find_need
from landbridge.customers.onboarding.errors import LinkGone
from landbridge.customers.onboarding.form_inputs import Form
from landbridge.customers.onboarding.form_progress import FormStep
from landbridge.customers.onboarding.form_service import FormVisit, FormVisits
from landbridge.customers.onboarding.model import redirect_to
from landbridge.customers.onboarding.multipart_form import BODY_BYTES_MAX, read_sent
from landbridge.customers.onboarding.page_contexts import (
    about_screen,
    address,
    document_screen,
    find_owner,
    owner_screen,
    provider_screen,
    questions_screen,
    reachable,
    screen,
)
from landbridge.customers.onboarding.pages import page
from landbridge.customers.users.page_language import choose_language, translate
from landbridge.platform.core.errors import Busy, Refused, ResourceNotFound
from landbridge.platform.http.authenticated import mark_authenticated
from landbridge.platform.http.concurrency import KEYLESS_TURN
from landbridge.platform.http.error_responses import is_disconnected, with_cleared_tracebacks
from landbridge.platform.http.forms import parse_form

_log = structlog.stdlib.get_logger()

AnyRequest = Request[Any, Any, Any]
Page = Response[str] | Redirect

# Limit for the body of a form without files, which has a few kilobytes.
_FORM_BYTES_MAX = 64 * 1024
_FORM_FIELDS_MAX = 200
_CONFLICT = 409
_TOO_LARGE = 413
_BROKEN = 500


def gone(_: AnyRequest, error: LinkGone) -> Response[str]:
    """Return the page for a link that does not exist or has expired."""
    return page("gone.html", error.status)


def refused(_: AnyRequest, error: Refused) -> Response[str]:
    """Return the page for an error that the visitor cannot fix; its API message is omitted."""
    answer = _problem(
        error.status,
        translate("Action not possible"),
        translate(
            "Go back and try again. If it fails again, contact the company that sent you here."
        ),
    )
    if error.retry_after_s is not None:
        answer.headers["Retry-After"] = str(error.retry_after_s)
    return answer


def busy(_: AnyRequest, error: Busy) -> Response[str]:
    """Return the page for a temporary overload."""
    _log.warning("form.busy", reason=str(error))
    answer = _problem(
        503, translate("Try again"), translate("The service is busy. Try again in a moment.")
    )
    answer.headers["Retry-After"] = str(error.retry_after_s)
    return answer


def http_exception(request: AnyRequest, error: HTTPException) -> Response[str]:
    """Return the page for an error of the framework."""
    status = error.status_code
    if status == _TOO_LARGE:
        return _problem(
            status, translate("File too large"), translate("Go back and upload a smaller file.")
        )
    if is_disconnected(error):
        # The client has disconnected; status 400 keeps this from being logged as a server error.
        status = 400
    if status < _BROKEN:
        return _problem(
            status, translate("Action not possible"), translate("Go back and try again.")
        )
    return broken(request, error)


def broken(_: AnyRequest, error: Exception) -> Response[str]:
    """Return the page for a server error; the log has it under the same request id."""
    _log.error("form.broken", exc_info=error)
    return _problem(
        500,
        translate("Something went wrong on our side"),
        translate("Try again in a few minutes. Your previous answers are saved."),
    )


class KycPage(Controller):
    """Routes of the form. Each page is the current step, or an earlier step that is revisited."""

    path = "/kyc/{linkId:str}"
    dto = None  # forms, not JSON
    guards = (choose_language,)
    opt: Any = MappingProxyType({KEYLESS_TURN: True})
    request_max_body_size = _FORM_BYTES_MAX
    exception_handlers: Any = with_cleared_tracebacks(
        {
            LinkGone: gone,
            Refused: refused,
            Busy: busy,
            HTTPException: http_exception,
            Exception: broken,
        }
    )

    @get(include_in_schema=False, public=True)
    async def show(
        self,
        linkId: FromPath[str],
        form_visits: NamedDependency[FormVisits],
        session: Annotated[str, QueryParameter(name="session")] = "",
        step: Annotated[str, QueryParameter(name="step")] = "",
        item: Annotated[str, QueryParameter(name="item")] = "",
    ) -> Response[str]:
        """Return the page of a step."""
        visit = await form_visits.open(linkId, session)
        here = reachable(visit, step)
        return screen(visit, here, item if here == step else "")

    @post("/terms", status_code=200, include_in_schema=False, public=True)
    async def accept(
        self, request: AnyRequest, linkId: FromPath[str], form_visits: NamedDependency[FormVisits]
    ) -> Page:
        """Accept the terms."""
        visit, _ = await _open(form_visits, linkId, request)
        if reachable(visit, FormStep.TERMS) is FormStep.TERMS:
            host = request.client.host if request.client else None
            await form_visits.accept_terms(visit, signed_from=host)
        return _on(visit)

    @post("/about", status_code=200, include_in_schema=False, public=True)
    async def register(
        self, request: AnyRequest, linkId: FromPath[str], form_visits: NamedDependency[FormVisits]
    ) -> Page:
        """Create the user."""
        visit, form = await _open(form_visits, linkId, request)
        if reachable(visit, FormStep.ABOUT) is not FormStep.ABOUT:
            return _on(visit)
        found = await form_visits.register(visit, form)
        if found.errors:
            return about_screen(visit, form, found.errors)
        return await _end(form_visits, visit) if not visit.link.rails else _on(visit)

    @post("/details", status_code=200, include_in_schema=False, public=True)
    async def details(
        self, request: AnyRequest, linkId: FromPath[str], form_visits: NamedDependency[FormVisits]
    ) -> Page:
        """Save the answers to the rails' questions."""
        return await _save_step(form_visits, linkId, request, FormStep.DETAILS)

    @post("/questions", status_code=200, include_in_schema=False, public=True)
    async def questions(
        self, request: AnyRequest, linkId: FromPath[str], form_visits: NamedDependency[FormVisits]
    ) -> Page:
        """Save the answers to the questionnaire."""
        return await _save_step(form_visits, linkId, request, FormStep.QUESTIONS)

    @post("/owners", status_code=200, include_in_schema=False, public=True)
    async def save_owner(
        self, request: AnyRequest, linkId: FromPath[str], form_visits: NamedDependency[FormVisits]
    ) -> Page:
        """Add an owner, or change one."""
        visit, form = await _open(form_visits, linkId, request)
        if reachable(visit, FormStep.OWNERS) is not FormStep.OWNERS:
            return _on(visit)
        owner = find_owner(visit, _one(form, "item"))
        found = await form_visits.save_owner(visit, owner, form)
        if found.errors:
            # Open the visit again: valid answers are stored by now, so the questions differ.
            again, _ = await _open(form_visits, linkId, request)
            return owner_screen(again, owner and again.owner(owner.id), form, found.errors)
        return _on(visit, FormStep.OWNERS)

    @post("/owners/remove", status_code=200, include_in_schema=False, public=True)
    async def remove_owner(
        self, request: AnyRequest, linkId: FromPath[str], form_visits: NamedDependency[FormVisits]
    ) -> Page:
        """Remove an owner."""
        visit, form = await _open(form_visits, linkId, request)
        if reachable(visit, FormStep.OWNERS) is FormStep.OWNERS:
            owner = find_owner(visit, _one(form, "item"))
            if owner is not None:
                await form_visits.remove_owner(visit, owner)
        return _on(visit, FormStep.OWNERS)

    @post(
        "/documents",
        status_code=200,
        include_in_schema=False,
        public=True,
        keyless_turn=False,
        request_max_body_size=BODY_BYTES_MAX,
    )
    async def upload(
        self,
        request: AnyRequest,
        linkId: FromPath[str],
        *,
        form_visits: NamedDependency[FormVisits],
        document_uploads: NamedDependency[DocumentUploads],
        session: Annotated[str, QueryParameter(name="session")] = "",
    ) -> Page:
        """Add a document with its file.

        The token is in the address: without a link no file is read.
        """
        visit = await form_visits.open(linkId, session)
        mark_authenticated(request.scope)
        with document_uploads.memory.place(visit.link.org_id, visit.link.id):
            sent = await read_sent(request)
            # Open the visit again: the upload may take a minute, and the link may have ended.
            visit = await form_visits.open(linkId, session)
            if reachable(visit, FormStep.DOCUMENTS) is not FormStep.DOCUMENTS:
                return _on(visit)
            item = _one(sent.fields, "item")
            found = await document_uploads.add(visit, find_need(visit.state, item), sent)
        if found.errors:
            return document_screen(visit, item, sent.fields, found.errors)
        return _on(visit, FormStep.DOCUMENTS)

    @post("/submit", status_code=200, include_in_schema=False, public=True)
    async def submit(
        self, request: AnyRequest, linkId: FromPath[str], form_visits: NamedDependency[FormVisits]
    ) -> Page:
        """Submit all data; then redirect to the address of the link, with `userId` appended."""
        visit, _ = await _open(form_visits, linkId, request)
        if reachable(visit, FormStep.REVIEW) is not FormStep.REVIEW:
            return _on(visit)
        if await form_visits.submit(visit):
            return await _end(form_visits, visit)
        again = await form_visits.open(linkId, visit.token)
        if reachable(again, FormStep.REVIEW) is not FormStep.REVIEW:
            return _on(again)
        return _problem(
            _CONFLICT,
            translate("More information is needed"),
            translate("This form can't collect it. Contact the company that sent you here."),
        )

    @post(
        "/verification",
        status_code=200,
        include_in_schema=False,
        public=True,
        keyless_turn=False,
    )
    async def open_provider_link(
        self, request: AnyRequest, linkId: FromPath[str], form_visits: NamedDependency[FormVisits]
    ) -> Page:
        """Return a page with a new link to the identity provider's page."""
        visit, form = await _open(form_visits, linkId, request)
        try:
            link = await form_visits.open_provider_link(visit, _one(form, "rail"))
        except ResourceNotFound:
            return _problem(
                404,
                translate("Nothing to do here"),
                translate("The verification continues without you. You can close this page."),
            )
        return provider_screen(visit, link.url)


async def _open(visits: FormVisits, link_id: str, request: AnyRequest) -> tuple[FormVisit, Form]:
    """Return the visit for the token in the form, and the form."""
    form = parse_form(await request.body(), fields_max=_FORM_FIELDS_MAX)
    return await visits.open(link_id, _one(form, "session")), form


async def _save_step(visits: FormVisits, link_id: str, request: AnyRequest, step: FormStep) -> Page:
    visit, form = await _open(visits, link_id, request)
    if reachable(visit, step) is not step:
        return _on(visit)
    found = await visits.save_answers(visit, step, form)
    return questions_screen(visit, step, form, found.errors) if found.errors else _on(visit)


async def _end(visits: FormVisits, visit: FormVisit) -> Page:
    """Redirect to the link's redirect URL; show the final page if it has none."""
    ended = await visits.open(str(visit.link.id), visit.token)
    redirect, user_id = ended.link.redirect_url, ended.link.user_id
    if redirect is None or user_id is None:
        return _on(ended)
    return Redirect(redirect_to(redirect, user_id), status_code=303)


def _on(visit: FormVisit, step: FormStep | None = None) -> Redirect:
    """Redirect to a page of the form, which can be reloaded without a second submission."""
    return Redirect(address(visit, step), status_code=303)


def _one(form: Form, name: str) -> str:
    values = form.get(name, ())
    return values[0] if values else ""


def _problem(status: int, title: str, *lines: str) -> Response[str]:
    return page("problem.html", status, title=title, lines=lines)
