"""The hosted form: pages that a person opens from a KYC link. Source: contract, users 3.2.

Every answer is a page, errors too, and works without JavaScript. Addresses hold the link's id and
token, the step, and ids; never what a person tells.
"""

from typing import Annotated, Any

import structlog
from litestar import Controller, Request, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import HTTPException
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from landbridge.core.errors import Busy, Refused
from landbridge.onboarding.errors import LinkGone
from landbridge.onboarding.inputs import Form
from landbridge.onboarding.journey import Step
from landbridge.onboarding.model import redirect_to
from landbridge.onboarding.pages import page
from landbridge.onboarding.screens import (
    about_screen,
    address,
    document_screen,
    find_owner,
    owner_screen,
    questions_screen,
    reachable,
    screen,
)
from landbridge.onboarding.uploading import Uploading, find_need
from landbridge.onboarding.uploads import BODY_BYTES_MAX, read_sent
from landbridge.onboarding.visits import Visit, Visits
from landbridge.web.errors import is_gone
from landbridge.web.forms import parse_form
from landbridge.web.known import mark_known

_log = structlog.stdlib.get_logger()

AnyRequest = Request[Any, Any, Any]
Page = Response[str] | Redirect

# A form of ours has a few kilobytes.
_FORM_BYTES_MAX = 64 * 1024
_FORM_FIELDS_MAX = 200
_CONFLICT = 409
_TOO_LARGE = 413
_BROKEN = 500


def gone(_: AnyRequest, error: LinkGone) -> Response[str]:
    """There is no such link any more."""
    return page("gone.html", error.status)


def refused(_: AnyRequest, error: Refused) -> Response[str]:
    """What nobody at the form can mend; the sentence is for programs, and stays out."""
    answer = _problem(
        error.status,
        "This can't be done now",
        "Please go back and try again. If it happens again, ask the company that sent you here.",
    )
    if error.retry_after_s is not None:
        answer.headers["Retry-After"] = str(error.retry_after_s)
    return answer


def busy(_: AnyRequest, error: Busy) -> Response[str]:
    """Not now."""
    _log.warning("form.busy", reason=str(error))
    answer = _problem(503, "Please try again", "We are very busy. Try again in a minute.")
    answer.headers["Retry-After"] = str(error.retry_after_s)
    return answer


def http_exception(request: AnyRequest, error: HTTPException) -> Response[str]:
    """What the framework refuses."""
    status = error.status_code
    if status == _TOO_LARGE:
        return _problem(status, "That was too much", "Go back and send a smaller file.")
    if is_gone(error):
        # Nobody reads this answer; it is the log that must not call it a fault of ours.
        status = 400
    if status < _BROKEN:
        return _problem(status, "This page does not work like that", "Go back and try again.")
    return broken(request, error)


def broken(_: AnyRequest, error: Exception) -> Response[str]:
    """A fault of ours; the log has it under the same request id."""
    _log.error("form.broken", exc_info=error)
    return _problem(
        500,
        "Something went wrong on our side",
        "Please try again in a few minutes. What you sent before is kept.",
    )


