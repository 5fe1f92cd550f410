"""Progress of a person through the form, and the questions of each step. Pure.

The progress is not stored: it is computed from the link, the user, the KYC profile and the missing
data of the rails. So a person may leave at any point, and data that an organisation submits by the
API in the meantime is not requested again.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, cast
from uuid import UUID

from landbridge.customers.kyc.field_types import Kind, QuestionnaireFieldType
from landbridge.customers.kyc.fields import BY_TYPE, OWNER, OWNERS
from landbridge.customers.kyc.model import KycOwner, KycProfile, Rail, Requirements
from landbridge.customers.kyc.rails import RAILS
from landbridge.customers.kyc.rails.requirement_table import DocumentGroup, RequirementSet
from landbridge.customers.onboarding.form_inputs import FormQuestion
from landbridge.customers.onboarding.model import KycLink
from landbridge.customers.users.model import User, UserType
from landbridge.customers.verification.model import WAIT_FOR_USER, KycStatus, VerificationCase

# Fields with only one possible answer, which are submitted with the field that requires them.
CONSTANTS: Mapping[str, tuple[str, str]] = {"additionalIdNumber": ("additionalIdType", "BVN")}
# Fields with a format that depends on the address: its country defines that of a tax number.
_DEPENDENT = {"taxIdentificationNumber"}
_CONSTANT_NAMES = {name for name, _ in CONSTANTS.values()}
# Name of the group of documents that were requested in addition to the rails' requirements.
OTHER = "other"
_QUESTIONNAIRE = "sofEuQuestionnaire"
_OWNER_FIELD = re.compile(rf"{OWNERS}\[(\d+)\]\.(.+)")


class FormStep(StrEnum):
    """Page of the form; the value is part of its address."""

    TERMS = "terms"
    ABOUT = "about"
    DETAILS = "details"
    QUESTIONS = "questions"
    OWNERS = "owners"
    DOCUMENTS = "documents"
    REVIEW = "review"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredDocuments:
    """Group of required documents, of an owner or, if `owner_id` is None, of the user."""

    name: str
    owner_id: UUID | None
    accepted: tuple[str, ...]
    is_lacking: bool

    @property
    def item(self) -> str:
        """Return the name of the item in the page's address."""
        return self.name if self.owner_id is None else f"{self.owner_id}.{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FormState:
    """All inputs that determine the progress.

    `cases` are the verification cases of the link's rails. `requirements` lists the requirements
    and missing data of the rails that wait for the user. Without a user, both are empty. Cases
    `at_provider` may wait for the person on a page of the provider; cases
    `expected_at_provider` are submitted there next.
    """

    link: KycLink
    has_signed: bool
    user: User | None
    kyc_profile: KycProfile | None
    cases: Mapping[Rail, VerificationCase]
    requirements: Sequence[Requirements]
    today: date
    at_provider: Container[Rail] = ()
    expected_at_provider: Container[Rail] = ()

    @property
    def user_type(self) -> UserType:
        """Return the type of the user, or of the user to be created."""
        return self.link.user_type

    @property
    def open_rails(self) -> list[Rail]:
        """Return the rails that wait for the user."""
        return [rail for rail in self.link.rails if is_open(self.cases.get(rail))]

    @property
    def faults(self) -> dict[str, str]:
        """Return the errors by path: `missing`, `rejected`, or a sentence."""
        found: dict[str, str] = {}
        for each in reversed(self.requirements):
            found |= cast("Mapping[str, str]", each.invalid.get("fields", {}))
        return found

    @property
    def notices(self) -> list[str]:
        """Return the comments of reviewers to the user."""
        found: list[str] = []
        for case in self.cases.values():
            if case.status is KycStatus.RFI_PENDING and case.findings.asked_for:
                found.append(case.findings.asked_for)
            review = case.findings.review
            if case.status is KycStatus.INCOMPLETE and review and review.result.comment:
                found.append(review.result.comment)
        return list(dict.fromkeys(found))

    @property
    def accepts_more_documents(self) -> bool:
        """Return whether documents beyond the rail requirements can be submitted."""
        return any(case.status in WAIT_FOR_USER for case in self.cases.values())


def is_open(case: VerificationCase | None) -> bool:
    """Return whether a rail with this case, None for no case yet, waits for the user's data."""
    return case is None or case.status in WAIT_FOR_USER


def steps(state: FormState) -> list[FormStep]:
    """Return all steps of this link, including completed ones."""
    link = state.link
    step_order = [FormStep.TERMS, FormStep.ABOUT] if link.creates_user else []
    if link.rails:
        paths = [each.path for each in user_requirements(state)]
        step_order.append(FormStep.DETAILS)
        if any(path.startswith(_QUESTIONNAIRE) for path in paths):
            step_order.append(FormStep.QUESTIONS)
        if owner_requirements(state):
            step_order.append(FormStep.OWNERS)
        step_order += [FormStep.DOCUMENTS, FormStep.REVIEW]
    return [*step_order, FormStep.DONE]


def current(state: FormState) -> FormStep:
    """Return the first incomplete step."""
    link = state.link
    if link.completed_at is not None:
        return FormStep.DONE
    if link.creates_user and not state.has_signed:
        return FormStep.TERMS
    if state.user is None:
        return FormStep.ABOUT
    return _current_of_user(state) if state.open_rails else FormStep.DONE


def _current_of_user(state: FormState) -> FormStep:
    for step in (FormStep.DETAILS, FormStep.QUESTIONS):
        if any(is_faulty(state, each) for each in questions(state, step)):
            return step
    if any(path.startswith(OWNERS) for path in state.faults):
        return FormStep.OWNERS
    if any(need.is_lacking for need in needs(state)):
        return FormStep.DOCUMENTS
    return FormStep.REVIEW


