"""Creates an organisation with a generated history that ends now."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.errors import Refused
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import Caller
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.platform.orgs.model import Mode
from landbridge.sandbox.seeding import store
from landbridge.sandbox.seeding.calendar import micros
from landbridge.sandbox.seeding.history import CHANGE_BATCH, RecordBatch, SeedContext, SeedHistory
from landbridge.sandbox.seeding.people import CHAINS, create_people
from landbridge.sandbox.seeding.random_source import Random
from landbridge.sandbox.seeding.row_templates import COLUMNS
from landbridge.sandbox.seeding.services import SeedServices

PEOPLE_MIN = 5
# Records of one transaction: more are no faster to write, and a reader of the log sorts all changes
# of a transaction for each page (1 s with 5,000, 0.03 s with this many).
_BATCH = 1_000
# The history ends this long ago, so that nothing in it is ahead of any clock.
_QUIET = timedelta(minutes=1)
# The first users are verified before they pay.
_SETTLING = timedelta(hours=1)

ProgressCallback = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedRequest:
    """Size of the history: payments and users within this many days up to now."""

    name: str
    payments: int
    people: int
    days: int
    random_seed: int
    # Whether the rollups of reports are built, too.
    has_reports: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedProgress:
    """Callbacks of the progress: users, payments, and transactions of the log that were rolled up.

    `reach` receives the number of those transactions first.
    """

    people: ProgressCallback
    payments: ProgressCallback
    reach: ProgressCallback
    folded: ProgressCallback


@dataclass(frozen=True, slots=True)
class SeedResult:
    """The created organisation, its key, and how long its payments took to write."""

    org_id: UUID
    secret: str
    records: int
    seconds: Decimal


async def seed(services: SeedServices, request: SeedRequest, progress: SeedProgress) -> SeedResult:
    """Create an organisation with users and payments; its books balance even after an interruption.

    The same `random_seed` generates the same payments except for ids, keys and dates, if the
    history begins in the same hour of the same weekday. Users are created through the services of
    the API. The organisation and its key are created now, so that it does not become the
    installation's first one. Payments are written in transactions of a thousand, with all their
    changes, in the order of their creation. So the log has the later changes of a payment (payouts
    take days) next to its creation.

    Raises `Refused` in production.
    """
    if services.settings.mode is Mode.PRODUCTION:
        raise Refused("made-up organisations have no place among real ones")
    rng = Random(request.random_seed)
    end = services.clock.now() - _QUIET
    begin = end - timedelta(days=request.days)
    clock = FrozenClock(begin - _QUIET, node=await take_node(services.database))
    past = services.with_clock(clock)
    try:
        org = await services.orgs.create(request.name)
        key, secret = await services.orgs.create_key(org.id, "first key", expires_at=None)
        caller = Caller(
            org.id, key.id, timedelta(), can_pay=key.can_pay, can_administer=key.can_administer
        )
        created_at = _joined(rng, begin, end, request.people)
        people = await create_people(
            past, clock, caller, created_at=created_at, rng=rng, report_progress=progress.people
        )
        context = SeedContext(
            org_id=str(org.id),
            key_id=str(key.id),
            houses={chain: await past.wallets.treasury_address(org.id, chain) for chain in CHAINS},
            account_number=await past.onramps.account_number(org.id, "usd"),
            begin_us=micros(begin + _SETTLING),
            end_us=micros(end),
        )
    finally:
        await past.dispatcher.close()
        await past.egress.close()
    batches = SeedHistory(context, people, rng, new_id()).batches(request.payments, _BATCH)
    started_s = time.monotonic()
    records = await _write(services, org.id, context.houses, batches, progress.payments)
    seconds = Decimal(str(time.monotonic() - started_s))
    if request.has_reports:
        await _fold(services, org.id, progress)
    return SeedResult(org.id, secret, records, seconds)


async def _write(
    services: SeedServices,
    org_id: UUID,
    houses: Mapping[str, str],
    batches: Iterator[RecordBatch],
    report_progress: ProgressCallback,
) -> int:
    """Write batches, each while the next one is generated; return the number of records.

    If the generation of a batch fails, the batch before it is written completely or not at all.
    """
    count = 0
    batch = await asyncio.to_thread(next, batches, None)
    while batch is not None:
        async with asyncio.TaskGroup() as both:
            both.create_task(
                _copy(
                    *(services.database, org_id, batch.rows, batch.paid),
                    mark=CHANGE_BATCH,
                    houses=houses,
                )
            )
            making = both.create_task(asyncio.to_thread(next, batches, None))
        count += batch.count
        report_progress(batch.count)
        batch = making.result()
    return count


async def _fold(services: SeedServices, org_id: UUID, progress: SeedProgress) -> None:
    """Build the rollups, so that the first report does not have to wait for the worker."""
    begin, end = await services.rollup_updater.reach(org_id)
    progress.reach(max(end - begin, 1))
    at, is_more = begin, True
    while is_more:
        is_more = await services.rollup_updater.run_once({org_id: timedelta()})
        builds = await services.rollups.builds(org_id)
        reached = max((each.rolled_up_to for each in builds if each.is_current), default=at)
        progress.folded(max(min(reached, end) - at, 0))
        at = max(at, min(reached, end))


def _joined(rng: Random, begin: datetime, end: datetime, people: int) -> list[datetime]:
    """Return when users joined: some at the beginning, the others until shortly before the end."""
    first = max(people // 20, PEOPLE_MIN)
    days = (end - begin).days * 9 // 10
    later = sorted(rng.randrange(max(days * 86_400, 1)) for _ in range(people - first))
    return [begin] * first + [begin + timedelta(seconds=each) for each in later]


async def _copy(
    database: Database,
    org_id: UUID,
    rows: Mapping[str, Sequence[str]],
    paid: Mapping[str, int],
    *,
    mark: str,
    houses: Mapping[str, str],
) -> None:
    """Write rows by table and add to account balances, in one transaction.

    `mark` in the rows is replaced by the number of their batch of changes. `houses` are the
    organisation's own addresses by chain.
    """

    async def work(tx: Tx) -> None:
        batch = await store.begin_batch(tx, org_id)
        for table, columns in COLUMNS.items():
            text = "".join(rows.get(table, ()))
            if text:
                await store.copy(tx, table, columns, text.replace(mark, str(batch)))
        await store.pay(tx, org_id, paid)
        await store.move(tx, org_id, batch, houses)

    await database.transact(work)
