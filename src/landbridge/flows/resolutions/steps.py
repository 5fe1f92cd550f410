"""What the worker does with a resolution that is due.

An approved decision is carried out in two parts. First the payment is set aside: its due time is
put off, so that no worker begins to give its order. After `QUIET_PERIOD`, in which every call that
had begun has ended, the provider is asked once more and the payment moves, in one transaction with
the resolution. If the payment has moved meanwhile, this begins again, or the decision is void.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from landbridge.approvals.service import Approvals
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, Refused
from landbridge.core.states import Moves
from landbridge.db.pool import Database, Tx
from landbridge.flows.resolutions.model import (
    MOVES,
    QUIET_PERIOD,
    REVIEW_PAUSE,
    PaymentResolution,
    Status,
    approved,
    as_resolution,
    completed,
    expired,
    is_quiet,
    quiet_facts,
    rejected,
    voided,
)
from landbridge.ledger.model import Move, Outcome, Timing, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.resolving import Decision, Resolver
from landbridge.payments.sending import ACTOR
from landbridge.rfis.model import IN_REVIEW


class _LostRace(Exception):
    """The payment or the resolution was moved by another process."""


@dataclass(frozen=True, slots=True)
class ResolutionDeciding:
    """What an approval does to a resolution; implements `approvals.voting.Decider`."""

    @property
    def moves(self) -> Moves[Status]:
        """The table of moves."""
        return MOVES

    async def approved(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        """A second person agrees."""
        return approved(as_resolution(record), actor, at)

    def refused(self, record: Transfer, *, actor: str, at: datetime, reason: str | None) -> Move:
        """It ends; the payment is left as it is."""
        del reason  # a person's words; they stay with the vote
        return rejected(as_resolution(record), actor, at)

    def short(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        """Raise `Broken`: a resolution takes nothing."""
        raise Broken(f"resolution {record.id} takes money: {actor}, {at}")


@dataclass(frozen=True, slots=True)
class ResolutionSteps:
    """Carries approved decisions out; `resolvers` are the flows by kind of record."""

    database: Database
    ledger: Ledger
    approvals: Approvals
    clock: Clock
    resolvers: "dict[str, Resolver]"

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Take a due record as far as it goes; a lost race is an ordinary outcome."""
        resolution = as_resolution(record)
        match resolution.status:
            case Status.PENDING_APPROVAL:
                move = expired(resolution, ACTOR, self.clock.stamp(clock_offset))
                await self.approvals.expire(record, move, MOVES)
            case Status.APPROVED:
                await self._carry_out(resolution, clock_offset)
            case status:
                raise Broken(f"a resolution that is {status} waits for no time")

    async def _carry_out(self, resolution: PaymentResolution, clock_offset: timedelta) -> None:
        record, details = resolution.record, resolution.details
        resolver = self.resolvers[details.transfer_kind]
        target = await self.ledger.find(record.org_id, details.transfer_id)
        if target is None:
            raise Broken(f"resolution {record.id} is about a payment that is not there")
        if target.status == IN_REVIEW:
            await self.ledger.postpone(record, self.clock.now(clock_offset) + REVIEW_PAUSE)
            return
        choices = await resolver.choices(target, clock_offset)
        action = details.instruction.action
        if choices is None or choices.order != details.order or action not in choices.actions:
            reason = f"the payment has moved on by itself and is {target.status}"
            await self._void(resolution, reason, clock_offset)
            return
        if not await self._is_set_aside(resolution, target, clock_offset):
            return
        await self._apply(resolution, target, clock_offset)

    async def _is_set_aside(
        self, resolution: PaymentResolution, target: Transfer, clock_offset: timedelta
    ) -> bool:
        """Whether no order can be under way; if not, see to it and look again later."""
        now = self.clock.now(clock_offset)
        if is_quiet(resolution, target, now):
            return True
        until = now + 2 * QUIET_PERIOD
        is_soon = target.due_at is not None and target.due_at < until
        if is_soon and not await self.ledger.postpone(target, until):
            return False  # another process moved it: the next run looks again
        await self.ledger.postpone(resolution.record, now + QUIET_PERIOD, quiet_facts(target, now))
        return False

    async def _apply(
        self, resolution: PaymentResolution, target: Transfer, clock_offset: timedelta
    ) -> None:
        """Move the payment and complete the resolution, in one transaction."""
        details = resolution.details
        resolver = self.resolvers[details.transfer_kind]
        decision = Decision(
            instruction=details.instruction,
            destination=details.destination,
            actor=details.requested_by,
            clock_offset=clock_offset,
        )
        at = self.clock.stamp(clock_offset)

        async def work(tx: Tx, move: Move | None) -> None:
            done = await self.ledger.advance_in(tx, completed(resolution, ACTOR, at), MOVES)
            if not isinstance(done, Transfer):
                raise _LostRace
            if move is None:
                await resolver.end_in(tx, target, decision, at)
            else:
                await self._move_in(tx, move, resolver)

        try:
            move = await resolver.decide(target, decision, at)
            await self.database.transact(lambda tx: work(tx, move))
        except Refused as error:
            await self._void(resolution, error.message, clock_offset)
        except _LostRace:
            return  # due again: the next run reads what has become of it

    async def _move_in(self, tx: Tx, move: Move, resolver: Resolver) -> None:
        """Move the payment, while it is still set aside."""
        timing = Timing.ANY if move.transfer.due_at is None else Timing.IN_TIME
        moved = await self.ledger.advance_in(tx, replace(move, timing=timing), resolver.moves)
        if moved is Outcome.SHORT:
            raise Broken(
                f"resolving {move.transfer.kind} {move.transfer.id} takes what is not there"
            )
        if not isinstance(moved, Transfer):
            raise _LostRace

    async def _void(
        self, resolution: PaymentResolution, reason: str, clock_offset: timedelta
    ) -> None:
        at = self.clock.stamp(clock_offset)
        await self.ledger.advance(voided(resolution, reason, ACTOR, at), MOVES)
