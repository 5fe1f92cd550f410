"""Schedules of the worker: everything that happens without a request."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from prometheus_client import Gauge

from landbridge.app.container import Container
from landbridge.developers.webhooks.retention import delete_old_snapshots
from landbridge.ledger.house_accounts import roll_up
from landbridge.payments.incoming_payments.model import KIND as INCOMING_PAYMENT
from landbridge.payments.scheduler import BATCH_SIZE
from landbridge.platform.orgs.model import Mode
from landbridge.platform.orgs.queues import OrgQueue
from landbridge.providers.rates.monitoring import watch_market, watch_reference
from landbridge.reporting.proofs.sequencer import SequencerLag

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


# Offset of each organisation's clock from real time.
ClockOffsets = Mapping[UUID, timedelta]
# Returns whether more work may be pending; None if that is found at the next run.
WorkerJob = Callable[[Container, ClockOffsets], Awaitable[bool | None]]


@dataclass(frozen=True, slots=True)
class WorkerSchedule:
    """A repeated job: runs every `every_s` seconds while the database is written to.

    While nothing is written it runs every `idle_s` seconds: there is nothing new to find, only what
    has become due by time alone.
    """

    name: str
    every_s: float
    run: WorkerJob
    idle_s: float | None = None
    # All that the job works on. Where there are many organisations, it gets those with rows there.
    queues: tuple[OrgQueue, ...] = ()
    # Several workers divide its organisations among themselves.
    is_divided: bool = False
    # On a distributed database it runs for the organisations of each node, one after the other.
    is_by_organisation: bool = True
    # Its statements need the rows of all organisations, or writes that Citus refuses: it does not
    # run on a distributed database.
    needs_one_server: bool = False
    # Ends what its runs have left in progress, while the machine's clock is wrong.
    pause: Callable[[Container], Awaitable[None]] | None = None


async def _run_due(container: Container, offsets: ClockOffsets) -> bool:
    moved = await container.scheduler.run_once(offsets)
    FAILING.set(container.scheduler.failing + container.incoming_payment_steps.failing)
    # More, if steps of former batches have ended too.
    return moved >= BATCH_SIZE


async def _count_stuck(container: Container, offsets: ClockOffsets) -> None:
    found = await container.timelines.stuck(offsets, limit=_STUCK_MAX)
    counts = Counter(each.kind for each in found)
    for kind in (*container.timelines.waits, INCOMING_PAYMENT):
        STUCK.labels(kind).set(counts[kind])


async def _watch_market(container: Container, _offsets: ClockOffsets) -> None:
    if container.market is not None:
        await watch_market(container.market)


async def _read_travel_inbox(container: Container, _offsets: ClockOffsets) -> bool:
    if container.provider_inbox is None:
        return False
    return await container.provider_inbox.run_once()


async def _check_lists(container: Container, _offsets: ClockOffsets) -> None:
    if container.settings.mode is Mode.PRODUCTION:
        await container.screening.warn_about_lists()


async def _write_bank_files(container: Container, offsets: ClockOffsets) -> None:
    if container.settings.bank == "files":
        await container.bank_file_writer.poll(offsets)


async def _read_bank_files(container: Container, offsets: ClockOffsets) -> None:
    if container.settings.bank == "files":
        await container.inbox_reader.poll(offsets)


async def _deliver(container: Container, offsets: ClockOffsets) -> bool:
    if not container.settings.delivers_webhooks:
        return False
    return await container.dispatcher.run_once(offsets)


async def _count_unfolded(container: Container, offsets: ClockOffsets) -> None:
    await container.rollup_updater.behind(offsets)


async def _reconcile(container: Container, offsets: ClockOffsets) -> bool:
    part = container.worker_share.next_part("reconciliation")
    return await container.reconciliation.run_due(offsets, part=part)


async def _measure_proofs(container: Container, offsets: ClockOffsets) -> None:
    await SequencerLag(container.database, container.clock).measure(offsets)


async def _sign_checkpoints(container: Container, offsets: ClockOffsets) -> None:
    closed_at = await container.reconciliation.closes.last_completed(offsets.keys())
    await container.proofs.signing.sign_due(offsets, closed_at)


# Quotes expire within a second of their deadline. What is due at once wakes this schedule.
DUE = WorkerSchedule("due", 0.5, _run_due, 1.0, (OrgQueue.PAYMENTS,))
SCHEDULES = [
    DUE,
    # Incoming fiat is processed as quickly.
    WorkerSchedule(
        "receipts",
        0.5,
        lambda c, offsets: c.incoming_payment_steps.run_once(offsets),
        1.0,
        (OrgQueue.INCOMING_PAYMENTS,),
        is_divided=True,
    ),
    # A payout that a webhook announces is queried within a second.
    WorkerSchedule(
        "provider_orders", 0.5, lambda c, offsets: c.provider_webhooks.run_once(offsets), 1.0
    ),
    # An inquiry or answer to another provider is sent within a second.
    WorkerSchedule(
        "travel_rule_exchanges",
        0.5,
        lambda c, offsets: c.exchange_dispatcher.run_once(offsets.keys()),
        2.0,
        (OrgQueue.EXCHANGES,),
        is_divided=True,
    ),
    # Messages of other providers at a connected one are read every `poll_s` seconds.
    WorkerSchedule("travel_rule_inbox", 1.0, _read_travel_inbox, is_by_organisation=False),
    # Submitted verifications wait at most one more second.
    WorkerSchedule(
        "verification",
        1.0,
        lambda c, offsets: c.verification.runner.poll(offsets),
        2.0,
        (OrgQueue.VERIFICATIONS,),
        is_divided=True,
    ),
    # A payment that has been stuck for minutes is reported within another minute.
    WorkerSchedule("stuck", 60.0, _count_stuck, needs_one_server=True),
    # House balances are exact at any time; this only keeps their unrolled tail short.
    WorkerSchedule(
        "house_roll_up",
        2.0,
        lambda c, offsets: roll_up(c.database, offsets),
        30.0,
        is_divided=True,
    ),
    # Erased files can't be read from that moment on; this frees their space.
    WorkerSchedule("files_sweep", 60.0, lambda c, offsets: c.files.sweep(offsets)),
    # In production, logs a line an hour for each required list until it is loaded.
    WorkerSchedule("sanctions_lists", 3600.0, _check_lists, is_by_organisation=False),
    # Rates are published once a day; a missing day is fetched every quarter of an hour.
    WorkerSchedule(
        "reference_rates",
        60.0,
        lambda c, _: watch_reference(c.reference_rates, c.clock),
        is_by_organisation=False,
    ),
    # The database decides which worker fetches from the feed, every ten seconds.
    WorkerSchedule("market", 2.0, _watch_market, is_by_organisation=False),
    # An instant payment waits at most five seconds for its file.
    WorkerSchedule("bank_files", 5.0, _write_bank_files),
    # Each transport is polled at its own interval (`poll_seconds`), at most this often.
    WorkerSchedule("bank_answers", 5.0, _read_bank_files),
    # Texts of a statement line are kept for 90 days after it was resolved, plus at most an hour.
    WorkerSchedule(
        "bank_lines_sweep",
        3600.0,
        lambda c, offsets: c.statement_line_reviews.sweep(c.clock.now_of(offsets)),
    ),
    # Contents of files sent to a bank are kept at most an hour longer than configured.
    WorkerSchedule(
        "bank_files_sweep",
        3600.0,
        lambda c, offsets: c.bank_file_writer.sweep(
            c.clock.now_of(offsets), c.settings.bank_file_retention
        ),
    ),
    # An event is sent two fifths of a second after its commit.
    WorkerSchedule(
        "webhooks",
        0.2,
        _deliver,
        1.0,
        (OrgQueue.ENDPOINTS,),
        pause=lambda c: c.dispatcher.close(),
    ),
    # Deliveries have a partition for each day, created two days ahead.
    WorkerSchedule(
        "webhook_days", 3600.0, lambda c, _: c.partitions.maintain(), is_by_organisation=False
    ),
    # A transaction that holds up all events is detected within seconds.
    # Payload snapshots are kept two days and at most one hour longer than events.
    WorkerSchedule(
        "pictures_sweep",
        3600.0,
        lambda c, offsets: delete_old_snapshots(c.database, c.clock, offsets, c.events.retention),
        queues=(OrgQueue.SNAPSHOTS,),
    ),
    # Reports are exact at any time; this keeps the unrolled tail of the log short. A run costs some
    # milliseconds for each active organisation, however few changes it has.
    WorkerSchedule(
        "reports_roll_up",
        2.0,
        lambda c, offsets: c.rollup_updater.run_once(offsets),
        5.0,
        is_divided=True,
    ),
    # A change is in the tree of provable books two seconds after its commit.
    WorkerSchedule(
        "proofs",
        2.0,
        lambda c, offsets: c.proofs.sequencer.run_once(offsets.keys()),
        30.0,
        is_divided=True,
    ),
    # A checkpoint is signed at most ten seconds later than configured.
    WorkerSchedule("proofs_checkpoints", 10.0, _sign_checkpoints),
    # A sequencer that lags is detected within seconds.
    WorkerSchedule("proofs_lag", 15.0, _measure_proofs, needs_one_server=True),
    # Rollups that lag are detected within seconds.
    WorkerSchedule("reports_behind", 15.0, _count_unfolded, needs_one_server=True),
    # A scheduled report is created within seconds of its time.
    WorkerSchedule(
        "scheduled_reports",
        5.0,
        lambda c, offsets: c.report_schedules.run_due(offsets),
        queues=(OrgQueue.REPORT_SCHEDULES,),
    ),
    # Each organisation is compared every quarter of an hour, sooner for what timing explained.
    WorkerSchedule("reconciliation", 15.0, _reconcile, 60.0, needs_one_server=True),
    # A report is kept for 90 days, plus at most an hour.
    WorkerSchedule(
        "scheduled_reports_sweep", 3600.0, lambda c, offsets: c.report_schedules.sweep(offsets)
    ),
    # An e-mail waits at most one more second.
    WorkerSchedule(
        "mails", 1.0, lambda c, offsets: c.outbox.run_once(offsets), 5.0, (OrgQueue.EMAILS,)
    ),
    # Recipients of expired links are kept at most one hour longer.
    WorkerSchedule("kyc_links_sweep", 3600.0, lambda c, offsets: c.kyc_links.sweep(offsets)),
    # Limit usage of failed payments is released within a second; after days, within five minutes.
    WorkerSchedule(
        "limits",
        1.0,
        lambda c, offsets: c.limit_maintenance.run_once(offsets),
        5.0,
        (OrgQueue.OPEN_LIMIT_USAGE, OrgQueue.UNCOUNTED_LIMIT_RULES),
    ),
    # Times and origins of sign-ins are kept for 97 days, plus at most an hour.
    WorkerSchedule("members_sweep", 3600.0, lambda c, offsets: c.team_cleanup.sweep(offsets)),
    # No rule looks further back than a hundred days.
    WorkerSchedule(
        "limits_sweep",
        3600.0,
        lambda c, offsets: c.limit_maintenance.sweep(offsets),
        queues=(OrgQueue.ENDED_LIMIT_USAGE, OrgQueue.LIMIT_COUNTERS),
    ),
    # Requests are kept at most a quarter of an hour longer than configured.
    WorkerSchedule("request_log_sweep", 900.0, lambda c, offsets: c.request_log.sweep(offsets)),
    # Senders of returned deposits are kept for 90 days, plus at most an hour.
    WorkerSchedule(
        "receipts_sweep",
        3600.0,
        lambda c, offsets: c.incoming_payments.sweep(c.clock.now_of(offsets)),
    ),
]
