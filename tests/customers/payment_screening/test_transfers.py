"""Transfers to outside that are screened: nothing is sent before an answer."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from landbridge.app.container import AUDIT_RULES, TRANSITIONS, wire
from landbridge.customers.payment_screening.model import KIND
from landbridge.ledger.audit import audit
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Unclear
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.halts import HaltedChains
from landbridge.providers.kyt.sandbox import SLOW_FOR
from landbridge.providers.simulation.model import SimulatedSystem
from tests.customers.payment_screening.payment_world import (
    OUTSIDE,
    SCREENINGS,
    PaymentWorld,
    payment_world,
)
from tests.held_deposits import make_held_payment
from tests.providers.simulation.external_state import orders
from tests.resolution_team import RESOLUTIONS, body
from tests.tenants import (
    SETTINGS,
    TRANSFERS,
    Tenant,
    held,
    make_tenant,
    make_user,
    refusal,
    run_due,
    transfer_body,
)


@pytest.fixture
async def world(database: Database) -> AsyncGenerator[PaymentWorld]:
    async with payment_world(database) as found:
        yield found


async def test_a_clear_destination_is_paid_at_once(world: PaymentWorld) -> None:
    created = await world.transfer("10")
    assert await world.transfer_status(created) == "COMPLETED"
    (screening,) = await world.screenings(status="RELEASED")
    assert screening == {
        "id": screening["id"],
        "status": "RELEASED",
        "transferId": created,
        "transferType": "WALLET.TRANSFER",
        "userId": world.ada,
        "amount": "10",
        "currency": "usdc",
        "chain": "POLYGON",
        "sourceAddress": screening["sourceAddress"],
        "destinationAddress": OUTSIDE,
        "paymentRail": None,
        "provider": "sandbox",
        "categories": [],
        "missing": [],
        "reference": screening["reference"],
        "createdAt": screening["createdAt"],
        "updatedAt": screening["updatedAt"],
    }
    assert await world.org.get(f"{SCREENINGS}/{screening['id']}") == screening
    await world.check()


async def test_without_configuration_only_halts_stand_before_the_chains(org: Tenant) -> None:
    assert not org.container.screens_payments
    halted = org.container.chains
    assert isinstance(halted, HaltedChains)
    assert type(halted.chains).__name__ == "SandboxChains"
    assert await org.get(SCREENINGS) == {"count": 0, "reviews": []}


async def test_coins_that_stay_in_the_books_are_not_screened(world: PaymentWorld) -> None:
    bob = await make_user(world.org)
    await world.org.post(TRANSFERS, transfer_body(world.ada, bob, "10.66"))
    await world.settle()
    assert await held(world.org, bob) == "10.66"
    assert await world.screenings(status=["IN_SCREENING", "HELD", "RELEASED"]) == []


async def test_a_hit_is_held_until_two_people_release_it(world: PaymentWorld) -> None:
    created = await world.transfer()
    (screening,) = await world.screenings()
    assert (screening["status"], screening["categories"]) == ("HELD", ["sanctions"])
    for _ in range(3):
        await world.work(hours=9)
    assert await world.transfer_status(created) == "INITIATED"
    assert world.sent_to() == 0
    (stuck,) = [each for each in await _stuck(world) if each["id"] == created]
    assert "two people" in stuck["attention"]
    assert await world.team.actions(screening["id"]) == ["RELEASE", "REJECT"]
    resolution = await world.team.request(screening["id"], "RELEASE")
    await world.work()
    # One person is not enough, and the same one can't approve.
    own = await world.team.reviewer.send(
        "POST", f"/v2/transfer-approvals/{resolution['approvalId']}/approve", {}
    )
    assert own.status_code == 403
    assert world.sent_to() == 0
    await world.team.approve(resolution)
    await world.work()
    # The decision has made the payment due; the worker may have looked at it just before.
    await world.work()
    assert (world.sent_to(), await world.transfer_status(created)) == (1, "COMPLETED")
    assert await held(world.org, world.ada) == "989.34"
    assert await _stuck(world) == []
    assert await world.team.actions(screening["id"]) == []
    await world.check()


async def test_a_rejection_gives_the_coins_back(world: PaymentWorld) -> None:
    created = await world.transfer()
    assert await world.decide("REJECT") == "COMPLETED"
    await world.work()
    found = (await world.org.get(f"{TRANSFERS}/{created}"))["transferDetails"]
    assert (found["status"], found["failedReason"]) == (
        "FAILED",
        "the destination was refused by screening",
    )
    assert world.sent_to() == 0
    assert await held(world.org, world.ada) == "1000"
    await world.check()


async def test_silence_of_a_week_fails_nothing_and_shows_as_stuck(world: PaymentWorld) -> None:
    created = await world.transfer("10.67")
    (screening,) = await world.screenings()
    assert screening["status"] == "IN_SCREENING"
    # Nobody decides without an answer.
    assert await world.team.actions(screening["id"]) == []
    assert await _stuck(world) == []
    await world.work(hours=2)
    stuck = {each["type"]: each for each in await _stuck(world)}
    assert stuck["PAYMENT.SCREENING"]["waitsFor"] == "SCREENING_PROVIDER"
    assert "no answer" in stuck["WALLET.TRANSFER"]["attention"]
    for _ in range(7):
        await world.work(days=1)
    assert await world.transfer_status(created) == "INITIATED"
    assert world.sent_to() == 0
    # People may give up: then nothing waits for the answer any more.
    assert await world.team.actions(created) == ["CONFIRM", "FAIL"]
    assert (await world.team.resolve(created, "FAIL"))["status"] == "COMPLETED"
    await world.work(days=1)
    assert await world.transfer_status(created) == "FAILED"
    assert await world.screenings() == []
    assert len(await world.screenings(status="VOID")) == 1
    assert await held(world.org, world.ada) == "1000"
    await world.check()


async def test_a_late_answer_sends_the_payment(world: PaymentWorld) -> None:
    created = await world.transfer("10.68")
    await world.work(minutes=5)
    assert await world.transfer_status(created) == "INITIATED"
    world.clock.at += SLOW_FOR
    await world.work()
    assert await world.transfer_status(created) == "COMPLETED"
    await world.check()


async def test_a_freeze_meanwhile_keeps_a_released_payment_waiting(world: PaymentWorld) -> None:
    created = await world.transfer()
    await world.org.post(f"/v2/users/{world.ada}/freeze", {"reason": "asked by the police"})
    assert await world.decide("RELEASE") == "COMPLETED"
    await world.settle()
    assert (world.sent_to(), await world.transfer_status(created)) == (0, "INITIATED")
    await world.org.post(f"/v2/users/{world.ada}/unfreeze", {})
    await world.settle()
    assert (world.sent_to(), await world.transfer_status(created)) == (1, "COMPLETED")
    await world.check()


async def test_release_and_rejection_at_once_have_one_effect(world: PaymentWorld) -> None:
    created = [await world.transfer(f"{10 + number}.66") for number in range(3)]
    for screening in await world.screenings():
        sent = await asyncio.gather(
            *(
                world.team.reviewer.send("POST", RESOLUTIONS, body(screening["id"], action))
                for action in ("RELEASE", "REJECT")
            )
        )
        for each in sent:
            if each.status_code < 300:
                await world.team.approve(each.json())
    world.clock.at += timedelta(seconds=1)
    # Workers that execute decisions, and others that send what waits.
    await asyncio.gather(*(run_due(world.org) for _ in range(4)))
    world.clock.at += timedelta(minutes=3)
    await asyncio.gather(*(run_due(world.org) for _ in range(4)))
    await world.settle()
    released = await world.screenings(status="RELEASED")
    rejected = await world.screenings(status="REJECTED")
    assert len(released) + len(rejected) == 3
    statuses = {each: await world.transfer_status(each) for each in created}
    assert {each["transferId"] for each in released} == {
        each for each, status in statuses.items() if status == "COMPLETED"
    }
    assert {each["transferId"] for each in rejected} == {
        each for each, status in statuses.items() if status == "FAILED"
    }
    assert world.sent_to() == len(released)
    await world.check()


async def test_what_waits_is_not_sent_once_nobody_screens(
    world: PaymentWorld, database: Database
) -> None:
    created = await world.transfer()
    clock = Clock(await take_node(database))
    bare = replace(world.org, container=wire(SETTINGS, database, clock))
    world.clock.at += timedelta(minutes=10)
    await run_due(bare)
    assert await world.transfer_status(created) == "INITIATED"
    assert await orders(database, world.org.org_id, SimulatedSystem.CHAIN) == {}


async def test_what_the_chain_has_already_is_not_screened(
    world: PaymentWorld, database: Database
) -> None:
    """The screening was switched on while the answer of the chain was on its way."""
    world.chains.raise_after_next = Unclear("killed after")
    clock = world.clock
    bare = wire(SETTINGS, database, clock, chains=world.chains)
    sent = transfer_body(world.ada, {"walletAddress": OUTSIDE}, "10.66")
    created = (await world.org.post(TRANSFERS, sent))["transferDetails"]["id"]
    world.clock.at += timedelta(seconds=1)
    await run_due(replace(world.org, container=bare))
    assert await world.transfer_status(created) == "INITIATED"
    await world.settle()
    assert await world.transfer_status(created) == "COMPLETED"
    assert await world.screenings() == []
    await world.check()


async def test_another_organisations_screening_is_not_found(world: PaymentWorld) -> None:
    await world.transfer()
    (screening,) = await world.screenings()
    other = await make_tenant(world.container, world.org.client)
    answer = await other.send("GET", f"{SCREENINGS}/{screening['id']}")
    assert refusal(answer) == "404 RESOURCE_NOT_FOUND"
    assert (await other.get(SCREENINGS))["count"] == 0
    decision = await other.send("POST", RESOLUTIONS, body(screening["id"], "RELEASE"))
    assert decision.status_code == 404


@pytest.mark.parametrize("status", ["IN_SCREENING", "HELD", "REJECTED"])
async def test_check_finds_a_payment_that_was_completed_before_its_screening(
    world: PaymentWorld, database: Database, status: str
) -> None:
    await world.transfer("10")
    await world.check()
    await database.rows(
        "update transfers set status = $2, due_at = null where org_id = $1 and kind = $3",
        world.org.org_id,
        status,
        KIND,
    )
    found = await audit(database, TRANSITIONS, AUDIT_RULES, org_id=world.org.org_id)
    (finding,) = [each for each in found.findings if "ahead of its screening" in each.check]
    assert finding.sentence.endswith(f"is completed, and its screening is {status}")


async def _stuck(world: PaymentWorld) -> list[dict[str, Any]]:
    return (await world.org.get("/v2/stuck"))["stuck"]


async def test_a_held_screening_leaves_a_payment_alone_that_waits_for_something_else(
    world: PaymentWorld,
) -> None:
    """Its due time may be a deadline, as that of an approval."""
    screening = await make_held_payment(world.org)
    payment = (await world.org.get(f"{SCREENINGS}/{screening}"))["transferId"]
    await asyncio.wait_for(world.work(days=2), 30)
    assert await world.transfer_status(payment) == "PENDING_APPROVAL"
