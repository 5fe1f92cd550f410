"""Lag of the sequencer: changes that are in no tree yet, and how long the oldest one waits."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from prometheus_client import Gauge

from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.reporting.proofs import store

BEHIND = Gauge(
    "landbridge_proofs_behind_changes",
    "Changes that are not in the provable books yet, up to ten thousand per organisation.",
    multiprocess_mode="mostrecent",
)
BEHIND_SECONDS = Gauge(
    "landbridge_proofs_behind_seconds",
    "Age of the oldest change that is not in the provable books yet.",
    multiprocess_mode="mostrecent",
)
BEHIND_MAX = 10_000


@dataclass(frozen=True, slots=True)
class SequencerLag:
    """Measures the lag over all organisations."""

    database: Database
    clock: Clock

    async def measure(self, offsets: Mapping[UUID, timedelta]) -> tuple[int, int]:
        """Set the metrics; return the number of changes and the age in seconds."""
        clocks: dict[UUID, datetime] = self.clock.now_of(offsets)
        changes, seconds = await self.database.single(lambda tx: store.lag(tx, clocks, BEHIND_MAX))
        BEHIND.set(changes)
        BEHIND_SECONDS.set(seconds)
        return changes, seconds
