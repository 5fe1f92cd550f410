"""The page of each step, with what was answered and what is wrong with it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from litestar import Response

from landbridge.core.ids import as_uuid
from landbridge.files.model import PART
from landbridge.kyc.fields import OWNERS
from landbridge.kyc.model import Owner
from landbridge.onboarding import views
from landbridge.onboarding.answers import WHOLE
from landbridge.onboarding.errors import LinkGone
from landbridge.onboarding.inputs import Form, Input, Question, show
from landbridge.onboarding.journey import (
    Step,
    asked_of_owner,
    asked_of_user,
    current,
    drawn_in,
    faults_of_owner,
    questions,
    steps,
)
from landbridge.onboarding.model import redirect_to
from landbridge.onboarding.pages import page
from landbridge.onboarding.registration import SIGNER, about, controller, signer
from landbridge.onboarding.uploading import document_questions, find_need, suggested
from landbridge.onboarding.visits import Visit, owner_questions
from landbridge.users.model import UserType

NEW = "new"
_UNKNOWN = 404
_WRONG, _FINE = 422, 200
_WAITING = {"Being checked"}
Errors = Mapping[str, str]
_NONE: Errors = {}


def reachable(visit: Visit, wanted: str) -> Step:
    """The step that is asked for if the person has come that far, else where they are."""
    here, way = current(visit.standing), steps(visit.standing)
    open_ = [step for step in way[: way.index(here) + 1] if step not in {Step.TERMS, Step.ABOUT}]
    return next((step for step in open_ if step == wanted and here is not Step.DONE), here)


def screen(  # noqa: PLR0911  one for each step
    visit: Visit, step: Step, item: str = ""
) -> Response[str]:
    """A step as it is when nothing was just answered."""
    match step:
        case Step.TERMS:
            return _form(visit, step, "terms_step.html")
        case Step.ABOUT:
            return about_screen(visit, _first_answers(visit))
        case Step.DETAILS | Step.QUESTIONS:
            known = views.known_answers(visit.standing, step)
            faults = views.known_faults(questions(visit.standing, step), visit.standing.faults)
            return questions_screen(visit, step, known, faults)
        case Step.OWNERS if item:
            return _known_owner(visit, item)
        case Step.OWNERS:
            return _owners(visit)
        case Step.DOCUMENTS if item:
            return document_screen(visit, item, suggested({}))
        case Step.DOCUMENTS:
            needs = views.documents(visit.standing)
            is_complete = not any(each.is_lacking for each in needs)
            return _form(
                visit, step, "documents.html", values={"needs": needs, "is_complete": is_complete}
            )
        case Step.REVIEW:
            sections = views.review(visit.standing)
            return _form(visit, step, "review.html", values={"sections": sections})
        case Step.DONE:
            return _done(visit)


def about_screen(visit: Visit, form: Form, errors: Errors = _NONE) -> Response[str]:
    """Particulars of a new user."""
    of = visit.link.user_type
    is_business = of is UserType.BUSINESS
    first = _shown(about(of), form, errors)
    second = _shown(controller(), form, errors) if is_business else []
    # Shown from the start, for browsers that can't hide it; asked only of those who need it.
    third = _shown(signer(), form, errors) if is_business else []
    listed = [each for each in errors if each.startswith(SIGNER)]
    return _form(
        visit,
        Step.ABOUT,
        "about.html",
        inputs=[*first, *second, *(third if listed else [])],
        errors=errors,
        values={"inputs": first, "controller": second, "signer": third},
    )


def questions_screen(visit: Visit, step: Step, form: Form, errors: Errors = _NONE) -> Response[str]:
    """What rails ask of the user."""
    asked = questions(visit.standing, step)
    asked += drawn_in(asked_of_user(visit.standing), asked, errors)
    inputs = _shown(asked, form, errors)
    return _form(
        visit,
        step,
        "questions.html",
        inputs=inputs,
        errors=errors,
        values={"inputs": inputs, "step": step},
    )


def owner_screen(
    visit: Visit, owner: Owner | None, form: Form, errors: Errors = _NONE
) -> Response[str]:
    """What rails ask of an owner, or (None) a new one."""
    asked = list(owner_questions(visit.standing, owner))
    asked += drawn_in(asked_of_owner(visit.standing), asked, errors)
    inputs = _shown(asked, form, errors)
    return _form(
        visit,
        Step.OWNERS,
        "owner.html",
        inputs=inputs,
        errors=errors,
        title="A person behind the business"
        if owner is None
        else views.owner_name(visit.standing, owner),
        values={"inputs": inputs, "item": NEW if owner is None else str(owner.id)},
    )


def document_screen(visit: Visit, item: str, form: Form, errors: Errors = _NONE) -> Response[str]:
    """One file, and what has to be said of it."""
    need = find_need(visit.standing, item)
    inputs = _shown(document_questions(visit.standing, need), form, errors)
    word, who = views.need_title(need), views.need_owner(visit.standing, need)
    return _form(
        visit,
        Step.DOCUMENTS,
        "document.html",
        inputs=inputs,
        errors=errors,
        title=f"{word.label}: {who}" if who else word.label,
        values={
            "inputs": inputs,
            "item": item,
            "hint": word.hint,
            "file_error": errors.get(PART),
        },
    )


def find_owner(visit: Visit, item: str) -> Owner | None:
    """The owner that a page's address names; None for a new one."""
    if item == NEW:
        return None
    known: UUID | None = as_uuid(item)
    if known is None:
        raise LinkGone(_UNKNOWN)
    return visit.owner(known)


