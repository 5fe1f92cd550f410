"""Finds endpoints that events wait for, and has each served by a courier of its own."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from prometheus_client import Gauge

from landbridge.core.errors import Busy, ResourceNotFound
from landbridge.core.ids import new_id
from landbridge.db.pool import Tx
from landbridge.webhooks.delivering import turn_store
from landbridge.webhooks.delivering.courier import LEASE, Courier
from landbridge.webhooks.delivering.packing import Office
from landbridge.webhooks.delivering.tempo import Tempo
from landbridge.webhooks.delivering.turn_store import Turn

_log = structlog.stdlib.get_logger()

PENDING = Gauge(
    "landbridge_webhook_pending",
    "Deliveries to active endpoints that are to be tried again, or wait for one that is.",
    multiprocess_mode="mostrecent",
)

# A courier that waits costs next to nothing; this only bounds the memory of one worker.
COURIERS_MAX = 1000
# What is to be tried again can wait for a second longer.
_DUE_EVERY_S = 1.0
_COUNT_EVERY_S = 15.0
# An endpoint whose courier has failed is left alone, for twice as long each time.
_FIRST_REST_S = 1.0
_REST_MAX_S = 60.0
# What is under way when a worker ends is waited for; what takes longer is sent again by another.
_PATIENCE_S = 3.0


@dataclass(frozen=True, slots=True)
class Walk:
    """A courier on its way."""

    courier: Courier
    task: "asyncio.Task[None]"


@dataclass(frozen=True, slots=True)
class _Rest:
    """Until `until_s` (of the monotonic clock) no courier is sent."""

    until_s: float
    rest_s: float


@dataclass(frozen=True, slots=True)
class _Pace:
    """How a courier has left its endpoint, at which nothing got through, in this version."""

    version: int
    tempo: Tempo


@dataclass(slots=True, kw_only=True)
class Postman:
    """Delivers for all organisations; one in each worker."""

    office: Office
    # By endpoint.
    walks: dict[UUID, Walk] = field(default_factory=dict[UUID, Walk], init=False)
    _rests: dict[UUID, _Rest] = field(default_factory=dict[UUID, _Rest], init=False)
    _paces: dict[UUID, _Pace] = field(default_factory=dict[UUID, _Pace], init=False)
    _due_at_s: float = field(default=0.0, init=False)
    _count_at_s: float = field(default=0.0, init=False)

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Send couriers to where something waits and nobody delivers; never more at once."""
        await self._welcome()
        for each in self.walks.values():
            each.courier.offset = offsets.get(each.courier.turn.org_id, each.courier.offset)
        now_s = time.monotonic()
        clocks = {org_id: self.office.clock.now(offset) for org_id, offset in offsets.items()}
        news = await self._with_news(clocks)
        due: set[tuple[UUID, UUID]] = set()
        if now_s >= self._due_at_s:
            self._due_at_s = now_s + _DUE_EVERY_S
            due = await self._with_due(clocks)
        for org_id, endpoint_id in news | due:
            is_due = (org_id, endpoint_id) in due
            if endpoint_id in self.walks:
                self.walks[endpoint_id].courier.ring(is_due=is_due)
            elif len(self.walks) < COURIERS_MAX and not self._rests_now(endpoint_id):
                await self._send(org_id, endpoint_id, offsets[org_id])
        if now_s >= self._count_at_s:
            self._count_at_s = now_s + _COUNT_EVERY_S
            PENDING.set(
                await self.office.database.single(lambda tx: turn_store.pending(tx, list(offsets)))
            )
        return False

    async def close(self) -> None:
        """Let couriers put down what they have in hand, and end."""
        walks = list(self.walks.values())
        if not walks:
            return
        for each in walks:
            each.courier.stop()
        _, late = await asyncio.wait([each.task for each in walks], timeout=_PATIENCE_S)
        for each in late:
            each.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        for each in walks:
            if each.task in late:
                await self._give_back(each.courier.turn)
        await self._welcome()

    async def _with_news(self, clocks: Mapping[UUID, datetime]) -> set[tuple[UUID, UUID]]:
        now, marks = self.office.clock.now(), self._marks()
        return set(
            await self.office.database.single(
                lambda tx: turn_store.with_news(tx, clocks.keys(), now, marks)
            )
        )

    async def _with_due(self, clocks: Mapping[UUID, datetime]) -> set[tuple[UUID, UUID]]:
        now, marks = self.office.clock.now(), self._marks()
        return set(
            await self.office.database.single(
                lambda tx: turn_store.with_due(tx, clocks, now, marks)
            )
        )

    def _marks(self) -> list[UUID]:
        return [each.courier.turn.mark for each in self.walks.values()]

    async def _send(self, org_id: UUID, endpoint_id: UUID, offset: timedelta) -> None:
        """Send a courier, if nobody else was first; one that can't be sent stops no other."""
        now = self.office.clock.now()
        turn = Turn(org_id, endpoint_id, new_id(), now + LEASE)

        async def take(tx: Tx) -> bool:
            return await turn_store.take(tx, turn, now)

        try:
            if not await self.office.database.single(take):
                return
            # Read after the turn was taken: nobody else moves its place any more.
            endpoint = await self.office.endpoints.get(org_id, endpoint_id)
            signer = await self.office.endpoints.signer(endpoint, self.office.clock.now(offset))
        except ResourceNotFound:
            return
        except Exception as error:  # noqa: BLE001  one endpoint must not stop the others
            _log.error("webhooks.not_begun", endpoint=str(endpoint_id), exc_info=error)
            self._let_rest(endpoint_id)
            await self._give_back(turn)
            return
        pace = self._paces.pop(endpoint_id, None)
        courier = Courier(
            office=self.office,
            turn=turn,
            endpoint=endpoint,
            signer=signer,
            offset=offset,
            tempo=pace.tempo if pace and pace.version == endpoint.version else Tempo(),
        )
        self.walks[endpoint_id] = Walk(courier, asyncio.create_task(courier.run()))

    async def _give_back(self, turn: Turn) -> None:
        """Let any worker go on at once; otherwise one does once the turn has ended by itself."""
        try:
            await self.office.database.single(lambda tx: turn_store.give_back(tx, turn))
        except Busy as error:
            _log.warning("webhooks.busy", endpoint=str(turn.endpoint_id), reason=str(error))

    async def _welcome(self) -> None:
        """Couriers that have come back."""
        for endpoint_id, walk in list(self.walks.items()):
            if not walk.task.done():
                continue
            del self.walks[endpoint_id]
            if walk.task.cancelled():
                continue
            if (error := walk.task.exception()) is None:
                self._rests.pop(endpoint_id, None)
                self._remember(walk.courier)
            else:
                _log.error("webhooks.failed", endpoint=str(endpoint_id), exc_info=error)
                self._let_rest(endpoint_id)
            # Nothing of this turn is sent or written any more, also if it was taken away.
            await self._give_back(walk.courier.turn)

    def _remember(self, courier: Courier) -> None:
        """Where nothing gets through, the next courier goes on as seldom as this one."""
        if courier.tempo.is_seldom(time.monotonic()):
            endpoint = courier.endpoint
            self._paces[endpoint.id] = _Pace(endpoint.version, courier.tempo)

    def _let_rest(self, endpoint_id: UUID) -> None:
        before = self._rests.get(endpoint_id)
        rest_s = _FIRST_REST_S if before is None else min(before.rest_s * 2, _REST_MAX_S)
        self._rests[endpoint_id] = _Rest(time.monotonic() + rest_s, rest_s)

    def _rests_now(self, endpoint_id: UUID) -> bool:
        now_s = time.monotonic()
        rest, pace = self._rests.get(endpoint_id), self._paces.get(endpoint_id)
        if rest is not None and now_s < rest.until_s:
            return True
        return pace is not None and pace.tempo.rests(now_s)
