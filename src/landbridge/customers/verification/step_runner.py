"""Runs the steps of due cases, several at once.

A step that takes longer, as with a provider that does not answer, delays its own case, and those of
its organisation beyond a few; the worker begins others meanwhile.
"""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

import structlog

from landbridge.customers.verification.cases import VerificationCases
from landbridge.customers.verification.model import VerificationCase
from landbridge.customers.verification.provider_checks import VerificationSteps
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.end_tasks import end_tasks
from landbridge.platform.http.fair_semaphore import FairSemaphore

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 64
# Each may wait for a provider and hold a connection for a moment: in all, and of an organisation.
_STEPS_AT_ONCE = 24
_STEPS_EACH = 4
# So long a poll waits for the steps that it began; with more of them no other begins.
_POLL_S = 1.0
_RUNNING_MAX = 256


class StepRunner:
    """Runs steps within bounds; a failed one concerns its case alone."""

    def __init__(self, cases: VerificationCases, checks: VerificationSteps, clock: Clock) -> None:
        self._cases = cases
        self._checks = checks
        self._clock = clock
        self._slots = FairSemaphore(_STEPS_AT_ONCE, each=_STEPS_EACH)
        # Steps that polls have begun, by organisation and case.
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
        """Begin the steps of one batch of due cases; return whether there may be more.

        Waits a while for them; what takes longer goes on beside the next batches.
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
        """Let steps in progress end, for a while: what is cut off is claimed again later."""
        await end_tasks(self._running.values())
