"""A commit whose answer was lost is retried, and pays nothing twice."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from msgspec import structs

from landbridge.app.container import wire
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.orgs.clock_nodes import take_node
from tests.contract.resources import send_file
from tests.payments.offramps.offramp_scenario import OfframpScenario
from tests.payouts import OFFRAMPS, accept, check_books, offramp_body, shown
from tests.platform.db.test_lost_commits import Forgetful
from tests.tenants import SETTINGS, Tenant, held, served


@pytest.fixture
async def doubtful(dsn: str, scenario: OfframpScenario) -> AsyncIterator[OfframpScenario]:
    """Scenario on a database that runs every transaction twice, with reviews from 200 up."""
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    clock = FrozenClock(scenario.clock.at, await take_node(scenario.org.container.database))
    container = wire(structs.replace(SETTINGS, review_above_usd=200), database, clock)
    async with served(container) as client:
        org = Tenant(container, client, scenario.org.caller, scenario.org.key)
        yield replace(scenario, org=org, clock=clock)
    await database.close()


async def _run(scenario: OfframpScenario) -> None:
    """Run until nothing is due.

    Each step finds its work done by "another worker"; the next run continues.
    """
    for _ in range(8):
        await scenario.run()


async def _events(scenario: OfframpScenario, offramp: dict[str, str]) -> list[str]:
    return [status for _, status in await scenario.changes(offramp)]


async def test_lost_commit_answer_opens_accepts_and_pays_once(doubtful: OfframpScenario) -> None:
    scenario = doubtful
    documents = [{"fileId": await send_file(scenario.org), "type": "INVOICE"}]
    body = offramp_body(
        scenario.ada,
        scenario.account,
        description="A boat",
        supportingInformation={"documents": documents},
        requireApproval=True,
    )
    created = (await scenario.org.post(OFFRAMPS, body))["transferDetails"]
    await scenario.org.post(f"/v2/transfer-approvals/{created['approval']['id']}/approve", {})
    await accept(scenario.org, created)
    await _run(scenario)
    assert await scenario.status(created) == "COMPLETED"
    assert await held(scenario.org, scenario.ada) == "900"
    assert await _events(scenario, created) == [
        *("CREATED", "PENDING_APPROVAL", "OPEN_QUOTE", "CRYPTO_INITIATED", "CRYPTO_PENDING"),
        *("CRYPTO_PROCESSED", "FIAT_INITIATED", "FIAT_PENDING", "COMPLETED"),
    ]
    await check_books(scenario.org)


async def test_lost_commit_answer_opens_and_cancels_a_review_once(
    doubtful: OfframpScenario,
) -> None:
    scenario = doubtful
    created = await scenario.accepted(200)
    assert created["status"] == "IN_REVIEW"
    assert await scenario.cancel(created) == "NOT_INITIATED"
    assert await held(scenario.org, scenario.ada) == "1000"
    assert await _events(scenario, created) == [
        "CREATED",
        "OPEN_QUOTE",
        "IN_REVIEW",
        "NOT_INITIATED",
    ]
    await check_books(scenario.org)


async def test_lost_commit_answer_cancels_an_approval_in_review_once(
    doubtful: OfframpScenario,
) -> None:
    scenario = doubtful
    created = await scenario.quoted(requireApproval=True)
    assert await scenario.review(created, "open") == "200"
    assert await scenario.cancel(created) == "NOT_INITIATED"
    assert (await shown(scenario.org, created))["approval"]["status"] == "EXPIRED"
    await check_books(scenario.org)


async def test_lost_commit_answer_counts_external_coins_once(doubtful: OfframpScenario) -> None:
    scenario = doubtful
    created = await accept(scenario.org, await scenario.from_outside(200))
    await scenario.org.post(f"/v2/sandbox/offramps/{created['id']}/deposit", {})
    assert await scenario.status(created) == "IN_REVIEW"
    assert await scenario.review(created, "close") == "200"
    await _run(scenario)
    assert await scenario.status(created) == "COMPLETED"
    await check_books(scenario.org)
