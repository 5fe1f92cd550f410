"""Limit maintenance by the worker: counts earlier payments, releases usage, deletes old rows."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.limits import store
from landbridge.payments.limits.model import COMPLETED, LimitRules
from landbridge.payments.limits.service import Limits
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Database, Tx

# Number of records per transaction.
BATCH_SIZE = 100
# Time after new rules are set at which payments without them have been committed: no transaction
# that began before all processes had read the rules lasts this long.
_SETTLED_AFTER = timedelta(seconds=60)
# Bounds of the interval between checks of an open payment; within them it is a tenth of the
# payment's age. Most payments end within seconds; one that awaits a person may stay open for weeks.
_CHECK_INTERVAL_MIN = timedelta(seconds=1)
_CHECK_INTERVAL_MAX = timedelta(minutes=5)
# Payments count from their acceptance, but are listed by their creation. An onramp's quote has the
# longest time between the two.
_QUOTE_LIFETIME_MAX = timedelta(days=1)
# Retention of usage and counters: longer than the window of any rule.
_RETENTION = timedelta(days=100)


class LimitMaintenance:
    """Keeps the usage consistent with the records, for all organisations."""

    def __init__(self, database: Database, ledger: Ledger, limits: Limits, clock: Clock) -> None:
        self._database = database
        self._ledger = ledger
        self._limits = limits
        self._clock = clock

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Count payments under new rules, and release the usage of failed payments.

        Return whether more work may remain. `offsets` has the clock offsets of the organisations.
        """
        found = await self._database.single(lambda tx: store.uncounted(tx, offsets))
        for org_id, version, set_at in found:
            await self.count(org_id)
            if self._clock.now(offsets[org_id]) - set_at >= _SETTLED_AFTER:
                await self._database.single(
                    lambda tx, of=org_id, at=version: store.set_counted(tx, of, at)
                )
        return await self._release(offsets)

    async def count(self, org_id: UUID) -> None:
        """Count, under the current rules, the payments within their windows.

        Runs page by page, concurrently with new payments; each payment is counted once.
        """
        book = await self._limits.rules(org_id)
        if book.set_at is None:
            return
        since = window_start(book.rules, book.set_at) - _QUOTE_LIFETIME_MAX
        for name, kind in self._limits.kinds.items():
            before: datetime | None = None
            while True:
                page = PageWindow(limit=BATCH_SIZE, after=since, before=before)
                records = await self._ledger.page(org_id, name, None, page)
                live = [each for each in records if not kind.has_failed(each)]

                async def work(tx: Tx, live: list[Transfer] = live) -> None:
                    await self._limits.count_in(tx, org_id, live)

                await self._database.transact(work)
                if len(records) < BATCH_SIZE:
                    break
                before = records[-1].created_at

    async def sweep(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Delete rows that are older than every rule's window; return whether more remain."""
        swept = 0
        for org_id, offset in offsets.items():
            before = self._clock.now(offset) - _RETENTION
            swept = max(
                swept,
                await self._database.transact(
                    lambda tx, of=org_id, by=before: store.sweep(tx, of, by, BATCH_SIZE)
                ),
            )
        return swept >= BATCH_SIZE

    async def _release(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Settle the usage of ended payments; return whether more may remain."""
        ends = [
            (name, status, status == COMPLETED)
            for name, kind in self._limits.kinds.items()
            for status in (COMPLETED, *kind.failures)
        ]
        # Checks that become due before the next run are made in this run.
        nows = {
            org_id: self._clock.now(offset) + _CHECK_INTERVAL_MIN
            for org_id, offset in offsets.items()
        }
        found = await self._database.single(lambda tx: store.list_due_checks(tx, nows, ends))
        checked: defaultdict[UUID, dict[tuple[UUID, datetime], bool | None]] = defaultdict(dict)
        for org_id, record_id, next_check_at, is_good in found:
            checked[org_id][record_id, next_check_at] = is_good
        for org_id, records in checked.items():
            await self._settle(org_id, records, nows[org_id])
        return len(found) >= store.CHECK_BATCH_SIZE

    async def _settle(
        self,
        org_id: UUID,
        records: Mapping[tuple[UUID, datetime], bool | None],
        now: datetime,
    ) -> None:
        """Settle the usage of ended payments, and schedule the next check of open ones.

        The keys of `records` are the record id and the time for which its check was scheduled; the
        values are True for a success, False for a failure, and None for an open payment.
        """
        good = [each for each, is_good in records.items() if is_good]
        open_ = [each for (each, _), is_good in records.items() if is_good is None]
        if good:
            await self._database.single(lambda tx: store.make_final(tx, org_id, good))
        if open_:
            await self._database.single(
                lambda tx: store.reschedule_checks(
                    tx,
                    org_id,
                    open_,
                    now=now,
                    soonest=_CHECK_INTERVAL_MIN,
                    latest=_CHECK_INTERVAL_MAX,
                )
            )
        for (record_id, _), is_good in records.items():
            if is_good is False:
                await self._database.transact(lambda tx, each=record_id: _release(tx, org_id, each))


async def _release(tx: Tx, org_id: UUID, record_id: UUID) -> None:
    if counter_increments := await store.delete_usage(tx, org_id, record_id):
        await store.subtract(tx, org_id, counter_increments)


def window_start(rules: LimitRules, at: datetime) -> datetime:
    """Return the start of the longest window: the first of the month, or a cool-down's start."""
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    month = midnight.replace(day=1)
    if rules.cool_down is None:
        return month
    # One day earlier, because a counter covers a whole day.
    return min(month, midnight - timedelta(hours=rules.cool_down.hours, days=1))
