"""Stores the differences that a run has found."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.reporting.reconciliation import difference_store
from landbridge.reporting.reconciliation.decisions import record_reopened
from landbridge.reporting.reconciliation.model import FoundDifference
from landbridge.reporting.reconciliation.sources import SourceName


async def add_findings(
    tx: Tx, org_id: UUID, source: SourceName, found: Sequence[FoundDifference], now: datetime
) -> None:
    """Store differences, and void explanations of other units."""
    reopened = await difference_store.reopen(tx, org_id, source, found)
    await record_reopened(tx, org_id, reopened, now)
    await difference_store.add_findings(tx, org_id, source, found, now)
