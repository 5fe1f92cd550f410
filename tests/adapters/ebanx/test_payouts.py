"""Payouts by EBANX: one per key whatever fails, exact amounts, and nothing decided by a guess."""

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
    PayoutAnswer,
    PayoutQuery,
    PayoutRefused,
    PayoutRequest,
    PayoutState,
    RequestedOutcome,
)
from landbridge_ebanx.messages import REASONS, REFUSALS
from tests.adapters.ebanx.kit import CLABE, CPF, PIX, SPEI, EbanxWorld, ebanx_world, order

HOLDER: dict[str, Any] = PIX["accountHolder"]
NO_DOCUMENT = {
    **PIX,
    "brazilGlobalNetwork": {"email": "ada@example.com"},
    "accountHolder": {"name": "Ada Example"},
}
CARD = {**SPEI, "mexico": {"speiProtocol": "debitcard", "speiClabe": "4111111111111111"}}


@pytest.fixture
async def world() -> AsyncGenerator[EbanxWorld]:
    async with ebanx_world() as found:
        yield found


async def found_by(world: EbanxWorld, request: PayoutRequest) -> PayoutAnswer:
    found = await world.adapter().find_payout(PayoutQuery(key=request.key))
    assert found is not None
    return found


async def test_a_payout_by_pix_is_ordered_and_settles(world: EbanxWorld) -> None:
    world.ebanx.settles_after_s, request = 60, order()
    answer = await world.adapter().pay(request)
    assert (answer.key, answer.state) == (request.key, PayoutState.PENDING)
    assert (answer.amount, answer.currency) == ("12.34", "brl")
    assert answer.expected_in_seconds is not None
    assert world.ebanx.only().form == {
        "external_reference": str(request.key),
        "country": "br",
        "amount": "12.34",
        "currency_code": "BRL",
        "target": "pix_key",
        "target_account": CPF,
        "payee[name]": "Ada Example",
        "payee[email]": "payees@example.com",
        "payee[document]": CPF,
        "payee[document_type]": "CPF",
    }
    world.ebanx.settles_after_s = 0
    found = await found_by(world, request)
    assert found.state is PayoutState.SETTLED
    assert found.provider_reference == answer.provider_reference


async def test_a_payout_by_spei_is_ordered_by_clabe(world: EbanxWorld) -> None:
    answer = await world.adapter().pay(order(SPEI))
    assert (answer.state, answer.amount, answer.currency) == (PayoutState.SETTLED, "12.34", "mxn")
    form = world.ebanx.only().form
    assert (form["country"], form["currency_code"]) == ("mx", "MXN")
    assert form["payee[bank_info][bank_details]"] == CLABE
    assert (form["payee[document]"], form["payee[document_type]"]) == ("EXAA900131AB1", "RFC")
    assert "target" not in form


@pytest.mark.parametrize(
    ("amount", "sent"), [("100", "100.00"), ("0.01", "0.01"), ("99999999999.99", "99999999999.99")]
)
async def test_amounts_are_exact(world: EbanxWorld, amount: str, sent: str) -> None:
    answer = await world.adapter().pay(order(amount=amount))
    assert world.ebanx.only().form["amount"] == answer.amount == sent


@pytest.mark.parametrize(
    ("account", "holder", "target"),
    [
        ({"email": "ada@example.com"}, HOLDER, "ada@example.com"),
        ({"phone": "+5511987654321"}, HOLDER, "+5511987654321"),
        ({}, {**HOLDER, "idNumber": "123.456.789-09"}, CPF),
        ({"pix": CPF}, {"name": "Ada Example"}, CPF),
    ],
)
async def test_every_kind_of_pix_key(
    world: EbanxWorld, account: dict[str, str], holder: dict[str, str], target: str
) -> None:
    payee = {**PIX, "brazilGlobalNetwork": account, "accountHolder": holder}
    await world.adapter().pay(order(payee))
    form = world.ebanx.only().form
    assert (form["target_account"], form["payee[document]"]) == (target, CPF)


