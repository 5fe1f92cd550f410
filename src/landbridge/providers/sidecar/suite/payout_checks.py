"""Checks of every payout adapter: success, refusals, silence, repetition, returns, payees."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from landbridge.platform.core.errors import InvariantBroken, Rejected, Unclear, Upstream
from landbridge.platform.core.ids import new_id
from landbridge.providers.rails.port import PayeeMatch, PayoutDestination, RailPayment
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.model import AnswerUnusable, NothingDone, PayoutReport
from landbridge.providers.sidecar.payee_protocol import PAYEES_PATH
from landbridge.providers.sidecar.protocol import PayoutState, RequestedOutcome
from landbridge.providers.sidecar.suite.model import (
    CheckFailed,
    CheckOutcome,
    ContractCheck,
    ContractResult,
    run_check,
)
from landbridge.providers.sidecar.suite.protocol_checks import ProtocolChecks
from landbridge.providers.sidecar.suite.sidecar_adapter import SidecarUnderTest

# Amounts in smallest units.
_AMOUNT, _OTHER_AMOUNT, _AMOUNTS = 1234, 1235, (1, 100, 99_999_999)
# Maximum waits of the adapter until an outcome must have appeared.
_WAITS_MAX = 60
_REPEATS = 5
_DROPPED_AFTER_S = (0.0, 0.002, 0.02)


async def run_checks(adapter: SidecarUnderTest) -> Sequence[ContractResult]:
    """Run the checks in order."""
    return [await _run(each, adapter) for each in PAYOUT_CHECKS]


async def _run(check: ContractCheck, adapter: SidecarUnderTest) -> ContractResult:
    if missing := check.needs - frozenset(adapter.outcomes):
        names = ", ".join(sorted(missing))
        return ContractResult(
            check.name, CheckOutcome.SKIPPED, f"the adapter has no test outcome {names}"
        )
    return await run_check(check.name, lambda: check.run(adapter))


async def _settles(adapter: SidecarUnderTest) -> None:
    payment, _ = await _paid(adapter, RequestedOutcome.SETTLE)
    await _until(adapter, payment, PayoutState.SETTLED)
    for _ in range(_REPEATS):
        _expect(await _known(adapter, payment), PayoutState.SETTLED)


async def _carries_amounts(adapter: SidecarUnderTest) -> None:
    for units in _AMOUNTS:
        payment = adapter.payment(units)
        report = await adapter.pay(payment, RequestedOutcome.SETTLE)
        if report.money != payment.money:
            raise CheckFailed(f"an order of {payment.money} was answered with {report.money}")


async def _repeats_nothing(adapter: SidecarUnderTest) -> None:
    payment, first = await _paid(adapter, RequestedOutcome.SETTLE)
    again = await asyncio.gather(
        *(adapter.pay(payment, RequestedOutcome.SETTLE) for _ in range(_REPEATS))
    )
    await _until(adapter, payment, PayoutState.SETTLED)
    late = await adapter.pay(payment, RequestedOutcome.SETTLE)
    if any(each.provider_reference != first.provider_reference for each in (*again, late)):
        raise CheckFailed("one key was answered with several payments")
    _expect(late, PayoutState.SETTLED)


async def _orders_once_at_a_time(adapter: SidecarUnderTest) -> None:
    payment = adapter.payment(_AMOUNT)
    reports = await asyncio.gather(
        *(adapter.pay(payment, RequestedOutcome.SETTLE) for _ in range(_REPEATS))
    )
    if len({each.provider_reference for each in reports}) > 1:
        raise CheckFailed("concurrent calls with one key were answered with several payments")


async def _refuses_another_payment(adapter: SidecarUnderTest) -> None:
    payment, first = await _paid(adapter, RequestedOutcome.SETTLE)
    other = _with_amount(adapter, payment, _OTHER_AMOUNT)
    try:
        await adapter.pay(other, RequestedOutcome.SETTLE)
    except (AnswerUnusable, InvariantBroken):
        pass
    except Rejected as error:
        raise CheckFailed(
            "a known key with another amount was refused as if nothing was paid under it"
        ) from error
    else:
        raise CheckFailed("a known key with another amount was accepted")
    report = await _known(adapter, payment)
    if report.provider_reference != first.provider_reference:
        raise CheckFailed("the payment of the key changed")


async def _knows_no_other_key(adapter: SidecarUnderTest) -> None:
    payment = adapter.payment(_AMOUNT)
    if await adapter.find(payment) is not None:
        raise CheckFailed("a key that was never ordered is known")
    # A query before the order, as after a lost call, must not make the key unusable.
    await adapter.pay(payment, RequestedOutcome.SETTLE)
    await _until(adapter, payment, PayoutState.SETTLED)


async def _refuses_for_good(adapter: SidecarUnderTest) -> None:
    payment = adapter.payment(_AMOUNT)
    for _ in range(2):
        try:
            report = await adapter.pay(payment, RequestedOutcome.REFUSE)
        except Rejected:
            continue
        if report.state is not PayoutState.FAILED:
            await _until(adapter, payment, PayoutState.FAILED)
    await adapter.pass_time()
    report = await adapter.find(payment)
    if report is not None and report.state is not PayoutState.FAILED:
        raise CheckFailed(f"a refused payout is {report.state}")


async def _fails_for_good(adapter: SidecarUnderTest) -> None:
    payment = adapter.payment(_AMOUNT)
    with suppress(Rejected):
        await adapter.pay(payment, RequestedOutcome.FAIL)
    report = await _until(adapter, payment, PayoutState.FAILED)
    if not report.reason:
        raise CheckFailed("a failed payout has no reason")
    await adapter.pass_time()
    _expect(await _known(adapter, payment), PayoutState.FAILED)
    with suppress(Rejected):
        _expect(await adapter.pay(payment, RequestedOutcome.FAIL), PayoutState.FAILED)


async def _returns_after_settlement(adapter: SidecarUnderTest) -> None:
    payment, _ = await _paid(adapter, RequestedOutcome.RETURN)
    await _until(adapter, payment, PayoutState.RETURNED)
    report = await adapter.pay(payment, RequestedOutcome.RETURN)
    _expect(report, PayoutState.RETURNED)


async def _keeps_what_it_did_not_answer(adapter: SidecarUnderTest) -> None:
    payment = adapter.payment(_AMOUNT)
    try:
        await adapter.pay(payment, RequestedOutcome.SILENCE)
    except NothingDone as error:
        raise CheckFailed(f"a silent call counts as undone: {error}") from error
    except Unclear:
        pass
    else:
        raise CheckFailed("the first call was answered")
    first = await _until(adapter, payment, PayoutState.SETTLED)
    again = await adapter.pay(payment, RequestedOutcome.SILENCE)
    if again.provider_reference != first.provider_reference:
        raise CheckFailed("a repeated call after silence was paid again")


async def _can_be_ordered_again(adapter: SidecarUnderTest) -> None:
    payment = adapter.payment(_AMOUNT)
    try:
        await adapter.pay(payment, RequestedOutcome.NOT_DONE)
    except NothingDone:
        pass
    else:
        raise CheckFailed("the first call did not answer not_done")
    if await adapter.find(payment) is not None:
        raise CheckFailed("what was answered with not_done was done")
    await adapter.pay(payment, RequestedOutcome.NOT_DONE)
    await _until(adapter, payment, PayoutState.SETTLED)


async def _survives_broken_calls(adapter: SidecarUnderTest) -> None:
    """Break off calls at several moments, as a crash of the caller would, and order again."""
    for pause_s in _DROPPED_AFTER_S:
        payment = adapter.payment(_AMOUNT)
        call = asyncio.ensure_future(adapter.pay(payment, RequestedOutcome.SETTLE))
        await asyncio.sleep(pause_s)
        call.cancel()
        with suppress(asyncio.CancelledError, Upstream):
            await call
        before = await adapter.find(payment)
        after = await adapter.pay(payment, RequestedOutcome.SETTLE)
        if before is not None and before.provider_reference != after.provider_reference:
            raise CheckFailed("a payout was paid again after a call that was broken off")
        await _until(adapter, payment, PayoutState.SETTLED)


async def _paid(
    adapter: SidecarUnderTest, outcome: RequestedOutcome
) -> tuple[RailPayment, PayoutReport]:
    payment = adapter.payment(_AMOUNT)
    report = await adapter.pay(payment, outcome)
    if report.state not in {PayoutState.PENDING, PayoutState.SETTLED}:
        raise CheckFailed(f"a new payout is {report.state}")
    return payment, report


async def _known(adapter: SidecarUnderTest, payment: RailPayment) -> PayoutReport:
    report = await adapter.find(payment)
    if report is None:
        raise CheckFailed("an accepted payout is not known")
    return report


async def _until(
    adapter: SidecarUnderTest, payment: RailPayment, state: PayoutState
) -> PayoutReport:
    """Wait for a state; raises `CheckFailed` if another final state comes before it."""
    passing = {PayoutState.PENDING}
    if state is PayoutState.RETURNED:
        passing.add(PayoutState.SETTLED)
    report = await _known(adapter, payment)
    for _ in range(_WAITS_MAX):
        if report.state is state or report.state not in passing:
            break
        await adapter.pass_time()
        report = await _known(adapter, payment)
    if report.state is not state:
        raise CheckFailed(f"a payout that was to be {state} is {report.state}")
    return report


def _expect(report: PayoutReport, state: PayoutState) -> None:
    if report.state is not state:
        raise CheckFailed(f"a payout that was {state} became {report.state}")


def _with_amount(adapter: SidecarUnderTest, payment: RailPayment, units: int) -> RailPayment:
    return replace(payment, money=adapter.payment(units).money)


def _check(
    name: str, run: Callable[[SidecarUnderTest], Awaitable[None]], *needs: RequestedOutcome
) -> ContractCheck:
    return ContractCheck(name, frozenset(needs), run)


_O = RequestedOutcome
PAYOUT_CHECKS = (
    _check("a payout settles, and stays settled", _settles, _O.SETTLE),
    _check("amounts are carried to the last digit", _carries_amounts, _O.SETTLE),
    _check("a repeated call pays nothing again", _repeats_nothing, _O.SETTLE),
    _check("concurrent calls with one key pay once", _orders_once_at_a_time, _O.SETTLE),
    _check("a known key takes no other payment", _refuses_another_payment, _O.SETTLE),
    _check("an unknown key is unknown", _knows_no_other_key, _O.SETTLE),
    _check("a call that is broken off pays at most once", _survives_broken_calls, _O.SETTLE),
    _check("a refusal is final", _refuses_for_good, _O.REFUSE),
    _check("a failure is final", _fails_for_good, _O.FAIL),
    _check("a return after settlement is reported", _returns_after_settlement, _O.RETURN),
    _check("an order without an answer is kept", _keeps_what_it_did_not_answer, _O.SILENCE),
    _check("what was not done can be ordered again", _can_be_ordered_again, _O.NOT_DONE),
)


_INVALID = (b"", b"{", b"null", b"[]", b"{}", b"\xff")


@dataclass(frozen=True, slots=True)
class PayeeChecks:
    """Checks of one sidecar about one payee."""

    protocol: ProtocolChecks
    client: SidecarClient
    outcomes: Collection[PayeeMatch]
    rail: str
    currency: str
    payee: Mapping[str, Any]

    async def run(self) -> Sequence[ContractResult]:
        """Run the checks in order; none if the sidecar verifies no payees."""
        if not self.outcomes:
            return []
        checks: dict[str, Callable[[], Awaitable[str | None]]] = {
            f"a payee is verified: {each.value}": partial(self._answered, each)
            for each in self.outcomes
        }
        checks["invalid requests about payees are refused"] = self._invalid
        return [await run_check(name, check) for name, check in checks.items()]

    async def _answered(self, outcome: PayeeMatch) -> str | None:
        destination = PayoutDestination(
            org_id=new_id(), rail=self.rail, currency=self.currency, payee=self.payee
        )
        answers = {
            await self.client.verify_payee(destination, test_outcome=outcome) for _ in range(2)
        }
        if {each.match for each in answers} != {outcome}:
            raise CheckFailed(f"it is answered with {sorted(each.match for each in answers)}")
        return None

    async def _invalid(self) -> None:
        await self.protocol.check_refusals(_INVALID, PAYEES_PATH)
