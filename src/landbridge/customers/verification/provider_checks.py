"""Processing of due cases: submit to the identity provider, poll it and record results.

The case's row is the job. A step claims the case, calls the provider with an idempotency key, and
records the result under its claim. After a crash at any point the case is due again after a pause,
and repeated calls with the same key return the earlier results. A step that finishes after another
worker has taken over its claim records no result.

Names are compared with the sanctions list before a case is submitted and again before any result
counts. A hit sends the case to a reviewer, regardless of the provider's result.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

import structlog

from landbridge.customers.verification.cases import VerificationCases
from landbridge.customers.verification.model import (
    CALL_TIMEOUT_S,
    KycStatus,
    SubmissionSnapshot,
    SubmittedDocument,
    VerificationCase,
)
from landbridge.customers.verification.reviews import (
    concluded,
    decision_on,
    path_from,
    status_of,
    with_hits,
)
from landbridge.customers.verification.screened_names import needs_person, subjects
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.end_tasks import end_tasks
from landbridge.platform.core.errors import Rejected, Unavailable, Unclear
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.http.fair_semaphore import FairSemaphore
from landbridge.providers.identity.port import (
    Applicant,
    ApplicantDocument,
    ApplicantOwner,
    Identity,
    IdentityReview,
    InformationRequested,
    ManualReviewRequested,
    NotSubmitted,
    StillPending,
    Verdict,
    validate_reference,
    validate_result,
)
from landbridge.providers.screening.model import ListReplaced, ScreeningResult
from landbridge.providers.screening.service import Screening

T = TypeVar("T")

_log = structlog.stdlib.get_logger()

ACTOR = "worker"
# Provider name in the history of a case.
PROVIDER = "identity provider"
# Shortest interval between polls, so that a provider that requests none causes no endless loop.
_ASK_AFTER_MIN = timedelta(seconds=1)


ReadFile = Callable[[UUID, str], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class VerificationSteps:
    """Steps of cases that are due."""

    cases: VerificationCases
    identity: Identity
    screening: Screening
    clock: Clock
    read_file: ReadFile

    async def step(
        self, case: VerificationCase, clock_offset: timedelta
    ) -> VerificationCase | None:
        """Run the due step; return the new case, None if it was not moved or has changed.

        Never raises for provider behaviour.
        """
        now = self._now(case, clock_offset)
        if case.due_at is None or case.due_at > now:
            return None
        claimed = await self.cases.claim(case, self.clock.stamp(clock_offset))
        if claimed is None:
            return None
        try:
            return await self._work(claimed, clock_offset)
        except Rejected as error:
            _log.warning("verification.refused", id=str(case.id), exc_info=error)
            return await self._give_up(claimed, clock_offset)
        except (Unavailable, Unclear) as error:
            # The case is due again after the pause set by the claim.
            _log.warning("verification.unavailable", id=str(case.id), exc_info=error)
            return None

    async def _work(
        self, case: VerificationCase, clock_offset: timedelta
    ) -> VerificationCase | None:
        if case.snapshot is None:
            # The user was erased, so no work remains.
            await self.cases.unschedule(case)
            return None
        match case.status:
            case KycStatus.CREATED | KycStatus.PENDING if case.reference is None:
                return await self._hand_over(case, case.snapshot, clock_offset)
            case KycStatus.PENDING if case.reference is not None:
                return await self._ask(case, case.snapshot, case.reference, clock_offset)
            case _:
                return await self._record(case, _without_due_time(case), clock_offset=clock_offset)

    async def _hand_over(
        self, case: VerificationCase, snapshot: SubmissionSnapshot, clock_offset: timedelta
    ) -> VerificationCase | None:
        screened = await self.screening.screen(subjects(snapshot), org_id=case.org_id)
        findings = with_hits(case.findings, screened)
        if needs_person(snapshot, screened):
            stopped = replace(_without_due_time(case), findings=findings)
            path = path_from(case, KycStatus.MANUAL_REVIEW)
            return await self._record(case, stopped, *path, clock_offset=clock_offset)
        reference = validate_reference(
            await _bounded(self.identity.create(_applicant(case, snapshot)))
        )
        pending = await self._submit(case, snapshot, reference)
        # Reset the pause only after a response, which proves that the submission was received.
        handed = replace(
            case,
            reference=reference,
            findings=findings,
            due_at=None,
            failures=case.failures - 1,
        )
        if pending.retry_after is not None:
            handed = replace(handed, due_at=self._now(case, clock_offset) + pending.retry_after)
        return await self._record(case, handed, *path_from(case), clock_offset=clock_offset)

    async def _submit(
        self, case: VerificationCase, snapshot: SubmissionSnapshot, reference: str
    ) -> StillPending:
        """Attach the files and submit, unless an earlier step did so without recording it."""
        if case.failures > 1:
            status_result = validate_result(
                await _bounded(self.identity.status(reference, waited=timedelta()))
            )
            if not isinstance(status_result, NotSubmitted):
                return StillPending(retry_after=timedelta())
        for document in snapshot.documents:
            await _bounded(self.identity.attach(reference, self._document(case, document)))
        pending = validate_result(await _bounded(self.identity.submit(reference)))
        if not isinstance(pending, StillPending):
            raise Unclear("a submission was answered with something else")
        return pending

    async def _ask(
        self,
        case: VerificationCase,
        snapshot: SubmissionSnapshot,
        reference: str,
        clock_offset: timedelta,
    ) -> VerificationCase | None:
        waited = self._now(case, clock_offset) - case.submitted_at
        status_result = validate_result(
            await _bounded(self.identity.status(reference, waited=waited))
        )
        match status_result:
            case NotSubmitted():
                # Without a reference, the case is submitted again after the pause of this claim.
                without_reference = replace(case, reference=None)
                return await self._record(case, without_reference, clock_offset=clock_offset)
            case StillPending(retry_after=after):
                waiting = _without_due_time(case)
                if after is not None:
                    later = self._now(case, clock_offset) + max(after, _ASK_AFTER_MIN)
                    waiting = replace(waiting, due_at=later)
                return await self._record(case, waiting, clock_offset=clock_offset)
            case IdentityReview() | InformationRequested() | ManualReviewRequested():
                while True:
                    screened = await self.screening.screen(subjects(snapshot), org_id=case.org_id)
                    # A list that was replaced during the comparison raises `ListReplaced`: compare
                    # with the new list.
                    with suppress(ListReplaced):
                        return await self._conclude(
                            case, snapshot, status_result, screened, clock_offset
                        )

    async def _conclude(
        self,
        case: VerificationCase,
        snapshot: SubmissionSnapshot,
        verdict: Verdict,
        screened: ScreeningResult,
        clock_offset: timedelta,
    ) -> VerificationCase | None:
        at = self.clock.stamp(clock_offset)
        findings = with_hits(case.findings, screened).with_decision(
            decision_on(verdict, actor=PROVIDER, at=at)
        )
        # With a sanctions hit, the provider's result is only information for the reviewer.
        counts = ManualReviewRequested() if needs_person(snapshot, screened) else verdict
        status = status_of(counts)
        ended = replace(_without_due_time(case), findings=concluded(findings, counts, snapshot))
        if status is KycStatus.ACTIVE:
            return await self.cases.approve(case, ended, self.screening, actor=ACTOR, at=at)
        return await self.cases.move(case, ended, status, actor=ACTOR, at=at)

    async def _give_up(
        self, case: VerificationCase, clock_offset: timedelta
    ) -> VerificationCase | None:
        """Conclude a case after the provider rejected the call for a reason other than the data."""
        path = path_from(case, KycStatus.CONTACT_SUPPORT)
        return await self._record(case, _without_due_time(case), *path, clock_offset=clock_offset)

    def _now(self, case: VerificationCase, clock_offset: timedelta) -> datetime:
        """Return the organisation's time, but not less than the case's own last timestamp."""
        return max(self.clock.now(clock_offset), case.submitted_at)

    async def _record(
        self,
        before: VerificationCase,
        after: VerificationCase,
        *path: KycStatus,
        clock_offset: timedelta,
    ) -> VerificationCase | None:
        at = self.clock.stamp(clock_offset)
        return await self.cases.move(before, after, *path, actor=ACTOR, at=at)

    def _document(self, case: VerificationCase, document: SubmittedDocument) -> ApplicantDocument:
        file_id = document.file_id
        return copy_fields(
            document,
            ApplicantDocument,
            read=None if file_id is None else lambda: self.read_file(case.org_id, file_id),
        )


def _without_due_time(case: VerificationCase) -> VerificationCase:
    """Return a case without a due time, as it waits for a person."""
    return replace(case, due_at=None, failures=0)


def _applicant(case: VerificationCase, snapshot: SubmissionSnapshot) -> Applicant:
    return copy_fields(
        snapshot,
        Applicant,
        key=case.key,
        org_id=case.org_id,
        case_id=case.id,
        rail=case.rail,
        facts=snapshot.data,
        owners=[
            ApplicantOwner(id=owner.id, last_name=owner.data.get("lastName"), facts=owner.data)
            for owner in snapshot.owners
        ],
    )


async def _bounded(call: Awaitable[T]) -> T:
    """Return the result of an external call, limited by the timeout."""
    try:
        async with asyncio.timeout(CALL_TIMEOUT_S):
            return await call
    except TimeoutError as error:
        raise Unclear("no answer in time") from error


_log = structlog.stdlib.get_logger()

BATCH_SIZE = 64
# Most concurrent steps, in total and of one organisation, as each needs a database connection.
_STEPS_AT_ONCE = 24
_STEPS_EACH = 4
# Seconds that a poll waits for the steps that it has started.
_POLL_S = 1.0
_RUNNING_MAX = 256


class StepRunner:
    """Runs the steps of due cases, several concurrently, within limits.

    A failed step affects only its own case. A slow step, for example of a provider that does not
    answer, delays its own case, and other cases of the organisation once that reaches its limit.
    The worker starts other steps in the meantime.
    """

    def __init__(self, cases: VerificationCases, checks: VerificationSteps, clock: Clock) -> None:
        self._cases = cases
        self._checks = checks
        self._clock = clock
        self._slots = FairSemaphore(_STEPS_AT_ONCE, each=_STEPS_EACH)
        # Running steps that polls have started, by organisation and case.
        self._running: dict[tuple[UUID, UUID], asyncio.Task[VerificationCase | None]] = {}

    async def run(self, case: VerificationCase, clock_offset: timedelta) -> VerificationCase | None:
        """Run a case's due step; return the new case, None if it was not moved or has changed."""
        await self._slots.acquire(case.org_id)
        try:
            return await self._checks.step(case, clock_offset)
        except Exception as error:  # noqa: BLE001  what was submitted stays so, whatever fails
            _log.error("verification.step_failed", id=str(case.id), exc_info=error)
            return None
        finally:
            self._slots.release(case.org_id)

    async def run_batch(self, offsets: Mapping[UUID, timedelta]) -> int:
        """Process one batch of due cases to its end, and return its size."""
        cases = await self._cases.due(self._clock.now_of(offsets), limit=BATCH_SIZE)
        await asyncio.gather(*(self.run(each, offsets[each.org_id]) for each in cases))
        return len(cases)

    async def poll(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Start the steps of one batch of due cases; return whether there may be more.

        Waits a while for the steps; slower ones continue during the next batches.
        """
        self._running = {each: step for each, step in self._running.items() if not step.done()}
        if len(self._running) >= _RUNNING_MAX:
            await asyncio.wait(
                self._running.values(), timeout=_POLL_S, return_when=asyncio.FIRST_COMPLETED
            )
            return False
        cases = await self._cases.due(self._clock.now_of(offsets), limit=BATCH_SIZE)
        begun = {
            (each.org_id, each.id): asyncio.create_task(self.run(each, offsets[each.org_id]))
            for each in cases
            if (each.org_id, each.id) not in self._running
        }
        self._running |= begun
        if begun:
            await asyncio.wait(begun.values(), timeout=_POLL_S)
        return len(cases) == BATCH_SIZE and bool(begun)

    async def close(self) -> None:
        """Wait a while for steps in progress, then cancel them: other workers claim the cases."""
        await end_tasks(self._running.values())
