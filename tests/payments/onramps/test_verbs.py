"""Every verb at every status: a transition, a refusal, or no effect."""

from datetime import timedelta
from decimal import Decimal
from itertools import product
from typing import Any

import pytest

from landbridge.customers.kyc.model import Rail
from landbridge.payments.incoming_payments.model import IncomingPaymentStatus
from landbridge.payments.onramps.model import REVIEWABLE, OnrampStatus
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.money import Rate
from landbridge.providers.rates.port import Price
from tests.matrices import each_value_once
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
from tests.payments.onramps.onramp_scenario import OnrampScenario
from tests.tenants import Tenant, held

ENDS = [
    OnrampStatus.NOT_INITIATED,
    OnrampStatus.QUOTE_FAILED,
    OnrampStatus.FIAT_RETURNED,
    OnrampStatus.COMPLETED,
]
RESTS = [*sorted(REVIEWABLE), *ENDS]
FAILED = {
    *(
        OnrampStatus.NOT_INITIATED,
        OnrampStatus.QUOTE_FAILED,
        OnrampStatus.FIAT_FAILED,
        OnrampStatus.FIAT_RETURNED,
    ),
    OnrampStatus.CRYPTO_FAILED,
}
UNDER_WAY = {OnrampStatus.CRYPTO_INITIATED, OnrampStatus.CRYPTO_PENDING, OnrampStatus.UNKNOWN}
CANCELLED = {
    OnrampStatus.OPEN_QUOTE: "NOT_INITIATED",
    OnrampStatus.AWAITING_FUNDS: "NOT_INITIATED",
    OnrampStatus.FIAT_PENDING: "FIAT_FAILED",
}


def _expected(verb: str, status: OnrampStatus) -> str:
    """Return the new status, the unchanged one if the verb has no effect, or a refusal."""
    match verb:
        case "quote/accept" if status is OnrampStatus.OPEN_QUOTE:
            return "AWAITING_FUNDS"
        case "quote/accept":
            return "400 INVALID_QUOTE" if status in FAILED else status
        case "quote/refresh" if status is OnrampStatus.OPEN_QUOTE:
            return status
        case "cancel" if status is OnrampStatus.NOT_INITIATED:
            return status  # cancelled before: returns the first result
        case _:
            return "409 RESOURCE_CONFLICT"


@pytest.mark.parametrize(
    ("status", "verb"),
    each_value_once(product(RESTS, ["quote/accept", "quote/refresh", "cancel"])),
)
async def test_every_verb_at_every_status(
    scenario: OnrampScenario, status: OnrampStatus, verb: str
) -> None:
    onramp = await scenario.resting_at(status)
    before = await retrieve(scenario.org, onramp)
    path, expected = f"{ONRAMPS}/{onramp['id']}/{verb}", _expected(verb, status)
    if expected.startswith(("400", "409")):
        assert await scenario.org.refused("POST", path) == expected
        assert await retrieve(scenario.org, onramp) == before
    else:
        answer = await scenario.org.post(path)
        assert answer["transferDetails"]["status"] == expected
        assert answer["transferDetails"] == await retrieve(scenario.org, onramp)


@pytest.mark.parametrize("status", sorted(REVIEWABLE))
async def test_review_pauses_any_waiting_status(
    scenario: OnrampScenario, status: OnrampStatus
) -> None:
    onramp = await scenario.resting_at(status)
    await scenario.review(onramp)
    assert (await retrieve(scenario.org, onramp))["status"] == "IN_REVIEW"
    await scenario.settle()
    assert (await retrieve(scenario.org, onramp))["status"] == "IN_REVIEW"
    await scenario.review(onramp, "close")
    found = await onramp_of(scenario.org, onramp["id"])
    assert found.status is status
    assert (await statuses(scenario.org, onramp))[-2:] == ["IN_REVIEW", status]
    # All remaining steps run to the end.
    scenario.chains.late_by = None
    await scenario.settle(timedelta(days=4))
    ended = await retrieve(scenario.org, onramp)
    assert ended["status"] in ENDS
    assert (ended["status"] == "COMPLETED") == (status in {OnrampStatus.FIAT_PENDING} | UNDER_WAY)
    await check_books(scenario.org)


