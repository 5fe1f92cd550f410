"""Returns of fiat, with a bank that is silent, slow, or refuses."""

import asyncio
import time
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from typing_extensions import override

from landbridge.payments.incoming_payments import steps as incoming_payment_steps
from landbridge.payments.incoming_payments.model import IncomingPaymentStatus
from landbridge.payments.incoming_payments.service import IncomingPayments
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.errors import Rejected, Unavailable, Unclear
from landbridge.providers.rails.port import RailPayment, RailPaymentStatus, Rails
from landbridge.providers.simulation.model import LatencyProfile, LatencyProfiles
from tests.make import make_org
from tests.payments.incoming_payments.incoming_payment_setup import (
    NOW,
    NoTaker,
    make_credit,
    run,
    steps_of,
)
from tests.providers.simulation.external_state import paid_out
from tests.providers.simulation.faulty import FaultyRails
from tests.tenants import Tenant


@pytest.mark.parametrize("error", [Unavailable("down"), Unclear("no answer")])
async def test_unanswered_bank_is_queried_again(
    org: Tenant, incoming_payments: IncomingPayments, rails: FaultyRails, error: Exception
) -> None:
    incoming_payment = await incoming_payments.receive(make_credit(org.org_id, org.container.clock))
    rails.raise_after_next = error
    steps = steps_of(org, NoTaker(), rails)
    offsets, began_s = {org.org_id: NOW}, time.monotonic()
    assert not await steps.run_once(offsets)
    assert (
        await incoming_payments.get(org.org_id, incoming_payment.id)
    ).status is IncomingPaymentStatus.RETURNING
    # The return is postponed by a second, which may have passed on a busy machine; a run over all
    # ignores that.
    assert not await steps.run_once(offsets)
    assert rails.count("pay") == 1 or time.monotonic() - began_s >= 1
    await steps.run_all(offsets)
    assert (
        await incoming_payments.get(org.org_id, incoming_payment.id)
    ).status is IncomingPaymentStatus.RETURNED


async def test_slow_bank_is_queried_when_its_result_is_expected(
    org: Tenant, incoming_payments: IncomingPayments, rails: FaultyRails
) -> None:
    await org.container.simulated_state.set_latencies(
        org.org_id,
        LatencyProfiles(rails=LatencyProfile.REAL),
        actor="test",
        at=org.container.clock.stamp(),
    )
    incoming_payment = await incoming_payments.receive(
        make_credit(org.org_id, org.container.clock, rail="ach")
    )
    steps = steps_of(org, NoTaker(), rails)
    await run(org, steps)
    await run(org, steps)
    waiting = await incoming_payments.get(org.org_id, incoming_payment.id)
    assert waiting.status is IncomingPaymentStatus.RETURNING
    assert waiting.due_at is not None
    assert waiting.due_at > incoming_payment.received_at + timedelta(days=1)
    assert rails.count("pay") == 1
    await run(org, steps, timedelta(days=7))
    assert (
        await incoming_payments.get(org.org_id, incoming_payment.id)
    ).status is IncomingPaymentStatus.RETURNED


