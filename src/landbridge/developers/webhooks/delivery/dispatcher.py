"""Dispatcher: finds endpoints with pending events and runs a worker for each."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

import structlog
from prometheus_client import Gauge

from landbridge.developers.webhooks.delivery import lease_store
from landbridge.developers.webhooks.delivery.backoff import EndpointBackoff
from landbridge.developers.webhooks.delivery.endpoint_worker import LEASE, EndpointWorker
from landbridge.developers.webhooks.delivery.lease_store import EndpointLease
from landbridge.developers.webhooks.delivery.serialization import WorkerDependencies
from landbridge.platform.changes.placing import place_changes
from landbridge.platform.core.errors import Busy, ResourceNotFound
from landbridge.platform.core.ids import new_id

T = TypeVar("T")

_log = structlog.stdlib.get_logger()

PENDING = Gauge(
    "landbridge_webhook_pending",
    "Deliveries to active endpoints that are to be tried again, or wait for one that is.",
    multiprocess_mode="mostrecent",
)

# An idle endpoint worker costs almost nothing; this only bounds memory.
WORKERS_MAX = 1000
# A retry may start up to this late.
_DUE_EVERY_S = 1.0
_COUNT_EVERY_S = 15.0
# After a worker fails, its endpoint is paused; each further failure doubles the pause.
_FIRST_PAUSE_S = 1.0
_PAUSE_MAX_S = 60.0
# Pauses and backoffs in memory: an endpoint that is deleted or disabled leaves its own.
ENDPOINTS_MAX = 10_000
# On shutdown, wait this long for attempts in flight; another worker resends slower ones.
_SHUTDOWN_WAIT_S = 3.0


@dataclass(frozen=True, slots=True)
class RunningWorker:
    """A running endpoint worker."""

    worker: EndpointWorker
    task: "asyncio.Task[None]"


@dataclass(frozen=True, slots=True)
class _Pause:
    """No worker starts before `until_s` (of the monotonic clock)."""

    until_s: float
    length_s: float


@dataclass(frozen=True, slots=True)
class _FailureBackoff:
    """Backoff state that a worker left for its failing endpoint, at this version."""

    version: int
    backoff: EndpointBackoff


@dataclass(slots=True, kw_only=True)
class Dispatcher:
    """Delivers for all organisations; one in each worker."""

    deps: WorkerDependencies
    # Keyed by endpoint.
    running: dict[UUID, RunningWorker] = field(
        default_factory=dict[UUID, RunningWorker], init=False
    )
    _pauses: dict[UUID, _Pause] = field(default_factory=dict[UUID, _Pause], init=False)
    _backoffs: dict[UUID, _FailureBackoff] = field(
        default_factory=dict[UUID, _FailureBackoff], init=False
    )
    _due_at_s: float = field(default=0.0, init=False)
    _count_at_s: float = field(default=0.0, init=False)

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Start workers for endpoints with pending events and no lease, up to the limit."""
        await self._remove_finished()
        for each in self.running.values():
            each.worker.offset = offsets.get(each.worker.lease.org_id, each.worker.offset)
        now_s = time.monotonic()
        clocks = self.deps.clock.now_of(offsets)
        unread = await self._with_unread_events(clocks)
        due: set[tuple[UUID, UUID]] = set()
        if now_s >= self._due_at_s:
            self._due_at_s = now_s + _DUE_EVERY_S
            due = await self._with_due(clocks)
        for org_id, endpoint_id in unread | due:
            is_due = (org_id, endpoint_id) in due
            if endpoint_id in self.running:
                self.running[endpoint_id].worker.notify(is_due=is_due)
            elif len(self.running) < WORKERS_MAX and not self._is_paused(endpoint_id):
                await self._send(org_id, endpoint_id, offsets[org_id])
        if now_s >= self._count_at_s:
            self._count_at_s = now_s + _COUNT_EVERY_S
            PENDING.set(
                await self.deps.database.single(lambda tx: lease_store.pending(tx, list(offsets)))
            )
        return False

    async def close(self) -> None:
        """Let workers write their outcomes, and stop."""
        running = list(self.running.values())
        if not running:
            return
        for each in running:
            each.worker.stop()
        _, late = await asyncio.wait([each.task for each in running], timeout=_SHUTDOWN_WAIT_S)
        for each in late:
            each.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        for each in running:
            if each.task in late:
                await self._release(each.worker.lease)
        await self._remove_finished()

    async def _with_unread_events(self, clocks: Mapping[UUID, datetime]) -> set[tuple[UUID, UUID]]:
        await place_changes(self.deps.database, clocks.keys())
        now, tokens = self.deps.clock.now(), self._tokens()
        return set(
            await self.deps.database.single(
                lambda tx: lease_store.with_unread_events(tx, clocks.keys(), now, tokens)
            )
        )

    async def _with_due(self, clocks: Mapping[UUID, datetime]) -> set[tuple[UUID, UUID]]:
        now, tokens = self.deps.clock.now(), self._tokens()
        return set(
            await self.deps.database.single(
                lambda tx: lease_store.with_due(tx, clocks, now, tokens)
            )
        )

    def _tokens(self) -> list[UUID]:
        return [each.worker.lease.token for each in self.running.values()]

    async def _send(self, org_id: UUID, endpoint_id: UUID, offset: timedelta) -> None:
        """Start a worker if the lease is free; a failure to start affects no other endpoint."""
        now = self.deps.clock.now()
        lease = EndpointLease(org_id, endpoint_id, new_id(), now + LEASE)
        try:
            if not await self.deps.database.single(lambda tx: lease_store.acquire(tx, lease, now)):
                return
            # Read after the lease was taken: no other worker moves the cursor now.
            endpoint = await self.deps.endpoints.get(org_id, endpoint_id)
            signer = await self.deps.endpoints.signer(endpoint, self.deps.clock.now(offset))
        except ResourceNotFound:
            return
        except Exception as error:  # noqa: BLE001  one endpoint must not stop the others
            _log.error("webhooks.start_failed", endpoint=str(endpoint_id), exc_info=error)
            self._back_off(endpoint_id)
            await self._release(lease)
            return
        previous = self._backoffs.pop(endpoint_id, None)
        worker = EndpointWorker(
            deps=self.deps,
            lease=lease,
            endpoint=endpoint,
            signer=signer,
            offset=offset,
            backoff=previous.backoff
            if previous and previous.version == endpoint.version
            else EndpointBackoff(),
        )
        self.running[endpoint_id] = RunningWorker(worker, asyncio.create_task(worker.run()))

    async def _release(self, lease: EndpointLease) -> None:
        """Release the lease so that any worker can continue at once instead of after its expiry."""
        try:
            await self.deps.database.single(lambda tx: lease_store.release(tx, lease))
        except Busy as error:
            _log.warning("webhooks.busy", endpoint=str(lease.endpoint_id), reason=str(error))

    async def _remove_finished(self) -> None:
        """Remove workers that have ended; keep the backoff of those that failed."""
        for endpoint_id, running in list(self.running.items()):
            if not running.task.done():
                continue
            try:
                if not running.task.cancelled():
                    await self._end(endpoint_id, running)
            finally:
                self.running.pop(endpoint_id, None)

    async def _end(self, endpoint_id: UUID, running: RunningWorker) -> None:
        if (error := running.task.exception()) is None:
            self._pauses.pop(endpoint_id, None)
            self._remember(running.worker)
        else:
            _log.error("webhooks.failed", endpoint=str(endpoint_id), exc_info=error)
            self._back_off(endpoint_id)
        # Nothing more is sent or written under this lease, even if it was revoked.
        await self._release(running.worker.lease)

    def _remember(self, worker: EndpointWorker) -> None:
        """Remember the backoff of a failing endpoint for its next worker."""
        if worker.backoff.is_slow(time.monotonic()):
            endpoint = worker.endpoint
            put(self._backoffs, endpoint.id, _FailureBackoff(endpoint.version, worker.backoff))

    def _back_off(self, endpoint_id: UUID) -> None:
        before = self._pauses.get(endpoint_id)
        length_s = _FIRST_PAUSE_S if before is None else min(before.length_s * 2, _PAUSE_MAX_S)
        put(self._pauses, endpoint_id, _Pause(time.monotonic() + length_s, length_s))

    def _is_paused(self, endpoint_id: UUID) -> bool:
        now_s = time.monotonic()
        pause, previous = self._pauses.get(endpoint_id), self._backoffs.get(endpoint_id)
        if pause is not None and now_s < pause.until_s:
            return True
        return previous is not None and previous.backoff.is_paused(now_s)


def put(by_endpoint: dict[UUID, T], endpoint_id: UUID, value: T) -> None:
    """Store a value as the newest; the oldest is dropped once there are `ENDPOINTS_MAX`."""
    by_endpoint.pop(endpoint_id, None)
    if len(by_endpoint) >= ENDPOINTS_MAX:
        del by_endpoint[next(iter(by_endpoint))]
    by_endpoint[endpoint_id] = value
