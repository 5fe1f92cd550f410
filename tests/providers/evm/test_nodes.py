"""Nodes that behave badly: they are set aside, others answer, and nothing hangs."""

import asyncio
import base64
from datetime import timedelta
from typing import Any

import pytest
from aiohttp import web
from structlog.testing import capture_logs

from landbridge.platform.core.clock import FrozenClock
from landbridge.providers.evm.chain_data import BlockTag
from landbridge.providers.evm.errors import NodeError, NodeUnavailable, TransactionTooLarge
from landbridge.providers.evm.node_url import NodeUrl
from landbridge.providers.evm.nodes import RpcLimits
from landbridge.providers.evm.rpc import ChainClient
from landbridge.providers.evm.transport import RpcCall
from tests.providers.evm.node_server import (
    CHAIN_ID,
    NOW,
    FakeNode,
    answer_text,
    client_of,
    fake_node,
    raw_text,
)

QUICK = RpcLimits(attempt_timeout_s=1, call_timeout_s=2, answer_bytes_max=10_000)
DEEP = "[" * 5_000
HEAD = "0x10"


def too_many(_: Any) -> web.Response:
    return web.Response(status=429, text="slow down")


def redirect(_: Any) -> web.Response:
    return web.Response(status=302, headers={"Location": "http://127.0.0.1:1/"})


def packed(calls: list[Any]) -> web.Response:
    response = web.Response(text=answer_text(calls[0], HEAD))
    response.enable_compression(web.ContentCoding.gzip)
    response.headers["Content-Encoding"] = "gzip"
    return response


def without_result(calls: list[Any]) -> web.Response:
    return web.json_response({"jsonrpc": "2.0", "id": calls[0]["id"]})


def text_id(calls: list[Any]) -> web.Response:
    return web.json_response({"jsonrpc": "2.0", "id": str(calls[0]["id"]), "result": HEAD})


def error_of_bad_form(calls: list[Any]) -> web.Response:
    return web.json_response({"jsonrpc": "2.0", "id": calls[0]["id"], "error": "no"})


def broken_off(_: Any) -> web.Response:
    raise ConnectionError


BAD_RESPONSES = {
    "HTML": (raw_text("<html>busy</html>"), "answered something other than JSON"),
    "nothing": (raw_text(""), "answered something other than JSON"),
    "deep": (raw_text(DEEP), "answered something other than JSON"),
    "a number": (raw_text("5"), "answered JSON that is no object"),
    "a list": (raw_text("[]"), "answered JSON that is no object"),
    "too large": (raw_text("[" + " " * 20_000 + "]"), "answered more than 10000 bytes"),
    "HTTP 503": (raw_text("{}", status=503), "answered HTTP status 503"),
    "HTTP 429": (too_many, "answered HTTP status 429"),
    "a redirect": (redirect, "answered HTTP status 302"),
    "packed": (packed, "answered something packed"),
    "no result": (without_result, "answered with neither result nor error"),
    "a text as id": (text_id, "answered with a wrong id"),
    "an error of a bad form": (error_of_bad_form, "answered an error without code or message"),
    "a crash": (broken_off, "answered HTTP status 500"),
}


@pytest.mark.parametrize("name", BAD_RESPONSES)
async def test_a_bad_response_is_asked_of_the_next_node(
    node: FakeNode, second: FakeNode, name: str
) -> None:
    node.respond, problem = BAD_RESPONSES[name]
    second.set("eth_blockNumber", HEAD)
    async with client_of(node, second, limits=QUICK) as client:
        assert await client.block_number() == 16
        bad, good = client.health()
        assert bad.last_error == problem
        assert (bad.last_error_at, bad.last_success_at, bad.head) == (NOW, None, None)
        assert bad.set_aside_until == NOW + timedelta(seconds=1)
        assert (good.last_success_at, good.last_error, good.head) == (NOW, None, 16)
        # The next call does not ask the bad one.
        seen = len(node.seen)
        await client.block_number()
        assert len(node.seen) == seen


@pytest.mark.parametrize("value", ["0x", "0x010", "16", 16, None, "0x1g", "-0x1", True, ["0x1"]])
async def test_a_quantity_of_a_bad_form_is_unusable(node: FakeNode, value: Any) -> None:
    node.set("eth_blockNumber", value)
    async with client_of(node, limits=QUICK) as client:
        with pytest.raises(NodeUnavailable, match="answered wrongly: a quantity is not"):
            await client.block_number()


async def test_a_wrong_id_is_unusable(node: FakeNode) -> None:
    node.set("eth_blockNumber", HEAD)
    node.id_offset = 1
    async with client_of(node) as client:
        with pytest.raises(NodeUnavailable, match="answered with a wrong id"):
            await client.block_number()
        with pytest.raises(NodeUnavailable, match="answered a batch with a wrong id"):
            await client.batch([RpcCall("eth_blockNumber"), RpcCall("eth_blockNumber")])


