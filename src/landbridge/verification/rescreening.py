"""Names of users who were approved, compared again when there is a new sanctions list.

A case is opened again if a name in it resembles an entry that it did not when the case was
approved. Who approved it has seen the earlier resemblances, so those are no reason. Broken off, it
is run again and does the rest: a case that was opened is not ACTIVE any more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from landbridge.core.clock import Clock
from landbridge.core.errors import LandbridgeError
from landbridge.screening.service import Screening
from landbridge.verification.cases import Cases
from landbridge.verification.model import Case, KycStatus, QueuedCase
from landbridge.verification.names import subjects
from landbridge.verification.verdicts import SANCTIONS_LIST, compared_again, unseen

BATCH_SIZE = 100
_TICK = timedelta(microseconds=1)
_ALWAYS = datetime(1970, 1, 1, tzinfo=UTC)
_NEVER = datetime(9999, 1, 1, tzinfo=UTC)


class NoList(LandbridgeError):
    """There is no list to compare with."""


@dataclass(frozen=True, slots=True)
class Rescreened:
    """What it came to: cases that were compared, and those that wait for a reviewer now."""

    compared: int
    opened: int

    def __str__(self) -> str:
        return f"{self.compared} approved cases were compared, {self.opened} opened again."


class Rescreening:
    """Comparing again."""

    def __init__(self, cases: Cases, screening: Screening, clock: Clock) -> None:
        self._cases = cases
        self._screening = screening
        self._clock = clock

    async def run(
        self, offsets: Mapping[UUID, timedelta], *, batch_size: int = BATCH_SIZE
    ) -> Rescreened:
        """Compare every ACTIVE case of these organisations; raises `NoList`."""
        compared, opened = 0, 0
        for org_id, offset in offsets.items():
            since = _ALWAYS
            while found := await self._batch(org_id, since, batch_size):
                for each in found:
                    # One at a time: what was submitted may be large.
                    case = await self._cases.get(org_id, each.id)
                    opened += case is not None and await self._compare(case, offset)
                compared += len(found)
                # Stamps are unique, so none is passed over.
                since = found[-1].created_at + _TICK
        return Rescreened(compared, opened)

    async def _batch(self, org_id: UUID, since: datetime, limit: int) -> Sequence[QueuedCase]:
        return await self._cases.queue(
            org_id, [KycStatus.ACTIVE], since=since, before=_NEVER, limit=limit
        )

    async def _compare(self, case: Case, offset: timedelta) -> bool:
        """Whether the case was opened again; no if somebody has just moved it."""
        if case.snapshot is None or case.status is not KycStatus.ACTIVE:
            return False
        screened = await self._screening.screen(subjects(case.snapshot))
        if screened.list_version is None:
            raise NoList("No sanctions list is loaded, so there is nothing to compare with.")
        if not unseen(case.findings, screened):
            return False
        at = self._clock.stamp(offset)
        opened = compared_again(case, screened, at)
        moved = await self._cases.move(
            case, opened, KycStatus.MANUAL_REVIEW, actor=SANCTIONS_LIST, at=at
        )
        return moved is not None
