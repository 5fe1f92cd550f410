"""Timelines and stuck payments."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.app.container import TRANSITIONS, wire
from landbridge.app.container.registry import WAITS
from landbridge.payments.engine.outgoing_transfers import TRANSITIONS as REMITTANCE_MOVES
from landbridge.payments.engine.outgoing_transfers import OutgoingTransferStatus
from landbridge.payments.engine.wait_states import (
    GRACE,
    WaitParty,
    WaitState,
    WaitStates,
    is_stuck,
    wait_end,
)
from landbridge.payments.incoming_payments.model import ReportedCredit
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken, Unavailable
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.providers.rails.currencies import FIAT
from tests.dashboard.browsing import visit
from tests.onramps import ONRAMPS, onramp_body
from tests.payouts import OFFRAMPS, make_account, make_payee, offramp_body
from tests.providers.simulation.faulty import FaultyChains, FaultyRails
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
    container = wire(SETTINGS, database, Clock(99))
    return FaultyChains(container.chains), FaultyRails(container.rails)


@pytest.fixture
async def org(
    database: Database, outside: tuple[FaultyChains, FaultyRails]
) -> AsyncIterator[Tenant]:
    chains, rails = outside
    container = wire(SETTINGS, database, Clock(98), chains=chains, rails=rails)
    async with served(container) as client:
        yield await make_tenant(container, client)


async def timeline(org: Tenant, path: str) -> dict[str, Any]:
    return (await org.get(path, expand="timeline"))["timeline"]


async def advance(org: Tenant, by: timedelta) -> None:
    await org.post("/v2/sandbox/clock/advance", {"seconds": int(by.total_seconds())})


async def stuck(org: Tenant) -> list[UUID]:
    offset = (await org.container.orgs.clock_offsets())[org.org_id]
    found = await org.container.timelines.stuck({org.org_id: offset}, limit=100)
    return [each.id for each in found]


def test_every_flow_has_wait_states() -> None:
    # Coin deposits, micro-deposits, corrections and gas costs are terminal when created.
    at_once = {"WALLET.DEPOSIT", "ACCOUNT.MICRO_DEPOSIT", "LEDGER.CORRECTION", "CHAIN.GAS"} | {
        "LEDGER.ADJUSTMENT"
    }
    assert set(TRANSITIONS) - set(WAITS) <= at_once
    for kind in set(TRANSITIONS) - set(WAITS):
        transitions = TRANSITIONS[kind]
        assert all(transitions.is_terminal(each) for each in transitions.start), kind


def test_status_without_a_wait_state_raises() -> None:
    with pytest.raises(InvariantBroken):
        WaitStates(REMITTANCE_MOVES, {OutgoingTransferStatus.CREATED: WaitState(WaitParty.WORKER)})
    table: dict[Any, WaitState] = {
        status: WaitState(WaitParty.WORKER)
        for status in OutgoingTransferStatus
        if not REMITTANCE_MOVES.is_terminal(status)
    }
    WaitStates(REMITTANCE_MOVES, table)
    with pytest.raises(InvariantBroken):
        WaitStates(
            REMITTANCE_MOVES,
            {**table, OutgoingTransferStatus.COMPLETED: WaitState(WaitParty.WORKER)},
        )


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
def test_stuck_means_past_the_limit_or_the_due_time(
    within: timedelta | None, due_in: timedelta | None, age: timedelta, *, expected: bool
) -> None:
    due_at = None if due_in is None else AT + due_in
    wait = WaitState(WaitParty.BANK, within)
    assert is_stuck(wait, since=AT, due_at=due_at, now=AT + age) is expected


def test_wait_ends_at_the_earlier_of_limit_and_due_time() -> None:
    assert wait_end(WaitState(WaitParty.BANK), since=AT, due_at=None) is None
    assert wait_end(WaitState(WaitParty.BANK), since=AT, due_at=AT + HOUR) == AT + HOUR
    assert wait_end(WaitState(WaitParty.BANK, HOUR), since=AT, due_at=None) == AT + HOUR
    assert wait_end(WaitState(WaitParty.BANK, HOUR), since=AT, due_at=AT + 2 * HOUR) == AT + HOUR


async def test_swap_waits_for_its_owner_until_accepted(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    created = (await org.post(SWAPS, swap_body(user)))["transferDetails"]
    path = f"{SWAPS}/{created['id']}"
    before = await timeline(org, path)
    assert [each["status"] for each in before["steps"]] == ["OPEN_QUOTE"]
    assert before["steps"][0]["actor"].startswith("key:")
    assert before["waitsFor"] == "CLIENT"
    assert before["waitsSince"] == created["createdAt"]
    assert before["waitsUntil"] == created["quoteInformation"]["expiresAt"]
    assert before["isStuck"] is False
    assert before["outcomePlan"] is None
    await org.post(f"{path}/accept")
    after = await timeline(org, path)
    assert [each["status"] for each in after["steps"]] == [
        "OPEN_QUOTE",
        "CREATED",
        "PENDING",
        "COMPLETED",
    ]
    waits = (after["waitsFor"], after["waitsSince"], after["waitsUntil"], after["isStuck"])
    assert waits == (None, None, None, False)


async def test_timeline_is_shown_only_on_request(org: Tenant) -> None:
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
        created = (await org.post(path, body))["transferDetails"]
        plain = await org.get(f"{path}/{created['id']}")
        assert "timeline" not in plain
        expanded = await org.get(f"{path}/{created['id']}", expand="timeline")
        assert expanded.pop("timeline")["steps"], path
        assert expanded["transferType"] == plain["transferType"]
        wrong = await org.send("GET", f"{path}/{created['id']}", expand="everything")
        assert refusal(wrong) == "400 FIELD_VALIDATION_ERROR"
        assert sentence(wrong) == "expand must be timeline"


async def test_payout_without_a_bank_answer_is_stuck_until_answered(
    org: Tenant, outside: tuple[FaultyChains, FaultyRails]
) -> None:
    _, rails = outside
    user = await make_payee(org)
    body = offramp_body(user, await make_account(org, user))
    created = (await org.post(OFFRAMPS, body))["transferDetails"]
    path = f"{OFFRAMPS}/{created['id']}"
    rails.is_silent = True
    await org.post(f"{path}/quote/accept")
    await run_due(org)
    waiting = await timeline(org, path)
    assert (waiting["waitsFor"], waiting["isStuck"]) == ("BANK", False)
    assert await stuck(org) == []
    await advance(org, GRACE + timedelta(seconds=5))
    late = await timeline(org, path)
    assert (late["waitsFor"], late["isStuck"]) == ("BANK", True)
    assert await stuck(org) == [UUID(created["id"])]
    (stuck_payment,) = (await org.get("/v2/stuck"))["stuck"]
    assert (stuck_payment["id"], stuck_payment["type"], stuck_payment["waitsFor"]) == (
        created["id"],
        "OFFRAMP",
        "BANK",
    )
    assert stuck_payment["waitsSince"] == late["waitsSince"]
    page = await (await visit(org)).load("/dashboard")
    # Which one it is, by its kind and short id.
    (item,) = page.tree.xpath("//ul[@class='calls']/li[a='Stuck payment']")
    assert item.xpath("span/code/@title") == [created["id"]]
    assert "Offramp" in item.text_content()
    assert f"/dashboard/transactions/{created['id']}" in page.links()
    rails.is_silent = False
    await run_due(org)
    done = await timeline(org, path)
    assert done["steps"][-1]["status"] == "COMPLETED"
    assert await stuck(org) == []


async def test_unknown_payment_is_stuck_at_once(
    org: Tenant, outside: tuple[FaultyChains, FaultyRails]
) -> None:
    chains, _ = outside
    user, to = await make_user(org, funds="100"), await make_user(org)
    chains.raise_before_next = Unavailable("the node is down")
    created = (await org.post(TRANSFERS, transfer_body(user, to)))["transferDetails"]
    chains.is_silent = True
    await run_due(org)
    await advance(org, timedelta(days=1, minutes=1))
    found = await timeline(org, f"{TRANSFERS}/{created['id']}")
    assert found["steps"][-1]["status"] == "UNKNOWN"
    assert found["isStuck"] is True
    assert await stuck(org) == [UUID(created["id"])]


async def test_unanswered_review_is_stuck_after_a_day(org: Tenant) -> None:
    user = await make_payee(org)
    body = offramp_body(user, await make_account(org, user))
    created = (await org.post(OFFRAMPS, body))["transferDetails"]
    await org.post(f"/v2/sandbox/transfers/{created['id']}/rfi", {"action": "open"})
    path = f"{OFFRAMPS}/{created['id']}"
    assert (await timeline(org, path))["waitsFor"] == "REVIEWER"
    assert await stuck(org) == []
    offsets = {org.org_id: timedelta(days=1, minutes=1)}
    found = await org.container.timelines.stuck(offsets, limit=100)
    assert [(each.id, each.party) for each in found] == [(UUID(created["id"]), WaitParty.REVIEWER)]
    assert str(org.org_id) in found[0].sentence


async def test_stuck_payments_of_other_organisations_are_hidden(
    org: Tenant, outside: tuple[FaultyChains, FaultyRails]
) -> None:
    chains, _ = outside
    other = await make_tenant(org.container, org.client)
    user, to = await make_user(org, funds="100"), await make_user(org)
    chains.is_silent = True
    created = (await org.post(TRANSFERS, transfer_body(user, to)))["transferDetails"]
    await run_due(org)
    await asyncio.gather(advance(org, HOUR), advance(other, HOUR))
    assert await stuck(org) == [UUID(created["id"])]
    assert await stuck(other) == []
    path = f"{TRANSFERS}/{created['id']}"
    assert await other.refused("GET", path, expand="timeline") == "404 TRANSACTION_NOT_FOUND"


async def test_timeline_shows_the_outcome_plan(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    answer = await org.client.post(
        SWAPS,
        json=swap_body(user),
        headers={**org.headers, "Landbridge-Sandbox": "quote=expire"},
    )
    created = good(answer)["transferDetails"]
    assert (await timeline(org, f"{SWAPS}/{created['id']}"))["outcomePlan"] == "quote=expire"


async def test_unmatched_deposit_is_stuck(org: Tenant) -> None:
    at = datetime(2026, 3, 4, 12, tzinfo=UTC)
    receipt = await org.container.incoming_payments.receive(
        ReportedCredit(
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

    async def after(by: timedelta) -> list[tuple[UUID, str, WaitParty]]:
        offset = at + by - datetime.now(UTC)
        found = await org.container.timelines.stuck({org.org_id: offset}, limit=10)
        return [(each.id, each.status, each.party) for each in found]

    assert await after(timedelta(minutes=59)) == []
    assert await after(timedelta(minutes=61)) == [(receipt.id, "NEW", WaitParty.WORKER)]
    returning = await org.container.incoming_payments.begin_return(receipt, at + HOUR)
    assert returning is not None
    assert await after(timedelta(days=7)) == []
    assert await after(timedelta(days=7, hours=2)) == [(receipt.id, "RETURNING", WaitParty.BANK)]
    assert await org.container.incoming_payments.end_return(returning, at + 2 * HOUR)
    assert await after(timedelta(days=70)) == []