def questions(state: FormState, step: FormStep) -> list[FormQuestion]:
    """Return a step's questions: missing or invalid fields, and those answered by this link."""
    of_step = [
        each
        for each in user_requirements(state)
        if each.path.startswith(_QUESTIONNAIRE) == (step is FormStep.QUESTIONS)
    ]
    return [each for each in of_step if each.path in state.link.entered or is_faulty(state, each)]


def drawn_in(
    known: Sequence[FormQuestion], form_questions: Sequence[FormQuestion], names: Container[str]
) -> list[FormQuestion]:
    """Return hidden questions that an answer to another question may invalidate.

    `names` are the fields to include: fields with errors, or fields of a form.
    """
    paths = {each.path for each in form_questions}
    return [
        each
        for each in known
        if each.path in _DEPENDENT and each.path not in paths and each.path in names
    ]


def is_faulty(state: FormState, question: FormQuestion) -> bool:
    """Return whether a user's field, its parent or one of its parts is invalid."""
    path = question.path
    constant, _ = CONSTANTS.get(path, (path, ""))
    return any(
        fault in {path, constant} or fault.startswith(f"{path}.") or path.startswith(f"{fault}.")
        for fault in state.faults
    )


def faults_of_owner(state: FormState, owner: KycOwner) -> dict[str, str]:
    """Return the errors of an owner, by field."""
    if state.kyc_profile is None:
        return {}
    index = str(state.kyc_profile.owners.index(owner))
    found = ((_OWNER_FIELD.fullmatch(path), why) for path, why in state.faults.items())
    return {match[2]: why for match, why in found if match is not None and match[1] == index}


def user_requirements(state: FormState) -> list[FormQuestion]:
    """Return all required fields of the link's rails, submitted or not."""
    of = state.user_type
    return _leaves(_asks(state), BY_TYPE[of], of)


def owner_requirements(state: FormState) -> list[FormQuestion]:
    """Return all fields that the link's rails require of each owner, submitted or not."""
    asks = [each.owners for each in _asks(state) if each.owners is not None]
    return _leaves(asks, OWNER, None)


def needs(state: FormState) -> list[RequiredDocuments]:
    """Return the required document groups, complete or not, and further requested groups."""
    asks = _asks(state)
    kyc_profile = state.kyc_profile
    if kyc_profile is None:
        return []
    lacking = _lacking_groups(state)
    found = [
        _need(name, group, None, lacking, _country(kyc_profile.data))
        for name, group in _groups(asks).items()
    ]
    of_owners = _groups([each.owners for each in asks if each.owners is not None])
    for index, owner in enumerate(kyc_profile.owners):
        under = f"{OWNERS}[{index}]."
        found += [
            _need(name, group, owner.id, lacking, _country(owner.data), under=under)
            for name, group in of_owners.items()
        ]
    return found


def value_at(data: Mapping[str, Any], path: str) -> Any:
    """Return the value at a dotted path; None if it is absent."""
    here: Any = data
    for name in path.split("."):
        here = cast("Mapping[str, Any]", here).get(name) if isinstance(here, Mapping) else None
    return here


def nested(answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object that has these values at their dotted paths."""
    nested_values: dict[str, Any] = {}
    for path, value in answers.items():
        group, _, part = path.partition(".")
        if part:
            nested_values.setdefault(group, {})[part] = value
        else:
            nested_values[group] = value
        if path in CONSTANTS:
            name, constant = CONSTANTS[path]
            nested_values[name] = constant
    return nested_values


def _asks(state: FormState) -> list[RequirementSet]:
    tables = [RAILS[rail] for rail in state.open_rails]
    if state.user_type is UserType.BUSINESS:
        return [table.business for table in tables]
    return [table.individual for table in tables]


def _leaves(
    asks: Iterable[RequirementSet], fields: Mapping[str, Kind], of: UserType | None
) -> list[FormQuestion]:
    """Return required fields of all rails by first occurrence, those of questionnaires last."""
    found: dict[str, FormQuestion] = {}
    for request in asks:
        for name in request.required:
            kind = fields[name]
            if isinstance(kind, QuestionnaireFieldType):
                for part in request.parts[name].required:
                    path = f"{name}.{part}"
                    found.setdefault(path, FormQuestion(path, kind.fields[part], of))
            elif name not in _CONSTANT_NAMES:
                found.setdefault(name, FormQuestion(name, kind, of))
    return sorted(found.values(), key=lambda each: each.path.startswith(_QUESTIONNAIRE))


def _groups(asks: Iterable[RequirementSet]) -> dict[str, DocumentGroup]:
    return {
        name: group
        for request in reversed(list(asks))
        for name, group in request.documents.items()
        if group.min_count > 0
    }


def _lacking_groups(state: FormState) -> set[str]:
    return {
        name
        for each in state.requirements
        for name in each.invalid.get("documents", {}).get("groups", {})
    }


def _need(
    name: str,
    group: DocumentGroup,
    owner_id: UUID | None,
    lacking: set[str],
    country: str | None,
    *,
    under: str = "",
) -> RequiredDocuments:
    return RequiredDocuments(
        name=name,
        owner_id=owner_id,
        accepted=group.accepted_at(country),
        is_lacking=f"{under}{name}" in lacking,
    )


def _country(data: Mapping[str, Any]) -> str | None:
    return value_at(data, "address.country")
