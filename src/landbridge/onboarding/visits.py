"""What a person does on the hosted form: every verb of it.

Guarantees: a person reaches only the user of their link, and tells nothing through a link that is
completed or has expired; all that they tell passes the same services as a caller's requests, under
the actor `person:kyc-link`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from landbridge.core.clock import Clock
from landbridge.core.errors import FieldInvalid, ResourceNotFound
from landbridge.kyc.kinds import Context
from landbridge.kyc.model import Dossier, Owner
from landbridge.kyc.service import Dossiers
from landbridge.onboarding import registration
from landbridge.onboarding.answers import Answers, answers
from landbridge.onboarding.errors import LinkGone
from landbridge.onboarding.inputs import Form, Question
from landbridge.onboarding.journey import (
    Standing,
    Step,
    asked_of_owner,
    asked_of_user,
    drawn_in,
    faults_of_owner,
    is_open,
    nested,
    questions,
)
from landbridge.onboarding.model import ACTOR, Link, Person, person
from landbridge.onboarding.service import Links
from landbridge.orgs.service import Orgs
from landbridge.users.model import User, UserType
from landbridge.users.policy import Policy
from landbridge.users.service import DEFAULT_CHAINS, Users
from landbridge.users.terms import Terms
from landbridge.verification.errors import KycDataInvalid
from landbridge.verification.model import Case
from landbridge.verification.service import Verification

_GONE, _UNKNOWN = 410, 404


@dataclass(frozen=True, slots=True)
class Visit:
    """Somebody who has opened a link, and where they stand."""

    caller: Person
    token: str
    standing: Standing
    context: Context

    @property
    def link(self) -> Link:
        """The link."""
        return self.standing.link

    @property
    def user(self) -> User:
        """The user, who must have been made."""
        user = self.standing.user
        if user is None:
            raise LinkGone(_UNKNOWN)
        return user

    @property
    def dossier(self) -> Dossier:
        """What was told about the user."""
        dossier = self.standing.dossier
        if dossier is None:
            raise LinkGone(_UNKNOWN)
        return dossier

    def owner(self, owner_id: UUID) -> Owner:
        """An owner; raises `LinkGone` as for anything else that was made up."""
        found = next((each for each in self.dossier.owners if each.id == owner_id), None)
        if found is None:
            raise LinkGone(_UNKNOWN)
        return found


class Visits:
    """The form of all organisations."""

    def __init__(
        self,
        links: Links,
        terms: Terms,
        users: Users,
        dossiers: Dossiers,
        *,
        verification: Verification,
        orgs: Orgs,
        clock: Clock,
        policy: Policy,
    ) -> None:
        self._links = links
        self._terms = terms
        self._users = users
        self._dossiers = dossiers
        self._verification = verification
        self._orgs = orgs
        self._clock = clock
        self._policy = policy

    async def open(self, link_id: str, token: str) -> Visit:
        """Open a link; raises `LinkGone`."""
        link = await self._links.find(token)
        if link is None or str(link.id) != link_id:
            raise LinkGone(_UNKNOWN)
        offset = await self._orgs.clock_offset(link.org_id)
        now = self._clock.now(offset)
        if link.expires_at <= now:
            raise LinkGone(_GONE)
        today = now.date()
        standing = Standing(
            link=link,
            has_signed=await self._has_signed(link),
            user=None,
            dossier=None,
            cases={},
            asked=(),
            today=today,
        )
        if link.user_id is not None:
            standing = await self._with_user(standing, link.user_id)
        return Visit(person(link, offset), token, standing, Context(today, self._policy))

    async def accept_terms(self, visit: Visit, *, signed_from: str | None) -> None:
        """Accept the terms of service; done again, it stays so."""
        link = visit.link
        if not link.makes_user:
            raise LinkGone(_UNKNOWN)
        template = None if link.details is None else link.details.template_id
        agreement = await self._terms.link(
            visit.caller, link.agreement_id, template_id=template, redirect_url=None
        )
        await self._terms.accept(
            agreement,
            agreement.session_token,
            offset=visit.caller.clock_offset,
            signed_from=signed_from,
            actor=ACTOR,
        )

    async def register(self, visit: Visit, form: Form) -> Answers:
        """Make the user; no errors if there is one afterwards.

        A link without rails is completed by this.
        """
        link, of = visit.link, visit.link.user_type
        if not link.makes_user or not visit.standing.has_signed:
            raise LinkGone(_UNKNOWN)
        asked = about_of(of, form)
        found = answers(asked, form, visit.context)
        if found.errors or link.user_id is not None:
            return found
        try:
            user = await self._users.create(
                visit.caller,
                registration.particulars(of, found.told),
                agreement_id=link.agreement_id,
                chains=DEFAULT_CHAINS,
                request_id=link.request_id,
                # Not what was typed: whoever presses twice, or comes back after a crash, is not
                # refused for having mended something in between.
                request={"kycLink": str(link.id)},
            )
        except FieldInvalid as error:
            found.blame(error, asked, registration.asked_as(error.field or ""))
            return found
        joined = await self._links.join(link, user.id)
        await self._links.enter(joined, await self._seeded(user))
        if not link.rails:
            await self._links.complete(joined, visit.caller.clock_offset)
        return found

    async def tell(self, visit: Visit, step: Step, form: Form) -> Answers:
        """Keep the answers of a step that are good; errors say what is wrong with others."""
        asked, known = questions(visit.standing, step), asked_of_user(visit.standing)
        asked += drawn_in(known, asked, form)
        found = answers(asked, form, visit.context)
        while found.told:
            try:
                await self._dossiers.update(visit.caller, visit.user, nested(found.told))
                break
            except FieldInvalid as error:
                found.blame(error, known, error.field or "")
        await self._links.enter(visit.link, list(found.told))
        return found

    async def save_owner(self, visit: Visit, owner: Owner | None, form: Form) -> Answers:
        """Keep what was answered about an owner, or (None) a new one; a new one whole or not."""
        asked, known = owner_questions(visit.standing, owner), asked_of_owner(visit.standing)
        found = answers(
            [*asked, *drawn_in(known, asked, form)],
            form,
            visit.context,
        )
        if owner is None and found.errors:
            return found
        caller, user = visit.caller, visit.user
        while found.told:
            told = nested(found.told)
            try:
                if owner is None:
                    _, saved = await self._dossiers.add_owner(caller, user, told)
                else:
                    _, saved = await self._dossiers.update_owner(caller, user, owner.id, told)
            except FieldInvalid as error:
                found.blame(error, known, error.field or "")
                if owner is None:
                    break
            else:
                await self._links.enter(visit.link, [f"{saved.id}.{path}" for path in found.told])
                break
        return found

    async def remove_owner(self, visit: Visit, owner: Owner) -> None:
        """Take away an owner who was told through this link; others are not this person's."""
        if not may_remove(visit.link, owner):
            raise LinkGone(_UNKNOWN)
        await self._dossiers.remove_owner(visit.caller, visit.user, owner.id)

    async def submit(self, visit: Visit) -> bool:
        """Submit for the rails that wait for the user, and complete the link.

        False if something is missing by now.
        """
        rails = visit.standing.open_rails
        if rails:
            try:
                await self._verification.submit(visit.caller, visit.user.id, rails)
            except KycDataInvalid:
                return False
        await self._links.complete(visit.link, visit.caller.clock_offset)
        return True

    async def _has_signed(self, link: Link) -> bool:
        if not link.makes_user:
            return True
        try:
            agreement = await self._terms.get(link.org_id, link.agreement_id)
        except ResourceNotFound:
            return False
        return agreement.signed_at is not None

    async def _with_user(self, standing: Standing, user_id: UUID) -> Standing:
        link = standing.link
        user = await self._users.get(link.org_id, user_id)
        if user.erased_at is not None:
            raise LinkGone(_GONE)
        dossier = await self._dossiers.get(link.org_id, user)
        found: dict[Any, Case] = {}
        asked: list[Any] = []
        for rail in link.rails:
            case = await self._verification.status(link.org_id, user_id, rail)
            if case is not None:
                found[rail] = case
            if is_open(case):
                asked.append(
                    await self._verification.requirements(
                        link.org_id, rail, dossier, today=standing.today
                    )
                )
        return replace(standing, user=user, dossier=dossier, cases=found, asked=asked)

    async def _seeded(self, user: User) -> list[str]:
        """What the dossier of a user has who was just made through a link."""
        dossier = await self._dossiers.get(user.org_id, user)
        return [
            *dossier.data,
            *(f"{owner.id}.{name}" for owner in dossier.owners for name in owner.data),
        ]


def about_of(of: UserType, form: Form) -> list[Question]:
    """What is asked of a new user: of a business, also about who controls it and signs."""
    asked = registration.about(of)
    if of is UserType.INDIVIDUAL:
        return asked
    is_same = "no" not in form.get(registration.SAME_PERSON, ())
    return [*asked, *registration.controller(), *([] if is_same else registration.signer())]


def owner_questions(standing: Standing, owner: Owner | None) -> Sequence[Question]:
    """What is asked about an owner: what is missing or wrong, and what was told by this link."""
    asked = asked_of_owner(standing)
    if owner is None:
        return asked
    faults: Mapping[str, str] = faults_of_owner(standing, owner)
    return [
        each
        for each in asked
        if f"{owner.id}.{each.path}" in standing.link.entered
        or any(fault == each.path or fault.startswith(f"{each.path}.") for fault in faults)
    ]


def may_remove(link: Link, owner: Owner) -> bool:
    """Whether an owner was told through this link, as far as who it is goes."""
    return f"{owner.id}.lastName" in link.entered
