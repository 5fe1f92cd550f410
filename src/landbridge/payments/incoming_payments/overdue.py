"""Overdue incoming payments: deposits that exceed the SLA of their status."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.customers.deposit_screening.model import DECIDED_WITHIN
from landbridge.payments.incoming_payments import store
from landbridge.payments.incoming_payments.model import (
    MATCHED_WITHIN,
    IncomingPaymentStatus,
    OverduePayment,
)
from landbridge.platform.core.pagination import PagePosition
from landbridge.platform.db.pool import Database
from landbridge.providers.kyt.port import SCREENED_WITHIN

# SLA per status: matched within an hour even with a late price, reviewed by a person within a day,
# returned to the sender within a week.
SLA_BY_STATUS = {
    # Later than the screening itself, which is listed as overdue too.
    IncomingPaymentStatus.SCREENING: SCREENED_WITHIN + DECIDED_WITHIN,
    IncomingPaymentStatus.NEW: MATCHED_WITHIN,
    IncomingPaymentStatus.UNMATCHED: timedelta(days=1),
    IncomingPaymentStatus.RETURNING: timedelta(days=7),
}


class OverdueIncomingPayments:
    """Lists overdue deposits of all organisations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def overdue(
        self,
        clocks: Mapping[UUID, datetime],
        statuses: Collection[IncomingPaymentStatus],
        *,
        after: PagePosition,
        limit: int,
    ) -> Sequence[OverduePayment]:
        """List overdue deposits in these statuses after a position, the longest waiting first."""
        sla = {each: SLA_BY_STATUS[each] for each in statuses}
        if not sla:
            return []
        return await self._database.single(
            lambda tx: store.overdue(tx, clocks, sla, after=after, limit=limit)
        )
