"""The table of contents of every step and schedule: what happens without a request."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog
from prometheus_client import Gauge

from landbridge.core.errors import Busy
from landbridge.flows.due import BATCH_SIZE
from landbridge.ledger.house import roll_up
from landbridge.orgs.model import Mode
from landbridge.verification.service import BATCH_SIZE as VERIFICATION_BATCH_SIZE
from landbridge.wiring import House

_log = structlog.stdlib.get_logger()

FAILING = Gauge(
    "landbridge_due_failing_records",
    "Due records and deposits that could not be moved when they were last tried.",
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
    FAILING.set(house.due.failing + house.receipt_steps.failing)
    return moved == BATCH_SIZE


async def _receive(house: House) -> bool:
    return await house.receipt_steps.run_once(await house.orgs.clock_offsets())


async def _verify(house: House) -> bool:
    done = await house.verification.run_due(await house.orgs.clock_offsets())
    return done == VERIFICATION_BATCH_SIZE


async def _roll_up(house: House) -> bool:
    return await roll_up(house.database, await house.orgs.clock_offsets())


async def _look_at_lists(house: House) -> bool:
    if house.settings.mode is Mode.PRODUCTION:
        await house.screening.warn_of_lists()
    return False


async def _sweep_files(house: House) -> bool:
    return await house.files.sweep(await house.orgs.clock_offsets())


async def _send_mails(house: House) -> bool:
    return await house.outbox.run_once(await house.orgs.clock_offsets())


async def _sweep_links(house: House) -> bool:
    return await house.links.sweep(await house.orgs.clock_offsets())


async def _sweep_receipts(house: House) -> bool:
    offsets = await house.orgs.clock_offsets()
    clocks = {org_id: house.clock.now(offset) for org_id, offset in offsets.items()}
    return await house.receipts.sweep(clocks)


SCHEDULES = [
    # A quote is ended within half a second of its time.
    Schedule("due", 0.5, _run_due),
    # Nor does fiat that arrived wait any longer.
    Schedule("receipts", 0.5, _receive),
    # Somebody who was submitted waits a second longer.
    Schedule("verification", 1.0, _verify),
    # House balances are exact at any moment; this only keeps their live tail short.
    Schedule("house_roll_up", 2.0, _roll_up),
    # What was erased can't be read from that moment on; this gives its space back.
    Schedule("files_sweep", 60.0, _sweep_files),
    # In production, a log line an hour until somebody loads a list.
    Schedule("sanctions_lists", 3600.0, _look_at_lists),
    # A person who waits for a mail waits a second longer.
    Schedule("mails", 1.0, _send_mails),
    # Whom an expired link was sent to is kept an hour longer at most.
    Schedule("kyc_links_sweep", 3600.0, _sweep_links),
    # Who sent what went back is kept an hour longer than 90 days at most.
    Schedule("receipts_sweep", 3600.0, _sweep_receipts),
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
