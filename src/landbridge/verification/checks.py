"""What is done with a case that is due: hand it to the identity provider, ask, record.

The row is the job. A step claims the case (the intent), calls outside under our key (the effect),
and records what came of it under its claim (the outcome). Killed anywhere in between, the case is
due again after a pause, and the same calls under the same key find what was done already. A step
that comes back after its claim was taken over records nothing.

Names are compared with the sanctions list before a case is handed over and again before any answer
counts. A resemblance sends the case to a reviewer, whatever the provider says.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

import structlog

from landbridge.core.clock import Clock
from landbridge.core.errors import Rejected, Unavailable, Unclear
from landbridge.identity.port import (
    Applicant,
    Document,
    Identity,
    InformationAsked,
    ManualReviewAsked,
    NotSubmitted,
    Owner,
    Review,
    StillPending,
    Verdict,
    checked,
    checked_reference,
)
from landbridge.screening.model import ListReplaced, Screened
from landbridge.screening.service import Screening
from landbridge.verification.cases import Cases
from landbridge.verification.model import (
    CALL_TIMEOUT_S,
    Case,
    KycStatus,
    Snapshot,
    SubmittedDocument,
)
from landbridge.verification.names import needs_person, subjects
from landbridge.verification.verdicts import (
    concluded,
    decision_on,
    path_from,
    status_of,
    with_hits,
)

T = TypeVar("T")

_log = structlog.stdlib.get_logger()

ACTOR = "worker"
# Whose answer stands in the history of a case.
PROVIDER = "identity provider"
# A provider that says "ask at once" for ever would be asked without end.
_ASK_AFTER_MIN = timedelta(seconds=1)


ReadFile = Callable[[UUID, str], Awaitable[bytes]]


class Checks:
    """Steps of cases that are due."""

    def __init__(
        self,
        cases: Cases,
        identity: Identity,
        screening: Screening,
        clock: Clock,
        *,
        read_file: ReadFile,
    ) -> None:
        self._cases = cases
        self._identity = identity
        self._screening = screening
        self._clock = clock
        self._read_file = read_file

    async def step(self, case: Case, clock_offset: timedelta) -> Case | None:
        """Do what is due; the case after it, None if it could not be moved or another moved it.

        Never raises for what a provider does.
        """
        now = self._now(case, clock_offset)
        if case.due_at is None or case.due_at > now:
            return None
        claimed = await self._cases.claim(case, self._clock.stamp(clock_offset))
        if claimed is None:
            return None
        try:
            return await self._work(claimed, clock_offset)
        except Rejected as error:
            _log.warning("verification.refused", id=str(case.id), exc_info=error)
            return await self._give_up(claimed, clock_offset)
        except (Unavailable, Unclear) as error:
            # It is due again after the pause that the claim has set.
            _log.warning("verification.unavailable", id=str(case.id), exc_info=error)
            return None

    async def _work(self, case: Case, clock_offset: timedelta) -> Case | None:
        if case.snapshot is None:
            # Erased: there is nothing to do, now or later.
            await self._cases.rest(case)
            return None
        match case.status:
            case KycStatus.CREATED | KycStatus.PENDING if case.reference is None:
                return await self._hand_over(case, case.snapshot, clock_offset)
            case KycStatus.PENDING if case.reference is not None:
                return await self._ask(case, case.snapshot, case.reference, clock_offset)
            case _:
                return await self._record(case, _at_rest(case), clock_offset=clock_offset)

    async def _hand_over(
        self, case: Case, snapshot: Snapshot, clock_offset: timedelta
    ) -> Case | None:
        screened = await self._screening.screen(subjects(snapshot))
        findings = with_hits(case.findings, screened)
        if needs_person(snapshot, screened):
            stopped = replace(_at_rest(case), findings=findings)
            path = path_from(case, KycStatus.MANUAL_REVIEW)
            return await self._record(case, stopped, *path, clock_offset=clock_offset)
        reference = checked_reference(
            await _bounded(self._identity.create(_applicant(case, snapshot)))
        )
        pending = await self._submit(case, snapshot, reference)
        # Only an answer shows that it was not lost: until then a pause that has grown stays long.
        handed = replace(
            case,
            reference=reference,
            findings=findings,
            due_at=None,
            failures=case.failures - 1,
        )
        if pending.ask_after is not None:
            handed = replace(handed, due_at=self._now(case, clock_offset) + pending.ask_after)
        return await self._record(case, handed, *path_from(case), clock_offset=clock_offset)

    async def _submit(self, case: Case, snapshot: Snapshot, reference: str) -> StillPending:
        """Attach and submit, unless a step before this one did and could not say so."""
        if case.failures > 1:
            standing = checked(await _bounded(self._identity.status(reference, waited=timedelta())))
            if not isinstance(standing, NotSubmitted):
                return StillPending(ask_after=timedelta())
        for document in snapshot.documents:
            await _bounded(self._identity.attach(reference, self._document(case, document)))
        pending = checked(await _bounded(self._identity.submit(reference)))
        if not isinstance(pending, StillPending):
            raise Unclear("a submission was answered with something else")
        return pending

    async def _ask(
        self, case: Case, snapshot: Snapshot, reference: str, clock_offset: timedelta
    ) -> Case | None:
        waited = self._now(case, clock_offset) - case.submitted_at
        standing = checked(await _bounded(self._identity.status(reference, waited=waited)))
        match standing:
            case NotSubmitted():
                # Handed over again after the pause of this claim, which grows each time.
                lost = replace(case, reference=None)
                return await self._record(case, lost, clock_offset=clock_offset)
            case StillPending(ask_after=after):
                waiting = _at_rest(case)
                if after is not None:
                    later = self._now(case, clock_offset) + max(after, _ASK_AFTER_MIN)
                    waiting = replace(waiting, due_at=later)
                return await self._record(case, waiting, clock_offset=clock_offset)
            case Review() | InformationAsked() | ManualReviewAsked():
                while True:
                    screened = await self._screening.screen(subjects(snapshot))
                    # Else a list was loaded in between, so names are compared with that one.
                    with suppress(ListReplaced):
                        return await self._conclude(
                            case, snapshot, standing, screened, clock_offset
                        )

    async def _conclude(
        self,
        case: Case,
        snapshot: Snapshot,
        verdict: Verdict,
        screened: Screened,
        clock_offset: timedelta,
    ) -> Case | None:
        at = self._clock.stamp(clock_offset)
        findings = with_hits(case.findings, screened).with_decision(
            decision_on(verdict, actor=PROVIDER, at=at)
        )
        # A provider's answer beside a resemblance is for the reviewer to see, and no more.
        counts = ManualReviewAsked() if needs_person(snapshot, screened) else verdict
        status = status_of(counts)
        ended = replace(_at_rest(case), findings=concluded(findings, counts, snapshot))
        if status is KycStatus.ACTIVE:
            return await self._cases.approve(case, ended, self._screening, actor=ACTOR, at=at)
        return await self._cases.move(case, ended, status, actor=ACTOR, at=at)

    async def _give_up(self, case: Case, clock_offset: timedelta) -> Case | None:
        """The other side said no to the call itself: nothing that the user told is to blame."""
        path = path_from(case, KycStatus.CONTACT_SUPPORT)
        return await self._record(case, _at_rest(case), *path, clock_offset=clock_offset)

    def _now(self, case: Case, clock_offset: timedelta) -> datetime:
        """The organisation's time; stamps may be a moment ahead of it, and a case has one."""
        return max(self._clock.now(clock_offset), case.submitted_at)

    async def _record(
        self, before: Case, after: Case, *path: KycStatus, clock_offset: timedelta
    ) -> Case | None:
        at = self._clock.stamp(clock_offset)
        return await self._cases.move(before, after, *path, actor=ACTOR, at=at)

    def _document(self, case: Case, document: SubmittedDocument) -> Document:
        file_id = document.file_id
        return Document(
            id=document.id,
            owner_id=document.owner_id,
            type=document.type,
            sub_type=document.sub_type,
            issued_country=document.issued_country,
            number=document.number,
            url=document.url,
            read=None if file_id is None else lambda: self._read_file(case.org_id, file_id),
        )


def _at_rest(case: Case) -> Case:
    """A case whose step has come to its end, and that waits for a person."""
    return replace(case, due_at=None, failures=0)


def _applicant(case: Case, snapshot: Snapshot) -> Applicant:
    return Applicant(
        key=case.key,
        is_business=snapshot.is_business,
        rail=case.rail,
        last_name=snapshot.last_name,
        business_name=snapshot.business_name,
        facts=snapshot.data,
        owners=[
            Owner(id=owner.id, last_name=owner.data.get("lastName"), facts=owner.data)
            for owner in snapshot.owners
        ],
    )


async def _bounded(call: Awaitable[T]) -> T:
    """The answer to a call outside, which may take so long and no longer."""
    try:
        async with asyncio.timeout(CALL_TIMEOUT_S):
            return await call
    except TimeoutError as error:
        raise Unclear("no answer in time") from error