async def test_a_slow_node_is_left_at_its_deadline(node: FakeNode, second: FakeNode) -> None:
    node.pause_s = 30
    second.set("eth_blockNumber", HEAD)
    limits = RpcLimits(attempt_timeout_s=0.5)
    async with client_of(node, second, limits=limits) as client:
        async with asyncio.timeout(5):
            assert await client.block_number() == 16
        assert client.health()[0].last_error == "did not answer in time"


async def test_a_call_ends_at_its_deadline_however_many_nodes_are_slow(
    node: FakeNode, second: FakeNode
) -> None:
    node.pause_s = second.pause_s = 30
    limits = RpcLimits(attempt_timeout_s=0.3, call_timeout_s=0.4)
    async with client_of(node, second, limits=limits) as client:
        async with asyncio.timeout(3):
            with pytest.raises(NodeUnavailable, match="did not answer in time"):
                await client.block_number()


async def test_a_node_on_another_chain_is_never_asked_anything(
    node: FakeNode, second: FakeNode
) -> None:
    node.set("eth_chainId", "0x1")
    second.set("eth_balance", "0x0")
    second.set("eth_getBalance", "0x5")
    async with client_of(node, second) as client:
        assert await client.balance("0x" + "1" * 40) == 5
        assert node.seen == ["eth_chainId"]
        assert client.health()[0].last_error == f"is on the chain with id 1, not {CHAIN_ID}"


async def test_a_node_must_answer_its_chain_id(node: FakeNode) -> None:
    async with client_of(node) as client:
        node.set("eth_chainId", "137")
        with pytest.raises(NodeUnavailable, match="answered wrongly: a quantity"):
            await client.block_number()
        node.refuse("eth_chainId", -32601, "Method not found")
        with pytest.raises(NodeUnavailable, match="answered error -32601 to its chain id"):
            await client.block_number()
    assert set(node.seen) == {"eth_chainId"}


async def test_a_stale_node_is_set_aside(node: FakeNode, second: FakeNode) -> None:
    node.set("eth_blockNumber", hex(100))
    second.set("eth_blockNumber", hex(111))
    clock = FrozenClock(NOW)
    async with client_of(node, second, clock=clock) as client:
        assert await client.block_number() == 100
        node.respond = raw_text("busy")
        assert await client.block_number() == 111
        node.respond = None
        clock.at += timedelta(minutes=1)
        # The first one is asked again, and is 11 blocks behind by now.
        assert await client.block_number() == 111
        assert client.health()[0].last_error == "is 11 blocks behind another node"
        node.set("eth_blockNumber", hex(101))
        clock.at += timedelta(minutes=1)
        assert await client.block_number() == 101


async def test_a_head_of_a_node_that_is_gone_outdates_no_other_node(
    node: FakeNode, second: FakeNode
) -> None:
    node.set("eth_blockNumber", hex(2**62))
    second.set("eth_blockNumber", hex(100))
    clock = FrozenClock(NOW)
    async with client_of(node, second, clock=clock) as client:
        assert await client.block_number() == 2**62
        node.respond = raw_text("busy")
        for _ in range(3):
            assert await client.block_number() == 100
        assert client.health()[1].set_aside_until is None


@pytest.mark.parametrize("head", [2**63, 2**255])
async def test_a_head_that_no_chain_reaches_is_unusable(
    node: FakeNode, second: FakeNode, head: int
) -> None:
    node.set("eth_blockNumber", hex(head))
    second.set("eth_blockNumber", hex(100))
    async with client_of(node, second) as client:
        assert await client.block_number() == 100


async def test_backoff_doubles_up_to_a_minute_and_ends_with_a_success(node: FakeNode) -> None:
    clock = FrozenClock(NOW)
    node.respond = raw_text("busy")
    waits: list[float] = []
    async with client_of(node, clock=clock) as client:
        for _ in range(9):
            with pytest.raises(NodeUnavailable):
                await client.block_number()
            until = client.health()[0].set_aside_until
            assert until is not None
            waits.append((until - clock.at).total_seconds())
            clock.at = until
        assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]
        node.respond = None
        node.set("eth_blockNumber", HEAD)
        await client.block_number()
        node.respond = raw_text("busy")
        with pytest.raises(NodeUnavailable):
            await client.block_number()
        assert client.health()[0].set_aside_until == clock.at + timedelta(seconds=1)


async def test_calls_that_fail_together_are_one_failure(node: FakeNode, second: FakeNode) -> None:
    node.respond = raw_text("busy")
    second.set("eth_blockNumber", HEAD)
    async with client_of(node, second) as client:
        assert await asyncio.gather(*(client.block_number() for _ in range(10))) == [16] * 10
        assert client.health()[0].set_aside_until == NOW + timedelta(seconds=1)


