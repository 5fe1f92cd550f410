"""Screening by a sidecar: late, doubled, contradictory and unusable answers."""

import asyncio
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from msgspec import structs

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.sidecar import screening_store
from landbridge.providers.sidecar.monitoring import watch_providers
from landbridge.providers.sidecar.protocol import ScreeningAnswer
from landbridge.providers.sidecar.screenings import ProviderScreening
from landbridge.providers.sidecar.signing import SignedPurpose, sign
from tests.customers.deposit_screening.screening_world import (
    SCREENINGS,
    ScreenedOrg,
    run_worker,
    screened_org,
)
from tests.dashboard.browsing import visit
from tests.matrices import part_of
from tests.platform.http.listeners import listening
from tests.providers.sidecar.kit import KEY, answering
from tests.providers.sidecar.screening_sidecar import (
    ScriptedScreener,
    screenings_file,
    screenings_route,
)
from tests.tenants import SETTINGS, held


@dataclass(frozen=True)
class ScreenedBySidecar:
    """An organisation whose deposits a sidecar screens."""

    world: ScreenedOrg
    sidecar: ScriptedScreener
    name: str

    async def problems(self) -> list[str]:
        """Return the listed problems."""
        org = self.world.org
        found = await org.container.database.single(
            lambda tx: screening_store.problems(tx, org.org_id, limit=100)
        )
        return [str(each.problem) for each in found]

    async def announce(self, key: str) -> int:
        """Send a webhook about a screening, and have the worker query it."""
        container = self.world.org.container
        message, at_s = msgspec.json.encode({"key": key}), int(time.time())
        headers = sign(KEY, SignedPurpose.WEBHOOK, "w1", message, at_s=at_s)
        answer = await self.world.org.client.post(
            f"/providers/{self.name}/webhooks",
            content=message,
            headers={**headers, "landbridge-webhook-id": "w1"},
        )
        await container.provider_webhooks.run_once(await container.orgs.clock_offsets())
        return answer.status_code


@pytest.fixture
async def screened(own_database: Database, tmp_path: Path) -> AsyncGenerator[ScreenedBySidecar]:
    sidecar = ScriptedScreener()
    async with listening(answering(sidecar.answer)) as found:
        path = screenings_file(tmp_path, found.port)
        settings = structs.replace(SETTINGS, providers_file=str(path))
        async with screened_org(own_database, settings) as world:
            providers = world.org.container.providers
            assert providers is not None
            yield ScreenedBySidecar(world, sidecar, next(iter(providers.clients)))


async def test_a_deposit_is_screened_once_with_its_sender(screened: ScreenedBySidecar) -> None:
    world = screened.world
    await world.deposit("100")
    await world.work()
    assert await held(world.org, world.user) == "100"
    (asked,) = screened.sidecar.screened
    (screening,) = await world.screenings(status="RELEASED")
    assert asked == {
        "key": screening["id"],
        "orgId": str(world.org.org_id),
        "amount": "100",
        "currency": "usd",
        "rail": "ach",
        "sender": {
            "name": "Olive Payer",
            "bankName": "Example Bank",
            "routingNumber": "021000021",
            "accountNumber": "000123456789",
        },
    }
    assert (screening["provider"], screening["reference"]) == (screened.name, "case-1")
    assert await screened.problems() == []


async def test_small_deposits_too_many_wait_for_their_turn(
    own_database: Database, tmp_path: Path
) -> None:
    sidecar, name = ScriptedScreener(), f"kyt-{new_id().hex}"[:40]
    async with listening(answering(sidecar.answer)) as found:
        route = screenings_route(name, more="small_per_day = 2")
        path = screenings_file(tmp_path, found.port, name, routes=route)
        settings = structs.replace(SETTINGS, providers_file=str(path))
        async with screened_org(own_database, settings) as world:
            for _ in range(4):
                await world.deposit("0.99")
            await world.work()
            assert len(sidecar.screened) == 2
            assert len(await world.screenings(status="IN_SCREENING")) == 2
            # Others do not wait behind them.
            await world.deposit("1")
            assert [each["amount"] for each in sidecar.screened] == ["0.99", "0.99", "1"]
            await _advance(world, hours=23)
            assert len(sidecar.screened) == 3
            await _advance(world, hours=2)
            assert len(sidecar.screened) == 5
            assert await world.screenings(status="IN_SCREENING") == []
            await world.check()


