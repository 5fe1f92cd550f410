"""What the worker does for limits: counts what was there before, gives back, sweeps."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.core.clock import Clock
from landbridge.core.pages import Window as Page
from landbridge.db.pool import Database, Tx
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.limits import store
from landbridge.limits.model import COMPLETED, Rules
from landbridge.limits.service import Limits

# How many records are done in one transaction.
BATCH_SIZE = 100
# A payment that was begun before the rules were known everywhere has come to an end by then: no
# transaction lasts that long.
_SETTLED_AFTER = timedelta(seconds=60)
# How soon, and how late, it is looked again whether a payment has come to an end; between them a
# tenth of its age. Most end within seconds; what waits for a person may wait for weeks.
_LOOK_SOONEST = timedelta(seconds=1)
_LOOK_LATEST = timedelta(minutes=5)
# Longer than any rule looks back.
_KEPT = timedelta(days=100)


class Upkeep:
    """Keeps what was used in step with the records, for all organisations."""

    def __init__(self, database: Database, ledger: Ledger, limits: Limits, clock: Clock) -> None:
        self._database = database
        self._ledger = ledger
        self._limits = limits
        self._clock = clock

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Count what new rules have not, and give back what came to nothing; whether more waits.

        `offsets` are the clocks of the organisations that are looked at.
        """
        found = await self._database.single(lambda tx: store.uncounted(tx, offsets))
        for org_id, version, set_at in found:
            await self.count(org_id)
            if self._clock.now(offsets[org_id]) - set_at >= _SETTLED_AFTER:
                await self._database.single(
                    lambda tx, of=org_id, at=version: store.set_counted(tx, of, at)
                )
        return await self._give_back(offsets)

    async def count(self, org_id: UUID) -> None:
        """Count, under the rules as they are now, what was paid in the time that they look at.

        Page by page, beside the payments that go on: each is counted once whoever does it.
        """
        book = await self._limits.rules(org_id)
        if book.set_at is None:
            return
        since = begin_of(book.rules, book.set_at)
        for name, kind in self._limits.kinds.items():
            before: datetime | None = None
            while True:
                page = Page(limit=BATCH_SIZE, after=since, before=before)
                records = await self._ledger.page(org_id, name, None, page)
                live = [each for each in records if not kind.has_failed(each)]

                async def work(tx: Tx, live: list[Transfer] = live) -> None:
                    await self._limits.count_in(tx, org_id, live)

                await self._database.transact(work)
                if len(records) < BATCH_SIZE:
                    break
                before = records[-1].created_at

    async def sweep(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Remove what no rule looks at any more; whether more waits."""
        swept = 0
        for org_id, offset in offsets.items():
            before = self._clock.now(offset) - _KEPT
            swept = max(
                swept,
                await self._database.transact(
                    lambda tx, of=org_id, by=before: store.sweep(tx, of, by, BATCH_SIZE)
                ),
            )
        return swept >= BATCH_SIZE

    async def _give_back(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Settle what payments use that have come to an end; whether more may have."""
        ends = [
            (name, status, status == COMPLETED)
            for name, kind in self._limits.kinds.items()
            for status in (COMPLETED, *kind.failures)
        ]
        # What is due before the worker comes again is due now.
        nows = {
            org_id: self._clock.now(offset) + _LOOK_SOONEST for org_id, offset in offsets.items()
        }
        found = await self._database.single(lambda tx: store.look(tx, nows, ends))
        looked_at: defaultdict[UUID, dict[tuple[UUID, datetime], bool | None]] = defaultdict(dict)
        for org_id, record_id, look_at, is_good in found:
            looked_at[org_id][record_id, look_at] = is_good
        for org_id, records in looked_at.items():
            await self._settle(org_id, records, nows[org_id])
        return len(found) >= store.LOOK_SIZE

    async def _settle(
        self,
        org_id: UUID,
        records: Mapping[tuple[UUID, datetime], bool | None],
        now: datetime,
    ) -> None:
        """Settle those that ended, well or not; look at the others again.

        `records` are told with the moment at which they were to be looked at.
        """
        good = [each for each, is_good in records.items() if is_good]
        open_ = [each for (each, _), is_good in records.items() if is_good is None]
        if good:
            await self._database.single(lambda tx: store.make_final(tx, org_id, good))
        if open_:
            await self._database.single(
                lambda tx: store.look_again(
                    tx, org_id, open_, now=now, soonest=_LOOK_SOONEST, latest=_LOOK_LATEST
                )
            )
        for (record_id, _), is_good in records.items():
            if is_good is False:
                await self._database.transact(
                    lambda tx, each=record_id: _give_back(tx, org_id, each)
                )


async def _give_back(tx: Tx, org_id: UUID, record_id: UUID) -> None:
    if claims := await store.take_uses(tx, org_id, record_id):
        await store.give_back(tx, org_id, claims)


def begin_of(rules: Rules, at: datetime) -> datetime:
    """How far back rules look from a moment: to the first of its month, or further for new ones."""
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    month = midnight.replace(day=1)
    if rules.cool_down is None:
        return month
    # A day more, since what was known for a part of it counts with the whole.
    return min(month, midnight - timedelta(hours=rules.cool_down.hours, days=1))
