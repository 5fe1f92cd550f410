"""Reviews of payouts: opened by an admin or by the rule, closed, cancelled, run out of time."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from landbridge.ledger.model import HouseRole
from landbridge.payments.engine.outgoing_orders import build_move
from landbridge.payments.offramps import transitions
from landbridge.payments.offramps.model import TRANSITIONS, OfframpStatus
from landbridge.platform.db.pool import Database, Tx
from tests.payments.offramps.offramp_scenario import OfframpScenario, open_scenario
from tests.payouts import OFFRAMPS, accept, check_books, shown
from tests.tenants import held

CONFLICT = "RESOURCE_CONFLICT"


async def _reviews(scenario: OfframpScenario, created: dict[str, Any]) -> list[str]:
    """Return the statuses of a record's requests for information."""
    found = await scenario.org.container.rfis.of(
        scenario.org.org_id, [(await scenario.of(created)).record.id]
    )
    return [each.status for each in found.get((await scenario.of(created)).record.id, ())]


async def _at(scenario: OfframpScenario, status: str) -> dict[str, Any]:
    """An offramp that rests at this status."""
    if status == "OPEN_QUOTE":
        return await scenario.quoted()
    created = await scenario.accepted()
    if status == "CRYPTO_INITIATED":
        return created
    scenario.chains.late_by = timedelta(minutes=1) if status == "CRYPTO_PENDING" else None
    scenario.rails.late_by = timedelta(minutes=1) if status == "FIAT_PENDING" else None
    scenario.rails.is_silent = status == "FIAT_INITIATED"
    await scenario.run()
    scenario.chains.late_by = scenario.rails.late_by = None
    scenario.rails.is_silent = False
    assert await scenario.status(created) == status
    return created


AT = ["OPEN_QUOTE", "CRYPTO_INITIATED", "CRYPTO_PENDING", "FIAT_INITIATED", "FIAT_PENDING"]


@pytest.mark.parametrize("status", AT)
async def test_reviewed_payment_waits_and_continues(scenario: OfframpScenario, status: str) -> None:
    created = await _at(scenario, status)
    assert await scenario.review(created, "open") == "200"
    assert await scenario.status(created) == "IN_REVIEW"
    assert await scenario.review(created, "open") == CONFLICT
    before = (scenario.chains.count("send"), scenario.rails.count("pay"))
    await scenario.pass_time(minutes=2)
    assert await scenario.status(created) == "IN_REVIEW"
    assert (scenario.chains.count("send"), scenario.rails.count("pay")) == before
    assert await scenario.review(created, "close") == "200"
    assert await scenario.status(created) == status
    if status == "OPEN_QUOTE":
        await accept(scenario.org, created)
    await scenario.run()
    assert await scenario.status(created) == "COMPLETED"
    assert await held(scenario.org, scenario.ada) == "900"
    assert len({each.key for each in (*scenario.chains.orders, *scenario.rails.orders)}) == 2
    assert await _reviews(scenario, created) == ["CLOSED"]
    await check_books(scenario.org)


