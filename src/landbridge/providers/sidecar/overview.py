"""Overview of sidecars for operators. No sidecar is called."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.sidecar import call_store, waiting_store
from landbridge.providers.sidecar.calls import CallCounts
from landbridge.providers.sidecar.configuration import ProvidersFile
from landbridge.providers.sidecar.model import WaitingOrders

# Period over which calls are counted.
_DAY = timedelta(days=1)
_NO_CALLS = CallCounts(0, 0, None, None, None)
_NO_ORDERS = WaitingOrders(0, ())


@dataclass(frozen=True, slots=True, kw_only=True)
class SidecarOverview:
    """Sidecar with a day's calls of all organisations, and one organisation's waiting orders."""

    name: str
    calls: CallCounts
    waiting: WaitingOrders
    problem_count: int
    has_run_live: bool


@dataclass(frozen=True, slots=True)
class SidecarOverviews:
    """Reads the overviews of the sidecars in the providers file."""

    database: Database
    clock: Clock
    routes: ProvidersFile

    async def of(self, org_id: UUID, *, limit: int) -> Sequence[SidecarOverview]:
        """Return each sidecar with its waiting orders, the oldest `limit` of them."""
        since = self.clock.now() - _DAY

        async def read(tx: Tx) -> Sequence[SidecarOverview]:
            calls = await call_store.counts(tx, since)
            waiting = await waiting_store.waiting(tx, org_id, limit=limit)
            problems: Mapping[str, int] = await waiting_store.problems(tx, org_id)
            return [
                SidecarOverview(
                    name=name,
                    calls=calls.get(name, _NO_CALLS),
                    waiting=waiting.get(name, _NO_ORDERS),
                    problem_count=problems.get(name, 0),
                    has_run_live=await waiting_store.has_run_live(tx, org_id, name),
                )
                for name in self.routes.sidecars
            ]

        return await self.database.read(read)
