"""Verification of users by connected providers; see the port `providers/identity`.

Guarantees:
- an application is stored before the provider is called, under a key that never changes: after a
  crash at any point the call is repeated, which creates nothing twice;
- only the first final answer counts. A later contradiction is stored as a problem for a person, and
  approves or rejects nobody;
- without a usable answer the case waits, and the provider is queried again;
- files pass only through memory on their way to the provider.
"""

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Rejected, Unavailable, Unclear
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.identity.port import (
    Applicant,
    ApplicantDocument,
    ApplicationStatus,
    HostedVerification,
    Identity,
    IncomingReview,
    ManualReviewRequested,
    NotSubmitted,
    StillPending,
    validate_result,
)
from landbridge.providers.sidecar import application_store
from landbridge.providers.sidecar.applications import (
    ApplicationProblem,
    ApplicationProgress,
    ApplicationReference,
    ProviderApplication,
    application_key,
    decide_application,
    read_reference,
    status_in,
)
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.configuration import ProvidersFile
from landbridge.providers.sidecar.identity_protocol import ApplicationAnswer, ApplicationState
from landbridge.providers.sidecar.model import AnswerUnusable, OrderProblem, warn_of_problem

_POLL_MIN, _POLL_MAX = timedelta(minutes=1), timedelta(hours=1)
# A pending application is queried again after a quarter of the time that it has waited.
_POLL_PART = 4
_JUDGED_MAX = 5
_CONTRADICTED = "The identity provider has contradicted its earlier answer."


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderIdentity:
    """Identity provider by the routes of the providers file; `others` verifies all other users."""

    database: Database
    clock: Clock
    routes: ProvidersFile
    providers: Mapping[str, SidecarClient]
    others: Identity

    def is_synchronous(self, org_id: UUID, rail: str) -> bool:
        """Return whether verification calls no provider; see the port."""
        if self.routes.identity_provider(org_id, rail) is not None:
            return False
        return self.others.is_synchronous(org_id, rail)

    async def create(self, applicant: Applicant) -> str:
        """Create the application at the route's provider; see the port."""
        key = application_key(applicant)
        stored = await self._find(applicant.org_id, key)
        name = self.routes.identity_provider(applicant.org_id, applicant.rail)
        if stored is not None and (name is None or stored.state is not ApplicationProgress.ASKED):
            # A route that has changed does not move an application away from its provider.
            name = stored.provider
        if name is None:
            return await self.others.create(applicant)
        provider = self._provider(name)
        at = self.clock.now()
        where = ApplicationReference(provider=name, org_id=applicant.org_id, key=key)
        await self.database.transact(
            lambda tx: application_store.add(tx, where, applicant.case_id, at=at)
        )
        async with self._noting(where):
            await self._apply(where, await provider.create_application(applicant, key))
        return str(where)

    async def attach(self, reference: str, document: ApplicantDocument) -> None:
        """Add a document; see the port."""
        where = read_reference(reference)
        if where is None:
            await self.others.attach(reference, document)
            return
        async with self._noting(where):
            answer = await self._provider(where.provider).attach_document(where.key, document)
            await self._apply(where, answer)

    async def submit(self, reference: str) -> StillPending:
        """Start the verification; see the port."""
        where = read_reference(reference)
        if where is None:
            return await self.others.submit(reference)
        async with self._noting(where):
            answer = await self._provider(where.provider).submit_application(where.key)
            if answer.state is ApplicationState.CREATED:
                raise _unusable(where, "a submission, and the application is not submitted")
            stored = await self._apply(where, answer)
        if stored.state is not ApplicationProgress.PENDING:
            # A webhook arrived before this, or the provider decides at once.
            return StillPending(retry_after=timedelta())
        return _pending(answer, timedelta())

    async def status(self, reference: str, *, waited: timedelta) -> ApplicationStatus:
        """Query the provider for the status; see the port."""
        where = read_reference(reference)
        if where is None:
            return await self.others.status(reference, waited=waited)
        async with self._noting(where):
            answer = await self._query(where)
            if answer is None:
                return NotSubmitted()
            try:
                status = validate_result(status_in(answer, _pending(answer, waited)))
            except Unclear as unclear:
                raise _unusable(where, f"something contradictory: {unclear}") from None
            stored = await self._apply(where, answer)
        if stored.problem is ApplicationProblem.CONTRADICTION:
            return ManualReviewRequested(note=_CONTRADICTED)
        return status

    async def open_link(self, reference: str) -> HostedVerification | None:
        """Return the link to the provider's page for the person; see the port."""
        where = read_reference(reference)
        if where is None:
            return await self.others.open_link(reference)
        return await self._provider(where.provider).open_link(where.key)

    def read_review(self, raw: bytes, headers: Mapping[str, str]) -> IncomingReview:
        """Decode a webhook of `others`; webhooks of sidecars have a route of their own."""
        return self.others.read_review(raw, headers)

    async def announced(
        self, org_ids: Sequence[UUID], until: datetime, *, limit: int
    ) -> Sequence[ProviderApplication]:
        """Return the applications announced by webhooks."""
        return await self.database.single(
            lambda tx: application_store.due(tx, org_ids, until, limit=limit)
        )

    async def recheck(self, application: ProviderApplication) -> ProviderApplication:
        """Query an application for which no case waits; return it as it is stored then.

        Raises `Unavailable` and `Unclear`.
        """
        if application.provider not in self.providers:
            return application
        async with self._noting(application.where):
            answer = await self._query(application.where)
            if answer is None:
                return application
            return await self._apply(application.where, answer)

    async def end_recheck(
        self, application: ProviderApplication, *, until: datetime, next_at: datetime | None
    ) -> None:
        """End the query caused by webhooks up to `until`, or repeat it at `next_at`."""
        await self.database.transact(
            lambda tx: application_store.end_recheck(tx, application, until=until, next_at=next_at)
        )

    async def _query(self, where: ApplicationReference) -> ApplicationAnswer | None:
        answer = await self._provider(where.provider).find_application(where.key)
        if answer is None:
            stored = await self._find(where.org_id, where.key)
            if stored is not None and stored.reference is not None:
                raise _unusable(where, "that it does not know an application which it had")
        return answer

    async def _apply(
        self, where: ApplicationReference, answer: ApplicationAnswer
    ) -> ProviderApplication:
        """Store the decision on an answer, based on the application's current state."""
        for _ in range(_JUDGED_MAX):
            found = await self._find(where.org_id, where.key)
            if found is None:
                raise Rejected(f"there is no application {where.key}")
            decision = decide_application(found, answer)
            write = partial(
                application_store.apply,
                application=found,
                decision=decision,
                at=self.clock.now(),
            )
            stored = await self.database.transact(write)
            if stored is not None:
                if stored.problem is not None and stored.problem is not found.problem:
                    warn_of_problem(where.provider, where.key, stored.problem)
                return stored
        raise Unclear(f"the application {where.key} is being changed by others")

    async def _find(self, org_id: UUID, key: UUID) -> ProviderApplication | None:
        return await self.database.single(lambda tx: application_store.find(tx, org_id, key))

    def _provider(self, name: str) -> SidecarClient:
        provider = self.providers.get(name)
        if provider is None:
            # Removing a provider from the file decides nothing about the users that it verifies.
            raise Unavailable(f"the providers file has no provider {name}, which has applications")
        return provider

    @asynccontextmanager
    async def _noting(self, where: ApplicationReference) -> AsyncGenerator[None]:
        """Store refusals and unusable answers of the provider that are raised in the block."""
        org_id, key = where.org_id, where.key
        try:
            yield
        except Rejected:
            await self.database.transact(lambda tx: application_store.refuse(tx, org_id, key))
            raise
        except AnswerUnusable as error:
            problem = _PROBLEMS.get(error.problem, ApplicationProblem.ANSWER_INVALID)
            if await self.database.single(
                lambda tx: application_store.set_problem(tx, org_id, key, problem)
            ):
                warn_of_problem(where.provider, where.key, problem)
            raise


async def forget_applications(tx: Tx, org_id: UUID, case_ids: Collection[UUID]) -> None:
    """Delete the applications of an erased user's cases."""
    await application_store.forget(tx, org_id, case_ids)


_PROBLEMS = {OrderProblem.KEY_CONFLICT: ApplicationProblem.KEY_CONFLICT}


def _pending(answer: ApplicationAnswer, waited: timedelta) -> StillPending:
    """Return when to query next: as the provider says, or later the longer it takes."""
    if answer.state is not ApplicationState.PENDING:
        return StillPending(retry_after=timedelta())
    if answer.expected_in_seconds is not None:
        return StillPending(retry_after=timedelta(seconds=answer.expected_in_seconds))
    return StillPending(retry_after=min(max(waited // _POLL_PART, _POLL_MIN), _POLL_MAX))


def _unusable(where: ApplicationReference, what: str) -> AnswerUnusable:
    return AnswerUnusable(OrderProblem.ANSWER_INVALID, f"provider {where.provider} answered {what}")
