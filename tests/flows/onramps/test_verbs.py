"""Every verb at every status: a move, a refusal, or nothing."""

from datetime import timedelta
from decimal import Decimal
from itertools import product
from typing import Any

import pytest

from landbridge.core.clock import FrozenClock
from landbridge.core.money import Rate
from landbridge.flows.onramps.model import REVIEWABLE, Status
from landbridge.kyc.model import Rail
from landbridge.rates.port import Price
from landbridge.receipts.model import Status as ReceiptStatus
from tests.onramps import (
    ONRAMPS,
    check_books,
    deposit,
    make_onramp,
    make_payer,
    now,
    onramp_of,
    retrieve,
    settle,
    statuses,
)
from tests.tenants import Tenant, held

from .play import Play

ENDS = [Status.NOT_INITIATED, Status.QUOTE_FAILED, Status.FIAT_RETURNED, Status.COMPLETED]
RESTS = [*sorted(REVIEWABLE), *ENDS]
FAILED = {
    *(Status.NOT_INITIATED, Status.QUOTE_FAILED, Status.FIAT_FAILED, Status.FIAT_RETURNED),
    Status.CRYPTO_FAILED,
}
UNDER_WAY = {Status.CRYPTO_INITIATED, Status.CRYPTO_PENDING, Status.UNKNOWN}
CANCELLED = {
    Status.OPEN_QUOTE: "NOT_INITIATED",
    Status.AWAITING_FUNDS: "NOT_INITIATED",
    Status.FIAT_PENDING: "FIAT_FAILED",
}


def _expected(verb: str, status: Status) -> str:
    """A status for a move, the present one for nothing, else a refusal."""
    match verb:
        case "quote/accept" if status is Status.OPEN_QUOTE:
            return "AWAITING_FUNDS"
        case "quote/accept":
            return "400 INVALID_QUOTE" if status in FAILED else status
        case "quote/refresh" if status is Status.OPEN_QUOTE:
            return status
        case "cancel" if status is Status.NOT_INITIATED:
            return status  # cancelled before: answered as the first time
        case _:
            return "409 RESOURCE_CONFLICT"


@pytest.mark.parametrize(
    ("status", "verb"), list(product(RESTS, ["quote/accept", "quote/refresh", "cancel"]))
)
async def test_every_verb_at_every_status(play: Play, status: Status, verb: str) -> None:
    onramp = await play.resting_at(status)
    before = await retrieve(play.org, onramp)
    path, expected = f"{ONRAMPS}/{onramp['id']}/{verb}", _expected(verb, status)
    if expected.startswith(("400", "409")):
        assert await play.org.refused("POST", path) == expected
        assert await retrieve(play.org, onramp) == before
    else:
        answer = await play.org.post(path)
        assert answer["transferDetails"]["status"] == expected
        assert answer["transferDetails"] == await retrieve(play.org, onramp)


@pytest.mark.parametrize("status", sorted(REVIEWABLE))
async def test_a_review_stops_whatever_rests_and_lets_it_go_on(play: Play, status: Status) -> None:
    onramp = await play.resting_at(status)
    await play.review(onramp)
    assert (await retrieve(play.org, onramp))["status"] == "IN_REVIEW"
    await play.settle()
    assert (await retrieve(play.org, onramp))["status"] == "IN_REVIEW"
    await play.review(onramp, "close")
    found = await onramp_of(play.org, onramp["id"])
    assert found.status is status
    assert (await statuses(play.org, onramp))[-2:] == ["IN_REVIEW", status]
    # Whatever was to come comes: nothing stays behind.
    play.chains.late_by = None
    await play.settle(timedelta(days=4))
    ended = await retrieve(play.org, onramp)
    assert ended["status"] in ENDS
    assert (ended["status"] == "COMPLETED") == (status in {Status.FIAT_PENDING} | UNDER_WAY)
    await check_books(play.org)


@pytest.mark.parametrize(
    ("status", "verb"),
    list(product(sorted(REVIEWABLE), ["quote/accept", "quote/refresh", "cancel"])),
)
async def test_every_verb_in_review(play: Play, status: Status, verb: str) -> None:
    onramp = await play.resting_at(status)
    await play.review(onramp)
    expected = "409 RESOURCE_CONFLICT"
    if verb == "cancel" and status in CANCELLED:
        expected = CANCELLED[status]
    elif verb == "quote/accept" and status is not Status.OPEN_QUOTE:
        expected = "400 INVALID_QUOTE" if status in FAILED else "IN_REVIEW"
    path = f"{ONRAMPS}/{onramp['id']}/{verb}"
    if expected.startswith(("400", "409")):
        assert await play.org.refused("POST", path) == expected
        assert (await retrieve(play.org, onramp))["status"] == "IN_REVIEW"
    else:
        assert (await play.org.post(path))["transferDetails"]["status"] == expected


