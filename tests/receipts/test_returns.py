"""Fiat on its way back: a bank that is silent, slow, or refuses."""

import asyncio
import time
from collections.abc import Callable
from datetime import timedelta

import pytest

from landbridge.core.clock import FrozenClock
from landbridge.core.errors import (
    Rejected,
    Unavailable,
    Unclear,
)
from landbridge.receipts.model import Status
from landbridge.receipts.service import Receipts
from landbridge.simulation.model import Pace, Paces
from tests.simulation.faulty import FaultyRails
from tests.simulation.outside import paid_out
from tests.tenants import Tenant

from .play import NOW, NoTaker, run, steps_of, told


@pytest.mark.parametrize("error", [Unavailable("down"), Unclear("no answer")])
async def test_a_silent_bank_is_asked_again(
    org: Tenant, receipts: Receipts, rails: FaultyRails, error: Exception
) -> None:
    receipt = await receipts.receive(told(org.org_id, org.house.clock))
    rails.raise_after_next = error
    steps = steps_of(org, NoTaker(), rails)
    offsets, began_s = {org.org_id: NOW}, time.monotonic()
    assert not await steps.run_once(offsets)
    assert (await receipts.get(org.org_id, receipt.id)).status is Status.RETURNING
    # It rests for a second, which a busy machine may have taken, but for whoever asks for all.
    assert not await steps.run_once(offsets)
    assert rails.count("pay") == 1 or time.monotonic() - began_s >= 1
    await steps.run_all(offsets)
    assert (await receipts.get(org.org_id, receipt.id)).status is Status.RETURNED


async def test_a_slow_bank_is_asked_when_it_is_expected_to_know(
    org: Tenant, receipts: Receipts, rails: FaultyRails
) -> None:
    await org.house.memory.set_paces(
        org.org_id, Paces(rails=Pace.REAL), actor="test", at=org.house.clock.stamp()
    )
    receipt = await receipts.receive(told(org.org_id, org.house.clock, rail="ach"))
    steps = steps_of(org, NoTaker(), rails)
    await run(org, steps)
    await run(org, steps)
    waiting = await receipts.get(org.org_id, receipt.id)
    assert waiting.status is Status.RETURNING
    assert waiting.due_at is not None
    assert waiting.due_at > receipt.received_at + timedelta(days=1)
    assert rails.count("pay") == 1
    await run(org, steps, timedelta(days=7))
    assert (await receipts.get(org.org_id, receipt.id)).status is Status.RETURNED


@pytest.mark.parametrize("how", ["failed", "rejected"])
async def test_a_bank_that_refuses_to_give_back_is_asked_under_another_key(
    still_org: Tenant, still_clock: FrozenClock, logged: Callable[[], str], how: str
) -> None:
    org, receipts = still_org, still_org.house.receipts
    rails = FaultyRails(org.house.rails)
    receipt = await receipts.receive(told(org.org_id, org.house.clock))
    # It is due at its stamp, which may be a moment ahead of a clock that stands still.
    still_clock.at += timedelta(seconds=1)
    steps, offset = steps_of(org, NoTaker(), rails), NOW

    def refuse() -> None:
        if how == "failed":
            rails.fail_next = "the account is closed"
        else:
            rails.raise_before_next = Rejected("the account is closed")

    refuse()
    await run(org, steps)
    for tries in range(1, 14):
        assert (await receipts.get(org.org_id, receipt.id)).return_tries == tries
        assert rails.count("pay") == tries
        refuse()
        pause = min(timedelta(minutes=2 ** (tries - 1)), timedelta(days=1))
        await run(org, steps, offset + pause - timedelta(seconds=1))
        assert rails.count("pay") == tries
        offset += pause + timedelta(seconds=10)
        await run(org, steps, offset)
    assert (await receipts.get(org.org_id, receipt.id)).status is Status.RETURNING
    assert rails.calls[0] == ("pay", receipt.id)
    assert len({key for _, key in rails.calls}) == 14
    assert logged().count("receipt.not_returned") == 14
    assert str(receipt.id) in logged()
    assert "000123456789" not in logged()
    # Looked at in its turn, it counts as failing until it is given back.
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
    assert (await receipts.get(org.org_id, receipt.id)).status is Status.RETURNED
    assert await paid_out(org.house.database, org.org_id) == {"usd:BANK": 10_000}


async def test_two_workers_count_a_refusal_once(org: Tenant, receipts: Receipts) -> None:
    receipt = await receipts.receive(told(org.org_id, org.house.clock))
    claimed = await receipts.begin_return(receipt, org.house.clock.stamp())
    assert claimed is not None
    until = org.house.clock.now() + timedelta(minutes=1)
    await asyncio.gather(*(receipts.refused(claimed, until) for _ in range(4)))
    assert (await receipts.get(org.org_id, receipt.id)).return_tries == 1