async def test_terminal_status_cannot_be_reviewed(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    await scenario.run()
    assert await scenario.review(created, "open") == CONFLICT


async def test_a_quote_is_not_accepted_in_review_and_runs_out_there(
    scenario: OfframpScenario,
) -> None:
    created = await scenario.quoted()
    await scenario.review(created, "open")
    path = f"{OFFRAMPS}/{created['id']}/quote/accept"
    assert await scenario.org.refused("POST", path) == "409 RESOURCE_CONFLICT"
    await scenario.pass_time(minutes=11)
    assert await scenario.status(created) == "QUOTE_FAILED"
    assert await _reviews(scenario, created) == ["CLOSED"]


@pytest.mark.parametrize("needs_approval", [False, True])
async def test_expiry_in_review_closes_the_request(
    scenario: OfframpScenario, *, needs_approval: bool
) -> None:
    created = await scenario.quoted(requireApproval=needs_approval)
    await scenario.review(created, "open")
    database = scenario.org.container.database
    has_locked, may_go_on = asyncio.Event(), asyncio.Event()

    async def lock(tx: Tx) -> None:
        await tx.fetch("select 1 from rfis where org_id = $1 for update", scenario.org.org_id)
        has_locked.set()
        await may_go_on.wait()

    locking = asyncio.create_task(database.transact(lock))
    await has_locked.wait()
    ending = asyncio.create_task(scenario.pass_time(days=2))
    await asyncio.sleep(0.3)
    assert await scenario.status(created) == "IN_REVIEW"
    may_go_on.set()
    await asyncio.gather(locking, ending)
    assert await scenario.status(created) == ("EXPIRED" if needs_approval else "QUOTE_FAILED")
    assert await _reviews(scenario, created) == ["CLOSED"]
    await check_books(scenario.org)


async def test_repeated_accept_in_review_returns_the_current_state(
    scenario: OfframpScenario,
) -> None:
    created = await scenario.accepted()
    await scenario.review(created, "open")
    assert (await accept(scenario.org, created))["status"] == "IN_REVIEW"


@pytest.mark.parametrize("status", ["OPEN_QUOTE", "CRYPTO_INITIATED"])
async def test_a_cancel_before_the_debit(scenario: OfframpScenario, status: str) -> None:
    created = await _at(scenario, status)
    assert await scenario.cancel(created) == CONFLICT
    await scenario.review(created, "open")
    assert await scenario.cancel(created) == "NOT_INITIATED"
    assert await scenario.cancel(created) == "NOT_INITIATED"
    await scenario.run()
    done = await shown(scenario.org, created)
    assert done["failedReason"] == "it was cancelled during its review"
    assert await held(scenario.org, scenario.ada) == "1000"
    found = await scenario.org.get(
        f"/v2/users/{scenario.ada}/wallets/balance", chain="POLYGON", currency="usdc"
    )
    assert found["availableBalance"] == "1000000000"
    assert await _reviews(scenario, created) == ["CLOSED"]
    assert (await scenario.changes(created))[-1] == ("cancel", "NOT_INITIATED")
    assert await scenario.review(created, "close") == "200"
    await check_books(scenario.org)


async def test_a_cancel_with_the_coins_here(scenario: OfframpScenario) -> None:
    created = await _processed(scenario)
    assert await scenario.cancel(created) == "FIAT_FAILED"
    await scenario.run()
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    assert await scenario.cancel(created) == "CRYPTO_RETURNED"
    assert await held(scenario.org, scenario.ada) == "1000"
    assert await scenario.container(HouseRole.LIQUIDITY) == {}
    assert scenario.rails.orders == []
    await check_books(scenario.org)


async def _processed(scenario: OfframpScenario) -> dict[str, Any]:
    """Return an offramp in review whose coins are debited, and whose payout is not sent."""
    created = await scenario.accepted()
    offramps = scenario.org.container.offramps
    here = await scenario.of(created)
    move = build_move(
        here.record,
        TRANSITIONS,
        *(OfframpStatus.CRYPTO_PENDING, OfframpStatus.CRYPTO_PROCESSED),
        at=scenario.clock.stamp(),
        facts=transitions.PROCESSED,
        journal=transitions.processed(here),
    )
    await offramps.ledger.advance(move, TRANSITIONS)
    assert await scenario.review(created, "open") == "200"
    return created


@pytest.mark.parametrize("status", ["CRYPTO_PENDING", "FIAT_INITIATED", "FIAT_PENDING"])
async def test_payment_under_way_cannot_be_cancelled(
    scenario: OfframpScenario, status: str
) -> None:
    created = await _at(scenario, status)
    await scenario.review(created, "open")
    assert await scenario.cancel(created) == CONFLICT
    assert await scenario.status(created) == "IN_REVIEW"


async def test_frozen_organisation_cancels_nothing(scenario: OfframpScenario) -> None:
    created = await scenario.quoted()
    await scenario.review(created, "open")
    await scenario.org.container.orgs.freeze(scenario.org.org_id)
    assert await scenario.cancel(created) == "PROFILE_FROZEN"


async def test_a_large_one_is_reviewed_before_the_debit(database: Database) -> None:
    async with open_scenario(database, review_above_usd=100) as scenario:
        small = await scenario.accepted("99.999999")
        assert small["status"] == "CRYPTO_INITIATED"
        created = await scenario.accepted(100)
        assert created["status"] == "IN_REVIEW"
        assert await _reviews(scenario, created) == ["OPEN"]
        found = await scenario.org.get(
            f"/v2/users/{scenario.ada}/wallets/balance", chain="POLYGON", currency="usdc"
        )
        assert found["availableBalance"] == "800000001"
        assert (await accept(scenario.org, created))["status"] == "IN_REVIEW"
        await scenario.pass_time(days=2)
        assert await scenario.status(created) == "IN_REVIEW"
        queue = await scenario.org.get("/v2/reviews/transfers")
        assert [each["transferId"] for each in queue["reviews"]] == [created["id"]]
        assert await scenario.review(created, "close") == "200"
        assert await scenario.status(created) == "CRYPTO_INITIATED"
        await scenario.run()
        assert await scenario.status(created) == "COMPLETED"
        cancelled = await scenario.accepted(100)
        assert await scenario.cancel(cancelled) == "NOT_INITIATED"
        await check_books(scenario.org)