async def test_when_all_fail_the_set_aside_node_that_is_due_first_is_tried(
    node: FakeNode, second: FakeNode
) -> None:
    node.respond = second.respond = raw_text("busy")
    async with client_of(node, second) as client:
        with pytest.raises(NodeUnavailable, match=r"127.0.0.1:\d+ answered.*; 127.0.0.1:\d+ "):
            await client.block_number()
        node.respond = None
        node.set("eth_blockNumber", HEAD)
        assert await client.block_number() == 16


async def test_a_node_that_was_set_aside_finds_nothing_too_large_for_the_others(
    node: FakeNode, second: FakeNode
) -> None:
    async with fake_node() as aside:
        aside.respond = BAD_RESPONSES["HTTP 503"][0]
        for each in (node, second):
            each.set("eth_blockNumber", HEAD)
        async with client_of(aside, node, second, limits=QUICK) as client:
            assert await client.block_number() == 16
            aside.respond = None
            for each in (aside, second):
                each.set("eth_getTransactionReceipt", {"data": "0" * 20_000})
            node.refuse("eth_getTransactionReceipt", -32_000, "no")
            with pytest.raises(NodeUnavailable) as failure:
                await client.receipt("0x" + "11" * 32)
        assert "eth_getTransactionReceipt" in aside.seen
    assert not isinstance(failure.value, TransactionTooLarge)


async def test_a_rate_limit_is_asked_of_the_next_node(node: FakeNode, second: FakeNode) -> None:
    node.refuse("eth_blockNumber", -32005, "daily request count exceeded, request rate limited")
    second.set("eth_blockNumber", HEAD)
    async with client_of(node, second) as client:
        assert await client.block_number() == 16


async def test_an_error_is_an_answer(node: FakeNode, second: FakeNode) -> None:
    node.refuse("eth_call", 3, "execution reverted", "0x1234")
    async with client_of(node, second) as client:
        with pytest.raises(NodeError) as raised:
            await client.call(destination="0x" + "1" * 40, data=b"")
        assert (raised.value.code, raised.value.data) == (3, "0x1234")
        assert str(raised.value) == "the node answered error 3"
        assert second.seen == []
        assert client.health()[0].last_error is None


async def test_concurrent_calls_of_one_node_are_bounded(node: FakeNode) -> None:
    node.set("eth_getTransactionCount", "0x1")
    node.pause_s = 0.02
    async with client_of(node, limits=RpcLimits(concurrency_max=3, batch_max=1)) as client:
        calls = [client.nonce("0x" + "1" * 40, BlockTag.PENDING) for _ in range(12)]
        assert await asyncio.gather(*calls) == [1] * 12
    assert node.concurrent_max == 3


async def test_a_node_without_free_slot_is_not_at_fault(node: FakeNode, second: FakeNode) -> None:
    node.set("eth_blockNumber", HEAD)
    second.set("eth_blockNumber", HEAD)
    limits = RpcLimits(concurrency_max=1, attempt_timeout_s=1, call_timeout_s=5)
    async with client_of(node, second, limits=limits) as client:
        await client.block_number()
        node.pause_s = 0.7
        calls = [client.block_number() for _ in range(3)]
        # One has the slot, one waits for it, and one finds another node in time.
        assert await asyncio.gather(*calls) == [16, 16, 16]
        health = client.health()[0]
        assert (health.last_error, health.set_aside_until) == ("has no free slot", None)
    assert second.seen


async def test_refused_connections_are_asked_of_the_next_node(second: FakeNode) -> None:
    second.set("eth_blockNumber", HEAD)
    urls = [NodeUrl.parse("http://127.0.0.1:1/secret-key"), NodeUrl.parse(second.url)]
    async with ChainClient(urls, chain_id=CHAIN_ID, clock=FrozenClock(NOW)) as client:
        assert await client.block_number() == 16
        assert client.health()[0].last_error == "could not be connected (ClientConnectorError)"


async def test_a_password_in_a_url_is_sent_as_one(node: FakeNode) -> None:
    node.set("eth_blockNumber", HEAD)
    url = NodeUrl.parse(node.url.replace("//", "//user:p%40ss@"))
    assert "user" not in url.label
    async with ChainClient([url], chain_id=CHAIN_ID, clock=FrozenClock(NOW)) as client:
        assert await client.block_number() == 16
    assert node.authorization == f"Basic {base64.b64encode(b'user:p@ss').decode()}"


@pytest.mark.parametrize("name", BAD_RESPONSES)
async def test_secrets_of_urls_are_in_no_error_and_no_log(node: FakeNode, name: str) -> None:
    node.respond = BAD_RESPONSES[name][0]
    with capture_logs() as logs:
        async with client_of(node, limits=QUICK) as client:
            with pytest.raises(NodeUnavailable) as raised:
                await client.block_number()
            shown = f"{raised.value!r} {client.health()} {logs}"
    assert "127.0.0.1" in shown
    assert "secret-key" not in shown
    assert "secret-key" not in f"{raised.value.__cause__!r} {raised.value.__context__!r}"
