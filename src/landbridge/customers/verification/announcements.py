"""Webhooks of identity providers: each application that they announce is queried.

Guarantees:
- a webhook decides nothing: a waiting case is made due, and its step queries the provider;
- a person who corrects data at the provider needs no new submission: the case waits for the
  provider again, and its step concludes it;
- any other application is queried here, so that a contradiction of an earlier answer is stored and
  shown to a reviewer.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

import structlog

from landbridge.customers.verification import store
from landbridge.customers.verification.cases import VerificationCases
from landbridge.customers.verification.model import KycStatus, VerificationCase
from landbridge.customers.verification.provider_checks import PROVIDER
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Upstream
from landbridge.platform.db.failures import logged_failures
from landbridge.platform.db.pool import Database
from landbridge.providers.sidecar.applications import ApplicationProgress, ProviderApplication
from landbridge.providers.sidecar.identity import ProviderIdentity

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 50
ACTOR = "worker"
# Interval after which a provider that did not answer is queried again.
_RETRY = timedelta(minutes=1)
# States of an application in which the provider waits for the person, by status of the case.
_REQUESTS = {
    KycStatus.INCOMPLETE: ApplicationProgress.RETRY,
    KycStatus.RFI_PENDING: ApplicationProgress.INFORMATION,
}
_CORRECTED = frozenset(
    {
        ApplicationProgress.PENDING,
        ApplicationProgress.APPROVED,
        ApplicationProgress.DECLINED,
        ApplicationProgress.REVIEW,
        *_REQUESTS.values(),
    }
)


@dataclass(frozen=True, slots=True)
class ApplicationAnnouncements:
    """Applications that webhooks have announced."""

    database: Database
    cases: VerificationCases
    identity: ProviderIdentity
    clock: Clock

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Query one batch of announced applications; return whether there may be more."""
        until = self.clock.now()
        found = await self.identity.announced(list(offsets), until, limit=BATCH_SIZE)
        # Run concurrently, so that a provider that does not answer delays the batch only once.
        await asyncio.gather(*(self._recheck(each, offsets[each.org_id], until) for each in found))
        return len(found) == BATCH_SIZE

    async def _recheck(
        self, application: ProviderApplication, clock_offset: timedelta, until: datetime
    ) -> None:
        # Set before any failure, so that applications that always fail do not fill every batch.
        next_at: datetime | None = until + _RETRY
        key = str(application.key)
        with logged_failures(busy="provider.busy", failed="provider.failed", order=key):
            try:
                if await self._follow(application, clock_offset):
                    next_at = None
            except Upstream as error:
                _log.debug("provider.unanswered", order=key, reason=str(error))
            finally:
                await self.identity.end_recheck(application, until=until, next_at=next_at)

    async def _follow(self, application: ProviderApplication, clock_offset: timedelta) -> bool:
        """Act on one webhook; return False if the case is not ready for it yet."""
        at, reference = self.clock.now(clock_offset), str(application.where)
        if await self.database.single(
            lambda tx: store.make_application_due(
                tx, application.org_id, application.case_id, reference, at
            )
        ):
            return True
        queried = await self.identity.recheck(application)
        case = await self.cases.get(application.org_id, application.case_id)
        if case is None or case.snapshot is None:
            return True
        if case.status in {KycStatus.CREATED, KycStatus.PENDING}:
            # If the references match, the case's step has just recorded the application; with None,
            # it has not recorded it yet.
            return case.reference not in {None, reference}
        if case.reference == reference and _is_corrected(case, queried.state):
            stamp = self.clock.stamp(clock_offset)
            waiting = replace(case, due_at=stamp, failures=0)
            await self.cases.move(case, waiting, KycStatus.PENDING, actor=ACTOR, at=stamp)
        return True


def _is_corrected(case: VerificationCase, state: ApplicationProgress) -> bool:
    """Return whether the person has corrected at the provider what the provider requested."""
    history = case.findings.history
    return (
        case.status in _REQUESTS
        and bool(history)
        and history[-1].actor == PROVIDER
        and state in _CORRECTED
        and _REQUESTS[case.status] is not state
    )
