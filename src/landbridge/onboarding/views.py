"""What the pages of the form show, made of where a person stands. Pure.

What was told through the link is shown in full. What was there before is masked: that there is
something, of numbers the last characters, and of names of owners the initials.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from landbridge.kyc.model import Document, Owner, SubType
from landbridge.onboarding import words
from landbridge.onboarding.inputs import Question, answered, in_words
from landbridge.onboarding.journey import (
    OTHER,
    Need,
    Standing,
    Step,
    asked_of_owner,
    asked_of_user,
    faults_of_owner,
    needs,
    questions,
    value_at,
)
from landbridge.onboarding.visits import may_remove, owner_questions
from landbridge.verification.model import KycStatus

_NUMBERS = {"taxIdentificationNumber", "registrationNumber", "additionalIdNumber", "phone"}
# Of a short number the last characters would be most of it.
_SHOWN, _LENGTH_MIN = 3, 8
_ON_FILE = "Already given"
_TITLES = {
    Step.TERMS: "Terms of service",
    Step.ABOUT: "About you",
    Step.DETAILS: "Your details",
    Step.QUESTIONS: "A few questions",
    Step.OWNERS: "People behind the business",
    Step.DOCUMENTS: "Documents",
    Step.REVIEW: "Check what you entered",
    Step.DONE: "Thank you",
}
_TITLES_OF_BUSINESS = {Step.ABOUT: "About the business", Step.DETAILS: "The business's details"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the review, and where it can be changed."""

    title: str
    lines: Sequence[tuple[str, str]]
    step: Step | None
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
    """How far a rail is."""

    name: str
    state: str
    sentence: str
    tone: str


def title(standing: Standing, step: Step) -> str:
    """What a page is called."""
    if standing.user_type == "business" and step in _TITLES_OF_BUSINESS:
        return _TITLES_OF_BUSINESS[step]
    return _TITLES[step]


def known_answers(standing: Standing, step: Step) -> dict[str, list[str]]:
    """What was told through this link before, to begin a page with."""
    if standing.dossier is None:
        return {}
    data, entered = standing.dossier.data, standing.link.entered
    return _answers(questions(standing, step), data, entered, under="")


def known_of_owner(standing: Standing, owner: Owner) -> dict[str, list[str]]:
    """The same, of an owner."""
    asked, entered = owner_questions(standing, owner), standing.link.entered
    return _answers(asked, owner.data, entered, under=f"{owner.id}.")


def known_faults(asked: Sequence[Question], faults: Mapping[str, str]) -> dict[str, str]:
    """What reviewers rejected and rules refuse, by question; what is missing speaks for itself."""
    found: dict[str, str] = {}
    for each in asked:
        why = faults.get(each.path)
        if why == "rejected":
            found[each.path] = f"{each.word.label}: this was not accepted; please enter it again"
        elif why is not None and why != "missing":
            found[each.path] = f"{each.word.label} {why}"
    return found


def owners(standing: Standing) -> list[OwnerView]:
    """Everybody behind the business."""
    found = standing.dossier.owners if standing.dossier else ()
    return [
        OwnerView(
            id=each.id,
            name=owner_name(standing, each),
            is_complete=not faults_of_owner(standing, each),
            has_questions=bool(owner_questions(standing, each)),
            may_remove=may_remove(standing.link, each),
        )
        for each in found
    ]


def owner_name(standing: Standing, owner: Owner) -> str:
    """As people say it; of names that were not told through the link, the initials."""
    entered = standing.link.entered
    names = {each: owner.data.get(each, "") for each in ("firstName", "lastName")}
    shown = [
        name if f"{owner.id}.{each}" in entered else f"{name[0]}."
        for each, name in names.items()
        if name
    ]
    return " ".join(shown) or "Somebody"


def documents(standing: Standing) -> list[NeedView]:
    """Every group of documents, the user's own first."""
    wanted = needs(standing)
    if standing.is_asked_for_more:
        wanted.append(Need(name=OTHER, owner_id=None, accepted=(), is_lacking=False))
    counted = {each for need in wanted for each in need.accepted}
    return [_need(standing, need, counted) for need in wanted]


def need_title(need: Need) -> words.Word:
    """What a group of documents is called."""
    return words.GROUPS.get(need.name) or words.Word(words.value(need.name))


