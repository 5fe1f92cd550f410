"""Screenings by Elliptic: one analysis per key whatever fails, and nothing clear by a guess."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from msgspec import structs

from landbridge.platform.core.ids import new_id
from landbridge.providers.packages.http_client import NoAnswer
from landbridge.providers.packages.interface import (
    KeyConflict,
    NotDone,
    RequestedScreening,
    RiskCategory,
    ScreenedKind,
    ScreenedSender,
    ScreeningAnswer,
    ScreeningQuery,
    ScreeningRequest,
    ScreeningState,
)
from landbridge_elliptic.subject import customer_reference
from tests.adapters.elliptic.kit import (
    OURS,
    PAYEE,
    SENDER,
    TESTS,
    TRANSACTION,
    EllipticWorld,
    deposit,
    elliptic_world,
    payment,
)
from tests.adapters.elliptic.simulation import DARK_MARKET

BOTH = pytest.mark.parametrize("make", [deposit, payment])


@pytest.fixture
async def world() -> AsyncGenerator[EllipticWorld]:
    async with elliptic_world() as found:
        yield found


async def find(world: EllipticWorld, key: UUID) -> ScreeningAnswer | None:
    return await world.adapter().find_screening(ScreeningQuery(key=key))


async def test_a_deposit_is_screened_by_where_its_funds_come_from(world: EllipticWorld) -> None:
    request = deposit()
    answer = await world.adapter().screen(request)
    assert answer == ScreeningAnswer(
        key=request.key,
        state=ScreeningState.CLEAR,
        provider_reference=world.elliptic.only().id,
    )
    assert world.elliptic.only().order == {
        "subject": {
            "asset": "holistic",
            "blockchain": "holistic",
            "type": "transaction",
            "hash": TRANSACTION,
            "output_type": "address",
            "output_address": OURS,
        },
        "type": "source_of_funds",
        "customer_reference": customer_reference(request),
    }
    assert await find(world, request.key) == answer


async def test_a_payment_is_screened_by_the_address_that_gets_it(world: EllipticWorld) -> None:
    request = payment()
    answer = await world.adapter().screen(request)
    assert answer.state is ScreeningState.CLEAR
    assert world.elliptic.only().order == {
        "subject": {
            "asset": "holistic",
            "blockchain": "holistic",
            "type": "address",
            "hash": PAYEE,
        },
        "type": "wallet_exposure",
        "customer_reference": customer_reference(request),
    }
    assert await find(world, request.key) == answer


def test_a_reference_is_our_key_and_says_nothing_about_users() -> None:
    request = deposit()
    key, _, digest = customer_reference(request).partition(".")
    assert (key, len(digest)) == (str(request.key), 32)
    assert int(digest, 16)
    personal = ScreenedSender(name="Ada Example")
    assert customer_reference(structs.replace(request, sender=personal)).endswith(digest)


@BOTH
@pytest.mark.parametrize(
    ("score", "state"),
    [
        (None, ScreeningState.CLEAR),
        (0, ScreeningState.CLEAR),
        (4.999, ScreeningState.CLEAR),
        (5, ScreeningState.HIT),
        (9.038007, ScreeningState.HIT),
    ],
)
async def test_the_score_of_the_settings_decides(
    world: EllipticWorld, make: Any, score: float | None, state: ScreeningState
) -> None:
    world.elliptic.scores = {TRANSACTION: score, PAYEE: score}
    answer = await world.adapter().screen(make())
    assert answer.state is state
    assert bool(answer.categories) == (state is ScreeningState.HIT)


async def test_every_rule_that_is_triggered_can_make_a_hit(world: EllipticWorld) -> None:
    world.elliptic.scores = {TRANSACTION: 0, PAYEE: None}
    adapter = world.adapter(hit_score=0)
    assert (await adapter.screen(deposit())).state is ScreeningState.HIT
    assert (await adapter.screen(payment())).state is ScreeningState.CLEAR


@BOTH
@pytest.mark.parametrize(
    ("sanctioned", "categories", "about"),
    [
        (False, {}, [RiskCategory.OTHER]),
        (True, {}, [RiskCategory.SANCTIONS]),
        (False, {DARK_MARKET: "darknet"}, [RiskCategory.DARKNET]),
        (True, {DARK_MARKET: "darknet"}, [RiskCategory.SANCTIONS, RiskCategory.DARKNET]),
    ],
)
async def test_a_hit_has_categories_of_ours_and_no_text(
    world: EllipticWorld,
    make: Any,
    sanctioned: bool,  # noqa: FBT001  a parameter of the matrix
    categories: dict[str, str],
    about: list[RiskCategory],
) -> None:
    world.elliptic.scores = {TRANSACTION: 9, PAYEE: 9}
    world.elliptic.sanctioned = {TRANSACTION, PAYEE} if sanctioned else set()
    answer = await world.adapter(categories=categories).screen(make())
    assert list(answer.categories) == about
    assert "name" not in repr(answer).lower()


@BOTH
async def test_a_hit_by_behaviour_is_about_something_else(world: EllipticWorld, make: Any) -> None:
    world.elliptic.scores = {TRANSACTION: 9, PAYEE: 9}
    behaviour = {"behavior_type": "Peeling Chain", "length": 7, "usd_value": 10_500}
    rule = {"rule_id": DARK_MARKET, "risk_score": 9, "matched_behaviors": [behaviour]}
    world.elliptic.lies = {"evaluation_detail": [rule]}
    answer = await world.adapter().screen(make())
    assert (answer.state, answer.categories) == (ScreeningState.HIT, (RiskCategory.OTHER,))


@BOTH
async def test_a_running_analysis_is_pending_and_not_made_again(
    world: EllipticWorld, make: Any
) -> None:
    request, world.elliptic.statuses = make(), ["running"]
    first = await world.adapter().screen(request)
    assert (first.state, first.expected_in_seconds) == (ScreeningState.PENDING, 10)
    assert await world.adapter().screen(request) == first == await find(world, request.key)
    world.elliptic.only().status = "complete"
    assert (await world.adapter().screen(request)).state is ScreeningState.CLEAR
    assert world.elliptic.calls["analyse"] == 1


@BOTH
async def test_an_analysis_that_failed_is_made_again(world: EllipticWorld, make: Any) -> None:
    request, world.elliptic.statuses = make(), ["error"]
    first = await world.adapter().screen(request)
    assert (first.state, first.expected_in_seconds) == (ScreeningState.PENDING, 600)
    assert await find(world, request.key) == first
    again = await world.adapter().screen(request)
    assert (again.state, again.provider_reference) == (
        ScreeningState.CLEAR,
        first.provider_reference,
    )
    assert world.elliptic.only().screenings == 2


async def test_a_transaction_at_the_tip_is_not_clear_yet(world: EllipticWorld) -> None:
    request, world.elliptic.predictive = deposit(), {TRANSACTION}
    first = await world.adapter().screen(request)
    assert (first.state, first.expected_in_seconds) == (ScreeningState.PENDING, 60)
    assert await find(world, request.key) == first
    world.elliptic.predictive = set()
    assert (await world.adapter().screen(request)).state is ScreeningState.CLEAR
    assert world.elliptic.only().screenings == 2


async def test_a_hit_at_the_tip_is_a_hit(world: EllipticWorld) -> None:
    world.elliptic.predictive, world.elliptic.scores = {TRANSACTION}, {TRANSACTION: 9}
    assert (await world.adapter().screen(deposit())).state is ScreeningState.HIT


async def test_a_deposit_that_elliptic_has_not_read_waits(world: EllipticWorld) -> None:
    request, world.elliptic.scores = deposit(), {}
    adapter = world.adapter(unknown_address="clear")
    for _ in range(2):
        answer = await adapter.screen(request)
        assert (answer.state, answer.expected_in_seconds) == (ScreeningState.PENDING, 60)
        assert answer.provider_reference == str(request.key)
    world.elliptic.scores = {TRANSACTION: 9}
    assert (await adapter.screen(request)).state is ScreeningState.HIT


@pytest.mark.parametrize(
    ("option", "state", "categories", "wait_s"),
    [
        ("wait", ScreeningState.PENDING, (), 3_600),
        ("hit", ScreeningState.HIT, (RiskCategory.OTHER,), None),
        ("clear", ScreeningState.CLEAR, (), None),
    ],
)
async def test_an_unknown_address_is_what_the_settings_say(
    world: EllipticWorld,
    option: str,
    state: ScreeningState,
    categories: tuple[RiskCategory, ...],
    wait_s: int | None,
) -> None:
    request, world.elliptic.scores = payment(), {}
    answer = await world.adapter(unknown_address=option).screen(request)
    assert answer == ScreeningAnswer(
        key=request.key,
        state=state,
        provider_reference=str(request.key),
        categories=categories,
        expected_in_seconds=wait_s,
    )


@BOTH
async def test_a_lost_answer_is_found_by_another_copy(world: EllipticWorld, make: Any) -> None:
    request = make()
    world.elliptic.silent = {"analyse"}
    with pytest.raises(NoAnswer):
        await world.adapter(timeout_s=1).screen(request)
    world.elliptic.silent = set()
    answer = await world.adapter().screen(request)
    assert answer.state is ScreeningState.CLEAR
    assert (world.elliptic.calls["analyse"], world.elliptic.only().screenings) == (1, 1)


@BOTH
@pytest.mark.parametrize("is_doubling", [False, True])
async def test_a_list_that_lags_makes_no_other_answer(
    world: EllipticWorld,
    make: Any,
    is_doubling: bool,  # noqa: FBT001  a parameter of the matrix
) -> None:
    request, world.elliptic.is_doubling = make(), is_doubling
    first = await world.adapter().screen(request)
    world.elliptic.lagging_lists = 1
    assert (await world.adapter().screen(request)).state is first.state
    assert world.elliptic.calls["analyse"] == 2
    for _ in range(2):
        # The oldest analysis counts.
        assert await world.adapter().screen(request) == first == await find(world, request.key)
    assert len(world.elliptic.analyses) == (2 if is_doubling else 1)


@BOTH
async def test_concurrent_calls_of_copies_have_one_answer(world: EllipticWorld, make: Any) -> None:
    request = make()
    answers = await asyncio.gather(*(world.adapter().screen(request) for _ in range(5)))
    assert len(set(answers)) == 1
    assert len(world.elliptic.analyses) == 1


@BOTH
@pytest.mark.parametrize(
    "changes",
    [
        {"amount": "12.346"},
        {"chain": "ETHEREUM"},
        {"org_id": UUID("0190a5c1-0000-7000-8000-000000000001")},
        {"destination_address": SENDER},
        {"source_address": PAYEE},
        {"transaction_hash": f"0x{'c1' * 32}"},
    ],
)
async def test_a_key_with_another_request_is_a_conflict(
    world: EllipticWorld, make: Any, changes: dict[str, Any]
) -> None:
    request = make()
    first = await world.adapter().screen(request)
    with pytest.raises(KeyConflict):
        await world.adapter().screen(make(request.key, **changes))
    assert await find(world, request.key) == first
    assert world.elliptic.calls["analyse"] == 1


async def test_a_key_of_a_deposit_is_none_of_a_payment(world: EllipticWorld) -> None:
    request = deposit()
    await world.adapter().screen(request)
    with pytest.raises(KeyConflict):
        await world.adapter().screen(payment(request.key))


async def test_an_unknown_key_is_unknown(world: EllipticWorld) -> None:
    await world.adapter().screen(deposit())
    assert await find(world, new_id()) is None


async def test_customers_of_others_are_none_of_ours(world: EllipticWorld) -> None:
    request = deposit()
    other = replace_reference(request, f"other-{customer_reference(request)}")
    await world.adapter().screen(request)
    made = world.elliptic.only()
    world.elliptic.analyses = [replace(made, order=other)]
    assert await find(world, request.key) is None


def replace_reference(request: ScreeningRequest, reference: str) -> dict[str, Any]:
    subject = {"asset": "holistic", "hash": request.transaction_hash}
    return {"subject": subject, "type": "source_of_funds", "customer_reference": reference}


@pytest.mark.parametrize(
    "request_",
    [
        deposit(currency="usd", chain=None, rail="wire", transaction_hash=None),
        deposit(currency="usdt"),
        deposit(chain="SOLANA"),
        deposit(transaction_hash=None),
        deposit(destination_address=None),
        deposit(test_outcome=RequestedScreening.CLEAR),
        payment(currency="usd", chain=None, rail="wire", payee={"type": "us"}),
        payment(currency="eurc"),
        payment(chain="BASE"),
        payment(destination_address=None),
        payment(test_outcome=RequestedScreening.HIT),
    ],
)
async def test_what_is_not_screened_has_no_answer(
    world: EllipticWorld, request_: ScreeningRequest
) -> None:
    with pytest.raises(NotDone):
        await world.adapter(unknown_address="clear").screen(request_)
    assert not world.elliptic.calls


async def test_a_test_outcome_is_that_of_a_known_subject(world: EllipticWorld) -> None:
    adapter = world.adapter(test=TESTS)
    for make in (deposit, payment):
        for outcome in ("clear", "hit"):
            request = make(test_outcome=RequestedScreening(outcome))
            assert (await adapter.screen(request)).state == outcome
    for outcome in (RequestedScreening.LATE, RequestedScreening.SILENCE):
        with pytest.raises(NotDone):
            await adapter.screen(deposit(test_outcome=outcome))
    # A request without one is never replaced.
    await adapter.screen(deposit())
    assert world.elliptic.analyses[-1].order["subject"]["hash"] == TRANSACTION


async def test_a_later_result_is_that_of_elliptic(world: EllipticWorld) -> None:
    """Rescreenings change what Elliptic says: the first final answer is kept by Landbridge."""
    request = payment()
    await world.adapter().screen(request)
    world.elliptic.only().score = 9
    found = await find(world, request.key)
    assert found is not None
    assert found.state is ScreeningState.HIT


async def test_coins_are_what_it_says_to_screen(world: EllipticWorld) -> None:
    described = await world.adapter(test=TESTS).describe()
    assert described.screens == (ScreenedKind.COINS,)
    assert described.screening_outcomes == (RequestedScreening.CLEAR, RequestedScreening.HIT)
    assert described.test_outcomes == ()
    assert (await world.adapter().describe()).screening_outcomes == ()
