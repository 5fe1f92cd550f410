"""The client against good and hostile sidecars: an answer counts only if it is beyond doubt."""

import asyncio
import json
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from landbridge.platform.core.errors import Rejected, Unclear
from landbridge.providers.rails.port import PayeeMatch, PayeeVerification
from landbridge.providers.sidecar.model import (
    AnswerUnusable,
    NothingDone,
    OrderProblem,
    PayoutReport,
)
from landbridge.providers.sidecar.protocol import PayoutState, RequestedOutcome
from landbridge.providers.sidecar.signing import SigningSecret
from tests.platform.http.listeners import Listener, Script, answer, listening
from tests.providers.sidecar.kit import (
    accepted,
    answering,
    client_of,
    payment,
    python_template,
    sidecar_process,
)

OTHER = SigningSecret("2026-11", b"another secret, which nobody configured here")


async def pay_at(script: Script, *, timeout_s: int = 5) -> PayoutReport:
    async with listening(script) as found, client_of(found.port, timeout_s=timeout_s) as client:
        return await client.pay(payment())


async def problem_of(script: Script) -> OrderProblem:
    with pytest.raises(AnswerUnusable) as caught:
        await pay_at(script)
    assert "Payee-Marker" not in str(caught.value)
    return caught.value.problem


async def test_a_payout_is_accepted_and_settles(tmp_path: Path) -> None:
    async with (
        sidecar_process(python_template(tmp_path / "orders.db")) as port,
        client_of(port) as client,
    ):
        order = payment()
        first = await client.pay(order)
        assert first.state is PayoutState.PENDING
        assert await client.pay(order) == first
        await asyncio.sleep(0.5)
        found = await client.find(order.org_id, order.key, order.money, order.rail)
        assert found is not None
        assert found.state is PayoutState.SETTLED
        assert await client.find(order.org_id, payment().key, order.money, order.rail) is None


async def test_a_refusal_is_final_and_has_a_sentence_of_ours(tmp_path: Path) -> None:
    async with (
        sidecar_process(python_template(tmp_path / "orders.db")) as port,
        client_of(port) as client,
    ):
        with pytest.raises(Rejected, match="the payee's account does not exist"):
            await client.pay(payment(), test_outcome=RequestedOutcome.REFUSE)


async def test_what_was_not_sent_is_known_to_be_undone() -> None:
    async with listening() as found:
        port = found.port
    async with client_of(port) as client:
        with pytest.raises(NothingDone, match="refused"):
            await client.pay(payment())


async def test_a_silent_sidecar_leaves_the_outcome_unknown() -> None:
    async def silent(
        self: Listener, reader: asyncio.StreamReader, _writer: asyncio.StreamWriter
    ) -> None:
        await self.read(reader)
        await asyncio.sleep(60)

    with pytest.raises(Unclear, match="no answer within 1 s") as caught:
        await pay_at(silent, timeout_s=1)
    assert not isinstance(caught.value, NothingDone)


async def test_a_slow_answer_ends_at_the_timeout() -> None:
    slow = answer(
        b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n" + b"x" * 900, pauses_s=0.1, each=9
    )
    with pytest.raises(Unclear):
        await asyncio.wait_for(pay_at(slow, timeout_s=1), 10)


async def test_a_huge_answer_is_not_read() -> None:
    with pytest.raises(Unclear, match="more than 65536 bytes"):
        await pay_at(answering(lambda _path, _message: (200, b" " * 2_000_000)))


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"[" * 60_000, id="deep"),
        pytest.param(b"\xff\xfe", id="no text"),
        pytest.param({"key": "x"}, id="no key"),
        pytest.param(None, id="null"),
    ],
)
async def test_a_malformed_answer_is_no_answer(message: Any) -> None:
    script = answering(lambda _path, _message: (200, message))
    assert await problem_of(script) is OrderProblem.ANSWER_INVALID


@pytest.mark.parametrize(
    "changes",
    [
        {"state": "paid"},
        {"providerReference": "a sentence about Mr Payee"},
        {"expectedInSeconds": 10**9},
        {"references": {"uetr": "x" * 65}},
        *({"providerReference": "P1\n"}, {"references": {"uetr": "x\n"}}),
        {"failureCode": "he moved away"},
        {"key": "00000000-0000-0000-0000-000000000001"},
        *({"amount": "12.34\n"}, {"currency": "usd\n"}),
    ],
)
async def test_an_answer_with_a_wrong_member_is_no_answer(changes: dict[str, Any]) -> None:
    script = answering(lambda _path, message: (200, accepted(message, **changes)))
    assert await problem_of(script) is OrderProblem.ANSWER_INVALID


@pytest.mark.parametrize(
    "changes", [{"amount": "12.35"}, {"amount": "12.345"}, {"currency": "eur"}]
)
async def test_another_amount_is_a_problem(changes: dict[str, str]) -> None:
    script = answering(lambda _path, message: (200, accepted(message, "settled", **changes)))
    assert await problem_of(script) is OrderProblem.AMOUNT_DIFFERS


async def test_a_key_with_another_payment_is_a_problem() -> None:
    script = answering(lambda _path, _message: (409, {"code": "key_conflict"}))
    assert await problem_of(script) is OrderProblem.KEY_CONFLICT


