"""Fiat from outside that is screened: nothing is matched before an answer."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.kyt.sandbox import SLOW_FOR
from tests.customers.deposit_screening.screening_world import (
    SCREENINGS,
    ScreenedOrg,
    screened_org,
)
from tests.resolution_team import RESOLUTIONS, body
from tests.tenants import Tenant, held, refusal


@pytest.fixture
async def world(database: Database) -> AsyncGenerator[ScreenedOrg]:
    async with screened_org(database) as found:
        yield found


async def test_without_configuration_nothing_is_screened(org: Tenant) -> None:
    assert not org.container.deposit_screenings.screens(org.org_id, "usd")
    assert await org.get(SCREENINGS) == {"count": 0, "reviews": []}


async def test_a_clear_deposit_is_matched_and_leaves_suspense(world: ScreenedOrg) -> None:
    await world.deposit("100.25")
    await world.work()
    assert await held(world.org, world.user) == "100.25"
    (screening,) = await world.screenings(status="RELEASED")
    assert (screening["amount"], screening["provider"]) == ("100.25", "sandbox")
    assert (screening["source"], screening["userId"], screening["chain"]) == ("BANK", None, None)
    assert await world.deposit_statuses() == ["MATCHED"]
    assert await world.suspended() == {}
    await world.check()


async def test_a_hit_is_held_in_the_books_until_two_people_release_it(world: ScreenedOrg) -> None:
    await world.deposit("100.66")
    (screening,) = await world.screenings()
    assert (screening["status"], screening["categories"]) == ("HELD", ["sanctions"])
    assert await world.org.get(f"{SCREENINGS}/{screening['id']}") == screening
    assert await held(world.org, world.user) == "0"
    assert await world.suspended() == {"usd:BANK": 10066}
    await world.check()
    assert await world.team.actions(screening["id"]) == ["RELEASE", "REJECT"]
    resolution = await world.team.request(screening["id"], "RELEASE")
    await world.work()
    # One person is not enough, and the same one can't approve.
    assert await world.deposit_statuses() == ["SCREENING"]
    own = await world.team.reviewer.send(
        "POST", f"/v2/transfer-approvals/{resolution['approvalId']}/approve", {}
    )
    assert own.status_code == 403
    await world.team.approve(resolution)
    done = await world.team.carry_out(resolution)
    assert done["status"] == "COMPLETED"
    await world.work()
    assert await world.deposit_statuses() == ["MATCHED"]
    assert await held(world.org, world.user) == "100.66"
    assert await world.suspended() == {}
    await world.check()


async def test_a_rejected_deposit_goes_back_to_its_sender(world: ScreenedOrg) -> None:
    await world.deposit("100.66")
    (screening,) = await world.screenings()
    done = await world.team.resolve(screening["id"], "REJECT")
    assert done["status"] == "COMPLETED"
    await world.work()
    world.team.clock.at += timedelta(days=7)
    await world.work()
    assert await world.deposit_statuses() == ["RETURNED"]
    assert await held(world.org, world.user) == "0"
    assert await world.suspended() == {}
    assert await world.team.actions(screening["id"]) == []
    await world.check()


async def test_silence_keeps_a_deposit_waiting_and_shows_it_as_stuck(world: ScreenedOrg) -> None:
    await world.deposit("100.67")
    (screening,) = await world.screenings()
    assert screening["status"] == "IN_SCREENING"
    # Nobody decides without an answer: neither about the screening nor about the deposit.
    assert await world.team.actions(screening["id"]) == []
    deposit = f"/v2/reviews/deposits/{screening['depositId']}"
    account = {"virtualAccountId": world.account}
    for action, match in (("match", account), ("return", {})):
        answer = await world.org.send(
            "POST", f"{deposit}/{action}", {"comment": "it is ours", **match}
        )
        assert refusal(answer) == "409 RESOURCE_CONFLICT"
    assert (await world.org.get("/v2/stuck"))["stuck"] == []
    world.team.clock.at += timedelta(hours=2)
    (stuck,) = (await world.org.get("/v2/stuck"))["stuck"]
    assert (stuck["type"], stuck["waitsFor"]) == ("DEPOSIT.SCREENING", "SCREENING_PROVIDER")
    await world.work()
    assert await world.deposit_statuses() == ["SCREENING"]
    assert await world.suspended() == {"usd:BANK": 10067}
    await world.check()


async def test_a_late_answer_releases(world: ScreenedOrg) -> None:
    await world.deposit("100.68")
    assert await world.deposit_statuses() == ["SCREENING"]
    world.team.clock.at += SLOW_FOR + timedelta(seconds=1)
    await world.work()
    assert await world.deposit_statuses() == ["MATCHED"]
    await world.check()


async def test_release_and_rejection_at_once_have_one_effect(world: ScreenedOrg) -> None:
    for number in range(3):
        await world.deposit(f"{100 + number}.66")
    screenings = await world.screenings()
    assert len(screenings) == 3
    for screening in screenings:
        # Two people request different decisions at the same moment: at most one is executed.
        sent = await asyncio.gather(
            *(
                world.team.reviewer.send("POST", RESOLUTIONS, body(screening["id"], action))
                for action in ("RELEASE", "REJECT")
            )
        )
        for each in sent:
            if each.status_code < 300:
                await world.team.approve(each.json())
    await asyncio.gather(*(world.work() for _ in range(4)))
    world.team.clock.at += timedelta(minutes=3)
    await asyncio.gather(*(world.work() for _ in range(4)))
    await world.work()
    ended = await world.screenings(status=["RELEASED", "REJECTED"])
    assert len(ended) == 3
    assert await world.suspended() == {}
    await world.check()
