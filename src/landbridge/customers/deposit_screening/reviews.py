"""Screenings for reviewers. They decide by resolutions, which a second person approves."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.customers.deposit_screening.audit import SCREENED_ASSETS
from landbridge.customers.deposit_screening.model import (
    KIND,
    DepositScreening,
    ScreeningStatus,
    as_screening,
)
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.record_queues import RecordQueues
from landbridge.ledger.service import Ledger
from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.reviewer_access import check_reviewer_access


@dataclass(frozen=True, slots=True)
class ScreeningReviews:
    """Lists screenings of all organisations."""

    ledger: Ledger
    queues: RecordQueues

    async def queue(
        self, caller: Caller, statuses: Collection[ScreeningStatus], window: QueueWindow
    ) -> Sequence[DepositScreening]:
        """Return screenings of these statuses, the oldest first; raises `RoleNotAllowed`."""
        check_reviewer_access(caller)
        found = await self.queues.oldest(caller.org_id, KIND, statuses, window)
        return [as_screening(each, SCREENED_ASSETS) for each in found]

    async def get(self, caller: Caller, screening_id: UUID) -> DepositScreening:
        """Return a screening; raises `RoleNotAllowed` and `ResourceNotFound`."""
        check_reviewer_access(caller)
        try:
            found = await self.ledger.get(caller.org_id, KIND, screening_id)
        except TransactionNotFound:
            raise ResourceNotFound(f"there is no deposit screening {screening_id}") from None
        return as_screening(found, SCREENED_ASSETS)
