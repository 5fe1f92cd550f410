"""Worker steps of incoming payments.

The matcher gets each new payment. An unmatched payment waits for a person's decision if `holds` is
configured, or if many small payments were returned within a day. Otherwise it is returned: the
status RETURNING is the claim, and the key of the return is derived from the payment's id, so a
worker may be killed at any point. If a bank refuses the return, another payment with the next key
follows, after pauses that grow to a day, without end; each refusal is logged.

A step that takes long, for example because a bank does not answer, runs on during the next batches.
It delays only its own payment, and payments that may pay the same record.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Protocol
from uuid import UUID

import structlog

from landbridge.payments.incoming_payments.model import IncomingPayment, IncomingPaymentStatus
from landbridge.payments.incoming_payments.returns import return_payment
from landbridge.payments.incoming_payments.service import IncomingPayments
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy, Rejected, Unavailable, Unclear
from landbridge.platform.core.retry_policy import key_of_attempt, pause_after
from landbridge.platform.formats.texts import shorten
from landbridge.providers.rails.port import RailPaymentState, Rails

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 100
_FIRST_PAUSE_S = 1
# Longest retry interval, in seconds, of a payment that can't be processed yet.
_PAUSE_MAX_S = 300
# Retry interval if the bank does not say when to ask again.
_POLL_INTERVAL = timedelta(seconds=5)
# Seconds for which a batch waits for its steps.
_BATCH_S = 1.0
# Maximum of payments with a step that runs on during the next batches. If it is reached in all, no
# batch is started; if it is reached by one organisation, its payments are left out.
_LATE_MAX = 1_024
_LATE_EACH = 512


class PaymentMatcher(Protocol):
    """Matches incoming payments with the records that they pay."""

    async def match(self, payment: IncomingPayment) -> bool:
        """Match a payment in the transaction that advances the record; False if it pays none.

        A repeated match returns the same result. Raises `Unavailable` or `Busy` while the match is
        unknown.
        """
        ...


class _StepResult(Enum):
    """Result of a step."""

    WELL = auto()
    NOT_YET = auto()
    REFUSED = auto()  # the bank refused the return for good; another payment is due later
    WRONG = auto()


# Results that count as failures for operators.
_FAULTS = frozenset({_StepResult.REFUSED, _StepResult.WRONG})


@dataclass(frozen=True, slots=True)
class _StepOutcome:
    """Result of a step, and the pause before the next one, if known."""

    result: _StepResult
    pause_s: float = 0


_SUCCESSES = _StepOutcome(_StepResult.WELL)


@dataclass(frozen=True, slots=True)
class _StepPause:
    """Pause of a payment, which is skipped until `until_s` of the monotonic clock."""

    result: _StepResult
    pause_s: float
    until_s: float


class IncomingPaymentSteps:
    """Processes due incoming payments."""

    def __init__(
        self,
        incoming_payments: IncomingPayments,
        matcher: PaymentMatcher,
        rails: Rails,
        clock: Clock,
        *,
        holds_unmatched: bool = False,
    ) -> None:
        self._holds_unmatched = holds_unmatched
        self._incoming_payments = incoming_payments
        self._matcher = matcher
        self._rails = rails
        self._clock = clock
        self._pauses: dict[UUID, _StepPause] = {}
        # Groups with a running step, and the payments of these groups that still wait for a step,
        # with their organisations.
        self._running: dict[object, asyncio.Task[None]] = {}
        self._in_progress: dict[UUID, UUID] = {}

    @property
    def failing(self) -> int:
        """Number of payments with a last step or return that failed."""
        return sum(pause.result in _FAULTS for pause in self._pauses.values())

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Process one batch, the longest due first; return whether there may be more.

        A failed payment is skipped for a pause that doubles each time.
        """
        if len(self._in_progress) >= _LATE_MAX:
            await asyncio.wait(
                self._running.values(), timeout=_BATCH_S, return_when=asyncio.FIRST_COMPLETED
            )
            return False
        now_s = time.monotonic()
        # Only payments in a pause are skipped; a refused one has a later due time instead.
        resting = [
            each
            for each, pause in self._pauses.items()
            if pause.until_s > now_s and pause.result is not _StepResult.REFUSED
        ]
        counts = Counter(self._in_progress.values())
        takers = {each: offset for each, offset in offsets.items() if counts[each] < _LATE_EACH}
        found = await self._due(takers, skip=[*resting, *self._in_progress])
        # A payment waits while another one that may pay the same record is in progress.
        groups = {key: group for key, group in _groups(found).items() if key not in self._running}
        self._in_progress |= {each.id: each.org_id for group in groups.values() for each in group}
        # A payment that is not due after its pause was processed by another worker.
        self._pauses = {
            each: pause
            for each, pause in self._pauses.items()
            if pause.until_s > now_s or each in self._in_progress
        }
        started = [
            asyncio.create_task(self._run_group(key, group, offsets))
            for key, group in groups.items()
        ]
        self._running.update(zip(groups, started, strict=True))
        if started:
            await asyncio.wait(started, timeout=_BATCH_S)
        return len(found) == BATCH_SIZE and bool(started)

    async def close(self) -> None:
        """Wait for the steps that are still running."""
        if self._running:
            await asyncio.wait(list(self._running.values()))

    async def run_all(self, offsets: Mapping[UUID, timedelta]) -> int:
        """Process until only failing payments are due; return the number of successful steps."""
        stuck: set[UUID] = set()
        count = 0
        while outcomes := await self._run(offsets, skip=[*stuck, *self._in_progress]):
            stuck.update(
                each for each, step in outcomes.items() if step.result is not _StepResult.WELL
            )
            count += sum(step.result is _StepResult.WELL for step in outcomes.values())
        return count

    async def _run(
        self, offsets: Mapping[UUID, timedelta], *, skip: Collection[UUID]
    ) -> dict[UUID, _StepOutcome]:
        """Return the outcome of each payment of a batch."""
        groups = _groups(await self._due(offsets, skip=skip))
        outcomes: dict[UUID, _StepOutcome] = {}

        async def run_group(group: Sequence[IncomingPayment]) -> None:
            for each in group:
                outcomes[each.id] = await self._step(each, offsets[each.org_id])

        # Payments that may pay the same record are processed in order of arrival: the first pays
        # it, the second is returned.
        await asyncio.gather(*map(run_group, groups.values()))
        return outcomes

    async def _due(
        self, offsets: Mapping[UUID, timedelta], *, skip: Collection[UUID]
    ) -> Sequence[IncomingPayment]:
        clocks = self._clock.now_of(offsets)
        return await self._incoming_payments.due(clocks, skip=skip, limit=BATCH_SIZE)

    async def _run_group(
        self, key: object, group: Sequence[IncomingPayment], offsets: Mapping[UUID, timedelta]
    ) -> None:
        """Run the steps of a group one after the other."""
        try:
            for each in group:
                step = await self._step(each, offsets[each.org_id])
                before = self._pauses.pop(each.id, None)
                del self._in_progress[each.id]
                if step.result is not _StepResult.WELL:
                    pause_s = step.pause_s or _next_pause_s(before)
                    until_s = time.monotonic() + pause_s
                    self._pauses[each.id] = _StepPause(step.result, pause_s, until_s)
        finally:
            for each in group:
                self._in_progress.pop(each.id, None)
            del self._running[key]

    async def _step(self, payment: IncomingPayment, offset: timedelta) -> _StepOutcome:
        """Process a payment as far as possible; if that fails, only this payment stays due."""
        try:
            return await self._settle(payment, offset)
        except (Busy, Unavailable, Unclear) as error:
            _log.debug("incoming_payment.postponed", id=str(payment.id), reason=str(error))
            return _StepOutcome(_StepResult.NOT_YET)
        except Exception as error:  # noqa: BLE001  one receipt must not stop the others
            _log.error("incoming_payment.failed", id=str(payment.id), exc_info=error)
            return _StepOutcome(_StepResult.WRONG)

    async def _settle(self, payment: IncomingPayment, offset: timedelta) -> _StepOutcome:
        """Match or hold a payment, or start its return and poll the result."""
        returning: IncomingPayment | None = payment
        if payment.status is IncomingPaymentStatus.NEW:
            if await self._matcher.match(payment):
                return _SUCCESSES
            at = self._clock.stamp(offset)
            if self._holds_unmatched or not await self._incoming_payments.may_return(payment):
                await self._incoming_payments.hold(payment, at)
                return _SUCCESSES
            returning = await self._incoming_payments.begin_return(payment, at)
        return _SUCCESSES if returning is None else await self._give_back(returning, offset)

    async def _give_back(self, payment: IncomingPayment, offset: timedelta) -> _StepOutcome:
        """Return a payment, once per key, unless it was changed, for example settled outside."""
        current = await self._incoming_payments.get(payment.org_id, payment.id)
        if current.version != payment.version:
            return _SUCCESSES
        now = self._clock.now(offset)
        order = return_payment(
            payment, key=key_of_attempt(payment.id, payment.return_attempts), at=now
        )
        try:
            paid = await self._rails.pay(order)
        except Rejected as error:
            return await self._refused(payment, str(error), now)
        match paid.state:
            case RailPaymentState.SETTLED:
                await self._incoming_payments.end_return(payment, self._clock.stamp(offset))
            case RailPaymentState.PENDING:
                until = max(paid.expected_at or now, now + _POLL_INTERVAL)
                await self._incoming_payments.postpone(payment, until)
            case RailPaymentState.FAILED:
                return await self._refused(payment, paid.reason, now)
        return _SUCCESSES

    async def _refused(
        self, payment: IncomingPayment, reason: str | None, now: datetime
    ) -> _StepOutcome:
        """Record that the bank refused the present key; the next attempt follows after a pause."""
        attempts = payment.return_attempts + 1
        why = None if reason is None else shorten(reason)
        _log.warning(
            "incoming_payment.return_refused", id=str(payment.id), attempts=attempts, reason=why
        )
        await self._incoming_payments.record_refusal(payment, now + pause_after(attempts))
        return _StepOutcome(_StepResult.REFUSED, pause_after(attempts).total_seconds())


def _groups(
    payments: Sequence[IncomingPayment],
) -> Mapping[object, Sequence[IncomingPayment]]:
    """Group payments by the record that they may pay, and keep their order."""
    groups: dict[object, list[IncomingPayment]] = {}
    for each in payments:
        groups.setdefault(_match_group(each), []).append(each)
    return groups


def _match_group(payment: IncomingPayment) -> object:
    """Return a key shared by payments that may pay the same record."""
    if payment.status is IncomingPaymentStatus.NEW and payment.reference is not None:
        return payment.org_id, payment.account_number, payment.reference
    return payment.id


def _next_pause_s(before: _StepPause | None) -> float:
    return min(before.pause_s * 2, _PAUSE_MAX_S) if before else _FIRST_PAUSE_S