@pytest.mark.parametrize(
    ("status", "verb"),
    each_value_once(product(sorted(REVIEWABLE), ["quote/accept", "quote/refresh", "cancel"])),
)
async def test_every_verb_in_review(
    scenario: OnrampScenario, status: OnrampStatus, verb: str
) -> None:
    onramp = await scenario.resting_at(status)
    await scenario.review(onramp)
    expected = "409 RESOURCE_CONFLICT"
    if verb == "cancel" and status in CANCELLED:
        expected = CANCELLED[status]
    elif verb == "quote/accept" and status is not OnrampStatus.OPEN_QUOTE:
        expected = "400 INVALID_QUOTE" if status in FAILED else "IN_REVIEW"
    path = f"{ONRAMPS}/{onramp['id']}/{verb}"
    if expected.startswith(("400", "409")):
        assert await scenario.org.refused("POST", path) == expected
        assert (await retrieve(scenario.org, onramp))["status"] == "IN_REVIEW"
    else:
        assert (await scenario.org.post(path))["transferDetails"]["status"] == expected


@pytest.mark.parametrize("status", ENDS)
async def test_ended_onramp_cannot_be_reviewed(
    scenario: OnrampScenario, status: OnrampStatus
) -> None:
    onramp = await scenario.resting_at(status)
    path = f"/v2/sandbox/transfers/{onramp['id']}/rfi"
    answer = await scenario.org.refused("POST", path, {"action": "open"})
    assert answer == "409 RESOURCE_CONFLICT"


async def test_cancelled_deposit_is_returned_and_its_request_closed(
    scenario: OnrampScenario,
) -> None:
    onramp = await scenario.resting_at(OnrampStatus.FIAT_PENDING)
    await scenario.review(onramp)
    path = f"{ONRAMPS}/{onramp['id']}/cancel"
    first = await scenario.org.post(path)
    assert first["transferDetails"]["status"] == "FIAT_FAILED"
    assert await scenario.org.post(path) == first
    await scenario.settle()
    found = await retrieve(scenario.org, onramp)
    assert found["status"] == "FIAT_RETURNED"
    assert (await scenario.org.post(path))["transferDetails"] == found
    assert found["failedReason"] == "cancelled while in review"
    record = (await onramp_of(scenario.org, onramp["id"])).record
    rfis = await scenario.org.container.rfis.of(scenario.org.org_id, [record.id])
    assert [each.status for each in rfis[record.id]] == ["CLOSED"]
    assert await held(scenario.org, scenario.user) == "0"
    await check_books(scenario.org)


@pytest.mark.parametrize("status", [OnrampStatus.OPEN_QUOTE, OnrampStatus.AWAITING_FUNDS])
async def test_deadline_passes_during_a_review(
    scenario: OnrampScenario, status: OnrampStatus
) -> None:
    onramp = await scenario.resting_at(status)
    await scenario.review(onramp)
    await scenario.settle(timedelta(hours=25))
    found = await retrieve(scenario.org, onramp)
    assert found["status"] == "QUOTE_FAILED"
    assert "expired" in found["failedReason"]
    record = (await onramp_of(scenario.org, onramp["id"])).record
    rfis = await scenario.org.container.rfis.of(scenario.org.org_id, [record.id])
    assert [each.status for each in rfis[record.id]] == ["CLOSED"]


