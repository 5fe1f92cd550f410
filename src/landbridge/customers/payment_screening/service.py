"""Screening of payments: an order is not sent before all its destinations are released.

Guarantees:
- An order checked here is not sent unless each destination is released: by the provider's answer,
  or by two people after a hit. The exception is an order that the chain or bank already has: it
  can't be stopped any more, so it is not screened either.
- The provider is asked about a destination under one key, however often the payment is sent, and
  not again after a final answer. Asking moves no money, so it can be repeated after a crash.
- Without an answer, a payment waits: it does not fail, and nobody can release it.
- A payment that lacks travel rule data stays IN_SCREENING, so no decision of people sends it.
- A waiting payment still waits when the providers file stops naming a provider for it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.customers.payment_screening.model import (
    ACTOR,
    HELD,
    INCOMPLETE,
    PAUSE_MIN,
    REFUSED,
    TRANSITIONS,
    UNANSWERED,
    PaymentScreeningStatus,
    ScreenedDestination,
    answered,
    as_payment_screening,
    begun,
    decided,
    is_awaiting,
    retry_at,
)
from landbridge.ledger.locking import lock_record, postpone_record
from landbridge.ledger.model import CommitOutcome, Transfer
from landbridge.ledger.service import Ledger
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import (
    InvariantBroken,
    Rejected,
    ResourceConflict,
    Unavailable,
    Unclear,
)
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.gather import gather_in_order
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Tx
from landbridge.platform.orgs.service import Orgs
from landbridge.providers.kyt.port import (
    SCREENED_WITHIN,
    PaymentAwaitsScreening,
    ScreenedTransfer,
    ScreeningDirection,
    ScreeningVerdict,
    TransferScreener,
)

# Seconds to wait for the provider: a step has a minute for all its calls, and then asks again.
_ASK_TIMEOUT_S = 40


@dataclass(frozen=True, slots=True)
class _DestinationState:
    """Current screening of a destination; `retry_at` is when to ask the provider again.

    `missing` names the travel rule data that the destination waits for.
    """

    record: Transfer
    retry_at: datetime
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PaymentScreenings:
    """Screenings of the payments of all organisations."""

    ledger: Ledger
    orgs: Orgs
    clock: Clock
    screener: TransferScreener

    async def check(
        self,
        destinations: Sequence[ScreenedDestination],
        is_sent: Callable[[], Awaitable[object | None]],
        at: datetime,
    ) -> None:
        """Raise an error unless an order to these destinations may be sent.

        `is_sent` returns the order's status at the chain or bank, None if it is unknown there. `at`
        is the organisation's time. Raises `PaymentAwaitsScreening`, `Rejected` once people have
        rejected a destination, and the errors of `is_sent`.
        """
        found = await gather_in_order(
            self.ledger.find(each.org_id, each.screening_id) for each in destinations
        )
        waiting = [
            (destination, record)
            for destination, record in zip(destinations, found, strict=True)
            if (self._screens(destination) if record is None else not _is_released(record))
        ]
        if not waiting or await is_sent() is not None:
            return
        answers = await gather_in_order(
            self._answer(destination, record, at) for destination, record in waiting
        )
        _check_released(answers, at)

    def _screens(self, destination: ScreenedDestination) -> bool:
        currency = destination.money.asset.currency
        return self.screener.screens(destination.org_id, currency, ScreeningDirection.PAYMENT)

    async def _answer(
        self, destination: ScreenedDestination, record: Transfer | None, at: datetime
    ) -> _DestinationState:
        """Return the screening of a destination, after asking the provider if it is still open."""
        if record is None:
            record = await self._begin(destination)
        again_at = retry_at(record.created_at, at)
        if record.status != PaymentScreeningStatus.IN_SCREENING:
            return _DestinationState(record, again_at)
        try:
            async with asyncio.timeout(_ASK_TIMEOUT_S):
                report = await self.screener.screen(_transfer(destination, record, at))
        except (Unavailable, Unclear, TimeoutError):
            return _DestinationState(record, again_at)
        if report.verdict is ScreeningVerdict.PENDING:
            await self._note_missing(record, report.missing)
            until = again_at if report.missing else report.expected_at or at
            return _DestinationState(record, max(until, at + PAUSE_MIN), report.missing)
        stamp = self.clock.stamp(await self.orgs.clock_offset(record.org_id))
        moved = await self.ledger.advance(answered(record, report, stamp), TRANSITIONS)
        if not isinstance(moved, Transfer):
            # Another worker has stored the same answer.
            moved = await self._found(destination)
        return _DestinationState(moved, again_at)

    async def _note_missing(self, record: Transfer, missing: Sequence[str]) -> None:
        """Store in the screening which data its payment waits for, if that has changed."""
        known = record.facts.get("missing", [])
        if known != list(missing) and record.due_at is not None:
            await self.ledger.postpone(record, record.due_at, {"missing": list(missing)})

    async def _begin(self, destination: ScreenedDestination) -> Transfer:
        payment = await self.ledger.find(destination.org_id, destination.payment_id)
        if payment is None:
            raise InvariantBroken(f"payment {destination.payment_id} is no record of the ledger")
        at = self.clock.stamp(await self.orgs.clock_offset(destination.org_id))
        created = await self.ledger.create(begun(payment, destination, at), TRANSITIONS)
        if isinstance(created, CommitOutcome):
            raise InvariantBroken(f"the screening of {payment.id} holds money")
        return created.transfer

    async def _found(self, destination: ScreenedDestination) -> Transfer:
        found = await self.ledger.find(destination.org_id, destination.screening_id)
        if found is None:
            raise InvariantBroken(f"the screening {destination.screening_id} is gone")
        return found


async def decide_in(
    tx: Tx,
    ledger: Ledger,
    record: Transfer,
    status: PaymentScreeningStatus,
    *,
    actor: str,
    at: datetime,
) -> None:
    """Release or reject a destination with a hit; its payment becomes due at once.

    Raises `ResourceConflict` if another decision came first.
    """
    move = decided(record, status, actor=actor, at=at)
    if not isinstance(await ledger.advance_in(tx, move, TRANSITIONS), Transfer):
        raise ResourceConflict("this payment was released or rejected by another decision")
    payment = await lock_record(tx, record.org_id, UUID(record.details["transfer_id"]))
    if payment is not None and is_awaiting(payment):
        await postpone_record(tx, payment, at, {})
        await ledger.notifier.notify_in(tx)


def _is_released(record: Transfer) -> bool:
    return record.status == PaymentScreeningStatus.RELEASED


def _check_released(answers: Sequence[_DestinationState], at: datetime) -> None:
    """Raise unless all destinations are released: an order is sent as a whole or not at all."""
    waiting = [each for each in answers if not _is_released(each.record)]
    if not waiting:
        return
    statuses = {each.record.status for each in waiting}
    if PaymentScreeningStatus.REJECTED in statuses:
        raise Rejected(REFUSED)
    is_overdue = any(each.record.created_at + SCREENED_WITHIN <= at for each in waiting)
    attention = UNANSWERED if is_overdue else None
    missing = sorted({name for each in waiting for name in each.missing})
    if missing:
        attention = f"{INCOMPLETE}: {', '.join(missing)}"
    if PaymentScreeningStatus.HELD in statuses:
        attention = HELD
    raise PaymentAwaitsScreening(min(each.retry_at for each in waiting), attention)


def _transfer(destination: ScreenedDestination, record: Transfer, at: datetime) -> ScreenedTransfer:
    return copy_fields(
        destination,
        ScreenedTransfer,
        key=record.id,
        user_id=record.user_id,
        at=record.created_at,
        now=at,
        direction=ScreeningDirection.PAYMENT,
        transaction_hash=None,
        destination_address=destination.address,
        sender=None,
    )


@dataclass(frozen=True, slots=True)
class PaymentScreeningSteps:
    """Worker steps of due screenings; `transitions` are those of the payments, by kind of record.

    A screening is due when a webhook has announced an answer, and at intervals. Only the payment's
    own step asks the provider, because it knows the payee. So this step makes the payment due, or
    ends the screening if the payment has ended.
    """

    ledger: Ledger
    clock: Clock
    transitions: Mapping[str, Transitions[Any]]

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Make the payment due, or end the screening if the payment has ended."""
        screening = as_payment_screening(record)
        details, at = screening.details, self.clock.stamp(clock_offset)
        payment = await self.ledger.find(record.org_id, details.transfer_id)
        if payment is None or self.transitions[payment.kind].is_terminal(payment.status):
            move = decided(record, PaymentScreeningStatus.VOID, actor=ACTOR, at=at)
            await self.ledger.advance(move, TRANSITIONS)
            return
        if is_awaiting(payment):
            # Use the time, not a stamp: a stamp may be ahead, and this run would skip the payment.
            await self.ledger.postpone(payment, self.clock.now(clock_offset))
        await self.ledger.postpone(record, at + SCREENED_WITHIN)
