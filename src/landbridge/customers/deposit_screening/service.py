"""Screening service: suspends incoming deposits, and releases or rejects them once decided.

Guarantees:
- A deposit to be screened is booked to the suspense account in the transaction that stores it.
- It leaves suspense only once: the record is advanced from the version that was read, in the
  transaction that credits, matches or returns the deposit.
- Lock order: the deposit's own row, the record of the screening, accounts.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from landbridge.customers.deposit_screening import model
from landbridge.customers.deposit_screening.model import (
    ACTOR,
    RECHECKED_AFTER,
    TRANSITIONS,
    DepositScreening,
    DepositSource,
    ScreeningStatus,
    SuspendedDeposit,
    answer_facts,
    as_screening,
    held,
    screening_id,
    suspended,
)
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.locking import lock_record
from landbridge.ledger.model import AdvanceTransfer, CommitOutcome, Transfer
from landbridge.ledger.record_queues import RecordQueues
from landbridge.ledger.service import Ledger
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import (
    InvariantBroken,
    ResourceConflict,
    ResourceNotFound,
    Unavailable,
)
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.reviewer_access import check_reviewer_access
from landbridge.providers.kyt.port import (
    DepositParty,
    ScreenedTransfer,
    ScreeningDirection,
    ScreeningReport,
    ScreeningVerdict,
    TransferScreener,
)

# Screenings of one deposit at most; each loss by the chain needs another one.
_SCREENINGS_MAX = 1000


class ScreeningEffects(Protocol):
    """Effects of a decision on deposits of one source."""

    async def sender(self, screening: DepositScreening) -> DepositParty | None:
        """Return the sender of fiat; None if it is not known."""
        ...

    async def lock_in(self, tx: Tx, screening: DepositScreening) -> None:
        """Lock the deposit's row. Raises `ResourceConflict` if no decision is possible now."""
        ...

    async def release_in(
        self, tx: Tx, screening: DepositScreening, *, actor: str, at: datetime
    ) -> None:
        """Credit the coins, or let the fiat be matched."""
        ...

    async def reject_in(
        self, tx: Tx, screening: DepositScreening, *, actor: str, at: datetime
    ) -> None:
        """Return the fiat; coins stay where they are."""
        ...


@dataclass(frozen=True, slots=True)
class DepositScreenings:
    """Screenings of all organisations; `screener` is None if no provider screens deposits."""

    ledger: Ledger
    screener: TransferScreener | None

    def screens(self, org_id: UUID, currency: str) -> bool:
        """Return whether deposits of an organisation in a currency are screened."""
        return self.screener is not None and self.screener.screens(
            org_id, currency, ScreeningDirection.DEPOSIT
        )

    async def suspend_in(self, tx: Tx, deposit: SuspendedDeposit) -> bool:
        """Suspend a deposit; False if it need not be, as an earlier screening has released it.

        The caller has locked the deposit's row, and has checked `screens`.
        """
        for number in range(1, _SCREENINGS_MAX):
            id_ = screening_id(deposit.details.deposit_id, number)
            known = await lock_record(tx, deposit.org_id, id_)
            if known is None:
                created = await self.ledger.create_in(tx, suspended(deposit, number), TRANSITIONS)
                if isinstance(created, CommitOutcome):
                    raise InvariantBroken(f"suspending {deposit.details.deposit_id} failed")
                return True
            if known.status != ScreeningStatus.LOST:
                return known.status != ScreeningStatus.RELEASED
        raise InvariantBroken(f"{deposit.details.deposit_id} was lost too often")

    async def lose_in(self, tx: Tx, org_id: UUID, deposit_id: UUID, at: datetime) -> None:
        """Take lost coins out of suspense; the caller has locked the deposit's row."""
        for number in range(1, _SCREENINGS_MAX):
            record = await lock_record(tx, org_id, screening_id(deposit_id, number))
            if record is None:
                raise InvariantBroken(f"deposit {deposit_id} has no screening")
            if record.status != ScreeningStatus.LOST:
                screening = as_screening(record)
                await self.advance_in(tx, model.lost(screening, at))
                return

    async def advance_in(self, tx: Tx, move: AdvanceTransfer) -> None:
        """Advance a screening; raises `ResourceConflict` if another decision came first."""
        moved = await self.ledger.advance_in(tx, move, TRANSITIONS)
        if not isinstance(moved, Transfer):
            raise ResourceConflict("this deposit was released or rejected by another decision")


