"""Where a person is on the way through the form, and what is asked there. Pure.

Nothing of the way is stored: it follows from the link, the user, the dossier and what the rails
still miss. So a person may leave at any point, and whatever an organisation tells by the API
meanwhile is not asked again.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, cast
from uuid import UUID

from landbridge.kyc.fields import BY_TYPE, OWNER, OWNERS
from landbridge.kyc.kinds import Kind, Questionnaire
from landbridge.kyc.model import Dossier, Owner, Rail, Requirements
from landbridge.kyc.rails import RAILS
from landbridge.kyc.rails.table import Ask, Group
from landbridge.onboarding.inputs import Question
from landbridge.onboarding.model import Link
from landbridge.users.model import User, UserType
from landbridge.verification.model import WAIT_FOR_USER, Case, KycStatus

# What there is only one answer to, told with the field that needs it.
CONSTANTS: Mapping[str, tuple[str, str]] = {"additionalIdNumber": ("additionalIdType", "BVN")}
# A tax number goes by the rules of the country of the address.
_DEPENDENT = {"taxIdentificationNumber"}
_NEVER_ASKED = {name for name, _ in CONSTANTS.values()}
# The group of whatever is asked for beyond what rails require.
OTHER = "other"
_QUESTIONNAIRE = "sofEuQuestionnaire"
_OWNER_FIELD = re.compile(rf"{OWNERS}\[(\d+)\]\.(.+)")


class Step(StrEnum):
    """A page of the form; the word stands in its address."""

    TERMS = "terms"
    ABOUT = "about"
    DETAILS = "details"
    QUESTIONS = "questions"
    OWNERS = "owners"
    DOCUMENTS = "documents"
    REVIEW = "review"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Documents of which some are needed, of the user or (`owner_id`) of an owner."""

    name: str
    owner_id: UUID | None
    accepted: tuple[str, ...]
    is_lacking: bool

    @property
    def item(self) -> str:
        """As the page's address names it."""
        return self.name if self.owner_id is None else f"{self.owner_id}.{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Everything that the way follows from.

    `cases` are those of the link's rails, `asked` what the rails that wait for the user ask, and
    miss. Without a user there is nothing of either.
    """

    link: Link
    has_signed: bool
    user: User | None
    dossier: Dossier | None
    cases: Mapping[Rail, Case]
    asked: Sequence[Requirements]
    today: date

    @property
    def user_type(self) -> UserType:
        """What the user is, or will be."""
        return self.link.user_type

    @property
    def open_rails(self) -> list[Rail]:
        """Those that wait for the user."""
        return [rail for rail in self.link.rails if is_open(self.cases.get(rail))]

    @property
    def faults(self) -> dict[str, str]:
        """What is wrong, by path: `missing`, `rejected`, or a sentence."""
        found: dict[str, str] = {}
        for each in reversed(self.asked):
            found |= cast("Mapping[str, str]", each.invalid.get("fields", {}))
        return found

    @property
    def notices(self) -> list[str]:
        """What reviewers wrote to the user."""
        found: list[str] = []
        for case in self.cases.values():
            if case.status is KycStatus.RFI_PENDING and case.findings.asked_for:
                found.append(case.findings.asked_for)
            review = case.findings.review
            if case.status is KycStatus.INCOMPLETE and review and review.result.comment:
                found.append(review.result.comment)
        return list(dict.fromkeys(found))

    @property
    def is_asked_for_more(self) -> bool:
        """Whether something may be sent that no rail requires."""
        return any(case.status in WAIT_FOR_USER for case in self.cases.values())


def is_open(case: Case | None) -> bool:
    """Whether it is the user's turn."""
    return case is None or case.status in WAIT_FOR_USER


def steps(standing: Standing) -> list[Step]:
    """The whole way of this link, what is behind included."""
    link = standing.link
    way = [Step.TERMS, Step.ABOUT] if link.makes_user else []
    if link.rails:
        paths = [each.path for each in asked_of_user(standing)]
        way.append(Step.DETAILS)
        if any(path.startswith(_QUESTIONNAIRE) for path in paths):
            way.append(Step.QUESTIONS)
        if asked_of_owner(standing):
            way.append(Step.OWNERS)
        way += [Step.DOCUMENTS, Step.REVIEW]
    return [*way, Step.DONE]


def current(standing: Standing) -> Step:
    """The first step that is not behind the person."""
    link = standing.link
    if link.completed_at is not None:
        return Step.DONE
    if link.makes_user and not standing.has_signed:
        return Step.TERMS
    if standing.user is None:
        return Step.ABOUT
    return _current_of_user(standing) if standing.open_rails else Step.DONE


def _current_of_user(standing: Standing) -> Step:
    for step in (Step.DETAILS, Step.QUESTIONS):
        if any(is_faulty(standing, each) for each in questions(standing, step)):
            return step
    if any(path.startswith(OWNERS) for path in standing.faults):
        return Step.OWNERS
    if any(need.is_lacking for need in needs(standing)):
        return Step.DOCUMENTS
    return Step.REVIEW


