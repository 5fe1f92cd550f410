"""Worker step of due screenings: asks the provider, and acts on a final answer.

A deposit that the travel rule holds is due again and again: it is released once the data are there.

The answer is stored before anything is done with it (the screener), so a worker that is killed
leaves a record that is still due, and the next one finds the same answer. No answer is none: the
record stays due, and the scheduler asks again after growing pauses.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from landbridge.customers.deposit_screening.audit import SCREENED_ASSETS
from landbridge.customers.deposit_screening.model import (
    ACTOR,
    RECHECKED_AFTER,
    TRANSITIONS,
    DepositScreening,
    ScreeningStatus,
    answer_facts,
    as_screening,
    held,
)
from landbridge.customers.deposit_screening.service import ScreeningOutcomes
from landbridge.ledger.model import Transfer
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken, ResourceConflict, Unavailable
from landbridge.platform.db.pool import Database
from landbridge.providers.kyt.port import ScreenedTransfer, ScreeningVerdict

# A provider that gives no time, or one in the past, is asked again after this.
_POLL_INTERVAL = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class ScreeningSteps:
    """Asks about suspended deposits."""

    database: Database
    outcomes: ScreeningOutcomes
    clock: Clock

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Ask the provider about a due deposit.

        Raises `Unavailable` and `Unclear` if there is no answer.
        """
        screening = as_screening(record, SCREENED_ASSETS)
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
                # Another worker may have been first.
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
