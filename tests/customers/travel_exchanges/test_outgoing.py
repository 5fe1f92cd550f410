"""Payments to a wallet at another provider: one inquiry, one answer, one confirmation."""

import asyncio
import json
from collections.abc import AsyncGenerator

import pytest

from landbridge.platform.db.pool import Database
from tests.customers.payment_screening.payment_world import OUTSIDE
from tests.customers.travel_exchanges.exchange_world import (
    BASE,
    ON,
    SETTING,
    VASP,
    ExchangeWorld,
    WorkerKilled,
    exchange_world,
)
from tests.customers.travel_rule.travel_world import HOSTED, SELF_HOSTED
from tests.tenants import held


@pytest.fixture
async def world(database: Database) -> AsyncGenerator[ExchangeWorld]:
    async with exchange_world(database) as found:
        yield found


@pytest.mark.parametrize("script", ["approves", "calls-back", "doubled"])
async def test_a_payment_is_sent_after_the_approval_and_confirmed(
    world: ExchangeWorld, script: str
) -> None:
    payment = await world.pay(script)
    assert await world.missing() == ["exchange.delivery"]
    assert world.payments.sent_to() == 0
    await world.settle()
    assert await world.payments.transfer_status(payment) == "COMPLETED"
    exchange = await world.exchange()
    assert (exchange["status"], exchange["pendingMessage"]) == ("CONFIRMED", None)
    assert (exchange["transferId"], exchange["walletAddress"]) == (payment, OUTSIDE)
    ((key, inquiry),) = world.vasps.of_kind("inquiry")
    assert key == exchange["requestIdentifier"] == exchange["id"]
    assert b'"amount":10,' in inquiry
    assert b"Builder" in inquiry
    ((_, confirmation),) = world.vasps.of_kind("confirmation")
    assert exchange["transactionHash"].encode() in confirmation
    await world.payments.check()


async def test_a_silent_provider_decides_nothing(world: ExchangeWorld) -> None:
    payment = await world.pay("silent")
    await world.settle()
    await world.payments.work(days=2)
    assert await world.missing() == ["exchange.answer"]
    assert await world.payments.transfer_status(payment) == "INITIATED"
    assert len(world.vasps.of_kind("inquiry")) == 1
    stuck = (await world.org.get("/v2/stuck"))["stuck"]
    assert any((each["attention"] or "").endswith(": exchange.answer") for each in stuck)


async def test_a_malformed_answer_is_asked_for_again_with_the_same_key(
    world: ExchangeWorld,
) -> None:
    await world.pay("malformed")
    await world.settle()
    assert await world.missing() == ["exchange.delivery"]
    assert (await world.exchange())["problem"] == "the answer was not valid"
    inquiries = world.vasps.of_kind("inquiry")
    assert len(inquiries) > 2
    assert len(set(inquiries)) == 1
    assert world.payments.sent_to() == 0


async def test_a_rejected_payment_waits_until_people_give_up(world: ExchangeWorld) -> None:
    payment = await world.pay("rejects")
    await world.settle()
    assert await world.missing() == ["exchange.rejection"]
    # Other data about the wallet don't lead around the rejection.
    await world.org.send("PUT", world.wallet, SELF_HOSTED)
    await world.settle()
    assert await world.missing() == ["exchange.rejection"]
    assert world.payments.sent_to() == 0
    assert (await world.payments.team.resolve(payment, "FAIL"))["status"] == "COMPLETED"
    await world.settle()
    assert await world.payments.transfer_status(payment) == "FAILED"
    assert await held(world.org, world.payments.ada) == "1000"
    assert (await world.exchange())["status"] == "CANCELLED"
    assert world.vasps.of_kind("confirmation") == []


async def test_a_late_approval_is_answered_with_the_cancellation(world: ExchangeWorld) -> None:
    payment = await world.pay("silent")
    await world.deliver()
    exchange = await world.exchange()
    assert (await world.payments.team.resolve(payment, "FAIL"))["status"] == "COMPLETED"
    await world.settle()
    assert (await world.exchange())["status"] == "CANCELLED"
    await _approve(world, exchange["id"])
    await world.settle()
    assert (await world.exchange())["status"] == "CANCELLED"
    ((_, body),) = world.vasps.of_kind("confirmation")
    assert b"canceled" in body
    assert world.payments.sent_to() == 0


async def test_a_payment_that_fails_after_the_approval_is_canceled(world: ExchangeWorld) -> None:
    await world.state("silent")
    payment = await world.payments.transfer("10")
    await world.deliver()
    exchange = await world.exchange()
    await _approve(world, exchange["id"])
    assert (await world.exchange())["status"] == "APPROVED"
    world.payments.chains.fail_next = "reverted"
    await world.settle()
    assert await world.payments.transfer_status(payment) == "FAILED"
    assert (await world.exchange())["status"] == "CANCELLED"
    ((_, body),) = world.vasps.of_kind("confirmation")
    assert b"canceled" in body


