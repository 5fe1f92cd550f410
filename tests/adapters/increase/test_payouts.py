"""Payouts by Increase: one per key whatever fails, exact amounts, and nothing guessed."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from landbridge.platform.core.ids import new_id
from landbridge.providers.packages.http_client import NoAnswer
from landbridge.providers.packages.interface import (
    FailureCode,
    KeyConflict,
    NotDone,
    PayoutQuery,
    PayoutRefused,
    PayoutState,
    RequestedOutcome,
)
from landbridge_increase.client import NOT_TAKEN
from landbridge_increase.messages import NETWORKS
from tests.adapters.increase.inbound import ACCOUNT
from tests.adapters.increase.kit import (
    NUMBER,
    PAYEE,
    ROUTING,
    WAYS,
    IncreaseWorld,
    found_by,
    increase_world,
    order,
)

SENDER = {
    "source_account_number_id": "account_number_source",
    "creditor_name": "Ada Example",
    "debtor_name": "Example Incorporated",
    "unstructured_remittance_information": "Example payout",
}
BODIES: dict[str, dict[str, Any]] = {
    "ach": {
        "account_id": ACCOUNT,
        "statement_descriptor": "Example payout",
        "company_name": "Example",
        "individual_name": "Ada Example",
        "destination_account_holder": "individual",
        "standard_entry_class_code": "prearranged_payments_and_deposit",
        "preferred_effective_date": {"settlement_schedule": "future_dated"},
        "funding": "checking",
    },
    "wire": {
        "account_id": ACCOUNT,
        "creditor": {
            "name": "Ada Example",
            "address": {
                "unstructured": {
                    "line1": "1 Example Street",
                    "line2": "Springfield NY 10001 USA",
                }
            },
        },
        "remittance": {
            "category": "unstructured",
            "unstructured": {"message": "Example payout"},
        },
        "source_account_number_id": "account_number_source",
        "debtor": {"name": "Example Incorporated"},
    },
    "rtp": SENDER,
    "fednow": {"account_id": ACCOUNT, **SENDER},
}


@pytest.fixture
async def world() -> AsyncGenerator[IncreaseWorld]:
    async with increase_world() as found:
        yield found


@pytest.mark.parametrize("network", WAYS)
async def test_a_payout_is_ordered_and_settles(world: IncreaseWorld, network: str) -> None:
    rail, instant = WAYS[network]
    request = order(rail)
    answer = await world.adapter(instant_network=instant).pay(request)
    assert (answer.key, answer.state) == (request.key, PayoutState.PENDING)
    assert (answer.amount, answer.currency) == ("12.34", "usd")
    assert answer.expected_in_seconds is not None
    assert world.increase.request() == {
        "path": NETWORKS[network].path.removeprefix("/"),
        "amount": 1234,
        "account_number": NUMBER,
        "routing_number": ROUTING,
        **BODIES[network],
    }
    world.increase.complete(world.increase.only())
    found = await found_by(world, request)
    assert found.state is PayoutState.SETTLED
    assert found.provider_reference == answer.provider_reference
    references = found.references
    assert references.trace_number or references.imad


async def test_fednow_may_be_a_rail_of_its_own(world: IncreaseWorld) -> None:
    await world.adapter().pay(order("fednow"))
    assert world.increase.only()["type"] == "fednow_transfer"


async def test_same_day_businesses_and_references(world: IncreaseWorld) -> None:
    holder = {
        **PAYEE["accountHolder"],
        "type": "BUSINESS",
        "name": "Example Trading Company Limited",
    }
    account = {**PAYEE["us"], "accountType": "Savings"}
    payee = {**PAYEE, "accountHolder": holder, "us": account}
    texts = {"achReference": "INV 29"}
    await world.adapter().pay(order(payee=payee, is_same_day=True, texts=texts))
    body = world.increase.request()
    assert body["preferred_effective_date"] == {"settlement_schedule": "same_day"}
    assert body["standard_entry_class_code"] == "corporate_credit_or_debit"
    assert (body["destination_account_holder"], body["funding"]) == ("business", "savings")
    assert body["individual_name"] == "Example Trading Compan"
    assert (body["statement_descriptor"], body["company_entry_description"]) == ("INV 29",) * 2


@pytest.mark.parametrize(
    ("rail", "texts", "shown"),
    [
        ("wire", {"wireMessage": "line one\nline two"}, "line one line two"),
        ("rtp", {"paymentReference": "INV 29"}, "INV 29"),
    ],
)
async def test_messages_reach_the_payee(
    world: IncreaseWorld, rail: str, texts: dict[str, str], shown: str
) -> None:
    await world.adapter().pay(order(rail, texts=texts))
    transfer = world.increase.only()
    remittance = transfer["remittance"] or {"unstructured": {"message": None}}
    assert shown in {
        remittance["unstructured"]["message"],
        transfer["unstructured_remittance_information"],
    }


@pytest.mark.parametrize(
    ("amount", "cents"), [("100", 10_000), ("0.01", 1), ("99999999999.99", 9_999_999_999_999)]
)
async def test_amounts_are_exact(world: IncreaseWorld, amount: str, cents: int) -> None:
    answer = await world.adapter().pay(order(amount=amount))
    assert world.increase.only()["amount"] == cents
    assert answer.amount == f"{cents // 100}.{cents % 100:02}"


@pytest.mark.parametrize(
    ("changes", "options"),
    [
        ({"currency": "eur"}, {}),
        ({"rail": "swift"}, {}),
        ({"rail": "pix"}, {}),
        ({"amount": "12.345"}, {}),
        ({"payee": {**PAYEE, "type": "europe"}}, {}),
        ({"payee": {**PAYEE, "accountHolder": {"type": "individual"}}}, {}),
        ({"payee": {**PAYEE, "accountHolder": {"type": "trust", "name": "Ada"}}}, {}),
        ({"payee": None}, {}),
        ({"rail": "rtp"}, {"source_account_number_id": None}),
        ({"rail": "fednow"}, {"debtor_name": None}),
        ({"test_outcome": RequestedOutcome.SETTLE}, {}),
        ({"test_outcome": RequestedOutcome.REFUSE}, {"sandbox": True}),
    ],
)
async def test_what_is_not_described_is_refused(
    world: IncreaseWorld, changes: dict[str, Any], options: dict[str, Any]
) -> None:
    values: dict[str, Any] = {"rail": "ach", **changes}
    request = order(**values)
    with pytest.raises(PayoutRefused) as refused:
        await world.adapter(**options).pay(request)
    assert refused.value.failure_code is FailureCode.UNSUPPORTED
    assert not world.increase.transfers


async def test_an_absurd_amount_is_refused(world: IncreaseWorld) -> None:
    with pytest.raises(PayoutRefused) as refused:
        await world.adapter().pay(order(amount="9" * 30))
    assert refused.value.failure_code is FailureCode.LIMIT_EXCEEDED
    assert not world.increase.transfers


@pytest.mark.parametrize(
    "account", [{"routingNumber": ROUTING}, {"accountNumber": NUMBER, "routingNumber": "12"}]
)
async def test_a_payee_without_numbers_is_refused(
    world: IncreaseWorld, account: dict[str, str]
) -> None:
    with pytest.raises(PayoutRefused) as refused:
        await world.adapter().pay(order(payee={**PAYEE, "us": account}))
    assert refused.value.failure_code is FailureCode.ACCOUNT_INVALID


@pytest.mark.parametrize(
    ("kind", "way", "error"),
    [
        ("invalid_parameters_error", "wait", PayoutRefused),
        ("invalid_operation_error", "wait", NotDone),
        ("invalid_operation_error", "refuse", PayoutRefused),
        ("idempotency_key_already_used_error", "wait", NoAnswer),
        ("an_error_of_tomorrow", "wait", NoAnswer),
        *((kind, "wait", NotDone) for kind in sorted(NOT_TAKEN)),
    ],
)
async def test_each_error_of_an_order_has_one_meaning(
    world: IncreaseWorld, kind: str, way: str, error: type[Exception]
) -> None:
    world.increase.error, request = kind, order()
    with pytest.raises(error) as raised:
        await world.adapter(invalid_operation=way).pay(request)
    assert "A title" not in str(raised.value)
    world.increase.error = None
    assert (await world.adapter().pay(request)).state is PayoutState.PENDING


async def test_an_error_about_an_order_that_increase_has_is_no_refusal(
    world: IncreaseWorld,
) -> None:
    request = order()
    world.increase.silent.add("create")
    with pytest.raises(NoAnswer):
        await world.adapter(timeout_s=1).pay(request)
    world.increase.silent.clear()
    world.increase.error = "invalid_parameters_error"
    assert (await world.adapter().pay(request)).state is PayoutState.PENDING
    # By other settings it would be refused, or go by another network.
    changed = world.adapter(source_account_number_id=None)
    assert (await changed.pay(order("rtp", key=request.key))).state is PayoutState.PENDING
    assert world.increase.calls["create"] == 1


async def test_a_payout_stays_with_its_network_when_the_settings_change(
    world: IncreaseWorld,
) -> None:
    request = order("rtp")
    first = await world.adapter().pay(request)
    again = await world.adapter(instant_network="fednow").pay(request)
    assert again.provider_reference == first.provider_reference
    assert len(world.increase.transfers) == 1


@pytest.mark.parametrize("fault", ["silent", "broken"])
@pytest.mark.parametrize("call", ["create", "find"])
@pytest.mark.parametrize("rail", ["ach", "wire", "rtp"])
async def test_what_is_done_without_an_answer_is_done_once(
    world: IncreaseWorld, fault: str, call: str, rail: str
) -> None:
    faults: set[str] = getattr(world.increase, fault)
    faults.add(call)
    request = order(rail)
    with pytest.raises(NoAnswer):
        await world.adapter(timeout_s=1).pay(request)
    if call == "find":
        with pytest.raises(NoAnswer):
            await world.adapter(timeout_s=1).find_payout(PayoutQuery(key=request.key))
    faults.clear()
    assert (await world.adapter().pay(request)).state is PayoutState.PENDING
    assert len(world.increase.transfers) == 1


async def test_many_copies_order_once(world: IncreaseWorld) -> None:
    request = order()
    answers = await asyncio.gather(*(world.adapter().pay(request) for _ in range(8)))
    assert len({answer.provider_reference for answer in answers}) == 1
    assert len(world.increase.transfers) == 1


async def test_a_call_that_is_cancelled_anywhere_pays_once(world: IncreaseWorld) -> None:
    for step in range(12):
        request = order()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(world.adapter().pay(request), step * 0.002)
        await world.adapter().pay(request)
    assert len(world.increase.transfers) == 12


@pytest.mark.parametrize(
    "changes",
    [
        {"amount": "12.35"},
        {"amount": "12.340001"},
        {"payee": {**PAYEE, "us": {**PAYEE["us"], "accountNumber": "1234"}}},
        {"rail": "wire", "amount": "12.35"},
    ],
)
async def test_a_key_with_another_order_conflicts(
    world: IncreaseWorld, changes: dict[str, Any]
) -> None:
    request = order()
    await world.adapter().pay(request)
    values: dict[str, Any] = {"rail": "ach", **changes, "key": request.key}
    with pytest.raises(KeyConflict):
        await world.adapter().pay(order(**values))
    assert len(world.increase.transfers) == 1


@pytest.mark.parametrize(
    ("lie", "error"),
    [
        ({"amount": 1235}, KeyConflict),
        ({"account_number": "1"}, KeyConflict),
        ({"currency": "CAD"}, KeyConflict),
        ({"amount": -1234}, KeyConflict),
        ({"amount": 12.34}, NoAnswer),
        ({"status": "tomorrow"}, NoAnswer),
        ({"status": None}, NoAnswer),
        ({"type": "check_transfer"}, NoAnswer),
        ({"idempotency_key": str(new_id())}, NoAnswer),
        ({"idempotency_key": None}, NoAnswer),
    ],
)
async def test_lies_decide_nothing(
    world: IncreaseWorld, lie: dict[str, Any], error: type[Exception]
) -> None:
    world.increase.lies, request = lie, order()
    for _ in range(2):
        with pytest.raises(error):
            await world.adapter().pay(request)
    world.increase.lies = {}
    assert (await world.adapter().pay(request)).state is PayoutState.PENDING
    assert len(world.increase.transfers) == 1


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"data": {}}', b'{"data": [{}], "next_cursor": null}']
)
async def test_an_unreadable_query_is_no_answer(world: IncreaseWorld, body: bytes) -> None:
    world.increase.garbled = body
    with pytest.raises(NoAnswer):
        await world.adapter().find_payout(PayoutQuery(key=new_id()))
    with pytest.raises(NoAnswer):
        await world.adapter().pay(order())
    assert not world.increase.transfers


async def test_an_unknown_key_is_unknown(world: IncreaseWorld) -> None:
    assert await world.adapter().find_payout(PayoutQuery(key=new_id())) is None


async def test_without_a_connection_nothing_was_done(world: IncreaseWorld) -> None:
    with pytest.raises(NotDone):
        await world.adapter(base_url="http://127.0.0.1:1").pay(order())


async def test_a_wrong_api_key_does_nothing(world: IncreaseWorld) -> None:
    with pytest.raises(NotDone) as error:
        await world.adapter({"api_key": "another-api-key"}).pay(order())
    assert "another-api-key" not in str(error.value)
    assert not world.increase.transfers
