"""Screening of payments by a sidecar: what it is asked, silence, and answers that change."""

import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs

from landbridge.platform.core.errors import Unavailable
from landbridge.platform.db.pool import Database
from landbridge.providers.sidecar import screening_store
from landbridge.providers.sidecar.signing import SignedPurpose, sign
from tests.customers.payment_screening.payment_world import OUTSIDE, PaymentWorld, payment_world
from tests.dashboard.browsing import visit
from tests.matrices import part_of
from tests.payouts import OFFRAMPS, accept, make_account, make_offramp
from tests.platform.http.listeners import listening
from tests.providers.sidecar.kit import KEY, answering
from tests.providers.sidecar.screening_sidecar import (
    ScriptedScreener,
    screenings_file,
    screenings_route,
)
from tests.tenants import SETTINGS, held

NAME = "kyt"


@dataclass(frozen=True)
class ScreenedBySidecar:
    """An organisation with payments that a sidecar screens."""

    world: PaymentWorld
    sidecar: ScriptedScreener

    async def problems(self) -> list[str]:
        """Return the listed problems."""
        org = self.world.org
        found = await org.container.database.single(
            lambda tx: screening_store.problems(tx, org.org_id, limit=100)
        )
        return [str(each.problem) for each in found]

    async def later(self, **passed: float) -> None:
        """Advance the organisation's clock, and run the worker; calls are signed in real time."""
        seconds = int(timedelta(**passed).total_seconds())
        await self.world.org.post("/v2/sandbox/clock/advance", {"seconds": seconds})
        await self.world.work()

    async def announce(self, key: str) -> None:
        """Send a webhook about a screening, and have the worker query it."""
        container = self.world.container
        message, at_s = msgspec.json.encode({"key": key}), int(time.time())
        headers = sign(KEY, SignedPurpose.WEBHOOK, "w1", message, at_s=at_s)
        answer = await self.world.org.client.post(
            f"/providers/{NAME}/webhooks",
            content=message,
            headers={**headers, "landbridge-webhook-id": "w1"},
        )
        assert answer.status_code == 204
        await container.provider_webhooks.run_once(await container.orgs.clock_offsets())
        await self.world.work()


@pytest.fixture
async def screened(own_database: Database, tmp_path: Path) -> AsyncGenerator[ScreenedBySidecar]:
    sidecar = ScriptedScreener()
    async with listening(answering(sidecar.answer)) as found:
        routes = screenings_route(NAME, more='directions = ["payment"]')
        path = screenings_file(tmp_path, found.port, NAME, routes=routes)
        settings = structs.replace(SETTINGS, providers_file=str(path))
        async with payment_world(own_database, settings) as world:
            # Deposits have no route.
            assert not world.container.deposit_screenings.screens(world.org.org_id, "usd")
            yield ScreenedBySidecar(world, sidecar)


async def test_an_address_is_asked_about_once(screened: ScreenedBySidecar) -> None:
    world = screened.world
    # The chain does not answer at first: the payment is sent twice.
    world.chains.raise_before_next = Unavailable("not now")
    created = await world.transfer("10")
    await world.settle()
    assert await world.transfer_status(created) == "COMPLETED"
    (asked,) = screened.sidecar.screened
    (screening,) = await world.screenings(status="RELEASED")
    assert asked == {
        "key": screening["id"],
        "orgId": str(world.org.org_id),
        "amount": "10",
        "currency": "usdc",
        "direction": "payment",
        "chain": "POLYGON",
        "sourceAddress": screening["sourceAddress"],
        "destinationAddress": OUTSIDE,
    }
    assert (screening["provider"], screening["reference"]) == (NAME, "case-1")
    assert world.chains.count("send") == 2


async def test_a_payee_is_sent_and_not_stored(
    screened: ScreenedBySidecar, own_database: Database
) -> None:
    world = screened.world
    screened.sidecar.state = "hit"
    account = await make_account(world.org, world.ada)
    created = await accept(world.org, await make_offramp(world.org, world.ada, account, 100))
    await world.work()
    (asked, *_) = screened.sidecar.screened
    assert (asked["rail"], asked["direction"], asked["amount"]) == ("wire", "payment", "100")
    assert asked["payee"]["type"] == "us"
    number = asked["payee"]["us"]["accountNumber"]
    for table in ("transfers", "changes", "provider_screenings"):
        rows = await own_database.rows(f"select t::text as row from {table} t")  # noqa: S608
        assert not [row for row in rows if number in row["row"]]
    assert await world.decide("RELEASE") == "COMPLETED"
    await screened.later(days=7)
    found = (await world.org.get(f"{OFFRAMPS}/{created['id']}"))["transferDetails"]
    assert found["status"] == "COMPLETED"
    assert len(screened.sidecar.screened) == 1
    await world.check()


