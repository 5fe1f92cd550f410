"""Page of each step, with answers and errors."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from litestar import Response

from landbridge.customers.kyc.fields import OWNERS
from landbridge.customers.kyc.model import KycOwner
from landbridge.customers.onboarding import view_models
from landbridge.customers.onboarding.document_uploads import (
    document_questions,
    find_need,
    suggested,
)
from landbridge.customers.onboarding.errors import LinkGone
from landbridge.customers.onboarding.form_inputs import Form, FormInput, FormQuestion, show
from landbridge.customers.onboarding.form_progress import (
    FormStep,
    current,
    drawn_in,
    faults_of_owner,
    owner_requirements,
    questions,
    steps,
    user_requirements,
)
from landbridge.customers.onboarding.form_service import WHOLE, FormVisit, owner_questions
from landbridge.customers.onboarding.model import redirect_to
from landbridge.customers.onboarding.pages import page
from landbridge.customers.onboarding.registration import (
    SIGNER,
    controller,
    signer,
    subject_questions,
)
from landbridge.customers.users.model import UserType
from landbridge.customers.users.page_language import translate
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.files.model import PART

NEW = "new"
_UNKNOWN = 404
_WRONG, _FINE = 422, 200
Errors = Mapping[str, str]
_NONE: Errors = {}


def reachable(visit: FormVisit, requested: str) -> FormStep:
    """Return the requested step if the person has reached it, else the current step."""
    here, way = current(visit.state), steps(visit.state)
    open_ = [
        step for step in way[: way.index(here) + 1] if step not in {FormStep.TERMS, FormStep.ABOUT}
    ]
    return next((step for step in open_ if step == requested and here is not FormStep.DONE), here)


def screen(  # noqa: PLR0911  one for each step
    visit: FormVisit, step: FormStep, item: str = ""
) -> Response[str]:
    """Return the page of a step before an answer was submitted."""
    match step:
        case FormStep.TERMS:
            return _form(visit, step, "terms_step.html")
        case FormStep.ABOUT:
            return about_screen(visit, _first_answers(visit))
        case FormStep.DETAILS | FormStep.QUESTIONS:
            known = view_models.known_answers(visit.state, step)
            faults = view_models.known_faults(questions(visit.state, step), visit.state.faults)
            return questions_screen(visit, step, known, faults)
        case FormStep.OWNERS if item:
            return _known_owner(visit, item)
        case FormStep.OWNERS:
            return _owners(visit)
        case FormStep.DOCUMENTS if item:
            return document_screen(visit, item, suggested({}))
        case FormStep.DOCUMENTS:
            needs = view_models.documents(visit.state)
            is_complete = not any(each.is_lacking for each in needs)
            return _form(
                visit, step, "documents.html", values={"needs": needs, "is_complete": is_complete}
            )
        case FormStep.REVIEW:
            sections = view_models.review(visit.state)
            return _form(visit, step, "review.html", values={"sections": sections})
        case FormStep.DONE:
            return _done(visit)


def about_screen(visit: FormVisit, form: Form, errors: Errors = _NONE) -> Response[str]:
    """Return the page with the questions about a new user."""
    of = visit.link.user_type
    is_business = of is UserType.BUSINESS
    first = _shown(subject_questions(of), form, errors)
    second = _shown(controller(), form, errors) if is_business else []
    # The signer's questions are always shown, as pages have no script; they may stay blank.
    third = _shown(signer(), form, errors) if is_business else []
    listed = [each for each in errors if each.startswith(SIGNER)]
    return _form(
        visit,
        FormStep.ABOUT,
        "about.html",
        inputs=[*first, *second, *(third if listed else [])],
        errors=errors,
        values={"inputs": first, "controller": second, "signer": third},
    )


def questions_screen(
    visit: FormVisit, step: FormStep, form: Form, errors: Errors = _NONE
) -> Response[str]:
    """Return the page with the rails' questions about the user."""
    form_questions = questions(visit.state, step)
    form_questions += drawn_in(user_requirements(visit.state), form_questions, errors)
    inputs = _shown(form_questions, form, errors)
    return _form(
        visit,
        step,
        "questions.html",
        inputs=inputs,
        errors=errors,
        values={"inputs": inputs, "step": step},
    )


def owner_screen(
    visit: FormVisit, owner: KycOwner | None, form: Form, errors: Errors = _NONE
) -> Response[str]:
    """Return the page with the rails' questions about an owner, None for a new one."""
    form_questions = list(owner_questions(visit.state, owner))
    form_questions += drawn_in(owner_requirements(visit.state), form_questions, errors)
    inputs = _shown(form_questions, form, errors)
    return _form(
        visit,
        FormStep.OWNERS,
        "owner.html",
        inputs=inputs,
        errors=errors,
        title=translate("New beneficial owner or representative")
        if owner is None
        else view_models.owner_name(visit.state, owner),
        values={"inputs": inputs, "item": NEW if owner is None else str(owner.id)},
    )


