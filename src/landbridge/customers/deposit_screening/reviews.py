"""Screenings for reviewers. They decide by resolutions, which a second person approves."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.customers.deposit_screening import store
from landbridge.customers.deposit_screening.audit import SCREENED_ASSETS
from landbridge.customers.deposit_screening.model import (
    KIND,
    DepositScreening,
    ScreeningStatus,
    as_screening,
)
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.service import Ledger
from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.core.gather import gather_in_order
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.reviewer_access import check_reviewer_access


@dataclass(frozen=True, slots=True)
class ScreeningReviews:
    """Lists screenings of all organisations."""

    database: Database
    ledger: Ledger

    async def queue(
        self, caller: Caller, statuses: Collection[ScreeningStatus], window: PageWindow
    ) -> Sequence[DepositScreening]:
        """Return screenings of these statuses, the oldest first; raises `RoleNotAllowed`."""
        check_reviewer_access(caller)
        ids = await self.database.single(
            lambda tx: store.queue(tx, caller.org_id, statuses, window)
        )
        return await gather_in_order(self._get(caller.org_id, each) for each in ids)

    async def get(self, caller: Caller, screening_id: UUID) -> DepositScreening:
        """Return a screening; raises `RoleNotAllowed` and `ResourceNotFound`."""
        check_reviewer_access(caller)
        try:
            return await self._get(caller.org_id, screening_id)
        except TransactionNotFound:
            raise ResourceNotFound(f"there is no deposit screening {screening_id}") from None

    async def _get(self, org_id: UUID, screening_id: UUID) -> DepositScreening:
        return as_screening(await self.ledger.get(org_id, KIND, screening_id), SCREENED_ASSETS)