def need_owner(standing: Standing, need: Need) -> str | None:
    """Whose documents they are, if not the user's own."""
    found = standing.dossier.owners if standing.dossier else ()
    return next((owner_name(standing, each) for each in found if each.id == need.owner_id), None)


def review(standing: Standing) -> list[Section]:
    """Everything that is about to be sent."""
    dossier, entered = standing.dossier, standing.link.entered
    if dossier is None:
        return []
    sections: list[Section] = []
    for step in (Step.DETAILS, Step.QUESTIONS):
        shown = {each.path for each in questions(standing, step)}
        asked = [
            each
            for each in asked_of_user(standing)
            if each.path.startswith("sofEu") == (step is Step.QUESTIONS)
        ]
        if lines := _lines(asked, dossier.data, entered, under=""):
            name = title(standing, step)
            sections.append(Section(title=name, lines=lines, step=step if shown else None))
    for owner in dossier.owners if asked_of_owner(standing) else ():
        lines = _lines(asked_of_owner(standing), owner.data, entered, under=f"{owner.id}.")
        can_change = bool(owner_questions(standing, owner))
        sections.append(
            Section(
                title=owner_name(standing, owner),
                lines=lines,
                step=Step.OWNERS if can_change else None,
                item=str(owner.id),
            )
        )
    files = [
        (f"{each.title} of {each.who}" if each.who else each.title, "\n".join(each.documents))
        for each in documents(standing)
        if each.documents
    ]
    return [*sections, Section(title="Documents", lines=files, step=Step.DOCUMENTS)]


def rails(standing: Standing) -> list[RailView]:
    """How far each rail of the link is."""
    found: list[RailView] = []
    for rail in standing.link.rails:
        case = standing.cases.get(rail)
        status = KycStatus.INACTIVE if case is None else case.status
        state, sentence = words.status(status, standing.user_type)
        found.append(
            RailView(name=words.RAILS[rail], state=state, sentence=sentence, tone=_tone(status))
        )
    return found


def masked(path: str, value: Any) -> str:
    """What is said of a value that was not told through the link."""
    if path.rpartition(".")[2] in _NUMBERS and len(str(value)) >= _LENGTH_MIN:
        return f"{_ON_FILE}, ends in {str(value)[-_SHOWN:]}"
    return _ON_FILE


def _answers(
    asked: Sequence[Question], data: Mapping[str, Any], entered: frozenset[str], *, under: str
) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in asked:
        value = value_at(data, each.path)
        if value is not None and f"{under}{each.path}" in entered:
            found |= answered(each, value)
    return found


def _lines(
    asked: Sequence[Question], data: Mapping[str, Any], entered: frozenset[str], *, under: str
) -> list[tuple[str, str]]:
    told = [(each, value_at(data, each.path)) for each in asked]
    return [
        (
            each.word.label,
            in_words(each, value) if f"{under}{each.path}" in entered else masked(each.path, value),
        )
        for each, value in told
        if value is not None
    ]


def _need(standing: Standing, need: Need, counted: set[str]) -> NeedView:
    known = standing.dossier.documents_of(need.owner_id) if standing.dossier else ()
    if need.name == OTHER:
        mine = [each for each in known if each.type not in counted]
    else:
        mine = [each for each in known if each.type in need.accepted]
    word = need_title(need)
    sides = {each.sub_type for each in mine}
    return NeedView(
        item=need.item,
        title=word.label,
        hint=word.hint,
        who=need_owner(standing, need),
        documents=[_document(each) for each in mine],
        is_lacking=need.is_lacking,
        is_done=bool(mine) and not need.is_lacking,
        is_half=need.is_lacking and len(sides & {SubType.FRONT_SIDE, SubType.BACK_SIDE}) == 1,
    )


def _document(document: Document) -> str:
    """Never its number: what it is says enough."""
    named = words.value(document.type).partition(",")[0]
    if document.sub_type is SubType.SINGLE_SIDE:
        return named
    return f"{named}: {words.value(document.sub_type).lower()}"


def _tone(status: KycStatus) -> str:
    match status:
        case KycStatus.ACTIVE:
            return "good"
        case KycStatus.REJECTED | KycStatus.INCOMPLETE | KycStatus.CONTACT_SUPPORT:
            return "bad"
        case _:
            return "wait"
