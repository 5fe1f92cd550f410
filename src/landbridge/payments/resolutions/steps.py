"""Worker steps of due resolutions.

An approved decision is executed in two parts. First the payment is put on hold: its due time is
postponed, so that no worker starts to send its order. `QUIET_PERIOD` later every running call has
ended; the order is looked up once more at the provider, and the payment advances in one transaction
with the resolution. If the payment has advanced since then, the hold starts again, or the decision
is void.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from landbridge.ledger.locking import lock_record
from landbridge.ledger.model import AdvanceTransfer, CommitOutcome, DueCheck, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.approvals.service import Approvals
from landbridge.payments.bank_files.decided_payments import DecidedPayments
from landbridge.payments.engine.outgoing_orders import ACTOR
from landbridge.payments.engine.resolution_actions import (
    ApprovedResolution,
    PaymentResolver,
    ResolutionAction,
)
from landbridge.payments.resolutions.model import (
    QUIET_PERIOD,
    REVIEW_PAUSE,
    TRANSITIONS,
    PaymentResolution,
    ResolutionStatus,
    approved,
    as_resolution,
    completed,
    expired,
    is_quiet,
    quiet_facts,
    rejected,
    voided,
)
from landbridge.payments.rfis.model import IN_REVIEW
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken, Refused
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.evm.outbox.model import OutboxOrder
from landbridge.providers.evm.outbox.order_closing import OrderClosing

# Actions on the order that a payment waits for.
_OF_ORDERS = frozenset(
    {
        ResolutionAction.CONFIRM,
        ResolutionAction.FAIL,
        ResolutionAction.REDIRECT,
        ResolutionAction.SETTLE_OUTSIDE,
    }
)
# Actions on screenings, which have no order, so no call can be running.
_OF_SCREENINGS = frozenset({ResolutionAction.RELEASE, ResolutionAction.REJECT})


class _LostRace(Exception):
    """Another process advanced the payment or the resolution."""


@dataclass(frozen=True, slots=True)
class ResolutionDecisions:
    """Applies approval decisions to resolutions; implements `Decider`."""

    @property
    def transitions(self) -> Transitions[ResolutionStatus]:
        """Return the transitions of resolutions."""
        return TRANSITIONS

    async def approved(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Build the advance of an approved resolution."""
        return approved(as_resolution(record), actor, at)

    def refused(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Build the advance of a rejected resolution; the payment is left unchanged."""
        return rejected(as_resolution(record), actor, at)

    def insufficient(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Raise `InvariantBroken`: a resolution moves no money, so the balance can't be too low."""
        raise InvariantBroken(f"resolution {record.id} takes money: {actor}, {at}")


@dataclass(frozen=True, slots=True)
class ResolutionSteps:
    """Executes approved decisions; `resolvers` are the flows by kind of record."""

    database: Database
    ledger: Ledger
    approvals: Approvals
    clock: Clock
    resolvers: "dict[str, PaymentResolver]"
    bank_payments: DecidedPayments
    # Closes orders on connected chains; None without connected chains.
    order_closing: OrderClosing | None = None

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Run the steps of a due record until it waits; a concurrent change of it is no error."""
        resolution = as_resolution(record)
        match resolution.status:
            case ResolutionStatus.PENDING_APPROVAL:
                move = expired(resolution, ACTOR, self.clock.stamp(clock_offset))
                await self.approvals.expire(record, move, TRANSITIONS)
            case ResolutionStatus.APPROVED:
                await self._execute(resolution, clock_offset)
            case status:
                raise InvariantBroken(f"a resolution that is {status} has no due step")

    async def _execute(self, resolution: PaymentResolution, clock_offset: timedelta) -> None:
        record, details = resolution.record, resolution.details
        resolver = self.resolvers[details.transfer_kind]
        target = await self.ledger.find(record.org_id, details.transfer_id)
        if target is None:
            raise InvariantBroken(
                f"resolution {record.id} belongs to a payment that does not exist"
            )
        if target.status == IN_REVIEW:
            await self.ledger.postpone(record, self.clock.now(clock_offset) + REVIEW_PAUSE)
            return
        choices = await resolver.choices(target, clock_offset)
        action = details.instruction.action
        if choices is None or choices.order != details.order or action not in choices.actions:
            reason = f"the payment continued by itself and is {target.status}"
            await self._void(resolution, reason, clock_offset)
            return
        if action in _OF_SCREENINGS or await self._is_on_hold(resolution, target, clock_offset):
            await self._apply(resolution, target, clock_offset)

    async def _is_on_hold(
        self, resolution: PaymentResolution, target: Transfer, clock_offset: timedelta
    ) -> bool:
        """Return whether the payment is on hold long enough; if it is not, put it on hold."""
        now = self.clock.now(clock_offset)
        if is_quiet(resolution, target, now):
            return True
        until = now + 2 * QUIET_PERIOD
        is_soon = target.due_at is not None and target.due_at < until
        if is_soon and not await self.ledger.postpone(target, until):
            return False  # changed concurrently: the next run checks again
        await self.ledger.postpone(resolution.record, now + QUIET_PERIOD, quiet_facts(target, now))
        return False

    async def _apply(
        self, resolution: PaymentResolution, target: Transfer, clock_offset: timedelta
    ) -> None:
        """Advance the payment and complete the resolution, in one transaction.

        The same transaction ends an order on a chain, or a payment in the files for a bank, so that
        it is not paid later.
        """
        details = resolution.details
        instruction = details.instruction
        at = self.clock.stamp(clock_offset)
        try:
            orders = await self._closed_orders(target, instruction.action)
            decision = ApprovedResolution(
                instruction=instruction,
                destination=details.destination,
                actor=details.requested_by,
                clock_offset=clock_offset,
                is_closing=bool(orders),
            )
            move = await self.resolvers[target.kind].decide(target, decision, at)
            # The call of the provider may have taken a minute.
            at = self.clock.stamp(clock_offset)
            effect = target if move is None else replace(move, at=at)
            await self.database.transact(
                lambda tx: self._commit(
                    tx, resolution, effect, decision=decision, orders=orders, at=at
                )
            )
        except Refused as error:
            await self._void(resolution, error.message, clock_offset)
        except _LostRace:
            return  # changed concurrently: the record is due again, and the next run reads it

    async def _closed_orders(
        self, target: Transfer, action: ResolutionAction
    ) -> Sequence[OutboxOrder]:
        """Return the orders on chains that are closed together with a decision on a payment."""
        if self.order_closing is None or action not in _OF_ORDERS:
            return ()
        return await self.order_closing.find_open(
            target.org_id, target.id, is_paid=action is ResolutionAction.CONFIRM
        )

    async def _commit(
        self,
        tx: Tx,
        resolution: PaymentResolution,
        effect: AdvanceTransfer | Transfer,
        *,
        decision: ApprovedResolution,
        orders: Sequence[OutboxOrder],
        at: datetime,
    ) -> None:
        """Write a decision: the payment's advance, or the effect on a payment without an order."""
        done = await self.ledger.advance_in(tx, completed(resolution, ACTOR, at), TRANSITIONS)
        if not isinstance(done, Transfer):
            raise _LostRace
        if self.order_closing is not None and orders:
            await self.order_closing.close_in(
                tx,
                orders,
                is_paid=decision.instruction.action is ResolutionAction.CONFIRM,
                transaction_hash=decision.instruction.transaction_hash,
                at=self.clock.now(),
            )
        resolver = self.resolvers[resolution.details.transfer_kind]
        if isinstance(effect, Transfer):
            await resolver.end_in(tx, effect, decision, at)
            return
        await self._move_in(tx, effect, resolver)
        await self.bank_payments.end_in(
            tx,
            effect.transfer,
            is_paid=decision.instruction.action is ResolutionAction.CONFIRM,
            requested_at=resolution.record.created_at,
            actor=decision.actor,
            at=at,
        )

    async def _move_in(self, tx: Tx, move: AdvanceTransfer, resolver: PaymentResolver) -> None:
        """Advance the payment, while it is still on hold."""
        target = move.transfer
        record = await lock_record(tx, target.org_id, target.id)
        # A refusal changes only facts, not the version, and gives the next order another key.
        if record is None or record.facts != target.facts:
            raise _LostRace
        timing = DueCheck.ANY if move.transfer.due_at is None else DueCheck.IN_TIME
        moved = await self.ledger.advance_in(tx, replace(move, timing=timing), resolver.transitions)
        if moved is CommitOutcome.INSUFFICIENT:
            raise InvariantBroken(
                f"resolving {move.transfer.kind} {move.transfer.id} needs money that is not there"
            )
        if not isinstance(moved, Transfer):
            raise _LostRace

    async def _void(
        self, resolution: PaymentResolution, reason: str, clock_offset: timedelta
    ) -> None:
        at = self.clock.stamp(clock_offset)
        await self.ledger.advance(voided(resolution, reason, ACTOR, at), TRANSITIONS)