def document_screen(
    visit: FormVisit, item: str, form: Form, errors: Errors = _NONE
) -> Response[str]:
    """Return the page to upload one file, with the questions about it."""
    need = find_need(visit.state, item)
    inputs = _shown(document_questions(visit.state, need), form, errors)
    title, owner = view_models.need_title(need), view_models.need_owner(visit.state, need)
    return _form(
        visit,
        FormStep.DOCUMENTS,
        "document.html",
        inputs=inputs,
        errors=errors,
        title=f"{title.label}: {owner}" if owner else title.label,
        values={
            "inputs": inputs,
            "item": item,
            "hint": title.hint,
            "file_error": errors.get(PART),
        },
    )


def find_owner(visit: FormVisit, item: str) -> KycOwner | None:
    """Return the owner in a page's address; None for a new owner."""
    if item == NEW:
        return None
    known: UUID | None = as_uuid(item)
    if known is None:
        raise LinkGone(_UNKNOWN)
    return visit.owner(known)


def address(visit: FormVisit, step: FormStep | None = None) -> str:
    """Return the address of a page of this visit."""
    params = {"session": visit.token} | ({} if step is None else {"step": step})
    return f"{visit.path}?{urlencode(params)}"


def _known_owner(visit: FormVisit, item: str) -> Response[str]:
    owner, state = find_owner(visit, item), visit.state
    if owner is None:
        return owner_screen(visit, None, {})
    form_questions = owner_questions(state, owner)
    faults = view_models.known_faults(form_questions, faults_of_owner(state, owner))
    return owner_screen(visit, owner, view_models.known_of_owner(state, owner), faults)


def _owners(visit: FormVisit) -> Response[str]:
    found = view_models.owners(visit.state)
    is_complete = not any(path.startswith(OWNERS) for path in visit.state.faults)
    values = {"owners": found, "is_complete": is_complete}
    return _form(visit, FormStep.OWNERS, "owners.html", values=values)


def _done(visit: FormVisit) -> Response[str]:
    rails, link = view_models.rails(visit.state), visit.link
    redirect = link.redirect_url and link.user_id and redirect_to(link.redirect_url, link.user_id)
    return page(
        "done.html",
        _FINE,
        visit=visit,
        path=visit.path,
        query=urlencode({"session": visit.token}),
        title=view_models.title(visit.state, FormStep.DONE),
        rails=rails,
        is_waiting=any(each.is_waiting for each in rails),
        redirect=redirect or None,
    )


def provider_screen(visit: FormVisit, url: str) -> Response[str]:
    """Return the page with a link to the provider's page, which is on another host."""
    return page("provider.html", _FINE, back=address(visit), url=url)


def _first_answers(visit: FormVisit) -> Form:
    """Return initial answers: the recipient of the link is the default e-mail address."""
    details = visit.link.details
    email = None if details is None else details.recipient_email
    return {} if email is None else {"email": [email]}


def _shown(form_questions: Iterable[FormQuestion], form: Form, errors: Errors) -> list[FormInput]:
    return [show(each, form, errors) for each in form_questions]


def _form(
    visit: FormVisit,
    step: FormStep,
    template: str,
    *,
    inputs: Sequence[FormInput] = (),
    errors: Errors = _NONE,
    title: str | None = None,
    values: Mapping[str, Any] | None = None,
) -> Response[str]:
    way = [each for each in steps(visit.state) if each is not FormStep.DONE]
    return page(
        template,
        _WRONG if errors else _FINE,
        redirect=visit.link.redirect_url,
        visit=visit,
        path=visit.path,
        query=urlencode({"session": visit.token}),
        title=title or view_models.title(visit.state, step),
        number=way.index(step) + 1,
        total=len(way),
        notices=visit.state.notices,
        errors=_summary(inputs, errors),
        **(values or {}),
    )


def _summary(inputs: Sequence[FormInput], errors: Errors) -> list[tuple[str, str]]:
    """Return pairs of input id and error message, in the order of the page."""
    errors_by_id = [("", errors[WHOLE])] if WHOLE in errors else []
    for each in inputs:
        if each.error:
            errors_by_id.append((each.first_id, each.error))
        errors_by_id += [(part.id, part.error) for part in each.parts if part.error]
    if PART in errors:
        errors_by_id.append((PART, errors[PART]))
    return errors_by_id