@pytest.mark.parametrize(
    ("payee", "changes", "options"),
    [
        ({"type": "brazil", "brazil": {"pixKey": CPF}}, {}, {}),
        (NO_DOCUMENT, {}, {}),
        (CARD, {}, {}),
        (PIX, {}, {"payee_email": None}),
        (PIX, {"amount": "1.001"}, {}),
        (PIX, {"rail": "wire"}, {}),
        (PIX, {"currency": "usd"}, {}),
        (PIX, {"returns": "credit-1"}, {}),
        (PIX, {"test_outcome": RequestedOutcome.SETTLE}, {}),
    ],
)
async def test_what_the_documentation_does_not_carry_is_refused(
    world: EbanxWorld, payee: dict[str, Any], changes: dict[str, Any], options: dict[str, Any]
) -> None:
    with pytest.raises(PayoutRefused) as refused:
        await world.adapter(**options).pay(order(payee, **changes))
    assert refused.value.failure_code is FailureCode.UNSUPPORTED
    assert world.ebanx.payouts == {}


async def test_a_known_payout_is_not_refused_when_the_settings_change(world: EbanxWorld) -> None:
    request = order()
    await world.adapter().pay(request)
    answer = await world.adapter(payee_email=None).pay(request)
    assert answer.state is PayoutState.SETTLED


@pytest.mark.parametrize(("code", "failure"), [*REFUSALS.items(), ("HP-XX-01", FailureCode.OTHER)])
async def test_listed_errors_refuse(world: EbanxWorld, code: str, failure: FailureCode) -> None:
    world.ebanx.error = code
    with pytest.raises(PayoutRefused) as refused:
        await world.adapter(refusals={"HP-XX-01": "other"}).pay(order())
    assert refused.value.failure_code is failure


@pytest.mark.parametrize("code", ["HP-BR-01", "HP-CM-06", "HP-ZZ-99"])
async def test_other_errors_decide_nothing(world: EbanxWorld, code: str) -> None:
    world.ebanx.error, request = code, order()
    with pytest.raises(NoAnswer):
        await world.adapter().pay(request)
    world.ebanx.error = None
    assert (await world.adapter().pay(request)).state is PayoutState.SETTLED


@pytest.mark.parametrize("fault", ["silent", "broken"])
@pytest.mark.parametrize("path", ["create", "retrieve", "commit"])
async def test_what_is_done_without_an_answer_is_done_once(
    world: EbanxWorld, fault: str, path: str
) -> None:
    world.ebanx.is_open, request = True, order()
    faults: set[str] = getattr(world.ebanx, fault)
    faults.add(path)
    with pytest.raises(NoAnswer):
        await world.adapter(timeout_s=1).pay(request)
    faults.clear()
    assert (await world.adapter().pay(request)).state is PayoutState.SETTLED
    assert len(world.ebanx.payouts) == 1


async def test_many_copies_order_once(world: EbanxWorld) -> None:
    request = order()
    answers = await asyncio.gather(*(world.adapter().pay(request) for _ in range(8)))
    assert len({answer.provider_reference for answer in answers}) == 1
    assert len(world.ebanx.payouts) == 1


async def test_a_call_that_is_cancelled_anywhere_pays_once(world: EbanxWorld) -> None:
    for step in range(12):
        request = order()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(world.adapter().pay(request), step * 0.002)
        assert (await world.adapter().pay(request)).state is PayoutState.SETTLED
    assert len(world.ebanx.payouts) == 12


async def test_an_order_that_does_not_show_at_once_is_not_repeated(world: EbanxWorld) -> None:
    request = order()
    world.ebanx.hidden_queries = 2
    with pytest.raises(NoAnswer):
        await world.adapter().pay(request)
    # Hidden once more: EBANX refuses the reference a second time, and then shows it.
    assert (await world.adapter().pay(request)).state is PayoutState.SETTLED
    assert (len(world.ebanx.payouts), world.ebanx.calls["create"]) == (1, 2)


