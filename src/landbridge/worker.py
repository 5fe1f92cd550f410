"""The table of contents of every step and schedule: what happens without a request."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import structlog
from prometheus_client import Gauge

from landbridge.core.bells import bell
from landbridge.core.errors import Busy
from landbridge.flows.due import BATCH_SIZE
from landbridge.ledger.house import roll_up
from landbridge.orgs.model import Mode
from landbridge.rates.watching import watch_market, watch_reference
from landbridge.receipts.model import KIND as RECEIPT
from landbridge.verification.service import BATCH_SIZE as VERIFICATION_BATCH_SIZE
from landbridge.webhooks.retention import sweep_pictures
from landbridge.wiring import House

_log = structlog.stdlib.get_logger()

FAILING = Gauge(
    "landbridge_due_failing_records",
    "Due records and deposits that could not be moved when they were last tried.",
    multiprocess_mode="mostrecent",
)


STUCK = Gauge(
    "landbridge_stuck_records",
    "Records and deposits that wait for longer than they should, up to a thousand.",
    ["kind"],
    multiprocess_mode="mostrecent",
)
_STUCK_MAX = 1000


@dataclass(frozen=True, slots=True)
class Schedule:
    """Something that is done again and again; `run` answers whether there may be more at once."""

    name: str
    every_s: float
    run: Callable[[House], Awaitable[bool]]


async def _clocks(house: House) -> dict[UUID, datetime]:
    """What time it is for each organisation."""
    offsets = await house.orgs.clock_offsets()
    return {org_id: house.clock.now(offset) for org_id, offset in offsets.items()}


async def _run_due(house: House) -> bool:
    moved = await house.due.run_once(await house.orgs.clock_offsets())
    FAILING.set(house.due.failing + house.receipt_steps.failing)
    return moved == BATCH_SIZE


async def _receive(house: House) -> bool:
    return await house.receipt_steps.run_once(await house.orgs.clock_offsets())


async def _verify(house: House) -> bool:
    done = await house.verification.run_due(await house.orgs.clock_offsets())
    return done == VERIFICATION_BATCH_SIZE


async def _count_stuck(house: House) -> bool:
    found = await house.timelines.stuck(await house.orgs.clock_offsets(), limit=_STUCK_MAX)
    counts = Counter(each.kind for each in found)
    for kind in (*house.timelines.waits, RECEIPT):
        STUCK.labels(kind).set(counts[kind])
    return False


async def _watch_reference_rates(house: House) -> bool:
    await watch_reference(house.reference_rates, house.clock)
    return False


async def _watch_market(house: House) -> bool:
    if house.market is not None:
        await watch_market(house.market)
    return False


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


async def _sweep_members(house: House) -> bool:
    return await house.member_sweeping.sweep(await house.orgs.clock_offsets())


async def _sweep_receipts(house: House) -> bool:
    return await house.receipts.sweep(await _clocks(house))


async def _write_bank_files(house: House) -> bool:
    if house.settings.bank == "files":
        await house.bank_writer.run(await house.orgs.clock_offsets())
    return False


async def _read_bank_files(house: House) -> bool:
    if house.settings.bank == "files":
        await house.bank_reading.poll(await house.orgs.clock_offsets())
    return False


async def _sweep_bank_lines(house: House) -> bool:
    return await house.line_reviews.sweep(await _clocks(house))


async def _sweep_bank_files(house: House) -> bool:
    return await house.bank_writer.sweep(await _clocks(house), house.settings.bank_files_kept)


async def _sweep_request_log(house: House) -> bool:
    return await house.request_log.sweep(await house.orgs.clock_offsets())


async def _keep_limits(house: House) -> bool:
    return await house.limit_upkeep.run_once(await house.orgs.clock_offsets())


async def _sweep_limits(house: House) -> bool:
    return await house.limit_upkeep.sweep(await house.orgs.clock_offsets())


async def _deliver(house: House) -> bool:
    if not house.settings.delivers_webhooks:
        return False
    return await house.postman.run_once(await house.orgs.clock_offsets())


async def _keep_partitions(house: House) -> bool:
    await house.partitions.keep()
    return False


async def _watch_horizon(house: House) -> bool:
    await house.horizon.look()
    return False


async def _fold_reports(house: House) -> bool:
    return await house.folding.run_once(await house.orgs.clock_offsets())


async def _count_unfolded(house: House) -> bool:
    await house.folding.behind(await house.orgs.clock_offsets())
    return False


async def _make_reports(house: House) -> bool:
    return await house.report_schedules.run_due(await house.orgs.clock_offsets())


async def _sweep_reports(house: House) -> bool:
    return await house.report_schedules.sweep(await house.orgs.clock_offsets())


async def _sweep_pictures(house: House) -> bool:
    offsets = await house.orgs.clock_offsets()
    return await sweep_pictures(house.database, house.clock, offsets, house.events.kept)


SCHEDULES = [
    # A quote is ended within half a second of its time.
    Schedule("due", 0.5, _run_due),
    # Nor does fiat that arrived wait any longer.
    Schedule("receipts", 0.5, _receive),
    # Somebody who was submitted waits a second longer.
    Schedule("verification", 1.0, _verify),
    # What is stuck for minutes is seen within another one.
    Schedule("stuck", 60.0, _count_stuck),
    # House balances are exact at any moment; this only keeps their live tail short.
    Schedule("house_roll_up", 2.0, _roll_up),
    # What was erased can't be read from that moment on; this gives its space back.
    Schedule("files_sweep", 60.0, _sweep_files),
    # In production, a log line an hour until somebody loads a list.
    Schedule("sanctions_lists", 3600.0, _look_at_lists),
    # They are published once a day; a day that is not there is asked for every quarter of an hour.
    Schedule("reference_rates", 60.0, _watch_reference_rates),
    # Who of several workers asks the feed is settled in the database, every ten seconds.
    Schedule("market", 2.0, _watch_market),
    # An instant payment waits for its file for five seconds at most.
    Schedule("bank_files", 5.0, _write_bank_files),
    # Places are looked at as often as each is set to be (`poll_seconds`), at most this often.
    Schedule("bank_answers", 5.0, _read_bank_files),
    # What a bank wrote in a line is kept for 90 days after it was resolved, and an hour at most.
    Schedule("bank_lines_sweep", 3600.0, _sweep_bank_lines),
    # What went to a bank is kept an hour longer than is set at most.
    Schedule("bank_files_sweep", 3600.0, _sweep_bank_files),
    # An event is on its way a fifth of a second after its commit.
    Schedule("webhooks", 0.2, _deliver),
    # Deliveries have a table for each day, made two days before.
    Schedule("webhook_days", 3600.0, _keep_partitions),
    # A transaction that stops all events is seen within seconds.
    Schedule("horizon", 5.0, _watch_horizon),
    # How people looked is kept an hour longer than two days more than events are.
    Schedule("pictures_sweep", 3600.0, _sweep_pictures),
    # Reports are exact at any moment; this keeps what they read of the log short.
    Schedule("reports_roll_up", 0.2, _fold_reports),
    # Folding that does not keep up is seen within seconds.
    Schedule("reports_behind", 15.0, _count_unfolded),
    # A scheduled report is made within seconds of its time.
    Schedule("scheduled_reports", 5.0, _make_reports),
    # A report is kept an hour longer than 90 days at most.
    Schedule("scheduled_reports_sweep", 3600.0, _sweep_reports),
    # A person who waits for a mail waits a second longer.
    Schedule("mails", 1.0, _send_mails),
    # Whom an expired link was sent to is kept an hour longer at most.
    Schedule("kyc_links_sweep", 3600.0, _sweep_links),
    # What came to nothing is free to be used again a second later; after days, five minutes later.
    Schedule("limits", 1.0, _keep_limits),
    # When and from where somebody signed in is kept an hour longer than 97 days at most.
    Schedule("members_sweep", 3600.0, _sweep_members),
    # No rule looks further back than a hundred days.
    Schedule("limits_sweep", 3600.0, _sweep_limits),
    # A request is kept a quarter of an hour longer than is set at most.
    Schedule("request_log_sweep", 900.0, _sweep_request_log),
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
            await bell(stop, schedule.every_s)
