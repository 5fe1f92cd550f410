"""Screenings for reviewers. They decide by resolutions, which a second person approves."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.model import Transfer
from landbridge.ledger.record_queues import RecordQueues
from landbridge.ledger.service import Ledger
from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.reviewer_access import check_reviewer_access


@dataclass(frozen=True, slots=True)
class ScreeningReviews:
    """Lists screenings of all organisations; `kind` is that of their records."""

    ledger: Ledger
    queues: RecordQueues

    async def queue(
        self, caller: Caller, kind: str, statuses: Collection[StrEnum], window: QueueWindow
    ) -> Sequence[Transfer]:
        """Return screenings of these statuses, the oldest first; raises `RoleNotAllowed`."""
        check_reviewer_access(caller)
        return await self.queues.oldest(caller.org_id, kind, statuses, window)

    async def get(self, caller: Caller, kind: str, screening_id: UUID) -> Transfer:
        """Return a screening; raises `RoleNotAllowed` and `ResourceNotFound`."""
        check_reviewer_access(caller)
        try:
            return await self.ledger.get(caller.org_id, kind, screening_id)
        except TransactionNotFound:
            raise ResourceNotFound(f"there is no screening {screening_id}") from None
