"""The table of contents of every step and schedule: what happens without a request."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog
from prometheus_client import Gauge

from landbridge.core.errors import Busy
from landbridge.flows.due import BATCH_SIZE
from landbridge.ledger.house import roll_up
from landbridge.wiring import House

_log = structlog.stdlib.get_logger()

FAILING = Gauge(
    "landbridge_due_failing_records",
    "Due records that could not be moved when they were last tried.",
    multiprocess_mode="mostrecent",
)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Something that is done again and again; `run` answers whether there may be more at once."""

    name: str
    every_s: float
    run: Callable[[House], Awaitable[bool]]


async def _run_due(house: House) -> bool:
    moved = await house.due.run_once(await house.orgs.clock_offsets())
    FAILING.set(house.due.failing)
    return moved == BATCH_SIZE


async def _roll_up(house: House) -> bool:
    return await roll_up(house.database, await house.orgs.clock_offsets())


SCHEDULES = [
    # A quote is ended within half a second of its time.
    Schedule("due", 0.5, _run_due),
    # House balances are exact at any moment; this only keeps their live tail short.
    Schedule("house_roll_up", 2.0, _roll_up),
]


async def work(house: House, stop: asyncio.Event) -> None:
    """Run every schedule until `stop`; what is under way is finished first."""
    await asyncio.gather(*(_keep(each, house, stop) for each in SCHEDULES))


async def _keep(schedule: Schedule, house: House, stop: asyncio.Event) -> None:
    while not stop.is_set():
        is_more = False
        try:
            is_more = await schedule.run(house)
        except Busy as error:
            _log.warning("worker.busy", schedule=schedule.name, reason=str(error))
        except Exception as error:  # noqa: BLE001  a broken schedule must not end the others
            _log.error("worker.failed", schedule=schedule.name, exc_info=error)
        if not is_more:
            await _pause(stop, schedule.every_s)


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        return