@pytest.mark.parametrize("version", [-1, 2**31, 10**30])
async def test_a_setting_instead_of_an_impossible_version_is_refused(
    world: ExchangeWorld, version: int
) -> None:
    reply = await world.org.send("PUT", SETTING, ON | {"version": version})
    assert reply.status_code == 400, reply.text
    assert "version" in reply.text


async def test_an_unknown_provider_gets_nothing(world: ExchangeWorld) -> None:
    await world.org.send("PUT", SETTING, ON | {"counterparties": []})
    await world.pay("approves")
    await world.settle()
    assert await world.missing() == ["exchange.counterparty"]
    assert world.vasps.sent == []
    await world.org.send("PUT", SETTING, ON | {"assets": []})
    await world.settle()
    assert await world.missing() == ["exchange.asset"]
    await world.org.send(
        "PUT", SETTING, ON | {"counterparties": [VASP | {"amountUnit": "SMALLEST"}]}
    )
    await world.settle()
    ((_, body),) = world.vasps.of_kind("inquiry")
    assert b'"amount":10000000,' in body


async def test_a_hosted_wallet_without_a_travel_address_waits_if_it_is_required(
    world: ExchangeWorld,
) -> None:
    await world.org.send("PUT", SETTING, ON | {"requiresTravelAddress": True})
    await world.org.send("PUT", world.wallet, HOSTED)
    payment = await world.payments.transfer("10")
    assert await world.missing() == ["travelAddress"]
    await world.org.send("PUT", SETTING, ON)
    await world.settle()
    assert await world.payments.transfer_status(payment) == "COMPLETED"


async def test_an_approval_of_another_wallet_sends_nothing(world: ExchangeWorld) -> None:
    await world.pay("silent")
    await world.deliver()
    exchange = await world.exchange()
    await _approve(world, exchange["id"], address="0x" + "1" * 40)
    await world.settle()
    assert await world.missing() == ["exchange.otherWallet"]
    assert world.payments.sent_to() == 0


async def _approve(world: ExchangeWorld, key: str, address: str = OUTSIDE) -> None:
    """Send the approval of an inquiry to the callback that it named."""
    ((_, body),) = world.vasps.of_kind("inquiry")
    callback = json.loads(body)["callback"].removeprefix(BASE)
    approved = {"address": address, "callback": f"{BASE}/sandbox/vasp/silent/confirmations"}
    replied = await world.org.client.post(
        callback,
        json={"approved": approved},
        headers={"api-version": "3.2.1", "request-identifier": key},
    )
    assert replied.status_code == 204, replied.text


@pytest.mark.parametrize("kind", ["inquiry", "confirmation"])
async def test_a_lost_answer_repeats_the_same_message_with_the_same_key(
    world: ExchangeWorld, kind: str
) -> None:
    world.vasps.loses = [kind, kind]
    payment = await world.pay("approves")
    await world.settle()
    messages = world.vasps.of_kind(kind)
    assert len(messages) == 3
    assert len(set(messages)) == 1
    assert (await world.exchange())["status"] == "CONFIRMED"
    assert await world.payments.transfer_status(payment) == "COMPLETED"
    assert world.payments.sent_to() == 1


async def test_a_worker_that_is_killed_after_a_message_leaves_one_exchange(
    world: ExchangeWorld,
) -> None:
    """Each message is sent, and the worker dies before it records that."""
    payment = await world.pay("calls-back")
    for kind in ("inquiry", "confirmation"):
        world.vasps.kills = [kind]
        with pytest.raises(WorkerKilled):
            await world.settle()
    await world.settle()
    exchange = await world.exchange()
    assert exchange["status"] == "CONFIRMED"
    for kind in ("inquiry", "confirmation"):
        messages = world.vasps.of_kind(kind)
        # What the callback has answered meanwhile is not sent again.
        assert len(messages) == (1 if kind == "inquiry" else 2)
        assert len(set(messages)) == 1
    assert await world.payments.transfer_status(payment) == "COMPLETED"
    assert world.payments.sent_to() == 1
    await world.payments.check()


async def test_workers_at_once_send_each_message_once(world: ExchangeWorld) -> None:
    await world.pay("approves")
    dispatcher, org_id = world.org.container.exchange_dispatcher, world.org.org_id
    await asyncio.gather(*(dispatcher.run_once([org_id]) for _ in range(5)))
    # Time must not pass while they send: a lease that ran out lets another send again.
    await dispatcher.finish()
    await world.settle()
    assert len(world.vasps.of_kind("inquiry")) == 1
    assert len(world.vasps.of_kind("confirmation")) == 1