class KycPage(Controller):
    """The form. Each page is where the person is, or a step behind that they go back to."""

    path = "/kyc/{linkId:str}"
    dto = None  # forms, not JSON
    request_max_body_size = _FORM_BYTES_MAX
    exception_handlers: Any = {  # noqa: RUF012  as the framework has it
        LinkGone: gone,
        Refused: refused,
        Busy: busy,
        HTTPException: http_exception,
        Exception: broken,
    }

    @get(include_in_schema=False, public=True)
    async def show(
        self,
        linkId: FromPath[str],
        visits: NamedDependency[Visits],
        session: Annotated[str, QueryParameter(name="session")] = "",
        step: Annotated[str, QueryParameter(name="step")] = "",
        item: Annotated[str, QueryParameter(name="item")] = "",
    ) -> Response[str]:
        """The page of a step."""
        visit = await visits.open(linkId, session)
        here = reachable(visit, step)
        return screen(visit, here, item if here == step else "")

    @post("/terms", status_code=200, include_in_schema=False, public=True)
    async def accept(
        self, request: AnyRequest, linkId: FromPath[str], visits: NamedDependency[Visits]
    ) -> Page:
        """Accept the terms."""
        visit, _ = await _open(visits, linkId, request)
        if reachable(visit, Step.TERMS) is Step.TERMS:
            host = request.client.host if request.client else None
            await visits.accept_terms(visit, signed_from=host)
        return _on(visit)

    @post("/about", status_code=200, include_in_schema=False, public=True)
    async def register(
        self, request: AnyRequest, linkId: FromPath[str], visits: NamedDependency[Visits]
    ) -> Page:
        """Become a user."""
        visit, form = await _open(visits, linkId, request)
        if reachable(visit, Step.ABOUT) is not Step.ABOUT:
            return _on(visit)
        found = await visits.register(visit, form)
        if found.errors:
            return about_screen(visit, form, found.errors)
        return await _end(visits, visit) if not visit.link.rails else _on(visit)

    @post("/details", status_code=200, include_in_schema=False, public=True)
    async def details(
        self, request: AnyRequest, linkId: FromPath[str], visits: NamedDependency[Visits]
    ) -> Page:
        """Answer what rails ask."""
        return await _tell(visits, linkId, request, Step.DETAILS)

    @post("/questions", status_code=200, include_in_schema=False, public=True)
    async def questions(
        self, request: AnyRequest, linkId: FromPath[str], visits: NamedDependency[Visits]
    ) -> Page:
        """Answer the questionnaire."""
        return await _tell(visits, linkId, request, Step.QUESTIONS)

    @post("/owners", status_code=200, include_in_schema=False, public=True)
    async def save_owner(
        self, request: AnyRequest, linkId: FromPath[str], visits: NamedDependency[Visits]
    ) -> Page:
        """Add an owner, or change one."""
        visit, form = await _open(visits, linkId, request)
        if reachable(visit, Step.OWNERS) is not Step.OWNERS:
            return _on(visit)
        owner = find_owner(visit, _one(form, "item"))
        found = await visits.save_owner(visit, owner, form)
        if found.errors:
            # What was good is kept by now, so that other things are asked.
            again, _ = await _open(visits, linkId, request)
            return owner_screen(again, owner and again.owner(owner.id), form, found.errors)
        return _on(visit, Step.OWNERS)

    @post("/owners/remove", status_code=200, include_in_schema=False, public=True)
    async def remove_owner(
        self, request: AnyRequest, linkId: FromPath[str], visits: NamedDependency[Visits]
    ) -> Page:
        """Remove an owner."""
        visit, form = await _open(visits, linkId, request)
        if reachable(visit, Step.OWNERS) is Step.OWNERS:
            owner = find_owner(visit, _one(form, "item"))
            if owner is not None:
                await visits.remove_owner(visit, owner)
        return _on(visit, Step.OWNERS)

    @post(
        "/documents",
        status_code=200,
        include_in_schema=False,
        public=True,
        request_max_body_size=BODY_BYTES_MAX,
    )
    async def upload(
        self,
        request: AnyRequest,
        linkId: FromPath[str],
        *,
        visits: NamedDependency[Visits],
        uploading: NamedDependency[Uploading],
        session: Annotated[str, QueryParameter(name="session")] = "",
    ) -> Page:
        """Add a document with its file.

        The token is in the address: without a link nobody may send us a file to read.
        """
        visit = await visits.open(linkId, session)
        mark_known(request.scope)
        with uploading.room.place(visit.link.id):
            sent = await read_sent(request)
            if reachable(visit, Step.DOCUMENTS) is not Step.DOCUMENTS:
                return _on(visit)
            item = _one(sent.fields, "item")
            found = await uploading.add(visit, find_need(visit.standing, item), sent)
        if found.errors:
            return document_screen(visit, item, sent.fields, found.errors)
        return _on(visit, Step.DOCUMENTS)

    @post("/submit", status_code=200, include_in_schema=False, public=True)
    async def submit(
        self, request: AnyRequest, linkId: FromPath[str], visits: NamedDependency[Visits]
    ) -> Page:
        """Send everything; then back to where the link said, with `userId` appended."""
        visit, _ = await _open(visits, linkId, request)
        if reachable(visit, Step.REVIEW) is not Step.REVIEW:
            return _on(visit)
        if await visits.submit(visit):
            return await _end(visits, visit)
        again = await visits.open(linkId, visit.token)
        if reachable(again, Step.REVIEW) is not Step.REVIEW:
            return _on(again)
        return _problem(
            _CONFLICT,
            "Something else is missing",
            "This form can't ask for it. Ask the company that sent you here.",
        )


async def _open(visits: Visits, link_id: str, request: AnyRequest) -> tuple[Visit, Form]:
    """The visit whose token is in the form, and the form."""
    form = parse_form(await request.body(), fields_max=_FORM_FIELDS_MAX)
    return await visits.open(link_id, _one(form, "session")), form


async def _tell(visits: Visits, link_id: str, request: AnyRequest, step: Step) -> Page:
    visit, form = await _open(visits, link_id, request)
    if reachable(visit, step) is not step:
        return _on(visit)
    found = await visits.tell(visit, step, form)
    return questions_screen(visit, step, form, found.errors) if found.errors else _on(visit)


async def _end(visits: Visits, visit: Visit) -> Page:
    """Back to whoever sent the person here, if they said where that is."""
    ended = await visits.open(str(visit.link.id), visit.token)
    redirect, user_id = ended.link.redirect_url, ended.link.user_id
    if redirect is None or user_id is None:
        return _on(ended)
    return Redirect(redirect_to(redirect, user_id), status_code=303)


def _on(visit: Visit, step: Step | None = None) -> Redirect:
    """To a page that can be reloaded without sending anything again."""
    return Redirect(address(visit, step), status_code=303)


def _one(form: Form, name: str) -> str:
    values = form.get(name, ())
    return values[0] if values else ""


def _problem(status: int, title: str, *lines: str) -> Response[str]:
    return page("problem.html", status, title=title, lines=lines)
