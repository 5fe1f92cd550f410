"""Sending: an outcome is believed only if no earlier node may have accepted the bytes."""

from typing import Any

import pytest

from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.formats.evm_addresses import keccak256
from landbridge.providers.evm.errors import NodeUnavailable
from landbridge.providers.evm.node_errors import SendResult
from landbridge.providers.evm.node_url import NodeUrl
from landbridge.providers.evm.nodes import RpcLimits
from landbridge.providers.evm.raw_transactions import SendOutcome
from landbridge.providers.evm.rpc import ChainClient
from tests.providers.evm.node_server import CHAIN_ID, NOW, FakeNode, RpcRefusal, client_of, raw_text

RAW = b"\x02signed"
HASH = f"0x{keccak256(RAW).hex()}"
SEND = "eth_sendRawTransaction"


async def _send(client: ChainClient) -> SendOutcome:
    (outcome,) = await client.send_raw([RAW])
    return outcome


async def test_an_accepted_transaction_has_its_hash(node: FakeNode) -> None:
    node.set(SEND, HASH.upper().replace("0X", "0x"))
    async with client_of(node) as client:
        outcome = await _send(client)
    assert (outcome.result, outcome.transaction_hash) == (SendResult.ACCEPTED, HASH)
    assert node.bodies[-1]["params"] == [f"0x{RAW.hex()}"]


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("already known", SendResult.ALREADY_KNOWN),
        ("nonce too low: next nonce 5, tx nonce 4", SendResult.NONCE_TOO_LOW),
        ("replacement transaction underpriced", SendResult.UNDERPRICED),
        ("insufficient funds for gas * price + value", SendResult.INSUFFICIENT_FUNDS),
        ("intrinsic gas too low", SendResult.REJECTED),
    ],
)
async def test_the_first_node_that_refuses_is_believed(
    node: FakeNode, second: FakeNode, text: str, result: SendResult
) -> None:
    node.refuse(SEND, -32000, text)
    async with client_of(node, second) as client:
        outcome = await _send(client)
    assert (outcome.result, outcome.transaction_hash) == (result, HASH)
    assert outcome.problem == f"error -32000: {text}"
    assert second.seen == []


async def test_after_an_unknown_error_the_next_node_is_tried(
    node: FakeNode, second: FakeNode
) -> None:
    node.refuse(SEND, -32000, "txpool is full")
    second.set(SEND, HASH)
    async with client_of(node, second) as client:
        assert (await _send(client)).result is SendResult.ACCEPTED
        second.refuse(SEND, -32000, "nonce too low")
        assert (await _send(client)).result is SendResult.UNCLEAR
    async with client_of(node) as client:
        assert (await _send(client)).result is SendResult.UNCLEAR


@pytest.mark.parametrize(
    "text", ["nonce too low", "insufficient funds for gas", "intrinsic gas too low", "underpriced"]
)
async def test_a_refusal_after_a_lost_answer_is_unclear(
    node: FakeNode, second: FakeNode, text: str
) -> None:
    node.respond = raw_text("<html>gateway timeout</html>")
    second.refuse(SEND, -32000, text)
    async with client_of(node, second) as client:
        outcome = await _send(client)
    assert (outcome.result, outcome.transaction_hash) == (SendResult.UNCLEAR, HASH)
    assert text in (outcome.problem or "")


async def test_an_acceptance_after_a_lost_answer_is_believed(
    node: FakeNode, second: FakeNode
) -> None:
    node.respond = raw_text("<html>gateway timeout</html>")
    second.refuse(SEND, -32000, "already known")
    async with client_of(node, second) as client:
        assert (await _send(client)).result is SendResult.ALREADY_KNOWN


async def test_a_timeout_is_unclear(node: FakeNode) -> None:
    node.set(SEND, HASH)
    node.pause_s = 30
    async with client_of(node, limits=RpcLimits(attempt_timeout_s=0.3)) as client:
        assert (await _send(client)).result is SendResult.UNCLEAR


async def test_the_hash_of_another_transaction_is_unclear(node: FakeNode) -> None:
    node.set(SEND, "0x" + "1" * 64)
    async with client_of(node) as client:
        outcome = await _send(client)
    assert (outcome.result, outcome.transaction_hash) == (SendResult.UNCLEAR, HASH)


async def test_what_certainly_arrived_nowhere_may_be_sent_again(node: FakeNode) -> None:
    urls = [NodeUrl.parse("http://127.0.0.1:1")]
    async with ChainClient(urls, chain_id=CHAIN_ID, clock=FrozenClock(NOW)) as client:
        with pytest.raises(NodeUnavailable, match="could not be connected"):
            await _send(client)
    node.set("eth_chainId", "0x1")
    async with client_of(node) as client:
        with pytest.raises(NodeUnavailable, match="is on the chain with id 1"):
            await _send(client)
    assert SEND not in node.seen
    node.set("eth_chainId", hex(CHAIN_ID))
    node.refuse(SEND, 429, "compute units per second exceeded")
    async with client_of(node) as client:
        with pytest.raises(NodeUnavailable, match="limits the rate of requests"):
            await _send(client)


async def test_a_refusal_after_a_refused_connection_is_believed(second: FakeNode) -> None:
    second.refuse(SEND, -32000, "nonce too low")
    urls = [NodeUrl.parse("http://127.0.0.1:1"), NodeUrl.parse(second.url)]
    async with ChainClient(urls, chain_id=CHAIN_ID, clock=FrozenClock(NOW)) as client:
        assert (await _send(client)).result is SendResult.NONCE_TOO_LOW


async def test_of_many_only_those_without_a_clear_answer_go_to_the_next_node(
    node: FakeNode, second: FakeNode
) -> None:
    raws = [b"\x02one", b"\x02two", b"\x02three", b"\x02four"]
    hashes = [f"0x{keccak256(each).hex()}" for each in raws]

    def answer(raw: str) -> Any:
        place = raws.index(bytes.fromhex(raw[2:]))
        if place in (1, 3):
            raise RpcRefusal(-32000, "txpool is full" if place == 1 else "intrinsic gas too low")
        return hashes[place]

    node.methods[SEND] = answer
    second.refuse(SEND, -32000, "nonce too low")
    async with client_of(node, second) as client:
        outcomes = await client.send_raw(raws)
    assert [each.transaction_hash for each in outcomes] == hashes
    assert [each.result for each in outcomes] == [
        SendResult.ACCEPTED,
        # The first node may have it, so the second one is not believed.
        SendResult.UNCLEAR,
        SendResult.ACCEPTED,
        SendResult.REJECTED,
    ]
    # One exchange, in the order of nonces.
    assert [each["params"][0] for each in node.bodies[-1]] == [f"0x{each.hex()}" for each in raws]
    assert second.bodies[-1]["params"] == [f"0x{raws[1].hex()}"]


async def test_a_limit_on_one_of_many_says_nothing_of_the_others(
    node: FakeNode, second: FakeNode
) -> None:
    raws = [b"\x02one", b"\x02two"]

    def answer(raw: str) -> Any:
        if raw == f"0x{raws[1].hex()}":
            raise RpcRefusal(-32005, "rate limit exceeded")
        return f"0x{keccak256(raws[0]).hex()}"

    node.methods[SEND] = answer
    second.refuse(SEND, -32000, "insufficient funds for gas")
    async with client_of(node, second) as client:
        outcomes = await client.send_raw(raws)
    # The first one was accepted, although its answer was not used.
    assert {each.result for each in outcomes} == {SendResult.UNCLEAR}
