"""View models of the form's pages, built from the state of the form. Pure.

Data submitted through the link is shown in full. Earlier data is masked: numbers show their last
characters, names of owners the initials, and everything else only that it is present.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from landbridge.customers.kyc.model import KycDocument, KycOwner, Rail, SubType
from landbridge.customers.onboarding import labels
from landbridge.customers.onboarding.form_inputs import (
    FormQuestion,
    answered,
    in_words,
    named_sentence,
)
from landbridge.customers.onboarding.form_progress import (
    OTHER,
    FormState,
    FormStep,
    RequiredDocuments,
    faults_of_owner,
    needs,
    owner_requirements,
    questions,
    user_requirements,
    value_at,
)
from landbridge.customers.onboarding.form_service import may_remove, owner_questions
from landbridge.customers.users.page_language import translate
from landbridge.customers.verification.model import KycStatus
from landbridge.platform.formats.translations import later as _

_NUMBERS = {"taxIdentificationNumber", "registrationNumber", "additionalIdNumber", "phone"}
# Last characters shown of a masked number, and the length below which none are shown.
_SHOWN, _LENGTH_MIN = 3, 8
_ON_FILE = _("On file")
_TITLES = {
    FormStep.TERMS: _("Terms of service"),
    FormStep.ABOUT: _("About you"),
    FormStep.DETAILS: _("Your details"),
    FormStep.QUESTIONS: _("Additional questions"),
    FormStep.OWNERS: _("Beneficial owners and representatives"),
    FormStep.DOCUMENTS: _("Documents"),
    FormStep.REVIEW: _("Review your answers"),
    FormStep.DONE: _("Thank you"),
}
_TITLES_OF_BUSINESS = {
    FormStep.ABOUT: _("About the business"),
    FormStep.DETAILS: _("Business details"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewSection:
    """Section of the review, and the page where it can be changed."""

    title: str
    lines: Sequence[tuple[str, str]]
    step: FormStep | None
    item: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerView:
    """An owner in the list."""

    id: UUID
    name: str
    is_complete: bool
    has_questions: bool
    may_remove: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedView:
    """Documents of a group in the list."""

    item: str
    title: str
    hint: str | None
    who: str | None
    documents: Sequence[str]
    is_lacking: bool
    is_done: bool
    is_half: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RailView:
    """Progress of a rail, and whether the person continues, now or later, at the provider."""

    rail: Rail
    name: str
    state: str
    sentence: str
    tone: str
    is_waiting: bool
    is_at_provider: bool
    is_expected_at_provider: bool


def title(state: FormState, step: FormStep) -> str:
    """Return the title of a page."""
    if state.user_type == "business" and step in _TITLES_OF_BUSINESS:
        return translate(_TITLES_OF_BUSINESS[step])
    return translate(_TITLES[step])


def known_answers(state: FormState, step: FormStep) -> dict[str, list[str]]:
    """Return the data submitted through this link before, as initial answers of a page."""
    if state.kyc_profile is None:
        return {}
    data, entered = state.kyc_profile.data, state.link.entered
    return _answers(questions(state, step), data, entered, under="")


def known_of_owner(state: FormState, owner: KycOwner) -> dict[str, list[str]]:
    """Return the data of an owner submitted through this link before."""
    form_questions, entered = owner_questions(state, owner), state.link.entered
    return _answers(form_questions, owner.data, entered, under=f"{owner.id}.")


def known_faults(
    form_questions: Sequence[FormQuestion], faults: Mapping[str, str]
) -> dict[str, str]:
    """Return messages for rejected or invalid fields by question, but not for missing ones."""
    found: dict[str, str] = {}
    for each in form_questions:
        why = faults.get(each.path)
        if why == "rejected":
            found[each.path] = (
                f"{each.field_label.label}: {translate('not accepted, enter it again')}"
            )
        elif why is not None and why != "missing":
            found[each.path] = named_sentence(
                f"{each.field_label.label} {why}", each.field_label.label
            )
    return found


def owners(state: FormState) -> list[OwnerView]:
    """Return all owners of the business."""
    found = state.kyc_profile.owners if state.kyc_profile else ()
    return [
        OwnerView(
            id=each.id,
            name=owner_name(state, each),
            is_complete=not faults_of_owner(state, each),
            has_questions=bool(owner_questions(state, each)),
            may_remove=may_remove(state.link, each),
        )
        for each in found
    ]


def owner_name(state: FormState, owner: KycOwner) -> str:
    """Return an owner's full name; only the initials if it was not submitted through the link."""
    entered = state.link.entered
    names = {each: owner.data.get(each, "") for each in ("firstName", "lastName")}
    shown_paths = [
        name if f"{owner.id}.{each}" in entered else f"{name[0]}."
        for each, name in names.items()
        if name
    ]
    return " ".join(shown_paths) or translate("Unnamed person")


def documents(state: FormState) -> list[NeedView]:
    """Return every group of documents, the user's own first."""
    required = needs(state)
    if state.accepts_more_documents:
        required.append(RequiredDocuments(name=OTHER, owner_id=None, accepted=(), is_lacking=False))
    counted = {each for need in required for each in need.accepted}
    return [_need(state, need, counted) for need in required]