async def _advance(world: ScreenedOrg, **by: float) -> None:
    """Let time pass for the organisation: signatures have real time."""
    seconds = int(timedelta(**by).total_seconds())
    await world.org.post("/v2/sandbox/clock/advance", {"seconds": seconds})
    await world.work()


async def test_a_hit_is_held_with_what_it_is_about(screened: ScreenedBySidecar) -> None:
    screened.sidecar.state = "hit"
    await screened.world.deposit("100")
    (screening,) = await screened.world.screenings()
    assert (screening["status"], screening["categories"]) == ("HELD", ["mixer"])
    await screened.world.check()


async def test_a_pending_answer_is_asked_for_again(screened: ScreenedBySidecar) -> None:
    world, sidecar = screened.world, screened.sidecar
    sidecar.state, sidecar.changes = "pending", {"expectedInSeconds": 20}
    await world.deposit("100")
    await world.work()
    assert len(sidecar.screened) == 1
    sidecar.state = "clear"
    world.team.clock.at += timedelta(seconds=20)
    await world.work()
    assert await world.deposit_statuses() == ["MATCHED"]
    assert sidecar.screened[0] == sidecar.screened[1]


async def test_a_webhook_has_a_pending_answer_queried_at_once(screened: ScreenedBySidecar) -> None:
    world, sidecar = screened.world, screened.sidecar
    sidecar.state, sidecar.changes = "pending", {"expectedInSeconds": 3600}
    await world.deposit("100")
    (screening,) = await world.screenings()
    page = await (await visit(world.org)).load("/dashboard/providers")
    assert f"/dashboard/reviews/deposit-screenings/{screening['id']}" in page.links()
    assert "Screened deposit" in page.text
    sidecar.state = "clear"
    assert await screened.announce(screening["id"]) == 204
    await world.work()
    assert await world.deposit_statuses() == ["MATCHED"]
    # The query has answered already.
    assert len(sidecar.screened) == 1
    assert await screened.announce("018f0000-0000-7000-8000-000000000000") == 404


@pytest.mark.parametrize(
    ("status", "changes"),
    part_of(
        [
            (500, {}),
            (503, {}),
            (404, {}),
            (200, {"state": "fine"}),
            (200, {"key": "018f0000-0000-7000-8000-000000000000"}),
            (200, {"categories": ["a person's name"]}),
            (200, {"providerReference": "two words"}),
        ],
        0,
        3,
    ),
)
async def test_what_is_no_answer_keeps_the_deposit_waiting(
    screened: ScreenedBySidecar, status: int, changes: dict[str, Any]
) -> None:
    world, sidecar = screened.world, screened.sidecar
    sidecar.screening_status, sidecar.changes = status, changes
    await world.deposit("100")
    await world.work()
    assert await world.deposit_statuses() == ["SCREENING"]
    assert await world.suspended() == {"usd:BANK": 10_000}
    assert await screened.problems() == ([] if status == 503 else ["ANSWER_INVALID"])
    sidecar.screening_status, sidecar.changes = 200, {}
    await world.work()
    assert await world.deposit_statuses() == ["MATCHED"]
    assert await screened.problems() == []
    await world.check()


async def test_a_key_conflict_waits_for_a_person(screened: ScreenedBySidecar) -> None:
    screened.sidecar.screening_status = 409
    await screened.world.deposit("100")
    assert await screened.problems() == ["KEY_CONFLICT"]
    assert await screened.world.deposit_statuses() == ["SCREENING"]


@pytest.mark.parametrize(("first", "then"), [("clear", "hit"), ("hit", "clear")])
async def test_a_contradiction_changes_nothing_and_is_listed(
    screened: ScreenedBySidecar, first: str, then: str
) -> None:
    world, sidecar = screened.world, screened.sidecar
    sidecar.state = first
    await world.deposit("100")
    await world.work()
    before = await world.screenings(status=["RELEASED", "HELD"])
    sidecar.state = then
    assert await screened.announce(before[0]["id"]) == 204
    await world.work()
    assert await world.screenings(status=["RELEASED", "HELD"]) == before
    assert await screened.problems() == ["CONTRADICTION"]
    # It stays until a person has seen it, whatever comes later.
    sidecar.state = first
    assert await screened.announce(before[0]["id"]) == 204
    assert await screened.problems() == ["CONTRADICTION"]
    await watch_providers(world.org.container.database, world.org.container.clock, [])
    (provider,) = [
        each
        for each in (await world.org.get("/v2/providers"))["providers"]
        if each["kind"] == "SIDECAR"
    ]
    assert provider["problemCount"] == 1
    assert [each["service"] for each in provider["serves"]] == ["SCREENING"]
    await world.check()