@pytest.mark.parametrize(
    ("status", "changes"),
    part_of(
        [
            (500, {}),
            (503, {}),
            (200, {"state": "fine"}),
            (200, {"key": "018f0000-0000-7000-8000-000000000000"}),
            (200, {"categories": ["a person's name"]}),
        ],
        1,
        2,
    ),
)
async def test_what_is_no_answer_keeps_the_payment_waiting(
    screened: ScreenedBySidecar, status: int, changes: dict[str, Any]
) -> None:
    world, sidecar = screened.world, screened.sidecar
    sidecar.screening_status, sidecar.changes = status, changes
    created = await world.transfer("10")
    for _ in range(3):
        await screened.later(hours=2)
    assert (world.sent_to(), await world.transfer_status(created)) == (0, "INITIATED")
    assert await screened.problems() == ([] if status == 503 else ["ANSWER_INVALID"])
    assert len({each["key"] for each in sidecar.screened}) == 1 < len(sidecar.screened)
    await world.check()
    sidecar.screening_status, sidecar.changes = 200, {}
    await screened.later(hours=2)
    assert (world.sent_to(), await world.transfer_status(created)) == (1, "COMPLETED")
    assert await screened.problems() == []
    await world.check()


async def test_a_webhook_has_a_payment_sent_at_once(screened: ScreenedBySidecar) -> None:
    world, sidecar = screened.world, screened.sidecar
    sidecar.state, sidecar.changes = "pending", {"expectedInSeconds": 36_000}
    created = await world.transfer("10")
    await world.work(minutes=1)
    (screening,) = await world.screenings()
    (provider,) = [
        each
        for each in (await world.org.get("/v2/providers"))["providers"]
        if each["kind"] == "SIDECAR"
    ]
    assert [each["service"] for each in provider["serves"]] == ["PAYMENT_SCREENING"]
    (waiting,) = provider["waiting"]
    assert (provider["waitingCount"], waiting["screeningId"]) == (1, screening["id"])
    page = await (await visit(world.org)).load("/dashboard/providers")
    assert f"/dashboard/reviews/payment-screenings/{screening['id']}" in page.links()
    assert "Screened payment" in page.text
    assert world.sent_to() == 0
    sidecar.state = "clear"
    await screened.announce(screening["id"])
    assert world.sent_to() == 1
    # It arrives when the simulated chain says so.
    await world.settle()
    assert await world.transfer_status(created) == "COMPLETED"
    # The query has answered already.
    assert len(sidecar.screened) == 1


@pytest.mark.parametrize(("first", "then"), [("clear", "hit"), ("hit", "clear")])
async def test_a_contradiction_changes_nothing_and_is_listed(
    screened: ScreenedBySidecar, first: str, then: str
) -> None:
    world, sidecar = screened.world, screened.sidecar
    sidecar.state = first
    await world.transfer("10")
    before = await world.screenings(status=["RELEASED", "HELD"])
    sidecar.state = then
    await screened.announce(before[0]["id"])
    await world.settle()
    assert await world.screenings(status=["RELEASED", "HELD"]) == before
    assert world.sent_to() == (1 if first == "clear" else 0)
    assert await screened.problems() == ["CONTRADICTION"]


async def test_a_removed_route_releases_nothing(
    screened: ScreenedBySidecar, tmp_path: Path, own_database: Database
) -> None:
    """Another route for payments is left, so chains and rails are still behind the screening."""
    world = screened.world
    screened.sidecar.screening_status = 503
    created = await world.transfer("10")
    (tmp_path / "other").mkdir()
    routes = screenings_route(NAME, more='directions = ["payment"]\ncurrencies = ["usd"]')
    path = screenings_file(tmp_path / "other", 9, NAME, routes=routes)
    settings = structs.replace(SETTINGS, providers_file=str(path))
    async with payment_world(own_database, settings) as other:
        await other.work()
        offset = timedelta(days=1)
        record = (await world.screenings())[0]
        await other.container.scheduler.run_all({world.org.org_id: offset})
        assert await world.transfer_status(created) == "INITIATED"
        assert (await world.screenings())[0]["status"] == record["status"] == "IN_SCREENING"
    assert await held(world.org, world.ada) == "1000"
    assert world.sent_to() == 0
