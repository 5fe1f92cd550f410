"""Orders whose provider may have lost their key: looked up, not sent again."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.ledger.model import HouseRole
from landbridge.platform.changes.service import SPREAD
from landbridge.platform.core.errors import Unclear
from landbridge.platform.db.pool import Database
from tests.payments.offramps.offramp_scenario import OfframpScenario, open_scenario
from tests.payouts import check_books
from tests.resolution_team import ResolutionTeam, make_resolution_team
from tests.tenants import held


@pytest.fixture
async def scenario(database: Database) -> AsyncIterator[OfframpScenario]:
    async with open_scenario(database) as scenario:
        scenario.chains.key_lifetime = scenario.rails.key_lifetime = timedelta(hours=24)
        yield scenario


@pytest.fixture
async def team(scenario: OfframpScenario) -> ResolutionTeam:
    return await make_resolution_team(scenario.org, scenario.clock, scenario.run)


async def test_lost_payout_is_sent_again_within_the_key_lifetime(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    scenario.rails.raise_before_next = Unclear("no answer; it did not arrive")
    await scenario.run()
    assert await scenario.status(created) == "FIAT_INITIATED"
    await scenario.pass_time(hours=23)
    assert scenario.rails.count("pay") == 2
    await scenario.pass_time(days=3)
    assert await scenario.status(created) == "COMPLETED"


async def test_lost_payout_needs_a_person_after_the_key_lifetime(
    scenario: OfframpScenario, team: ResolutionTeam
) -> None:
    created = await scenario.accepted()
    scenario.rails.raise_before_next = Unclear("no answer; it did not arrive")
    await scenario.run()
    await scenario.pass_time(hours=25)
    await scenario.pass_time(days=5)
    # Sent once; looked up ever since.
    assert scenario.rails.count("pay") == 1
    assert await scenario.status(created) == "FIAT_INITIATED"
    (stuck,) = (await scenario.org.get("/v2/stuck"))["stuck"]
    assert (stuck["id"], stuck["waitsFor"]) == (created["id"], "REVIEWER")
    assert stuck["attention"] == ("the provider has no such order, and may have forgotten its key")
    assert (await team.resolve(created["id"], "FAIL"))["status"] == "COMPLETED"
    await scenario.pass_time(seconds=10)
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    assert await held(scenario.org, scenario.ada) == "1000"
    assert await scenario.container(HouseRole.IN_TRANSIT) == {}
    await check_books(scenario.org)


async def test_a_decision_is_booked_after_the_provider_was_asked(
    scenario: OfframpScenario, team: ResolutionTeam, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reports and closes rely on changes that commit within a minute of their time."""
    created = await scenario.accepted()
    scenario.rails.raise_before_next = Unclear("no answer; it did not arrive")
    await scenario.run()
    await scenario.pass_time(hours=25)
    resolution = await team.request(created["id"], "FAIL")
    await team.approve(resolution)
    find = scenario.rails.find_status

    async def slow(*args: Any) -> Any:
        scenario.clock.at += timedelta(seconds=70)
        return await find(*args)

    with monkeypatch.context() as slower:
        slower.setattr(scenario.rails, "find_status", slow)
        assert (await team.carry_out(resolution))["status"] == "COMPLETED"
    (failed,) = await scenario.org.container.database.rows(
        "select occurred_at from changes where org_id = $1 and object_id = $2"
        " and change_type = 'fail'",
        *(scenario.org.org_id, UUID(created["id"])),
    )
    assert scenario.clock.at - failed["occurred_at"] < SPREAD


async def test_unsent_order_has_no_key_lifetime(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    # No worker ran for a week.
    await scenario.pass_time(days=7)
    await scenario.pass_time(days=7)
    assert await scenario.status(created) == "COMPLETED"
    assert scenario.rails.count("pay") == 1


async def test_late_answer_settles_an_order_with_an_expired_key(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    scenario.rails.raise_after_next = Unclear("no answer; it did arrive")
    await scenario.run()
    scenario.rails.is_silent = True
    await scenario.pass_time(hours=30)
    scenario.rails.is_silent = False
    await scenario.pass_time(hours=2)
    assert await scenario.status(created) == "COMPLETED"
    assert scenario.rails.count("pay") == 1
    await check_books(scenario.org)