def questions(standing: Standing, step: Step) -> list[Question]:
    """What a step asks: what is missing or wrong, and what was told through this link."""
    of_step = [
        each
        for each in asked_of_user(standing)
        if each.path.startswith(_QUESTIONNAIRE) == (step is Step.QUESTIONS)
    ]
    return [
        each for each in of_step if each.path in standing.link.entered or is_faulty(standing, each)
    ]


def drawn_in(
    known: Sequence[Question], asked: Sequence[Question], names: Container[str]
) -> list[Question]:
    """Of questions that are not asked, those that an answer to another may put in doubt.

    `names` says which are to be asked: what errors are about, or a form has.
    """
    paths = {each.path for each in asked}
    return [
        each
        for each in known
        if each.path in _DEPENDENT and each.path not in paths and each.path in names
    ]


def is_faulty(standing: Standing, question: Question) -> bool:
    """Whether something is wrong with a field of the user, or with a part of it or around it."""
    path = question.path
    constant, _ = CONSTANTS.get(path, (path, ""))
    return any(
        fault in {path, constant} or fault.startswith(f"{path}.") or path.startswith(f"{fault}.")
        for fault in standing.faults
    )


def faults_of_owner(standing: Standing, owner: Owner) -> dict[str, str]:
    """What is wrong with an owner, by field."""
    if standing.dossier is None:
        return {}
    place = str(standing.dossier.owners.index(owner))
    found = ((_OWNER_FIELD.fullmatch(path), why) for path, why in standing.faults.items())
    return {match[2]: why for match, why in found if match is not None and match[1] == place}


def asked_of_user(standing: Standing) -> list[Question]:
    """Everything that the link's rails require of the user, told or not."""
    of = standing.user_type
    return _leaves(_asks(standing), BY_TYPE[of], of)


def asked_of_owner(standing: Standing) -> list[Question]:
    """Everything that they require of each owner."""
    asks = [each.owners for each in _asks(standing) if each.owners is not None]
    return _leaves(asks, OWNER, None)


def needs(standing: Standing) -> list[Need]:
    """The documents that are required, lacking or not, and others where more was asked for."""
    asks = _asks(standing)
    dossier = standing.dossier
    if dossier is None:
        return []
    lacking = _lacking_groups(standing)
    found = [
        _need(name, group, None, lacking, _country(dossier.data))
        for name, group in _groups(asks).items()
    ]
    of_owners = _groups([each.owners for each in asks if each.owners is not None])
    for place, owner in enumerate(dossier.owners):
        under = f"{OWNERS}[{place}]."
        found += [
            _need(name, group, owner.id, lacking, _country(owner.data), under=under)
            for name, group in of_owners.items()
        ]
    return found


def value_at(data: Mapping[str, Any], path: str) -> Any:
    """The value at a dotted path; None where there is none."""
    here: Any = data
    for name in path.split("."):
        here = cast("Mapping[str, Any]", here).get(name) if isinstance(here, Mapping) else None
    return here


def nested(told: Mapping[str, Any]) -> dict[str, Any]:
    """Values by dotted path as the object that they are parts of."""
    made: dict[str, Any] = {}
    for path, value in told.items():
        group, _, part = path.partition(".")
        if part:
            made.setdefault(group, {})[part] = value
        else:
            made[group] = value
        if path in CONSTANTS:
            name, constant = CONSTANTS[path]
            made[name] = constant
    return made


def _asks(standing: Standing) -> list[Ask]:
    tables = [RAILS[rail] for rail in standing.open_rails]
    if standing.user_type is UserType.BUSINESS:
        return [table.BUSINESS for table in tables]
    return [table.INDIVIDUAL for table in tables]


def _leaves(asks: Iterable[Ask], fields: Mapping[str, Kind], of: UserType | None) -> list[Question]:
    """The required fields of all these in the order of the first that asks, questionnaires last."""
    found: dict[str, Question] = {}
    for ask in asks:
        for name in ask.required:
            kind = fields[name]
            if isinstance(kind, Questionnaire):
                for part in ask.parts[name].required:
                    path = f"{name}.{part}"
                    found.setdefault(path, Question(path, kind.fields[part], of))
            elif name not in _NEVER_ASKED:
                found.setdefault(name, Question(name, kind, of))
    return sorted(found.values(), key=lambda each: each.path.startswith(_QUESTIONNAIRE))


def _groups(asks: Iterable[Ask]) -> dict[str, Group]:
    return {
        name: group
        for ask in reversed(list(asks))
        for name, group in ask.documents.items()
        if group.min_count > 0
    }


def _lacking_groups(standing: Standing) -> set[str]:
    return {
        name
        for each in standing.asked
        for name in each.invalid.get("documents", {}).get("groups", {})
    }


def _need(
    name: str,
    group: Group,
    owner_id: UUID | None,
    lacking: set[str],
    country: str | None,
    *,
    under: str = "",
) -> Need:
    return Need(
        name=name,
        owner_id=owner_id,
        accepted=group.accepted_at(country),
        is_lacking=f"{under}{name}" in lacking,
    )


def _country(data: Mapping[str, Any]) -> str | None:
    return value_at(data, "address.country")
