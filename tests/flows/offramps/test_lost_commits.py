"""A commit that nobody heard of is tried again, and pays nothing twice."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from msgspec import structs

from landbridge.core.clock import FrozenClock
from landbridge.orgs.service import take_lane
from landbridge.wiring import wire
from tests.contract.things import send_file
from tests.db.test_lost_commits import Forgetful
from tests.payouts import OFFRAMPS, accept, check_books, offramp_body, shown
from tests.tenants import SETTINGS, Tenant, held, served

from .playing import Play


@pytest.fixture
async def doubtful(dsn: str, play: Play) -> AsyncIterator[Play]:
    """The play in a house that does everything twice, and reviews what is worth 200 or more."""
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    clock = FrozenClock(play.clock.at, await take_lane(play.org.house.database))
    house = wire(structs.replace(SETTINGS, review_above_usd=200), database, clock)
    async with served(house) as client:
        org = Tenant(house, client, play.org.caller, play.org.key)
        yield replace(play, org=org, clock=clock)
    await database.close()


async def _run(play: Play) -> None:
    """Each step finds that "somebody else" has taken it; the next run goes on from there."""
    for _ in range(8):
        await play.run()


async def _events(play: Play, offramp: dict[str, str]) -> list[str]:
    return [status for _, status in await play.told(offramp)]


async def test_a_payout_is_opened_accepted_and_paid_once(doubtful: Play) -> None:
    play = doubtful
    documents = [{"fileId": await send_file(play.org), "type": "INVOICE"}]
    body = offramp_body(
        play.ada,
        play.account,
        description="A boat",
        supportingInformation={"documents": documents},
        requireApproval=True,
    )
    made = (await play.org.post(OFFRAMPS, body))["transferDetails"]
    await play.org.post(f"/v2/transfer-approvals/{made['approval']['id']}/approve", {})
    await accept(play.org, made)
    await _run(play)
    assert await play.status(made) == "COMPLETED"
    assert await held(play.org, play.ada) == "900"
    assert await _events(play, made) == [
        *("CREATED", "PENDING_APPROVAL", "OPEN_QUOTE", "CRYPTO_INITIATED", "CRYPTO_PENDING"),
        *("CRYPTO_PROCESSED", "FIAT_INITIATED", "FIAT_PENDING", "COMPLETED"),
    ]
    await check_books(play.org)


async def test_a_review_is_opened_and_cancelled_once(doubtful: Play) -> None:
    play = doubtful
    made = await play.accepted(200)
    assert made["status"] == "IN_REVIEW"
    assert await play.cancel(made) == "NOT_INITIATED"
    assert await held(play.org, play.ada) == "1000"
    assert await _events(play, made) == ["CREATED", "OPEN_QUOTE", "IN_REVIEW", "NOT_INITIATED"]
    await check_books(play.org)


async def test_an_approval_in_review_is_cancelled_once(doubtful: Play) -> None:
    play = doubtful
    made = await play.quoted(requireApproval=True)
    assert await play.review(made, "open") == "200"
    assert await play.cancel(made) == "NOT_INITIATED"
    assert (await shown(play.org, made))["approval"]["status"] == "EXPIRED"
    await check_books(play.org)


async def test_coins_from_outside_count_once(doubtful: Play) -> None:
    play = doubtful
    made = await accept(play.org, await play.from_outside(200))
    await play.org.post(f"/v2/sandbox/offramps/{made['id']}/deposit", {})
    assert await play.status(made) == "IN_REVIEW"
    assert await play.review(made, "close") == "200"
    await _run(play)
    assert await play.status(made) == "COMPLETED"
    await check_books(play.org)