@pytest.mark.parametrize("status", ENDS)
async def test_what_has_ended_is_not_reviewed(play: Play, status: Status) -> None:
    onramp = await play.resting_at(status)
    path = f"/v2/sandbox/transfers/{onramp['id']}/rfi"
    answer = await play.org.refused("POST", path, {"action": "open"})
    assert answer == "409 RESOURCE_CONFLICT"


async def test_a_cancelled_deposit_goes_back_and_its_request_is_closed(play: Play) -> None:
    onramp = await play.resting_at(Status.FIAT_PENDING)
    await play.review(onramp)
    path = f"{ONRAMPS}/{onramp['id']}/cancel"
    first = await play.org.post(path)
    assert first["transferDetails"]["status"] == "FIAT_FAILED"
    assert await play.org.post(path) == first
    await play.settle()
    found = await retrieve(play.org, onramp)
    assert found["status"] == "FIAT_RETURNED"
    assert (await play.org.post(path))["transferDetails"] == found
    assert found["failedReason"] == "cancelled while in review"
    record = (await onramp_of(play.org, onramp["id"])).record
    rfis = await play.org.house.rfis.of(play.org.org_id, [record.id])
    assert [each.status for each in rfis[record.id]] == ["CLOSED"]
    assert await held(play.org, play.user) == "0"
    await check_books(play.org)


@pytest.mark.parametrize("status", [Status.OPEN_QUOTE, Status.AWAITING_FUNDS])
async def test_a_deadline_goes_on_in_review(play: Play, status: Status) -> None:
    onramp = await play.resting_at(status)
    await play.review(onramp)
    await play.settle(timedelta(hours=25))
    found = await retrieve(play.org, onramp)
    assert found["status"] == "QUOTE_FAILED"
    assert "expired" in found["failedReason"]
    record = (await onramp_of(play.org, onramp["id"])).record
    rfis = await play.org.house.rfis.of(play.org.org_id, [record.id])
    assert [each.status for each in rfis[record.id]] == ["CLOSED"]


@pytest.mark.parametrize("amount", ["100", "7"])
@pytest.mark.parametrize("after", [timedelta(), timedelta(hours=25)])
async def test_a_deposit_in_review_is_in_time_and_waits_there(
    play: Play, amount: str, after: timedelta
) -> None:
    onramp = await play.resting_at(Status.AWAITING_FUNDS)
    await play.review(onramp)
    receipt = await deposit(play.org, onramp, amount=amount)
    # Time runs out before a worker looks at the deposit, and again while the review goes on.
    await play.settle(after)
    await play.settle(after)
    assert (await play.org.house.receipts.get(play.org.org_id, receipt.id)).status is (
        ReceiptStatus.MATCHED
    )
    found = await onramp_of(play.org, onramp["id"])
    seen = Status.FIAT_PENDING if amount == "100" else Status.FIAT_FAILED
    assert (found.status, found.standing) == (Status.IN_REVIEW, seen)
    assert (await statuses(play.org, onramp))[-5:] == [
        *("IN_REVIEW", "AWAITING_FUNDS", "FIAT_INITIATED", seen, "IN_REVIEW")
    ]
    assert not play.rails.asked
    rfis = await play.org.house.rfis.of(play.org.org_id, [found.record.id])
    assert [each.status for each in rfis[found.record.id]] == ["OPEN"]
    await play.review(onramp, "close")
    await play.settle()
    ended = "COMPLETED" if amount == "100" else "FIAT_RETURNED"
    assert (await retrieve(play.org, onramp))["status"] == ended
    await check_books(play.org)


async def test_a_deposit_in_review_goes_back_with_a_cancel(play: Play) -> None:
    onramp = await play.resting_at(Status.AWAITING_FUNDS)
    await play.review(onramp)
    await deposit(play.org, onramp)
    await play.settle()
    cancelled = await play.org.post(f"{ONRAMPS}/{onramp['id']}/cancel")
    assert cancelled["transferDetails"]["status"] == "FIAT_FAILED"
    await play.settle()
    assert (await retrieve(play.org, onramp))["status"] == "FIAT_RETURNED"
    await check_books(play.org)


