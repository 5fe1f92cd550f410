"""Where a record has been, whom it waits for, and what waits for too long."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, Unavailable
from landbridge.core.money import Money
from landbridge.db.pool import Database
from landbridge.payments.remittances import MOVES as REMITTANCE_MOVES
from landbridge.payments.remittances import Status
from landbridge.payments.waits import GRACE, Party, Wait, Waits, is_stuck, until
from landbridge.rails.currencies import FIAT
from landbridge.receipts.model import Told
from landbridge.wiring import MOVES, wire
from landbridge.wiring.kinds import WAITS
from tests.dashboard.browsing import visit
from tests.onramps import ONRAMPS, onramp_body
from tests.payouts import OFFRAMPS, make_account, make_payee, offramp_body
from tests.simulation.faulty import FaultyChains, FaultyRails
from tests.tenants import (
    BATCHES,
    BRIDGES,
    SETTINGS,
    SWAPS,
    TRANSFERS,
    Tenant,
    batch_body,
    bridge_body,
    good,
    make_tenant,
    make_user,
    refusal,
    run_due,
    sentence,
    served,
    swap_body,
    transfer_body,
)

AT = datetime.fromisoformat("2026-03-04T12:00:00+00:00")
HOUR = timedelta(hours=1)


@pytest.fixture
async def outside(database: Database) -> tuple[FaultyChains, FaultyRails]:
    house = wire(SETTINGS, database, Clock(99))
    return FaultyChains(house.chains), FaultyRails(house.rails)


@pytest.fixture
async def org(
    database: Database, outside: tuple[FaultyChains, FaultyRails]
) -> AsyncIterator[Tenant]:
    chains, rails = outside
    house = wire(SETTINGS, database, Clock(98), chains=chains, rails=rails)
    async with served(house) as client:
        yield await make_tenant(house, client)


async def timeline(org: Tenant, path: str) -> dict[str, Any]:
    return (await org.get(path, expand="timeline"))["timeline"]


async def advance(org: Tenant, by: timedelta) -> None:
    await org.post("/v2/sandbox/clock/advance", {"seconds": int(by.total_seconds())})


async def stuck(org: Tenant) -> list[UUID]:
    offset = (await org.house.orgs.clock_offsets())[org.org_id]
    found = await org.house.timelines.stuck({org.org_id: offset}, limit=100)
    return [each.id for each in found]


def test_every_flow_says_whom_its_records_wait_for() -> None:
    # A deposit of coins, a micro-deposit and a correction are at their end when they are made.
    at_once = {"WALLET.DEPOSIT", "ACCOUNT.MICRO_DEPOSIT", "LEDGER.CORRECTION"}
    assert set(MOVES) - set(WAITS) <= at_once
    for kind in set(MOVES) - set(WAITS):
        moves = MOVES[kind]
        assert all(moves.is_terminal(each) for each in moves.start), kind


def test_a_status_without_a_wait_is_a_bug() -> None:
    with pytest.raises(Broken):
        Waits(REMITTANCE_MOVES, {Status.CREATED: Wait(Party.WORKER)})
    table: dict[Any, Wait] = {
        status: Wait(Party.WORKER) for status in Status if not REMITTANCE_MOVES.is_terminal(status)
    }
    Waits(REMITTANCE_MOVES, table)
    with pytest.raises(Broken):
        Waits(REMITTANCE_MOVES, {**table, Status.COMPLETED: Wait(Party.WORKER)})


@pytest.mark.parametrize(
    ("within", "due_in", "age", "expected"),
    [
        (None, None, timedelta(days=999), False),
        (None, HOUR, HOUR + GRACE, False),
        (None, HOUR, HOUR + GRACE + timedelta(seconds=1), True),
        (HOUR, None, HOUR, False),
        (HOUR, None, HOUR + timedelta(seconds=1), True),
        (HOUR, timedelta(days=9), HOUR + timedelta(seconds=1), True),
        (timedelta(), timedelta(days=9), timedelta(seconds=1), True),
    ],
)
def test_too_long_is_past_its_time_or_past_its_due_moment(
    within: timedelta | None, due_in: timedelta | None, age: timedelta, *, expected: bool
) -> None:
    due_at = None if due_in is None else AT + due_in
    wait = Wait(Party.BANK, within)
    assert is_stuck(wait, since=AT, due_at=due_at, now=AT + age) is expected


def test_it_waits_until_the_first_of_both() -> None:
    assert until(Wait(Party.BANK), since=AT, due_at=None) is None
    assert until(Wait(Party.BANK), since=AT, due_at=AT + HOUR) == AT + HOUR
    assert until(Wait(Party.BANK, HOUR), since=AT, due_at=None) == AT + HOUR
    assert until(Wait(Party.BANK, HOUR), since=AT, due_at=AT + 2 * HOUR) == AT + HOUR


async def test_a_swap_waits_for_its_owner_and_then_for_nobody(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    made = (await org.post(SWAPS, swap_body(user)))["transferDetails"]
    path = f"{SWAPS}/{made['id']}"
    before = await timeline(org, path)
    assert [each["status"] for each in before["stations"]] == ["OPEN_QUOTE"]
    assert before["stations"][0]["actor"].startswith("key:")
    assert before["waitsFor"] == "CLIENT"
    assert before["waitsSince"] == made["createdAt"]
    assert before["waitsUntil"] == made["quoteInformation"]["expiresAt"]
    assert before["isStuck"] is False
    assert before["forced"] is None
    await org.post(f"{path}/accept")
    after = await timeline(org, path)
    assert [each["status"] for each in after["stations"]] == [
        "OPEN_QUOTE",
        "CREATED",
        "PENDING",
        "COMPLETED",
    ]
    waits = (after["waitsFor"], after["waitsSince"], after["waitsUntil"], after["isStuck"])
    assert waits == (None, None, None, False)


async def test_every_record_shows_its_timeline_when_asked_and_only_then(org: Tenant) -> None:
    user, to = await make_user(org, funds="100"), await make_user(org)
    payee = await make_payee(org)
    bodies = {
        SWAPS: swap_body(user),
        TRANSFERS: transfer_body(user, to),
        BATCHES: batch_body(user, {"userId": to, "amount": "1"}),
        BRIDGES: bridge_body(user, destination={"chain": "ETHEREUM"}),
        OFFRAMPS: offramp_body(payee, await make_account(org, payee)),
        ONRAMPS: onramp_body(payee, 100),
    }
    for path, body in bodies.items():
        made = (await org.post(path, body))["transferDetails"]
        plain = await org.get(f"{path}/{made['id']}")
        assert "timeline" not in plain
        asked = await org.get(f"{path}/{made['id']}", expand="timeline")
        assert asked.pop("timeline")["stations"], path
        assert asked["transferType"] == plain["transferType"]
        wrong = await org.send("GET", f"{path}/{made['id']}", expand="everything")
        assert refusal(wrong) == "400 FIELD_VALIDATION_ERROR"
        assert sentence(wrong) == "expand must be timeline"


async def test_a_payout_whose_bank_is_silent_is_stuck_until_it_answers(
    org: Tenant, outside: tuple[FaultyChains, FaultyRails]
) -> None:
    _, rails = outside
    user = await make_payee(org)
    body = offramp_body(user, await make_account(org, user))
    made = (await org.post(OFFRAMPS, body))["transferDetails"]
    path = f"{OFFRAMPS}/{made['id']}"
    rails.is_silent = True
    await org.post(f"{path}/quote/accept")
    await run_due(org)
    waiting = await timeline(org, path)
    assert (waiting["waitsFor"], waiting["isStuck"]) == ("BANK", False)
    assert await stuck(org) == []
    await advance(org, GRACE + timedelta(seconds=5))
    late = await timeline(org, path)
    assert (late["waitsFor"], late["isStuck"]) == ("BANK", True)
    assert await stuck(org) == [UUID(made["id"])]
    (told,) = (await org.get("/v2/stuck"))["stuck"]
    assert (told["id"], told["type"], told["waitsFor"]) == (made["id"], "OFFRAMP", "BANK")
    assert told["waitsSince"] == late["waitsSince"]
    page = await (await visit(org)).see("/dashboard")
    assert "Stuck money" in page.text
    assert f"/dashboard/transactions/{made['id']}" in page.links()
    rails.is_silent = False
    await run_due(org)
    done = await timeline(org, path)
    assert done["stations"][-1]["status"] == "COMPLETED"
    assert await stuck(org) == []


async def test_what_nobody_knows_is_stuck_at_once(
    org: Tenant, outside: tuple[FaultyChains, FaultyRails]
) -> None:
    chains, _ = outside
    user, to = await make_user(org, funds="100"), await make_user(org)
    chains.raise_before_next = Unavailable("the node is down")
    made = (await org.post(TRANSFERS, transfer_body(user, to)))["transferDetails"]
    chains.is_silent = True
    await run_due(org)
    await advance(org, timedelta(days=1, minutes=1))
    found = await timeline(org, f"{TRANSFERS}/{made['id']}")
    assert found["stations"][-1]["status"] == "UNKNOWN"
    assert found["isStuck"] is True
    assert await stuck(org) == [UUID(made["id"])]


async def test_a_question_that_nobody_answers_is_stuck_after_a_day(org: Tenant) -> None:
    user = await make_payee(org)
    body = offramp_body(user, await make_account(org, user))
    made = (await org.post(OFFRAMPS, body))["transferDetails"]
    await org.post(f"/v2/sandbox/transfers/{made['id']}/rfi", {"action": "open"})
    path = f"{OFFRAMPS}/{made['id']}"
    assert (await timeline(org, path))["waitsFor"] == "REVIEWER"
    assert await stuck(org) == []
    offsets = {org.org_id: timedelta(days=1, minutes=1)}
    found = await org.house.timelines.stuck(offsets, limit=100)
    assert [(each.id, each.party) for each in found] == [(UUID(made["id"]), Party.REVIEWER)]
    assert str(org.org_id) in found[0].sentence


async def test_nobody_sees_what_is_stuck_elsewhere(
    org: Tenant, outside: tuple[FaultyChains, FaultyRails]
) -> None:
    chains, _ = outside
    other = await make_tenant(org.house, org.client)
    user, to = await make_user(org, funds="100"), await make_user(org)
    chains.is_silent = True
    made = (await org.post(TRANSFERS, transfer_body(user, to)))["transferDetails"]
    await run_due(org)
    await asyncio.gather(advance(org, HOUR), advance(other, HOUR))
    assert await stuck(org) == [UUID(made["id"])]
    assert await stuck(other) == []
    path = f"{TRANSFERS}/{made['id']}"
    assert await other.refused("GET", path, expand="timeline") == "404 TRANSACTION_NOT_FOUND"


async def test_a_plan_stays_with_its_record(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    answer = await org.client.post(
        SWAPS,
        json=swap_body(user),
        headers={**org.headers, "Landbridge-Sandbox": "quote=expire"},
    )
    made = good(answer)["transferDetails"]
    assert (await timeline(org, f"{SWAPS}/{made['id']}"))["forced"] == "quote=expire"


async def test_a_deposit_that_nothing_becomes_of_is_stuck(org: Tenant) -> None:
    at = datetime(2026, 3, 4, 12, tzinfo=UTC)
    receipt = await org.house.receipts.receive(
        Told(
            org_id=org.org_id,
            bank_reference="held",
            account_number="1234",
            reference=None,
            money=Money(100, FIAT["usd"]),
            rail="wire",
            sender=None,
            description=None,
            at=at,
        )
    )

    async def after(by: timedelta) -> list[tuple[UUID, str, Party]]:
        offset = at + by - datetime.now(UTC)
        found = await org.house.timelines.stuck({org.org_id: offset}, limit=10)
        return [(each.id, each.status, each.party) for each in found]

    assert await after(timedelta(minutes=59)) == []
    assert await after(timedelta(minutes=61)) == [(receipt.id, "NEW", Party.WORKER)]
    returning = await org.house.receipts.begin_return(receipt, at + HOUR)
    assert returning is not None
    assert await after(timedelta(days=7)) == []
    assert await after(timedelta(days=7, hours=2)) == [(receipt.id, "RETURNING", Party.BANK)]
    assert await org.house.receipts.end_return(returning, at + 2 * HOUR)
    assert await after(timedelta(days=70)) == []
