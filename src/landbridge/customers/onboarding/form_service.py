"""Operations of a person on the hosted form, and validation of the answers.

Guarantees: a person can access only the user of their link, and can submit no data through a
completed or expired link; all submitted data passes the same services as API requests, under the
actor `person:kyc-link`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from landbridge.customers.kyc.field_types import ValidationContext
from landbridge.customers.kyc.model import KycOwner, KycProfile
from landbridge.customers.kyc.service import KycProfiles
from landbridge.customers.onboarding import registration
from landbridge.customers.onboarding.errors import LinkGone
from landbridge.customers.onboarding.form_inputs import Errors, Form, FormQuestion, read, sentence
from landbridge.customers.onboarding.form_progress import (
    FormState,
    FormStep,
    drawn_in,
    faults_of_owner,
    is_open,
    nested,
    owner_requirements,
    questions,
    user_requirements,
)
from landbridge.customers.onboarding.labels import field_label
from landbridge.customers.onboarding.model import ACTOR, KycLink, LinkVisitor, person
from landbridge.customers.onboarding.service import KycLinks
from landbridge.customers.users.country_policy import CountryPolicy
from landbridge.customers.users.hosted_pages import hosted_path
from landbridge.customers.users.model import User, UserType
from landbridge.customers.users.page_language import translate
from landbridge.customers.users.service import DEFAULT_CHAINS, Users
from landbridge.customers.users.terms import TermsOfService
from landbridge.customers.verification.errors import KycDataInvalid
from landbridge.customers.verification.model import VerificationCase
from landbridge.customers.verification.provider_links import VerificationLinks
from landbridge.customers.verification.service import Verification
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, ResourceNotFound
from landbridge.platform.orgs.service import Orgs
from landbridge.providers.identity.port import HostedVerification

# Path of an error that concerns the whole form.
WHOLE = ""


@dataclass(slots=True)
class FormAnswers:
    """Valid answers and errors, by path."""

    answers: dict[str, Any] = field(default_factory=dict[str, Any])
    errors: Errors = field(default_factory=Errors)

    def blame(self, error: FieldInvalid, questions: Sequence[FormQuestion], path: str) -> None:
        """Remove an answer from the valid ones if it conflicts with other answers.

        `path` is the question of the invalid field. If the form has no such question, its answers
        conflict with stored data, and none of them is valid.
        """
        culprit = find(questions, path)
        if culprit is None:
            self.errors[WHOLE] = sentence(error, translate("Your answers"))
        else:
            question = (
                culprit.field_label if path == culprit.path else field_label(culprit.of, path)
            )
            self.errors[path] = sentence(error, question.label)
        if culprit is None or culprit.path not in self.answers:
            self.answers.clear()
        else:
            del self.answers[culprit.path]


def answers(
    questions: Iterable[FormQuestion], form: Form, context: ValidationContext
) -> FormAnswers:
    """Return all answers, each validated separately."""
    found = FormAnswers()
    for each in questions:
        value, errors = read(each, form, context)
        found.errors |= errors
        if value is not None:
            found.answers[each.path] = value
    return found


def find(questions: Iterable[FormQuestion], path: str) -> FormQuestion | None:
    """Return the question for this field, or for the field that contains it."""
    return next(
        (each for each in questions if path == each.path or path.startswith(f"{each.path}.")), None
    )


_GONE, _UNKNOWN = 410, 404


@dataclass(frozen=True, slots=True)
class FormVisit:
    """Visitor with an open link, and the state of the form."""

    caller: LinkVisitor
    token: str
    # URL path of the form's pages, as browsers see it.
    path: str
    state: FormState
    context: ValidationContext

    @property
    def link(self) -> KycLink:
        """Return the link that was opened."""
        return self.state.link

    @property
    def user(self) -> User:
        """Return the user, who must exist."""
        user = self.state.user
        if user is None:
            raise LinkGone(_UNKNOWN)
        return user

    @property
    def kyc_profile(self) -> KycProfile:
        """Return the KYC profile of the user."""
        kyc_profile = self.state.kyc_profile
        if kyc_profile is None:
            raise LinkGone(_UNKNOWN)
        return kyc_profile

    def owner(self, owner_id: UUID) -> KycOwner:
        """Return an owner; raise `LinkGone` for an unknown id."""
        found = next((each for each in self.kyc_profile.owners if each.id == owner_id), None)
        if found is None:
            raise LinkGone(_UNKNOWN)
        return found


@dataclass(frozen=True, slots=True)
class FormVisits:
    """Operations on the forms of all organisations."""

    links: KycLinks
    terms: TermsOfService
    users: Users
    dossiers: KycProfiles
    verification: Verification
    provider_links: VerificationLinks
    orgs: Orgs
    clock: Clock
    policy: CountryPolicy

    async def open(self, link_id: str, token: str) -> FormVisit:
        """Return the visit of a person who opens a link; raises `LinkGone`."""
        link = await self.links.find(token)
        if link is None or str(link.id) != link_id:
            raise LinkGone(_UNKNOWN)
        offset = await self.orgs.clock_offset(link.org_id)
        now = self.clock.now(offset)
        if link.expires_at <= now:
            raise LinkGone(_GONE)
        today = now.date()
        state = FormState(
            link=link,
            has_signed=await self._has_signed(link),
            user=None,
            kyc_profile=None,
            cases={},
            requirements=(),
            today=today,
        )
        if link.user_id is not None:
            state = await self._with_user(state, link.user_id)
        path = hosted_path(self.links.public_url, f"/kyc/{link.id}")
        context = ValidationContext(today, self.policy)
        return FormVisit(person(link, offset), token, path, state, context)

    async def accept_terms(self, visit: FormVisit, *, signed_from: str | None) -> None:
        """Accept the terms of service; repeating it has no effect."""
        link = visit.link
        if not link.creates_user:
            raise LinkGone(_UNKNOWN)
        template = None if link.details is None else link.details.template_id
        agreement = await self.terms.link(
            visit.caller, link.agreement_id, template_id=template, redirect_url=None
        )
        await self.terms.accept(
            agreement,
            agreement.session_token,
            offset=visit.caller.clock_offset,
            signed_from=signed_from,
            actor=ACTOR,
        )

    async def register(self, visit: FormVisit, form: Form) -> FormAnswers:
        """Create the user, and complete the link if it has no rails.

        The result has no errors if the user exists afterwards.
        """
        link, of = visit.link, visit.link.user_type
        if not link.creates_user or not visit.state.has_signed:
            raise LinkGone(_UNKNOWN)
        form_questions = registration_questions(of, form)
        found = answers(form_questions, form, visit.context)
        if found.errors or link.user_id is not None:
            return found
        try:
            user = await self.users.create(
                visit.caller,
                registration.particulars(of, found.answers),
                agreement_id=link.agreement_id,
                chains=DEFAULT_CHAINS,
                request_id=link.request_id,
                # A replay compares only this, not the input: a repeated submission with a corrected
                # field is not rejected.
                request={"kycLink": str(link.id)},
            )
        except FieldInvalid as error:
            found.blame(error, form_questions, registration.question_path(error.field or ""))
            return found
        joined = await self.links.join(link, user.id)
        await self.links.enter(joined, await self._seeded(user))
        if not link.rails:
            await self.links.complete(joined, visit.caller.clock_offset)
        return found

    async def save_answers(self, visit: FormVisit, step: FormStep, form: Form) -> FormAnswers:
        """Store the valid answers of a step; errors describe the others."""
        form_questions, known = questions(visit.state, step), user_requirements(visit.state)
        form_questions += drawn_in(known, form_questions, form)
        found = answers(form_questions, form, visit.context)
        while found.answers:
            try:
                await self.dossiers.update(visit.caller, visit.user, nested(found.answers))
                break
            except FieldInvalid as error:
                found.blame(error, known, error.field or "")
        await self.links.enter(visit.link, list(found.answers))
        return found

    async def save_owner(self, visit: FormVisit, owner: KycOwner | None, form: Form) -> FormAnswers:
        """Store the answers about an owner; if `owner` is None, create one if all are valid."""
        form_questions, known = owner_questions(visit.state, owner), owner_requirements(visit.state)
        found = answers(
            [*form_questions, *drawn_in(known, form_questions, form)],
            form,
            visit.context,
        )
        if owner is None and found.errors:
            return found
        caller, user = visit.caller, visit.user
        while found.answers:
            submitted = nested(found.answers)
            try:
                if owner is None:
                    _, saved = await self.dossiers.add_owner(caller, user, submitted)
                else:
                    _, saved = await self.dossiers.update_owner(caller, user, owner.id, submitted)
            except FieldInvalid as error:
                found.blame(error, known, error.field or "")
                if owner is None:
                    break
            else:
                await self.links.enter(visit.link, [f"{saved.id}.{path}" for path in found.answers])
                break
        return found

    async def remove_owner(self, visit: FormVisit, owner: KycOwner) -> None:
        """Remove an owner added through this link; other owners cannot be removed here."""
        if not may_remove(visit.link, owner):
            raise LinkGone(_UNKNOWN)
        await self.dossiers.remove_owner(visit.caller, visit.user, owner.id)

    async def submit(self, visit: FormVisit) -> bool:
        """Submit for the rails that wait for the user, and complete the link.

        Return False if data are missing by now.
        """
        rails = visit.state.open_rails
        if rails:
            try:
                await self.verification.submit(visit.caller, visit.user.id, rails)
            except KycDataInvalid:
                return False
        await self.links.complete(visit.link, visit.caller.clock_offset)
        return True

    async def open_provider_link(self, visit: FormVisit, rail: str) -> HostedVerification:
        """Return a new link to the provider's page for a rail of the link.

        Raises `LinkGone` unless the case is at the provider, and the errors of
        `VerificationLinks.open`.
        """
        found = next((each for each in visit.link.rails if each == rail), None)
        if found is None or found not in visit.state.at_provider:
            raise LinkGone(_UNKNOWN)
        return await self.provider_links.open(visit.caller, visit.user.id, found)

    async def _has_signed(self, link: KycLink) -> bool:
        if not link.creates_user:
            return True
        try:
            agreement = await self.terms.get(link.org_id, link.agreement_id)
        except ResourceNotFound:
            return False
        return agreement.signed_at is not None

    async def _with_user(self, state: FormState, user_id: UUID) -> FormState:
        link = state.link
        user = await self.users.get(link.org_id, user_id)
        if user.erased_at is not None:
            raise LinkGone(_GONE)
        kyc_profile = await self.dossiers.get(link.org_id, user)
        found: dict[Any, VerificationCase] = {}
        requirements: list[Any] = []
        for rail in link.rails:
            case = await self.verification.status(link.org_id, user_id, rail)
            if case is not None:
                found[rail] = case
            if is_open(case):
                requirements.append(
                    await self.verification.requirements(
                        link.org_id, rail, kyc_profile, today=state.today
                    )
                )
        links = self.provider_links
        return replace(
            state,
            user=user,
            kyc_profile=kyc_profile,
            cases=found,
            requirements=requirements,
            at_provider={rail for rail, case in found.items() if links.is_open(case)},
            expected_at_provider={rail for rail, case in found.items() if links.is_expected(case)},
        )

    async def _seeded(self, user: User) -> list[str]:
        """Return the fields that a KYC profile has after registration through a link."""
        kyc_profile = await self.dossiers.get(user.org_id, user)
        return [
            *kyc_profile.data,
            *(f"{owner.id}.{name}" for owner in kyc_profile.owners for name in owner.data),
        ]


def registration_questions(of: UserType, form: Form) -> list[FormQuestion]:
    """Return the questions for a new user; for a business also about its controller and signer."""
    form_questions = registration.subject_questions(of)
    if of is UserType.INDIVIDUAL:
        return form_questions
    is_same = "no" not in form.get(registration.SAME_PERSON, ())
    return [
        *form_questions,
        *registration.controller(),
        *([] if is_same else registration.signer()),
    ]


def owner_questions(state: FormState, owner: KycOwner | None) -> Sequence[FormQuestion]:
    """Return questions about an owner: missing or invalid fields, and those of this link."""
    form_questions = owner_requirements(state)
    if owner is None:
        return form_questions
    faults: Mapping[str, str] = faults_of_owner(state, owner)
    return [
        each
        for each in form_questions
        if f"{owner.id}.{each.path}" in state.link.entered
        or any(fault == each.path or fault.startswith(f"{each.path}.") for fault in faults)
    ]


def may_remove(link: KycLink, owner: KycOwner) -> bool:
    """Return whether the identity of an owner was submitted through this link."""
    return f"{owner.id}.lastName" in link.entered