Signed = tuple[dict[str, str], bytes]


def unsigned(_headers: dict[str, str], body: bytes) -> Signed:
    return {}, body


def old(headers: dict[str, str], body: bytes) -> Signed:
    return {**headers, "landbridge-timestamp": "1"}, body


def changed(headers: dict[str, str], body: bytes) -> Signed:
    return headers, body + b" "


def cut_off(headers: dict[str, str], body: bytes) -> Signed:
    return headers, body[:-1]


@pytest.mark.parametrize("status", [200, 404, 409, 422, 500, 503])
@pytest.mark.parametrize("alter", [unsigned, old, changed, cut_off])
async def test_an_answer_that_is_not_validly_signed_decides_nothing(
    status: int, alter: Callable[[dict[str, str], bytes], Signed]
) -> None:
    def behave(_path: str, message: dict[str, Any]) -> tuple[int, Any]:
        refusal = {"key": message["key"], "failureCode": "other", "code": "not_done"}
        return status, accepted(message) if status == HTTPStatus.OK else refusal

    assert await problem_of(answering(behave, alter=alter)) is OrderProblem.ANSWER_INVALID


async def test_an_answer_signed_with_another_secret_decides_nothing() -> None:
    script = answering(lambda _path, message: (200, accepted(message)), key=OTHER)
    assert await problem_of(script) is OrderProblem.ANSWER_INVALID


async def test_a_replayed_answer_is_not_taken_for_the_next_one() -> None:
    kept: list[tuple[dict[str, str], bytes]] = []

    def alter(headers: dict[str, str], body: bytes) -> tuple[dict[str, str], bytes]:
        kept.append((headers, body))
        return kept[0]

    script = answering(lambda _path, message: (200, accepted(message, "settled")), alter=alter)
    async with listening(script) as found, client_of(found.port) as client:
        order = payment()
        assert (await client.pay(order)).state is PayoutState.SETTLED
        # The same key, a second later: the request has another signature.
        await asyncio.sleep(1.1)
        with pytest.raises(AnswerUnusable):
            await client.pay(order)


async def test_an_error_of_the_sidecar_is_an_unknown_outcome() -> None:
    assert (
        await problem_of(answering(lambda _path, _message: (500, {})))
        is OrderProblem.ANSWER_INVALID
    )


async def test_the_sidecar_can_say_that_it_did_nothing() -> None:
    with pytest.raises(NothingDone):
        await pay_at(answering(lambda _path, _message: (503, {"code": "not_done"})))


async def test_a_redirect_is_not_followed() -> None:
    moved = b"HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
    with pytest.raises(AnswerUnusable):
        await pay_at(answer(moved))


async def test_requests_name_the_key_and_carry_the_order() -> None:
    script = answering(lambda _path, message: (200, accepted(message)))
    async with listening(script) as found, client_of(found.port) as client:
        order = payment()
        await client.pay(order)
        head, body = found.requests[0]
    assert head.startswith("POST /v1/payouts HTTP/1.1")
    assert "landbridge-key: 2026-11" in head.lower()
    message = json.loads(body)
    assert message["key"] == str(order.key)
    assert (message["amount"], message["currency"]) == ("12.34", "usd")


async def verified_at(message: Any) -> PayeeVerification:
    def behave(_path: str, _body: dict[str, Any]) -> tuple[int, Any]:
        return HTTPStatus.OK, message

    async with listening(answering(behave)) as found, client_of(found.port) as client:
        return await client.verify_payee(payment().destination)


async def test_a_payee_is_verified(tmp_path: Path) -> None:
    async with (
        sidecar_process(python_template(tmp_path / "orders.db")) as port,
        client_of(port) as client,
    ):
        there = payment().destination
        for match in PayeeMatch:
            found = await client.verify_payee(there, test_outcome=match)
            name = "A. Holder" if match is PayeeMatch.CLOSE_MATCH else None
            assert found == PayeeVerification(match=match, name=name)
        assert (await client.verify_payee(there)).match is PayeeMatch.UNAVAILABLE


async def test_only_a_close_match_has_a_name() -> None:
    found = await verified_at({"match": "no_match", "name": "Grace Example"})
    assert found == PayeeVerification(match=PayeeMatch.NO_MATCH)


async def test_a_name_of_a_payee_changes_no_direction_of_writing() -> None:
    found = await verified_at({"match": "close_match", "name": "Grace \u202eelpmaxE\u2028"})
    assert found == PayeeVerification(match=PayeeMatch.CLOSE_MATCH, name="Grace elpmaxE")


@pytest.mark.parametrize(
    "message",
    [
        {"match": "close_match"},
        {"match": "close_match", "name": ""},
        {"match": "close_match", "name": "\u200b"},
        {"match": "close_match", "name": "x" * 501},
        {"match": "close_match", "name": "Payee-Marker\r\nBcc: x"},
        {"match": "MATCH"},
        {"match": None},
        {},
    ],
)
async def test_a_malformed_answer_about_a_payee_is_none(message: Any) -> None:
    with pytest.raises(AnswerUnusable) as caught:
        await verified_at(message)
    assert "Payee-Marker" not in str(caught.value)