@pytest.mark.parametrize("amount", ["12.35", "12.340001"])
async def test_a_key_with_another_amount_conflicts(world: EbanxWorld, amount: str) -> None:
    request = order()
    await world.adapter().pay(request)
    with pytest.raises(KeyConflict):
        await world.adapter().pay(order(key=request.key, amount=amount))


@pytest.mark.parametrize(
    ("lie", "error"),
    [
        ({"request_amount": "12.35"}, KeyConflict),
        ({"request_currency": "USD"}, KeyConflict),
        ({"request_amount": "NaN"}, NoAnswer),
        ({"request_amount": "1E+999999999"}, NoAnswer),  # as digits, a gigabyte
        ({"request_amount": "-12.34"}, NoAnswer),
        ({"request_amount": 12.34}, NoAnswer),
        ({"status": "XX"}, NoAnswer),
        ({"status": "pa"}, NoAnswer),
        ({"external_reference": str(new_id())}, NoAnswer),
        ({"uid": None}, NoAnswer),
    ],
)
async def test_lies_decide_nothing(
    world: EbanxWorld, lie: dict[str, Any], error: type[Exception]
) -> None:
    world.ebanx.lies, request = lie, order()
    for _ in range(2):
        with pytest.raises(error):
            await world.adapter().pay(request)
    world.ebanx.lies = {}
    assert (await world.adapter().pay(request)).state is PayoutState.SETTLED
    assert len(world.ebanx.payouts) == 1


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"type": "success"}', b'{"type": "success", "payout": []}']
)
async def test_an_unreadable_query_is_no_answer(world: EbanxWorld, body: bytes) -> None:
    world.ebanx.garbled = body
    with pytest.raises(NoAnswer):
        await world.adapter().find_payout(PayoutQuery(key=new_id()))


async def test_an_unknown_key_is_unknown_only_by_its_code(world: EbanxWorld) -> None:
    query = PayoutQuery(key=new_id())
    assert await world.adapter().find_payout(query) is None
    with pytest.raises(NoAnswer):
        await world.adapter(unknown_codes=["ANOTHER"]).find_payout(query)


async def test_an_open_payout_waits_if_it_is_not_ours_to_commit(world: EbanxWorld) -> None:
    world.ebanx.is_open, request = True, order()
    answer = await world.adapter(commit=False).pay(request)
    assert (answer.state, world.ebanx.calls["commit"]) == (PayoutState.PENDING, 0)
    assert (await found_by(world, request)).state is PayoutState.SETTLED
    assert world.ebanx.calls["commit"] == 1


async def test_a_refused_commit_leaves_it_pending(world: EbanxWorld) -> None:
    world.ebanx.is_open = world.ebanx.is_never_committed = True
    request = order()
    assert (await world.adapter().pay(request)).state is PayoutState.PENDING
    world.ebanx.is_never_committed = False
    assert (await found_by(world, request)).state is PayoutState.SETTLED


@pytest.mark.parametrize(
    ("code", "failure"), [*REASONS.items(), ("REJECTED_BY_BANK", FailureCode.OTHER)]
)
async def test_a_cancelled_payout_failed(
    world: EbanxWorld, code: str, failure: FailureCode
) -> None:
    world.ebanx.settles_after_s, request = 60, order()
    await world.adapter().pay(request)
    payout = world.ebanx.only()
    payout.status = "CA"
    payout.cancelled = {"code": code, "message": "A text", "gateway_details": "A text"}
    found = await found_by(world, request)
    assert (found.state, found.failure_code) == (PayoutState.FAILED, failure)


async def test_a_payout_cancelled_after_it_was_paid_is_returned(world: EbanxWorld) -> None:
    request = order()
    assert (await world.adapter().pay(request)).state is PayoutState.SETTLED
    world.ebanx.only().status = "CA"
    assert (await found_by(world, request)).state is PayoutState.RETURNED


async def test_without_a_connection_nothing_was_done(world: EbanxWorld) -> None:
    with pytest.raises(NotDone):
        await world.adapter(base_url="http://127.0.0.1:1").pay(order())
