"""Counts of items that wait for an organisation's team, such as approvals and reviews."""

import time
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from uuid import UUID

from landbridge.payments.engine.timelines import Timelines
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.pool import Database

# Each count stops at $2, so that its cost does not grow with the queue.
COUNTS = """
select
    (select count(*) from (
        select from approvals where org_id = $1 and status = 'PENDING' limit $2
    ) a) as approvals,
    (select count(*) from (
        select from kyc_cases
        where org_id = $1 and status = 'MANUAL_REVIEW' and sealed_snapshot is not null limit $2
    ) k) as kyc_cases,
    (select count(*) from (
        select from bank_accounts where org_id = $1 and status = 'PENDING' limit $2
    ) b) as bank_accounts,
    (select count(*) from (
        select from rfis where org_id = $1 and status in ('OPEN', 'ANSWERED') limit $2
    ) r) as rfis,
    (select count(*) from (
        select from travel_rule_exchanges
        where org_id = $1 and direction = 'INCOMING' and status = 'OPEN' limit $2
    ) t) as inquiries,
    (select count(*) from (
        select from incoming_payments where org_id = $1 and status = 'UNMATCHED' limit $2
    ) i) as incoming_payments,
    (select count(*) from (
        select from statement_lines where org_id = $1 and status = 'UNMATCHED' limit $2
    ) s) as statement_lines,
    (select count(*) from (
        select from webhook_endpoints
        where org_id = $1 and deleted_at is null and flagged_at is not null limit $2
    ) w) as endpoints
"""

# Largest count; a longer queue is counted as this many.
COUNT_MAX: Final = 100
# Seconds that the number of stuck records is cached: the interval at which pages refresh.
_STUCK_FOR_S: Final = 15
# Most organisations with a cached number of stuck records.
_KNOWN_MAX: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionCount:
    """Number of waiting items of each queue, at most `COUNT_MAX` each.

    `information_requests` are requests for information that are open or answered. `inquiries` are
    travel rule inquiries of other providers. `restricted_reviews` are verifications and bank
    accounts, which only reviewers may see.
    """

    approvals: int
    information_requests: int
    inquiries: int
    reviews: int
    restricted_reviews: int
    failing_endpoints: int
    # Number of stuck records, as counted at most `_STUCK_FOR_S` seconds ago.
    stuck: int = 0


@dataclass(frozen=True, slots=True)
class StuckCount:
    """Number of stuck records of an organisation, and the time and clock offset of the count."""

    count: int
    counted_s: float
    clock_offset: timedelta


@dataclass(frozen=True, slots=True)
class AttentionCounts:
    """Reads the counts of an organisation: those of queues in one statement.

    Stuck records are searched among all unfinished ones, so each process caches their number for
    `_STUCK_FOR_S` seconds.
    """

    database: Database
    timelines: Timelines
    known: dict[UUID, StuckCount] = field(default_factory=dict[UUID, StuckCount])

    async def of(self, org_id: UUID, clock_offset: timedelta) -> AttentionCount:
        """Return the current counts."""
        stuck = await self._stuck(org_id, clock_offset)
        row = await self.database.read_on_replica(lambda tx: tx.fetchrow(COUNTS, org_id, COUNT_MAX))
        if row is None:
            raise InvariantBroken("a count has no row")
        return AttentionCount(
            approvals=row["approvals"],
            information_requests=row["rfis"],
            inquiries=row["inquiries"],
            reviews=row["incoming_payments"] + row["statement_lines"],
            restricted_reviews=row["kyc_cases"] + row["bank_accounts"],
            failing_endpoints=row["endpoints"],
            stuck=stuck,
        )

    async def _stuck(self, org_id: UUID, clock_offset: timedelta) -> int:
        now_s = time.monotonic()
        known = self.known.get(org_id)
        if (
            known is None
            or known.clock_offset != clock_offset
            or now_s > known.counted_s + _STUCK_FOR_S
        ):
            found = await self.timelines.stuck({org_id: clock_offset}, limit=COUNT_MAX)
            known = StuckCount(len(found), now_s, clock_offset)
            if len(self.known) >= _KNOWN_MAX:
                self.known.clear()
            self.known[org_id] = known
        return known.count