@dataclass(frozen=True, slots=True)
class ScreeningOutcomes:
    """Releases and rejects suspended deposits, in transactions of callers."""

    screenings: DepositScreenings
    effects: Mapping[DepositSource, ScreeningEffects]

    async def release_in(
        self,
        tx: Tx,
        record: Transfer,
        *,
        actor: str,
        at: datetime,
        report: ScreeningReport | None = None,
    ) -> None:
        """Release a deposit; raises `ResourceConflict` if it was decided on or can't be now."""
        screening = as_screening(record)
        effects = self.effects[screening.details.source]
        await effects.lock_in(tx, screening)
        move = model.released(screening, actor=actor, at=at, report=report)
        await self.screenings.advance_in(tx, move)
        await effects.release_in(tx, screening, actor=actor, at=at)

    async def reject_in(self, tx: Tx, record: Transfer, *, actor: str, at: datetime) -> None:
        """Reject a deposit; raises `ResourceConflict` if it was decided on or can't be now."""
        screening = as_screening(record)
        effects = self.effects[screening.details.source]
        await effects.lock_in(tx, screening)
        await self.screenings.advance_in(tx, model.rejected(screening, actor=actor, at=at))
        await effects.reject_in(tx, screening, actor=actor, at=at)


@dataclass(frozen=True, slots=True)
class ScreeningReviews:
    """Screenings for reviewers, who decide by resolutions; `kind` is the record kind."""

    ledger: Ledger
    queues: RecordQueues

    async def queue(
        self, caller: Caller, kind: str, statuses: Collection[StrEnum], window: QueueWindow
    ) -> Sequence[Transfer]:
        """Return screenings of these statuses, the oldest first; raises `RoleNotAllowed`."""
        check_reviewer_access(caller)
        return await self.queues.oldest(caller.org_id, kind, statuses, window)

    async def get(self, caller: Caller, kind: str, screening_id: UUID) -> Transfer:
        """Return a screening; raises `RoleNotAllowed` and `ResourceNotFound`."""
        check_reviewer_access(caller)
        try:
            return await self.ledger.get(caller.org_id, kind, screening_id)
        except TransactionNotFound:
            raise ResourceNotFound(f"there is no screening {screening_id}") from None


# Interval to ask a provider again that names no time for it, or one in the past.
_POLL_INTERVAL = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class ScreeningSteps:
    """Worker steps of due screenings: ask the provider, and act on a final answer.

    The screener stores the answer before a step acts on it. If a worker is killed, the record is
    still due, and the next worker finds the same answer. Without an answer the record stays due,
    and the scheduler retries with a growing delay. A deposit that waits for travel rule data is
    checked repeatedly, and released once the data have arrived.
    """

    database: Database
    outcomes: ScreeningOutcomes
    clock: Clock

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Ask the provider about a due deposit.

        Raises `Unavailable` and `Unclear` if there is no answer.
        """
        screening = as_screening(record)
        if TRANSITIONS.is_terminal(screening.status):
            raise InvariantBroken(f"a screening that is {screening.status} has no due step")
        screenings = self.outcomes.screenings
        if screenings.screener is None:
            raise Unavailable("no provider screens deposits any more: configure one")
        now = self.clock.now(clock_offset)
        report = await screenings.screener.screen(await self._deposit(screening, now))
        at = self.clock.stamp(clock_offset)
        match report.verdict:
            case ScreeningVerdict.PENDING:
                until = max(report.expected_at or now, now + _POLL_INTERVAL)
                await screenings.ledger.postpone(record, until)
            case ScreeningVerdict.HIT if screening.status is ScreeningStatus.HELD:
                until = now + RECHECKED_AFTER
                await screenings.ledger.postpone(record, until, answer_facts(report))
            case ScreeningVerdict.HIT:
                # Has no effect if another worker has advanced the record already.
                await screenings.ledger.advance(held(screening, report, at), TRANSITIONS)
            case ScreeningVerdict.CLEAR:
                try:
                    await self.database.transact(
                        lambda tx: self.outcomes.release_in(
                            tx, record, actor=ACTOR, at=at, report=report
                        )
                    )
                except ResourceConflict as error:
                    raise Unavailable(str(error)) from error

    async def _deposit(self, screening: DepositScreening, now: datetime) -> ScreenedTransfer:
        record, details = screening.record, screening.details
        return ScreenedTransfer(
            org_id=record.org_id,
            key=record.id,
            user_id=record.user_id,
            money=screening.money,
            at=record.created_at,
            now=now,
            chain=None if details.transaction_hash is None else screening.money.asset.chain,
            transaction_hash=details.transaction_hash,
            source_address=details.source_address,
            destination_address=details.destination_address,
            rail=details.rail,
            sender=await self.outcomes.effects[details.source].sender(screening),
        )
