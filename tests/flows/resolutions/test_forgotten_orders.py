"""Orders whose provider may have forgotten their key: looked up, not given again."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from landbridge.core.errors import Unclear
from landbridge.db.pool import Database
from landbridge.ledger.model import Role
from tests.flows.offramps.playing import Play, playing
from tests.payouts import check_books
from tests.resolving import Desk, make_desk
from tests.tenants import held


@pytest.fixture
async def play(database: Database) -> AsyncIterator[Play]:
    async with playing(database) as play:
        play.chains.remembers = play.rails.remembers = timedelta(hours=24)
        yield play


@pytest.fixture
async def desk(play: Play) -> Desk:
    return await make_desk(play.org, play.clock, play.run)


async def test_a_lost_payout_is_given_again_while_the_bank_remembers(play: Play) -> None:
    made = await play.accepted()
    play.rails.raise_before_next = Unclear("no answer; it did not arrive")
    await play.run()
    assert await play.status(made) == "FIAT_INITIATED"
    await play.pass_time(hours=23)
    assert play.rails.count("pay") == 2
    await play.pass_time(days=3)
    assert await play.status(made) == "COMPLETED"


async def test_a_lost_payout_waits_for_a_person_once_the_bank_may_have_forgotten(
    play: Play, desk: Desk
) -> None:
    made = await play.accepted()
    play.rails.raise_before_next = Unclear("no answer; it did not arrive")
    await play.run()
    await play.pass_time(hours=25)
    await play.pass_time(days=5)
    # Given once; asked about ever since.
    assert play.rails.count("pay") == 1
    assert await play.status(made) == "FIAT_INITIATED"
    (stuck,) = (await play.org.get("/v2/stuck"))["stuck"]
    assert (stuck["id"], stuck["waitsFor"]) == (made["id"], "REVIEWER")
    assert stuck["attention"] == (
        "the provider knows no such order, and may have forgotten its key"
    )
    assert (await desk.resolve(made["id"], "FAIL"))["status"] == "COMPLETED"
    await play.pass_time(seconds=10)
    assert await play.status(made) == "CRYPTO_RETURNED"
    assert await held(play.org, play.ada) == "1000"
    assert await play.house(Role.IN_TRANSIT) == {}
    await check_books(play.org)


async def test_an_order_that_was_never_given_is_not_forgotten(play: Play) -> None:
    made = await play.accepted()
    # Nobody worked for a week.
    await play.pass_time(days=7)
    await play.pass_time(days=7)
    assert await play.status(made) == "COMPLETED"
    assert play.rails.count("pay") == 1


async def test_an_answer_that_comes_after_all_settles_a_forgotten_order(play: Play) -> None:
    made = await play.accepted()
    play.rails.raise_after_next = Unclear("no answer; it did arrive")
    await play.run()
    play.rails.is_silent = True
    await play.pass_time(hours=30)
    play.rails.is_silent = False
    await play.pass_time(hours=2)
    assert await play.status(made) == "COMPLETED"
    assert play.rails.count("pay") == 1
    await check_books(play.org)
