"""Counts of what waits for an organisation's team: approvals, reviews, failing endpoints."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.pool import Database
from landbridge.reporting import attention_count_store as store

# A longer queue counts as this many.
COUNT_MAX: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionCount:
    """Number of waiting items of each queue, at most `COUNT_MAX` each.

    `information_requests` are those on payments that are open or answered. `restricted_reviews` are
    those that reviewers alone may see: verifications and bank accounts.
    """

    approvals: int
    information_requests: int
    reviews: int
    restricted_reviews: int
    failing_endpoints: int


@dataclass(frozen=True, slots=True)
class AttentionCounts:
    """Reads the counts of an organisation, in one statement."""

    database: Database

    async def of(self, org_id: UUID) -> AttentionCount:
        """Return the current counts."""
        row = await self.database.read_on_replica(lambda tx: store.counts(tx, org_id, COUNT_MAX))
        if row is None:
            raise InvariantBroken("a count has no row")
        return AttentionCount(
            approvals=row["approvals"],
            information_requests=row["rfis"],
            reviews=row["incoming_payments"] + row["statement_lines"],
            restricted_reviews=row["kyc_cases"] + row["bank_accounts"],
            failing_endpoints=row["endpoints"],
        )