def need_title(need: RequiredDocuments) -> labels.FieldLabel:
    """Return the title of a group of documents."""
    return labels.group(need.name)


def need_owner(state: FormState, need: RequiredDocuments) -> str | None:
    """Return the name of the owner with these documents; None for the user's own."""
    found = state.kyc_profile.owners if state.kyc_profile else ()
    return next((owner_name(state, each) for each in found if each.id == need.owner_id), None)


def review(state: FormState) -> list[ReviewSection]:
    """Return sections with all data that the person is about to submit."""
    kyc_profile, entered = state.kyc_profile, state.link.entered
    if kyc_profile is None:
        return []
    sections: list[ReviewSection] = []
    for step in (FormStep.DETAILS, FormStep.QUESTIONS):
        shown_paths = {each.path for each in questions(state, step)}
        form_questions = [
            each
            for each in user_requirements(state)
            if each.path.startswith("sofEu") == (step is FormStep.QUESTIONS)
        ]
        if lines := _lines(form_questions, kyc_profile.data, entered, under=""):
            name = title(state, step)
            sections.append(
                ReviewSection(title=name, lines=lines, step=step if shown_paths else None)
            )
    for owner in kyc_profile.owners if owner_requirements(state) else ():
        lines = _lines(owner_requirements(state), owner.data, entered, under=f"{owner.id}.")
        can_change = bool(owner_questions(state, owner))
        sections.append(
            ReviewSection(
                title=owner_name(state, owner),
                lines=lines,
                step=FormStep.OWNERS if can_change else None,
                item=str(owner.id),
            )
        )
    files = [
        (f"{each.title}, {each.who}" if each.who else each.title, "\n".join(each.documents))
        for each in documents(state)
        if each.documents
    ]
    return [
        *sections,
        ReviewSection(title=translate("Documents"), lines=files, step=FormStep.DOCUMENTS),
    ]


def rails(state: FormState) -> list[RailView]:
    """Return the progress of each rail of the link."""
    found: list[RailView] = []
    for rail in state.link.rails:
        case = state.cases.get(rail)
        status = KycStatus.INACTIVE if case is None else case.status
        text, sentence = labels.status(status, state.user_type)
        found.append(
            RailView(
                rail=rail,
                name=labels.rail(rail),
                state=text,
                sentence=sentence,
                tone=_tone(status),
                is_waiting=labels.is_in_review(status),
                is_at_provider=rail in state.at_provider,
                is_expected_at_provider=rail in state.expected_at_provider,
            )
        )
    return found


def masked(path: str, value: Any) -> str:
    """Return the masked form of a value that was not submitted through the link."""
    if path.rpartition(".")[2] in _NUMBERS and len(str(value)) >= _LENGTH_MIN:
        return f"{translate(_ON_FILE)}: …{str(value)[-_SHOWN:]}"
    return translate(_ON_FILE)


def _answers(
    form_questions: Sequence[FormQuestion],
    data: Mapping[str, Any],
    entered: frozenset[str],
    *,
    under: str,
) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in form_questions:
        value = value_at(data, each.path)
        if value is not None and f"{under}{each.path}" in entered:
            found |= answered(each, value)
    return found


def _lines(
    form_questions: Sequence[FormQuestion],
    data: Mapping[str, Any],
    entered: frozenset[str],
    *,
    under: str,
) -> list[tuple[str, str]]:
    values = [(each, value_at(data, each.path)) for each in form_questions]
    return [
        (
            each.field_label.label,
            in_words(each, value) if f"{under}{each.path}" in entered else masked(each.path, value),
        )
        for each, value in values
        if value is not None
    ]


def _need(state: FormState, need: RequiredDocuments, counted: set[str]) -> NeedView:
    known = state.kyc_profile.documents_of(need.owner_id) if state.kyc_profile else ()
    if need.name == OTHER:
        mine = [each for each in known if each.type not in counted]
    else:
        mine = [each for each in known if each.type in need.accepted]
    label = need_title(need)
    sides = {each.sub_type for each in mine}
    return NeedView(
        item=need.item,
        title=label.label,
        hint=label.hint,
        who=need_owner(state, need),
        documents=[_document(each) for each in mine],
        is_lacking=need.is_lacking,
        is_done=bool(mine) and not need.is_lacking,
        is_half=need.is_lacking and len(sides & {SubType.FRONT_SIDE, SubType.BACK_SIDE}) == 1,
    )


def _document(document: KycDocument) -> str:
    """Return a document's label without its number: the type is sufficient here."""
    named = labels.value(document.type)
    if document.sub_type is SubType.SINGLE_SIDE:
        return named
    return f"{named}: {labels.value(document.sub_type).lower()}"


def _tone(status: KycStatus) -> str:
    match status:
        case KycStatus.ACTIVE:
            return "good"
        case KycStatus.REJECTED | KycStatus.INCOMPLETE | KycStatus.CONTACT_SUPPORT:
            return "bad"
        case _:
            return "wait"