@pytest.mark.parametrize("amount", ["100", "7"])
@pytest.mark.parametrize("after", [timedelta(), timedelta(hours=25)])
async def test_deposit_in_review_is_in_time_and_waits(
    scenario: OnrampScenario, amount: str, after: timedelta
) -> None:
    onramp = await scenario.resting_at(OnrampStatus.AWAITING_FUNDS)
    await scenario.review(onramp)
    incoming_payment = await deposit(scenario.org, onramp, amount=amount)
    # The onramp expires before a worker processes the deposit, and again during the review.
    await scenario.settle(after)
    await scenario.settle(after)
    assert (
        await scenario.org.container.incoming_payments.get(scenario.org.org_id, incoming_payment.id)
    ).status is (IncomingPaymentStatus.MATCHED)
    found = await onramp_of(scenario.org, onramp["id"])
    expected = OnrampStatus.FIAT_PENDING if amount == "100" else OnrampStatus.FIAT_FAILED
    assert (found.status, found.state) == (OnrampStatus.IN_REVIEW, expected)
    assert (await statuses(scenario.org, onramp))[-5:] == [
        *("IN_REVIEW", "AWAITING_FUNDS", "FIAT_INITIATED", expected, "IN_REVIEW")
    ]
    assert not scenario.rails.orders
    rfis = await scenario.org.container.rfis.of(scenario.org.org_id, [found.record.id])
    assert [each.status for each in rfis[found.record.id]] == ["OPEN"]
    await scenario.review(onramp, "close")
    await scenario.settle()
    ended = "COMPLETED" if amount == "100" else "FIAT_RETURNED"
    assert (await retrieve(scenario.org, onramp))["status"] == ended
    await check_books(scenario.org)


async def test_deposit_in_review_is_returned_by_a_cancel(scenario: OnrampScenario) -> None:
    onramp = await scenario.resting_at(OnrampStatus.AWAITING_FUNDS)
    await scenario.review(onramp)
    await deposit(scenario.org, onramp)
    await scenario.settle()
    cancelled = await scenario.org.post(f"{ONRAMPS}/{onramp['id']}/cancel")
    assert cancelled["transferDetails"]["status"] == "FIAT_FAILED"
    await scenario.settle()
    assert (await retrieve(scenario.org, onramp))["status"] == "FIAT_RETURNED"
    await check_books(scenario.org)


async def test_clearing_time_is_not_shortened_by_a_review(scenario: OnrampScenario) -> None:
    onramp = await scenario.resting_at(OnrampStatus.FIAT_PENDING)
    await scenario.review(onramp)
    await scenario.review(onramp, "close")
    await scenario.settle(timedelta(days=2))
    assert (await retrieve(scenario.org, onramp))["status"] == "FIAT_PENDING"
    await scenario.settle(timedelta(days=1))
    assert (await retrieve(scenario.org, onramp))["status"] == "COMPLETED"


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
    await org.container.prices.set_price(
        org.org_id,
        source_currency="brl",
        destination_currency="usdc",
        price=Price(Rate(Decimal(rate)), Decimal(0), None),
        at=await now(org) - age,
    )


async def _quoted(org: Tenant, **parties: Any) -> dict[str, Any]:
    user = await make_payer(org, Rail.SOUTH_AMERICA_STANDARD)
    source = {"currency": "brl", "transferType": None, **parties.pop("source", {})}
    return await make_onramp(org, user, is_accepted=False, source=source, **parties)


async def test_refresh_quotes_again_with_a_new_deadline(
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


async def test_refresh_keeps_the_destination_amount(org: Tenant) -> None:
    await _price(org, "0.2")
    onramp = await _quoted(org, source={"amount": None}, destination={"amount": 10})
    await _price(org, "0.25")
    refreshed = (await org.post(f"{ONRAMPS}/{onramp['id']}/quote/refresh"))["transferDetails"]
    assert (onramp["source"]["amount"], refreshed["source"]["amount"]) == (50, 40)
    assert refreshed["destination"]["amount"] == 10


async def test_stale_price_quotes_nothing(org: Tenant) -> None:
    await _price(org, "0.2")
    onramp = await _quoted(org)
    await _price(org, "0.25", age=timedelta(days=2))
    path = f"{ONRAMPS}/{onramp['id']}/quote/refresh"
    assert await org.refused("POST", path) == "409 QUOTE_NOT_READY"
    assert await retrieve(org, onramp) == onramp


async def test_frozen_user_accepts_and_refreshes_nothing(org: Tenant) -> None:
    user = await make_payer(org)
    onramp = await make_onramp(org, user, is_accepted=False)
    await org.post(f"/v2/users/{user}/freeze", {})
    for verb in ("accept", "refresh"):
        path = f"{ONRAMPS}/{onramp['id']}/quote/{verb}"
        assert await org.refused("POST", path) == "403 USER_FROZEN"
    assert await retrieve(org, onramp) == onramp
