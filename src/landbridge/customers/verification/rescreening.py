"""Rescreening of approved users against a new sanctions list.

A case is reopened if a name in it matches an entry that it did not match at approval. Earlier hits
do not reopen it, because the approver has reviewed them. An interrupted run can be repeated and
processes the remaining cases: a reopened case is no longer ACTIVE.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from landbridge.customers.verification.cases import VerificationCases
from landbridge.customers.verification.model import KycStatus, QueuedCase, VerificationCase
from landbridge.customers.verification.reviews import SANCTIONS_LIST, compared_again, unseen
from landbridge.customers.verification.screened_names import subjects
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.core.pagination import PagePosition, queue_window
from landbridge.providers.screening.service import Screening

BATCH_SIZE = 100


class NoSanctionsList(LandbridgeError):
    """There is no list to compare with."""


@dataclass(frozen=True, slots=True)
class RescreeningResult:
    """Result of a rescreening: number of compared cases, and of cases sent to a reviewer."""

    compared: int
    opened: int

    def __str__(self) -> str:
        return f"{self.compared} approved cases were compared, {self.opened} opened again."


@dataclass(frozen=True, slots=True)
class Rescreening:
    """Compares approved cases with the present lists."""

    cases: VerificationCases
    screening: Screening
    clock: Clock

    async def run(
        self, offsets: Mapping[UUID, timedelta], *, batch_size: int = BATCH_SIZE
    ) -> RescreeningResult:
        """Compare every ACTIVE case of these organisations; raise `NoSanctionsList`."""
        compared, opened = 0, 0
        for org_id, offset in offsets.items():
            after: PagePosition | None = None
            while found := await self._batch(org_id, after, batch_size):
                for each in found:
                    # Read cases one by one, because submitted data may be large.
                    case = await self.cases.get(org_id, each.id)
                    opened += case is not None and await self._compare(case, offset)
                compared += len(found)
                # The position has the id too, because cases of one submission have the same time.
                after = PagePosition(found[-1].created_at, found[-1].id)
        return RescreeningResult(compared, opened)

    async def _batch(
        self, org_id: UUID, after: PagePosition | None, limit: int
    ) -> Sequence[QueuedCase]:
        return await self.cases.queue(org_id, [KycStatus.ACTIVE], queue_window(limit, after))

    async def _compare(self, case: VerificationCase, offset: timedelta) -> bool:
        """Return whether the case was reopened; False if it has changed concurrently."""
        if case.snapshot is None or case.status is not KycStatus.ACTIVE:
            return False
        screened = await self.screening.screen(subjects(case.snapshot), org_id=case.org_id)
        if screened.list_version is None:
            raise NoSanctionsList(
                "No sanctions list is loaded, so there is nothing to compare with."
            )
        if not unseen(case.findings, screened):
            return False
        at = self.clock.stamp(offset)
        opened = compared_again(case, screened, at)
        moved = await self.cases.move(
            case, opened, KycStatus.MANUAL_REVIEW, actor=SANCTIONS_LIST, at=at
        )
        return moved is not None