def address(visit: Visit, step: Step | None = None) -> str:
    """Of a page of this visit."""
    told = {"session": visit.token} | ({} if step is None else {"step": step})
    return f"/kyc/{visit.link.id}?{urlencode(told)}"


def _known_owner(visit: Visit, item: str) -> Response[str]:
    owner, standing = find_owner(visit, item), visit.standing
    if owner is None:
        return owner_screen(visit, None, {})
    asked = owner_questions(standing, owner)
    faults = views.known_faults(asked, faults_of_owner(standing, owner))
    return owner_screen(visit, owner, views.known_of_owner(standing, owner), faults)


def _owners(visit: Visit) -> Response[str]:
    found = views.owners(visit.standing)
    is_complete = not any(path.startswith(OWNERS) for path in visit.standing.faults)
    values = {"owners": found, "is_complete": is_complete}
    return _form(visit, Step.OWNERS, "owners.html", values=values)


def _done(visit: Visit) -> Response[str]:
    rails, link = views.rails(visit.standing), visit.link
    redirect = link.redirect_url and link.user_id and redirect_to(link.redirect_url, link.user_id)
    return page(
        "done.html",
        _FINE,
        title=views.title(visit.standing, Step.DONE),
        rails=rails,
        is_waiting=any(each.state in _WAITING for each in rails),
        redirect=redirect or None,
    )


def _first_answers(visit: Visit) -> Form:
    """Whom the link was sent to is where they can be reached, unless they say otherwise."""
    details = visit.link.details
    email = None if details is None else details.recipient_email
    return {} if email is None else {"email": [email]}


def _shown(asked: Iterable[Question], form: Form, errors: Errors) -> list[Input]:
    return [show(each, form, errors) for each in asked]


def _form(
    visit: Visit,
    step: Step,
    template: str,
    *,
    inputs: Sequence[Input] = (),
    errors: Errors = _NONE,
    title: str | None = None,
    values: Mapping[str, Any] | None = None,
) -> Response[str]:
    way = [each for each in steps(visit.standing) if each is not Step.DONE]
    return page(
        template,
        _WRONG if errors else _FINE,
        redirect=visit.link.redirect_url,
        visit=visit,
        path=f"/kyc/{visit.link.id}",
        query=urlencode({"session": visit.token}),
        title=title or views.title(visit.standing, step),
        number=way.index(step) + 1,
        total=len(way),
        notices=visit.standing.notices,
        errors=_summary(inputs, errors),
        **(values or {}),
    )


def _summary(inputs: Sequence[Input], errors: Errors) -> list[tuple[str, str]]:
    """Errors in the order of the page, each with where it leads."""
    places = [("", errors[WHOLE])] if WHOLE in errors else []
    for each in inputs:
        if each.error:
            places.append((each.first_id, each.error))
        places += [(part.id, part.error) for part in each.parts if part.error]
    if PART in errors:
        places.append((PART, errors[PART]))
    return places
