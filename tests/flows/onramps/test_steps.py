"""What the worker does, with chains and banks that fail, die and say nothing."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.core.clock import Clock, FrozenClock
from landbridge.core.errors import Rejected, Unavailable, Unclear
from landbridge.core.ids import derived_id
from landbridge.flows.onramps.model import Status
from landbridge.kyc.model import Rail
from landbridge.ledger.model import Role
from landbridge.simulation.model import Part
from landbridge.verification.model import case_id
from tests.onramps import (
    check_books,
    deposit,
    house_units,
    make_onramp,
    make_payer,
    onramp_of,
    retrieve,
    settle,
    statuses,
)
from tests.simulation.outside import orders, paid_out
from tests.tenants import Tenant, held, make_user

from .play import Play


def _key(onramp: dict[str, Any], name: str) -> UUID:
    return derived_id(UUID(onramp["id"]), name)


@pytest.mark.parametrize("error", [Unclear("lost"), Unavailable("died")])
async def test_a_worker_that_dies_after_the_call_sends_nothing_twice(
    play: Play, error: Exception
) -> None:
    onramp = await play.paid()
    play.chains.raise_after_next = error
    await play.settle()
    assert (await retrieve(play.org, onramp))["status"] == "CRYPTO_INITIATED"
    await play.settle()
    assert (await retrieve(play.org, onramp))["status"] == "COMPLETED"
    assert {key for _, key in play.chains.calls} == {_key(onramp, "send")}
    assert play.chains.count("send") == 2
    assert await held(play.org, play.user) == "100"
    await check_books(play.org)


async def test_a_chain_that_is_away_is_asked_again(play: Play) -> None:
    onramp = await play.paid()
    play.chains.raise_before_next = Unavailable("away")
    await play.settle()
    assert (await retrieve(play.org, onramp))["status"] == "CRYPTO_INITIATED"
    await play.settle()
    assert (await retrieve(play.org, onramp))["status"] == "COMPLETED"


async def test_coins_wait_for_confirmation(play: Play) -> None:
    onramp = await play.paid()
    play.chains.late_by = timedelta(minutes=5)
    await play.settle()
    found = await retrieve(play.org, onramp)
    assert found["status"] == "CRYPTO_PENDING"
    assert found["receipt"]["transactionHash"] is not None
    assert await held(play.org, play.user) == "0"
    await play.settle(timedelta(minutes=1))
    assert (await retrieve(play.org, onramp))["status"] == "CRYPTO_PENDING"
    await play.settle(timedelta(minutes=4))
    assert (await retrieve(play.org, onramp))["status"] == "COMPLETED"
    await check_books(play.org)


@pytest.mark.parametrize("how", ["at once", "late", "rejected"])
async def test_a_chain_that_refuses_has_the_fiat_go_back(play: Play, how: str) -> None:
    onramp = await play.paid(fee={"type": "FIX", "value": 3})
    if how == "rejected":
        play.chains.raise_before_next = Rejected("no gas")
    else:
        play.chains.fail_next = "no gas"
    play.chains.late_by = timedelta(minutes=5) if how == "late" else None
    await play.settle()
    await play.settle(timedelta(minutes=6))
    found = await retrieve(play.org, onramp)
    assert (found["status"], found["failedReason"]) == ("FIAT_RETURNED", "no gas")
    assert (await statuses(play.org, onramp))[-2:] == ["CRYPTO_FAILED", "FIAT_RETURNED"]
    assert await held(play.org, play.user) == "0"
    for role in Role:
        assert await house_units(play.org, role, "usd:BANK") == 0
    (paid,) = [each for each in play.rails.asked if each.key == _key(onramp, "return")]
    assert str(paid.money) == "100"
    assert paid.payee["accountNumber"] == "000123456789"
    await check_books(play.org)


async def test_nobody_knows_for_a_day_and_then_it_arrives(play: Play) -> None:
    onramp = await play.paid()
    play.chains.late_by = timedelta(minutes=5)
    await play.settle()
    play.chains.is_silent = True
    await play.settle(timedelta(hours=23))
    assert (await retrieve(play.org, onramp))["status"] == "CRYPTO_PENDING"
    await play.settle(timedelta(hours=2))
    assert (await retrieve(play.org, onramp))["status"] == "UNKNOWN"
    await play.settle(timedelta(hours=2))
    assert (await retrieve(play.org, onramp))["status"] == "UNKNOWN"
    assert await house_units(play.org, Role.LIQUIDITY, "usd:BANK") == 100_00
    play.chains.is_silent = False
    await play.settle(timedelta(hours=2))
    assert (await retrieve(play.org, onramp))["status"] == "COMPLETED"
    assert await held(play.org, play.user) == "100"
    await check_books(play.org)


async def test_what_nobody_heard_of_is_sent_after_all(play: Play) -> None:
    onramp = await play.paid()
    play.chains.is_silent = True
    await play.settle()
    await play.settle(timedelta(hours=25))
    assert (await retrieve(play.org, onramp))["status"] == "UNKNOWN"
    play.chains.is_silent = False
    await play.settle(timedelta(hours=2))
    assert (await retrieve(play.org, onramp))["status"] == "COMPLETED"
    assert {key for _, key in play.chains.calls} == {_key(onramp, "send")}


async def test_what_nobody_heard_of_is_not_sent_for_the_frozen(play: Play) -> None:
    onramp = await play.paid()
    play.chains.is_silent = True
    await play.settle()
    await play.settle(timedelta(hours=25))
    await play.org.post(f"/v2/users/{play.user}/freeze", {})
    play.chains.is_silent = False
    await play.settle(timedelta(hours=2))
    assert (await retrieve(play.org, onramp))["status"] == "UNKNOWN"
    assert not await orders(play.org.house.database, play.org.org_id, Part.CHAIN)
    await play.org.post(f"/v2/users/{play.user}/unfreeze")
    await play.settle(timedelta(hours=2))
    assert (await retrieve(play.org, onramp))["status"] == "COMPLETED"
    await check_books(play.org)


async def test_coins_that_were_claimed_but_not_sent_wait_for_the_unfreezing(play: Play) -> None:
    onramp = await play.paid()
    play.chains.raise_before_next = RuntimeError("killed")
    await play.settle()
    assert (await retrieve(play.org, onramp))["status"] == "CRYPTO_INITIATED"
    await play.org.post(f"/v2/users/{play.user}/freeze", {})
    await play.settle(timedelta(minutes=2))
    assert (await retrieve(play.org, onramp))["status"] == "CRYPTO_INITIATED"
    assert play.chains.asked == []
    await play.org.post(f"/v2/users/{play.user}/unfreeze")
    await play.settle(timedelta(minutes=2))
    assert (await retrieve(play.org, onramp))["status"] == "COMPLETED"
    await check_books(play.org)


async def test_a_return_is_paid_once_whatever_happens_to_the_worker(play: Play) -> None:
    onramp = await make_onramp(play.org, play.user)
    await deposit(play.org, onramp, amount="7", rail="ach")
    play.rails.raise_before_next = Unavailable("away")
    await play.settle()
    assert (await retrieve(play.org, onramp))["status"] == "FIAT_FAILED"
    play.rails.raise_after_next = Unclear("lost")
    await play.settle()
    assert (await retrieve(play.org, onramp))["status"] == "FIAT_FAILED"
    assert await house_units(play.org, Role.IN_TRANSIT, "usd:BANK") == 7_00
    play.rails.late_by = timedelta(days=2)
    await play.settle()
    assert (await retrieve(play.org, onramp))["status"] == "FIAT_RETURNED"
    assert {each.key for each in play.rails.asked} == {_key(onramp, "return")}
    assert {each.rail for each in play.rails.asked} == {"ach"}
    await check_books(play.org)


async def test_a_return_that_takes_its_time_is_waited_for(play: Play) -> None:
    onramp = await make_onramp(play.org, play.user)
    await deposit(play.org, onramp, amount="7")
    play.rails.late_by = timedelta(days=2)
    await play.settle()
    assert (await retrieve(play.org, onramp))["status"] == "FIAT_FAILED"
    await play.settle(timedelta(days=2))
    assert (await retrieve(play.org, onramp))["status"] == "FIAT_RETURNED"


@pytest.mark.parametrize("how", ["failed", "rejected"])
async def test_a_bank_that_will_not_return_is_asked_under_another_key(
    play: Play, how: str, logged: Callable[[], str]
) -> None:
    onramp = await make_onramp(play.org, play.user)
    await deposit(play.org, onramp, amount="7")
    for tries, pause in enumerate([timedelta(), *(timedelta(minutes=2**n) for n in range(6))]):
        if how == "failed":
            play.rails.fail_next = "the account is closed"
        else:
            play.rails.raise_before_next = Rejected("the account is closed")
        if pause:
            await play.settle(pause - timedelta(seconds=30))
            assert len(play.rails.calls) == tries
        await play.settle(timedelta(seconds=31))
        assert len(play.rails.calls) == tries + 1
        assert (await retrieve(play.org, onramp))["status"] == "FIAT_FAILED"
        assert await house_units(play.org, Role.IN_TRANSIT, "usd:BANK") == 7_00
    assert play.rails.calls[0] == ("pay", _key(onramp, "return"))
    assert len({key for _, key in play.rails.calls}) == 7
    assert logged().count("due.refused") == 7
    assert onramp["id"] in logged()
    assert "000123456789" not in logged()
    play.rails.fail_next = play.rails.raise_before_next = None
    await play.settle(timedelta(days=1))
    found = await retrieve(play.org, onramp)
    assert found["status"] == "FIAT_RETURNED"
    assert "arrived instead of" in found["failedReason"]
    assert await paid_out(play.org.house.database, play.org.org_id) == {"usd:BANK": 7_00}
    await check_books(play.org)


async def test_a_return_that_is_refused_late_is_asked_under_another_key(play: Play) -> None:
    onramp = await make_onramp(play.org, play.user)
    await deposit(play.org, onramp, amount="7")
    play.rails.late_by, play.rails.fail_next = timedelta(days=2), "the account is closed"
    await play.settle()
    play.rails.late_by = None
    await play.settle(timedelta(days=2))
    assert (await retrieve(play.org, onramp))["status"] == "FIAT_FAILED"
    await play.settle(timedelta(minutes=2))
    assert (await retrieve(play.org, onramp))["status"] == "FIAT_RETURNED"
    assert await paid_out(play.org.house.database, play.org.org_id) == {"usd:BANK": 7_00}
    await check_books(play.org)


async def test_fiat_of_the_frozen_goes_back(play: Play) -> None:
    bob = await make_user(play.org)
    to_bob = await make_onramp(play.org, play.user, destination={"userId": bob})
    await deposit(play.org, to_bob)
    await play.org.post(f"/v2/users/{bob}/freeze", {})
    await play.settle()
    found = await retrieve(play.org, to_bob)
    assert found["status"] == "FIAT_RETURNED"
    assert found["failedReason"] == f"user {bob} is frozen"
    assert (await statuses(play.org, to_bob))[-3:] == [
        *("FIAT_PENDING", "FIAT_FAILED", "FIAT_RETURNED")
    ]
    await check_books(play.org)


async def test_fiat_of_a_frozen_organisation_goes_back(play: Play) -> None:
    onramp = await play.paid()
    await play.org.house.orgs.freeze(play.org.org_id)
    await play.settle()
    found = await retrieve(play.org, onramp)
    assert found["status"] == "FIAT_RETURNED"
    assert "frozen" in found["failedReason"]


async def test_what_is_under_way_on_the_chain_ends_there_also_for_the_frozen(play: Play) -> None:
    onramp = await play.paid()
    play.chains.late_by = timedelta(minutes=5)
    await play.settle()
    await play.org.post(f"/v2/users/{play.user}/freeze", {})
    await play.settle(timedelta(minutes=5))
    assert (await retrieve(play.org, onramp))["status"] == "COMPLETED"


async def test_fiat_goes_back_from_who_is_not_verified_any_more(play: Play) -> None:
    onramp = await play.paid()
    _, secret = await play.org.house.orgs.create_key(
        play.org.org_id, "reviewer", expires_at=None, can_review=True
    )
    case = case_id(UUID(play.user), Rail.USD)
    told = {"decision": "revoke", "rejectReasons": ["FRAUD"], "comment": "Closed."}
    await replace(play.org, key=secret).post(f"/v2/reviews/kyc/{case}", told)
    await play.settle()
    found = await retrieve(play.org, onramp)
    assert found["status"] == "FIAT_RETURNED"
    assert "not verified for USD" in found["failedReason"]


async def test_a_quote_ends_when_it_is_due(play: Play) -> None:
    quoted = await make_onramp(play.org, play.user, is_accepted=False)
    accepted = await make_onramp(play.org, play.user)
    await play.settle(timedelta(hours=23))
    assert (await onramp_of(play.org, quoted["id"])).status is Status.OPEN_QUOTE
    await play.settle(timedelta(hours=1))
    reasons = [(await retrieve(play.org, each))["failedReason"] for each in (quoted, accepted)]
    assert reasons == [
        "the quote expired before it was accepted",
        "the quote expired before the deposit arrived",
    ]
    for each in (quoted, accepted):
        assert (await retrieve(play.org, each))["status"] == "QUOTE_FAILED"


async def test_a_clock_that_runs_is_no_different(org: Tenant) -> None:
    assert not isinstance(org.house.clock, FrozenClock)
    assert isinstance(org.house.clock, Clock)
    onramp = await make_onramp(org, await make_payer(org))
    await deposit(org, onramp)
    await settle(org)
    assert (await retrieve(org, onramp))["status"] == "COMPLETED"
