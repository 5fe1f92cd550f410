"""Reviews of payouts: opened by an admin or by the rule, closed, cancelled, run out of time."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from landbridge.db.pool import Database, Tx
from landbridge.flows.offramps import moves
from landbridge.flows.offramps.model import MOVES, Status
from landbridge.ledger.model import Role
from landbridge.payments.sending import going
from tests.payouts import OFFRAMPS, accept, check_books, shown
from tests.tenants import held

from .playing import Play, playing

CONFLICT = "RESOURCE_CONFLICT"


async def _reviews(play: Play, made: dict[str, Any]) -> list[str]:
    """The statuses of what was asked about it."""
    found = await play.org.house.rfis.of(play.org.org_id, [(await play.of(made)).record.id])
    return [each.status for each in found.get((await play.of(made)).record.id, ())]


async def _at(play: Play, status: str) -> dict[str, Any]:
    """An offramp that rests at this status."""
    if status == "OPEN_QUOTE":
        return await play.quoted()
    made = await play.accepted()
    if status == "CRYPTO_INITIATED":
        return made
    play.chains.late_by = timedelta(minutes=1) if status == "CRYPTO_PENDING" else None
    play.rails.late_by = timedelta(minutes=1) if status == "FIAT_PENDING" else None
    play.rails.is_silent = status == "FIAT_INITIATED"
    await play.run()
    play.chains.late_by = play.rails.late_by = None
    play.rails.is_silent = False
    assert await play.status(made) == status
    return made


AT = ["OPEN_QUOTE", "CRYPTO_INITIATED", "CRYPTO_PENDING", "FIAT_INITIATED", "FIAT_PENDING"]


@pytest.mark.parametrize("status", AT)
async def test_what_is_reviewed_waits_and_then_goes_on(play: Play, status: str) -> None:
    made = await _at(play, status)
    assert await play.review(made, "open") == "200"
    assert await play.status(made) == "IN_REVIEW"
    assert await play.review(made, "open") == CONFLICT
    before = (play.chains.count("send"), play.rails.count("pay"))
    await play.pass_time(minutes=2)
    assert await play.status(made) == "IN_REVIEW"
    assert (play.chains.count("send"), play.rails.count("pay")) == before
    assert await play.review(made, "close") == "200"
    assert await play.status(made) == status
    if status == "OPEN_QUOTE":
        await accept(play.org, made)
    await play.run()
    assert await play.status(made) == "COMPLETED"
    assert await held(play.org, play.ada) == "900"
    assert len({each.key for each in (*play.chains.asked, *play.rails.asked)}) == 2
    assert await _reviews(play, made) == ["CLOSED"]
    await check_books(play.org)


async def test_nothing_is_reviewed_at_an_end(play: Play) -> None:
    made = await play.accepted()
    await play.run()
    assert await play.review(made, "open") == CONFLICT


async def test_a_quote_is_not_accepted_in_review_and_runs_out_there(play: Play) -> None:
    made = await play.quoted()
    await play.review(made, "open")
    path = f"{OFFRAMPS}/{made['id']}/quote/accept"
    assert await play.org.refused("POST", path) == "409 RESOURCE_CONFLICT"
    await play.pass_time(minutes=11)
    assert await play.status(made) == "QUOTE_FAILED"
    assert await _reviews(play, made) == ["CLOSED"]


@pytest.mark.parametrize("asks", [False, True])
async def test_what_time_ends_in_review_takes_the_request_with_it(
    play: Play, *, asks: bool
) -> None:
    made = await play.quoted(requireApproval=asks)
    await play.review(made, "open")
    database = play.org.house.database
    has_locked, may_go_on = asyncio.Event(), asyncio.Event()

    async def lock(tx: Tx) -> None:
        await tx.fetch("select 1 from rfis where org_id = $1 for update", play.org.org_id)
        has_locked.set()
        await may_go_on.wait()

    locking = asyncio.create_task(database.transact(lock))
    await has_locked.wait()
    ending = asyncio.create_task(play.pass_time(days=2))
    await asyncio.sleep(0.3)
    assert await play.status(made) == "IN_REVIEW"
    may_go_on.set()
    await asyncio.gather(locking, ending)
    assert await play.status(made) == ("EXPIRED" if asks else "QUOTE_FAILED")
    assert await _reviews(play, made) == ["CLOSED"]
    await check_books(play.org)


async def test_accepting_again_in_review_answers_as_it_is(play: Play) -> None:
    made = await play.accepted()
    await play.review(made, "open")
    assert (await accept(play.org, made))["status"] == "IN_REVIEW"


@pytest.mark.parametrize("status", ["OPEN_QUOTE", "CRYPTO_INITIATED"])
async def test_a_cancel_before_the_debit(play: Play, status: str) -> None:
    made = await _at(play, status)
    assert await play.cancel(made) == CONFLICT
    await play.review(made, "open")
    assert await play.cancel(made) == "NOT_INITIATED"
    assert await play.cancel(made) == "NOT_INITIATED"
    await play.run()
    done = await shown(play.org, made)
    assert done["failedReason"] == "it was cancelled while it was reviewed"
    assert await held(play.org, play.ada) == "1000"
    found = await play.org.get(
        f"/v2/users/{play.ada}/wallets/balance", chain="POLYGON", currency="usdc"
    )
    assert found["availableBalance"] == "1000000000"
    assert await _reviews(play, made) == ["CLOSED"]
    assert (await play.told(made))[-1] == ("cancel", "NOT_INITIATED")
    assert await play.review(made, "close") == "200"
    await check_books(play.org)


async def test_a_cancel_with_the_coins_here(play: Play) -> None:
    made = await _processed(play)
    assert await play.cancel(made) == "FIAT_FAILED"
    await play.run()
    assert await play.status(made) == "CRYPTO_RETURNED"
    assert await play.cancel(made) == "CRYPTO_RETURNED"
    assert await held(play.org, play.ada) == "1000"
    assert await play.house(Role.LIQUIDITY) == {}
    assert play.rails.asked == []
    await check_books(play.org)


async def _processed(play: Play) -> dict[str, Any]:
    """An offramp in review whose coins we have, and that the bank knows nothing of."""
    made = await play.accepted()
    offramps = play.org.house.offramps
    here = await play.of(made)
    move = going(
        here.record,
        MOVES,
        *(Status.CRYPTO_PENDING, Status.CRYPTO_PROCESSED),
        at=play.clock.stamp(),
        facts=moves.PROCESSED,
        journal=moves.processed(here),
    )
    await offramps.ledger.advance(move, MOVES)
    assert await play.review(made, "open") == "200"
    return made


@pytest.mark.parametrize("status", ["CRYPTO_PENDING", "FIAT_INITIATED", "FIAT_PENDING"])
async def test_no_cancel_while_something_is_under_way(play: Play, status: str) -> None:
    made = await _at(play, status)
    await play.review(made, "open")
    assert await play.cancel(made) == CONFLICT
    assert await play.status(made) == "IN_REVIEW"


async def test_a_frozen_organisation_cancels_nothing(play: Play) -> None:
    made = await play.quoted()
    await play.review(made, "open")
    await play.org.house.orgs.freeze(play.org.org_id)
    assert await play.cancel(made) == "PROFILE_FROZEN"


async def test_a_large_one_is_reviewed_before_the_debit(database: Database) -> None:
    async with playing(database, review_above_usd=100) as play:
        small = await play.accepted("99.999999")
        assert small["status"] == "CRYPTO_INITIATED"
        made = await play.accepted(100)
        assert made["status"] == "IN_REVIEW"
        assert await _reviews(play, made) == ["OPEN"]
        found = await play.org.get(
            f"/v2/users/{play.ada}/wallets/balance", chain="POLYGON", currency="usdc"
        )
        assert found["availableBalance"] == "800000001"
        assert (await accept(play.org, made))["status"] == "IN_REVIEW"
        await play.pass_time(days=2)
        assert await play.status(made) == "IN_REVIEW"
        queue = await play.org.get("/v2/reviews/transfers")
        assert [each["transferId"] for each in queue["reviews"]] == [made["id"]]
        assert await play.review(made, "close") == "200"
        assert await play.status(made) == "CRYPTO_INITIATED"
        await play.run()
        assert await play.status(made) == "COMPLETED"
        cancelled = await play.accepted(100)
        assert await play.cancel(cancelled) == "NOT_INITIATED"
        await check_books(play.org)