async def test_a_deposit_that_clears_later_clears_no_earlier_after_a_review(play: Play) -> None:
    onramp = await play.resting_at(Status.FIAT_PENDING)
    await play.review(onramp)
    await play.review(onramp, "close")
    await play.settle(timedelta(days=2))
    assert (await retrieve(play.org, onramp))["status"] == "FIAT_PENDING"
    await play.settle(timedelta(days=1))
    assert (await retrieve(play.org, onramp))["status"] == "COMPLETED"


async def test_an_accept_after_the_time_fails_the_quote(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    onramp = await make_onramp(org, await make_payer(org), is_accepted=False)
    path = f"{ONRAMPS}/{onramp['id']}/quote"
    still_clock.at += timedelta(hours=24, seconds=1)
    assert await org.refused("POST", f"{path}/accept") == "400 INVALID_QUOTE"
    assert (await retrieve(org, onramp))["status"] == "QUOTE_FAILED"
    assert await org.refused("POST", f"{path}/accept") == "400 INVALID_QUOTE"
    late = await make_onramp(org, await make_payer(org), is_accepted=False)
    still_clock.at += timedelta(hours=24, seconds=1)
    assert await org.refused("POST", f"{ONRAMPS}/{late['id']}/quote/refresh") == (
        "409 RESOURCE_CONFLICT"
    )
    assert (await retrieve(org, late))["status"] == "QUOTE_FAILED"


async def _price(org: Tenant, rate: str, *, age: timedelta = timedelta()) -> None:
    await org.house.prices.set_price(
        org.org_id,
        source_currency="brl",
        destination_currency="usdc",
        price=Price(Rate(Decimal(rate)), Decimal(0), None),
        at=await now(org) - age,
    )


async def _quoted(org: Tenant, **ends: Any) -> dict[str, Any]:
    user = await make_payer(org, Rail.SOUTH_AMERICA_STANDARD)
    source = {"currency": "brl", "transferType": None, **ends.pop("source", {})}
    return await make_onramp(org, user, is_accepted=False, source=source, **ends)


async def test_a_refresh_makes_the_quote_anew_with_time_from_now(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    await _price(org, "0.2")
    onramp = await _quoted(org, fee={"type": "PERCENT", "value": 0.01})
    still_clock.at += timedelta(hours=23)
    await _price(org, "0.25")
    refreshed = (await org.post(f"{ONRAMPS}/{onramp['id']}/quote/refresh"))["transferDetails"]
    before, after = onramp["quoteInformation"], refreshed["quoteInformation"]
    assert after["expiresAt"] > before["expiresAt"]
    assert (before["rate"], after["rate"]) == ("0.2", "0.25")
    assert after["sendNet"] == before["sendNet"] == {"amount": "99", "currency": "brl"}
    assert after["receiveNet"]["amount"] == "24.75"
    assert refreshed["destination"]["amount"] == 24.75
    assert refreshed["source"]["amount"] == 100
    assert await retrieve(org, onramp) == refreshed
    still_clock.at += timedelta(hours=2)
    accepted = await org.post(f"{ONRAMPS}/{onramp['id']}/quote/accept")
    assert accepted["depositInfo"]["depositBy"] == after["expiresAt"]
    await deposit(org, onramp)
    await settle(org)
    assert (await retrieve(org, onramp))["status"] == "COMPLETED"
    assert await held(org, onramp["source"]["userId"]) == "24.75"
    await check_books(org)


async def test_a_refresh_keeps_what_was_asked_to_arrive(org: Tenant) -> None:
    await _price(org, "0.2")
    onramp = await _quoted(org, source={"amount": None}, destination={"amount": 10})
    await _price(org, "0.25")
    refreshed = (await org.post(f"{ONRAMPS}/{onramp['id']}/quote/refresh"))["transferDetails"]
    assert (onramp["source"]["amount"], refreshed["source"]["amount"]) == (50, 40)
    assert refreshed["destination"]["amount"] == 10


async def test_a_stale_price_quotes_nothing(org: Tenant) -> None:
    await _price(org, "0.2")
    onramp = await _quoted(org)
    await _price(org, "0.25", age=timedelta(days=2))
    path = f"{ONRAMPS}/{onramp['id']}/quote/refresh"
    assert await org.refused("POST", path) == "409 QUOTE_NOT_READY"
    assert await retrieve(org, onramp) == onramp


async def test_the_frozen_accept_and_refresh_nothing(org: Tenant) -> None:
    user = await make_payer(org)
    onramp = await make_onramp(org, user, is_accepted=False)
    await org.post(f"/v2/users/{user}/freeze", {})
    for verb in ("accept", "refresh"):
        path = f"{ONRAMPS}/{onramp['id']}/quote/{verb}"
        assert await org.refused("POST", path) == "403 USER_FROZEN"
    assert await retrieve(org, onramp) == onramp