@pytest.mark.parametrize("how", ["failed", "rejected"])
async def test_refused_return_is_repeated_under_another_key(
    still_org: Tenant, still_clock: FrozenClock, logged: Callable[[], str], how: str
) -> None:
    org, incoming_payments = still_org, still_org.container.incoming_payments
    rails = FaultyRails(org.container.rails)
    incoming_payment = await incoming_payments.receive(make_credit(org.org_id, org.container.clock))
    # The payment is due at its stamp, which may be slightly ahead of a stopped clock.
    still_clock.at += timedelta(seconds=1)
    steps, offset = steps_of(org, NoTaker(), rails), NOW

    def refuse() -> None:
        if how == "failed":
            rails.fail_next = "the account is closed"
        else:
            rails.raise_before_next = Rejected("the account is closed")

    refuse()
    await run(org, steps)
    for attempts in range(1, 14):
        assert (
            await incoming_payments.get(org.org_id, incoming_payment.id)
        ).return_attempts == attempts
        assert rails.count("pay") == attempts
        refuse()
        pause = min(timedelta(minutes=2 ** (attempts - 1)), timedelta(days=1))
        await run(org, steps, offset + pause - timedelta(seconds=1))
        assert rails.count("pay") == attempts
        offset += pause + timedelta(seconds=10)
        await run(org, steps, offset)
    assert (
        await incoming_payments.get(org.org_id, incoming_payment.id)
    ).status is IncomingPaymentStatus.RETURNING
    assert rails.calls[0] == ("pay", incoming_payment.id)
    assert len({key for _, key in rails.calls}) == 14
    assert logged().count("incoming_payment.return_refused") == 14
    assert str(incoming_payment.id) in logged()
    assert "000123456789" not in logged()
    # Once processed, it counts as failing until it is returned.
    refuse()
    offset += timedelta(days=2)
    await steps.run_once({org.org_id: offset})
    assert steps.failing == 1
    await steps.run_once({org.org_id: offset})
    assert (steps.failing, rails.count("pay")) == (1, 15)
    rails.fail_next = rails.raise_before_next = None
    await steps.run_once({org.org_id: offset + timedelta(days=2)})
    assert steps.failing == 0
    await run(org, steps, offset + timedelta(days=2))
    assert (
        await incoming_payments.get(org.org_id, incoming_payment.id)
    ).status is IncomingPaymentStatus.RETURNED
    assert await paid_out(org.container.database, org.org_id) == {"usd:BANK": 10_000}


async def test_two_workers_count_a_refusal_once(
    org: Tenant, incoming_payments: IncomingPayments
) -> None:
    incoming_payment = await incoming_payments.receive(make_credit(org.org_id, org.container.clock))
    claimed = await incoming_payments.begin_return(incoming_payment, org.container.clock.stamp())
    assert claimed is not None
    until = org.container.clock.now() + timedelta(minutes=1)
    await asyncio.gather(*(incoming_payments.record_refusal(claimed, until) for _ in range(4)))
    assert (await incoming_payments.get(org.org_id, incoming_payment.id)).return_attempts == 1


class SilentRails(FaultyRails):
    """Bank that does not answer for payments of one organisation."""

    def __init__(self, inner: Rails, org_id: UUID) -> None:
        super().__init__(inner)
        self.org_id = org_id
        self.answer = asyncio.Event()

    @override
    async def pay(self, payment: RailPayment) -> RailPaymentStatus:
        if payment.org_id == self.org_id:
            self.calls.append(("pay", payment.key))
            await self.answer.wait()
            raise Unclear("no answer")
        return await super().pay(payment)


async def test_a_bank_without_an_answer_delays_its_return_alone(
    org: Tenant, incoming_payments: IncomingPayments, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incoming_payment_steps, "_BATCH_S", 0.05)
    other_id = await make_org(org.container.database)
    clock = org.container.clock
    rails = SilentRails(org.container.rails, org.org_id)
    steps = steps_of(org, NoTaker(), rails)
    offsets = {org.org_id: NOW, other_id: NOW}
    first = await incoming_payments.receive(make_credit(org.org_id, clock))
    async with asyncio.timeout(20):
        await steps.run_once(offsets)
        other = await incoming_payments.receive(make_credit(other_id, clock))
        while (
            await incoming_payments.get(other_id, other.id)
        ).status is not IncomingPaymentStatus.RETURNED:
            await steps.run_once(offsets)
        # Its return is not started a second time meanwhile, nor is one that may pay the same.
        await incoming_payments.receive(make_credit(org.org_id, clock))
        await steps.run_once(offsets)
        assert rails.count("pay") == 2
        rails.answer.set()
        await steps.close()
    assert (
        await incoming_payments.get(org.org_id, first.id)
    ).status is IncomingPaymentStatus.RETURNING
    assert steps.failing == 0
