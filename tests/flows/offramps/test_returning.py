"""Payouts that come back after they were settled: at every status, with fees, from outside."""

from uuid import uuid4

import pytest

from landbridge.core.errors import ResourceConflict
from landbridge.core.money import Money
from landbridge.flows.offramps.model import Status
from landbridge.flows.offramps.returning import why_not_returned
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.model import Role
from landbridge.rails.currencies import FIAT
from tests.events.watching import watching
from tests.payouts import OFFRAMPS, check_books
from tests.returned import return_payout
from tests.tenants import held

from .playing import OUTSIDE, Play
from .test_model import offramp

USD = FIAT["usd"]


async def completed(play: Play, **changes: object) -> dict[str, str]:
    """An offramp of a hundred that was paid out."""
    made = await play.accepted(**changes)
    await play.run()
    await play.pass_time(days=5)
    assert await play.status(made) == "COMPLETED"
    return made


@pytest.mark.parametrize("status", list(Status))
def test_only_a_completed_offramp_is_reopened(status: Status) -> None:
    found = offramp(status, reviewed_from=Status.FIAT_PENDING)
    refusal = why_not_returned(found, found.receive)
    assert (refusal is None) == (status is Status.COMPLETED)
    assert refusal is None or isinstance(refusal, ResourceConflict)


@pytest.mark.parametrize("units", [-1, 0, 10_001])
def test_only_what_was_paid_comes_back(units: int) -> None:
    found = offramp(Status.COMPLETED)
    assert found.receive.units <= 10_000
    assert why_not_returned(found, Money(units, USD)) is not None
    assert why_not_returned(found, Money(1, FIAT["eur"])) is not None
    assert why_not_returned(found, Money(1, USD)) is None


async def test_fees_that_were_paid_stay_paid(play: Play) -> None:
    fee = {"walletAddress": OUTSIDE, "type": "FLAT", "value": "1"}
    made = await completed(play, developerFee={"fees": [fee]})
    assert await held(play.org, play.ada) == "899"
    reopened = await return_payout(play.org, made)
    assert reopened.status is Status.FIAT_FAILED
    await play.run()
    assert await play.status(made) == "CRYPTO_RETURNED"
    assert await held(play.org, play.ada) == "999"
    await check_books(play.org)


async def test_coins_from_outside_go_back_outside(play: Play) -> None:
    made = await play.from_outside()
    await play.org.post(f"{OFFRAMPS}/{made['id']}/quote/accept")
    await play.org.post(f"/v2/sandbox/offramps/{made['id']}/deposit", {})
    await play.run()
    await play.pass_time(days=5)
    assert await play.status(made) == "COMPLETED"
    await return_payout(play.org, made)
    await play.run()
    assert await play.status(made) == "CRYPTO_RETURNED"
    assert await play.house(Role.OUTSIDE) == {"usdc:POLYGON": -1_000_000_000}
    await check_books(play.org)


async def test_a_frozen_user_gets_the_coins_into_a_frozen_wallet(play: Play) -> None:
    made = await completed(play)
    await play.org.post(f"/v2/users/{play.ada}/freeze", {})
    await return_payout(play.org, made)
    await play.run()
    assert await play.status(made) == "CRYPTO_RETURNED"
    assert await held(play.org, play.ada) == "1000"


async def test_a_chain_that_refuses_the_coins_is_asked_again(play: Play) -> None:
    made = await completed(play)
    await return_payout(play.org, made)
    play.chains.fail_next = "no gas"
    await play.run()
    assert await play.status(made) == "FIAT_FAILED"
    await play.pass_time(hours=1)
    assert await play.status(made) == "CRYPTO_RETURNED"
    assert await held(play.org, play.ada) == "1000"
    await check_books(play.org)


async def test_it_is_reopened_once(play: Play) -> None:
    made = await completed(play)
    await return_payout(play.org, made)
    with pytest.raises(ResourceConflict, match="its coins are given back"):
        await return_payout(play.org, made)
    await play.run()
    with pytest.raises(ResourceConflict, match="its coins are given back"):
        await return_payout(play.org, made)
    with pytest.raises(TransactionNotFound):
        await return_payout(play.org, {"id": str(uuid4())})


async def test_a_reviewer_may_ask_before_the_coins_go_back(play: Play) -> None:
    made = await completed(play)
    await return_payout(play.org, made)
    assert await play.review(made, "open") == "200"
    await play.run()
    assert await play.status(made) == "IN_REVIEW"
    assert await play.review(made, "close") == "200"
    await play.run()
    assert await play.status(made) == "CRYPTO_RETURNED"


async def test_its_events_follow_on_the_others_and_show_what_was_retrieved_then(
    play: Play,
) -> None:
    async with watching(play.org, play.org.house.database) as seen:
        watch = seen.notes.watch(seen.org, "OFFRAMP", await completed(play))
        await watch.note()
        await return_payout(play.org, {"id": str(watch.id)})
        await watch.note()
        await play.run()
        types = await watch.check()
    assert types[-3:] == [
        "OFFRAMP.STATUS.COMPLETED",
        "OFFRAMP.STATUS.FIAT_FAILED",
        "OFFRAMP.STATUS.CRYPTO_RETURNED",
    ]