async def test_a_contradiction_is_listed_after_another_problem_was_closed(
    screened: ScreenedBySidecar,
) -> None:
    world, sidecar, database = (
        screened.world,
        screened.sidecar,
        screened.world.org.container.database,
    )
    sidecar.screening_status = 500
    await world.deposit("100")
    (screening,) = await world.screenings()
    key = UUID(screening["id"])
    assert await database.single(lambda tx: screening_store.close(tx, screened.name, key))
    assert await screened.problems() == []
    sidecar.screening_status = 200
    await world.work()
    sidecar.state = "hit"
    assert await screened.announce(screening["id"]) == 204
    await world.work()
    assert await screened.problems() == ["CONTRADICTION"]


async def test_late_and_forgotten_answers_change_nothing(screened: ScreenedBySidecar) -> None:
    world, sidecar = screened.world, screened.sidecar
    await world.deposit("100")
    await world.work()
    (screening,) = await world.screenings(status="RELEASED")
    sidecar.state = "pending"
    assert await screened.announce(screening["id"]) == 204
    sidecar.forgets = True
    assert await screened.announce(screening["id"]) == 204
    assert await world.screenings(status="RELEASED") == [screening]
    assert await screened.problems() == []


async def test_workers_at_once_release_once(
    screened: ScreenedBySidecar, own_database: Database
) -> None:
    world = screened.world
    screened.sidecar.screening_status = 503
    for _ in range(5):
        await world.deposit("10")
    screened.sidecar.screening_status = 200
    container = world.org.container
    others = [
        wire(container.settings, own_database, Clock(await take_node(own_database)))
        for _ in range(3)
    ]
    workers = [world.org, *(replace(world.org, container=each) for each in others)]
    await asyncio.gather(*(run_worker(each) for each in workers))
    for each in others:
        assert each.providers is not None
        await each.providers.close()
    # The other workers have real clocks, which are ahead of the organisation's, and each skips what
    # it has lost to another for a second.
    for _ in range(5):
        world.team.clock.at += timedelta(minutes=2)
        await world.work()
    assert await world.deposit_statuses() == ["MATCHED"] * 5
    assert await held(world.org, world.user) == "50"
    assert await world.suspended() == {}
    await world.check()


async def test_a_removed_route_releases_nothing(
    screened: ScreenedBySidecar, own_database: Database
) -> None:
    world = screened.world
    screened.sidecar.screening_status = 503
    await world.deposit("100")
    bare = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    await run_worker(replace(world.org, container=bare))
    assert await world.deposit_statuses() == ["SCREENING"]
    assert (await world.org.get(SCREENINGS))["count"] == 1


async def test_concurrent_answers_have_one_result(
    screened: ScreenedBySidecar, own_database: Database
) -> None:
    """Two workers with contradicting answers: the first that is stored counts for both."""
    world = screened.world
    screened.sidecar.screening_status = 503
    await world.deposit("100")
    (row,) = await world.screenings()
    org_id = world.org.org_id
    providers = world.org.container.providers
    assert providers is not None
    stored = await own_database.single(lambda tx: _find(tx, org_id, row["id"]))
    answers = [_answer(row["id"], state) for state in ("clear", "hit") * 3]
    found = await asyncio.gather(
        *(providers.screener.apply(stored, each, world.team.clock.now()) for each in answers)
    )
    assert len({each.state for each in found}) == 1
    assert await screened.problems() == ["CONTRADICTION"]


async def _find(tx: Tx, org_id: UUID, key: str) -> ProviderScreening:
    found = await screening_store.find(tx, org_id, UUID(key))
    assert found is not None
    return found


def _answer(key: str, state: str) -> ScreeningAnswer:
    message = {"key": key, "state": state, "providerReference": "case-1"}
    return msgspec.convert(message, ScreeningAnswer)
