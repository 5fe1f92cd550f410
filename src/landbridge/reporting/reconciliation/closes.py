"""Daily closes: one person signs the positions of a day, and a second person confirms them.

Guarantees:
- The positions of a day are those of each source's first good comparison after the day's end.
  Entries booked up to that comparison belong to the day, later ones to a later day.
- A day cannot be closed before each source was compared after its end, and the statement of each
  bank covers it.
- Unresolved differences above the tolerance are carried only with a reason.
- The second person confirms the digest of what was signed. A confirmed close never changes: a later
  correction is posted on a later day, and the close of that day names it.
- Both signatures are changes in the log, and so in the organisation's provable books.
- Nothing is booked: a close changes no journal and no balance.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

from landbridge.platform.changes.service import SPREAD, append_next_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict, ResourceNotFound
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.formats.texts import check_text
from landbridge.providers.chains.tokens import Chain
from landbridge.reporting.reconciliation import close_store
from landbridge.reporting.reconciliation.bank_comparison import BankComparison
from landbridge.reporting.reconciliation.close_model import (
    CloseInput,
    CloseStatus,
    DailyClose,
    build_content,
    content_digest,
    end_of_day,
    exceeds,
    missing_sources,
)
from landbridge.reporting.reconciliation.decisions import REASON_LENGTH_MAX
from landbridge.reporting.reconciliation.four_eyes import check_second
from landbridge.reporting.reconciliation.model import Difference, ReconPerson
from landbridge.reporting.reconciliation.sources import ReconSourceName, SourceName
from landbridge.reporting.reserves.service import liabilities_of_day
from landbridge.reporting.rollups.time_zones import TimeZones

# Kind of closes in the change log.
KIND = "RECONCILIATION.CLOSE"
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyCloses:
    """Closes of all organisations; `tolerance` is in coins, for each difference."""

    database: Database
    time_zones: TimeZones
    clock: Clock
    chains: Collection[Chain]
    # None if the installation exchanges no bank files.
    banks: BankComparison | None
    tolerance: Decimal

    async def sign(self, person: ReconPerson, day: date, reason: str | None) -> DailyClose:
        """Sign the close of a day in the organisation's time zone; a second person confirms it.

        `reason` is why differences above the tolerance are carried. Raises `FieldInvalid`, and
        `ResourceConflict` if the day has not ended, a source was not compared since, a difference
        needs a reason, or a close of this day or a later one exists or waits.
        """
        if reason is not None:
            reason = check_text("reason", reason, length_max=REASON_LENGTH_MAX)
        zone = (await self.time_zones.get(person.org_id)).current
        ended_at = _end(day, zone)
        at = self.clock.stamp(person.offset)
        # By then, all changes that are stamped before the end of the day are committed.
        if at < ended_at + SPREAD:
            raise ResourceConflict(
                f"{day} can be closed from {ended_at + SPREAD:%Y-%m-%d %H:%M} UTC on"
            )

        expected = await self._sources(person.org_id)

        async def work(tx: Tx) -> DailyClose:
            found = await self._read(
                tx, person.org_id, day, zone=zone, ended_at=ended_at, expected=expected
            )
            _check_carried(found.unresolved, self.tolerance, reason)
            text = build_content(found, reason)
            close = DailyClose(
                id=new_id(),
                day=day,
                status=CloseStatus.PREPARED,
                text=text,
                digest=content_digest(text),
                signed_by=person.id,
                signed_at=at,
            )
            if not await close_store.add(tx, person.org_id, close):
                raise ResourceConflict(f"{day} was signed by another person at the same time")
            await _record(tx, person, close, "sign", at, reason=reason)
            return close

        return await self.database.transact(work)

    async def confirm(self, person: ReconPerson, close_id: UUID, digest: str) -> DailyClose:
        """Confirm a close as the second person; it is final then.

        Raises `ResourceNotFound`, `FieldInvalid`, `RoleNotAllowed` for the person who has signed,
        and `ResourceConflict` if it does not wait for a decision, or has another digest.
        """

        async def work(tx: Tx) -> DailyClose:
            close = await _lock_signed(tx, person.org_id, close_id)
            await check_second(tx, self.clock, person, close.signed_by, "signed it")
            if digest.lower() != close.digest.hex() or not close.is_intact:
                raise ResourceConflict(f"the digest of this close is {close.digest.hex()}")
            return await self._decide(tx, person, close, CloseStatus.COMPLETED, None)

        return await self.database.transact(work)

    async def reject(self, person: ReconPerson, close_id: UUID, reason: str) -> DailyClose:
        """Reject a signed close, or withdraw one's own; the day can be signed again.

        Raises `ResourceNotFound`, `FieldInvalid`, and `ResourceConflict` if it does not wait for a
        decision.
        """
        checked = check_text("reason", reason, length_max=REASON_LENGTH_MAX)

        async def work(tx: Tx) -> DailyClose:
            close = await _lock_signed(tx, person.org_id, close_id)
            return await self._decide(tx, person, close, CloseStatus.REJECTED, checked)

        return await self.database.transact(work)

    async def get(self, org_id: UUID, close_id: UUID) -> DailyClose:
        """Return a close of any status; raises `ResourceNotFound`."""
        found = await self.database.single(lambda tx: close_store.get(tx, org_id, close_id))
        if found is None:
            raise _unknown(close_id)
        return found

    async def page(self, org_id: UUID, window: PositionWindow) -> list[DailyClose]:
        """Return a page of closes, the latest signature first."""
        return await self.database.single(lambda tx: close_store.page(tx, org_id, window))

    async def last_completed(self, org_ids: Collection[UUID]) -> dict[UUID, datetime]:
        """Return when the last close of each organisation was confirmed, for those with one."""
        return await self.database.single(lambda tx: close_store.last_completed(tx, org_ids))

    async def _sources(self, org_id: UUID) -> Collection[SourceName]:
        """Return the configured sources; a close needs those open at the end of its day."""
        banks = [] if self.banks is None else await self.banks.sources(org_id)
        return {*self.chains, *banks}

    async def _read(
        self,
        tx: Tx,
        org_id: UUID,
        day: date,
        *,
        zone: str,
        ended_at: datetime,
        expected: Collection[SourceName],
    ) -> CloseInput:
        opened = await close_store.lock_sources(tx, org_id, ended_at)
        previous = await close_store.latest(tx, org_id)
        _check_order(day, previous)
        positions = await close_store.cutoffs(tx, org_id, day)
        missing = missing_sources([each for each in opened if each in expected], positions)
        if missing or not positions:
            raise ResourceConflict(
                f"{day} is incomplete: {_missing(missing)}"
                if missing
                else f"{day} has no comparison: it ended before the first one, or none was made"
            )
        cut_at = max(each.compared_at for each in positions)
        before = ended_at - _DAY if previous is None else previous.content.cut_at
        carried = [] if previous is None else [each.id for each in previous.content.carried]
        return CloseInput(
            org_id=org_id,
            day=day,
            zone=zone,
            positions=positions,
            unresolved=await close_store.unresolved(tx, org_id, cut_at),
            earlier=await close_store.differences(tx, org_id, carried),
            corrections=await close_store.corrections(tx, org_id, before, cut_at),
            liabilities=await liabilities_of_day(tx, org_id, day),
            previous_digest=None if previous is None else previous.digest,
            tolerance=self.tolerance,
        )

    async def _decide(
        self,
        tx: Tx,
        person: ReconPerson,
        close: DailyClose,
        status: CloseStatus,
        reason: str | None,
    ) -> DailyClose:
        at = self.clock.stamp(person.offset)
        decided = replace(
            close,
            status=status,
            decided_by=person.id,
            decided_at=at,
            rejection_reason=reason,
        )
        await close_store.decide(tx, person.org_id, decided)
        verb = "confirm" if status is CloseStatus.COMPLETED else "reject"
        await _record(tx, person, decided, verb, at, reason=reason)
        return decided


def _end(day: date, zone: str) -> datetime:
    try:
        return end_of_day(day, zone)
    except OverflowError as error:
        raise FieldInvalid("day is beyond the calendar", field="day") from error


def _missing(sources: Collection[ReconSourceName]) -> str:
    """Return the message that names the sources missing for a day."""
    chains = ", ".join(each for each in sources if not each.is_bank)
    banks = ", ".join(each for each in sources if each.is_bank)
    parts = [
        f"after its end there is no comparison yet of {chains}" if chains else "",
        f"no statement that covers it was compared yet of {banks}" if banks else "",
    ]
    return ", and ".join(each for each in parts if each)


def _check_order(day: date, previous: DailyClose | None) -> None:
    if previous is None:
        return
    if previous.day >= day:
        raise ResourceConflict(f"{previous.day} is {previous.status} already: close a later day")
    if previous.status is CloseStatus.PREPARED:
        raise ResourceConflict(f"the close of {previous.day} waits for a second person first")


def _check_carried(found: Sequence[Difference], tolerance: Decimal, reason: str | None) -> None:
    above = [each for each in found if exceeds(each, tolerance)]
    if above and reason is None:
        ids = ", ".join(str(each.id) for each in above[:3])
        raise ResourceConflict(
            f"{len(above)} unexplained differences are above the tolerance ({ids}): resolve them, "
            "or state a reason for carrying them",
            field="reason",
        )


async def _lock_signed(tx: Tx, org_id: UUID, close_id: UUID) -> DailyClose:
    found = await close_store.lock(tx, org_id, close_id)
    if found is None:
        raise _unknown(close_id)
    if found.status is not CloseStatus.PREPARED:
        raise ResourceConflict(f"the close of {found.day} is {found.status} already")
    return found


async def _record(
    tx: Tx,
    person: ReconPerson,
    close: DailyClose,
    change_type: str,
    at: datetime,
    *,
    reason: str | None,
) -> None:
    statement = close.content.statement
    is_published = statement is not None and close.status is CloseStatus.COMPLETED
    await append_next_change(
        tx,
        org_id=person.org_id,
        object_id=close.id,
        kind=KIND,
        change_type=change_type,
        actor=person.actor,
        at=at,
        facts={
            "day": close.day.isoformat(),
            "digest": close.digest.hex(),
            "reason": reason,
            "personId": str(person.id),
            # A proof of this change also proves which statement of reserves was confirmed.
            **({"reserves": statement.digest} if statement and is_published else {}),
        },
    )


def _unknown(close_id: UUID) -> ResourceNotFound:
    return ResourceNotFound(f"there is no close {close_id}")
