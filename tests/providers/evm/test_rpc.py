"""Typed calls: what a node answers is read strictly, and checked against what was asked."""

from typing import Any

import pytest
from aiohttp import web

from landbridge.providers.evm.chain_data import BlockTag, FeeQuote
from landbridge.providers.evm.errors import NodeError, NodeUnavailable, TransactionTooLarge
from landbridge.providers.evm.nodes import RpcLimits
from landbridge.providers.evm.transport import RpcCall
from tests.providers.evm.node_server import FakeNode, RpcRefusal, client_of, fake_node, raw_text

TOKEN = "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"
OTHER = "0x" + "22" * 20
TOPIC = "0x" + "Ab" * 32


def hash_of(number: int) -> str:
    return f"0x{number:064x}"


def block_json(number: int, **overrides: Any) -> dict[str, Any]:
    return {
        "number": hex(number),
        "hash": hash_of(number),
        "parentHash": hash_of(number - 1),
        "timestamp": "0x6",
        "baseFeePerGas": "0x7",
        **overrides,
    }


def log_json(block: int, index: int = 0, **overrides: Any) -> dict[str, Any]:
    return {
        "address": TOKEN.lower(),
        "topics": [TOPIC],
        "data": "0x0102",
        "blockNumber": hex(block),
        "blockHash": hash_of(block),
        "transactionHash": hash_of(7),
        "logIndex": hex(index),
        "removed": False,
        **overrides,
    }


def mined_json(number: int, **overrides: Any) -> dict[str, Any]:
    return {
        "transactionHash": hash_of(number),
        "blockNumber": "0x5",
        "blockHash": hash_of(5),
        "status": "0x1",
        "gasUsed": "0x5208",
        "effectiveGasPrice": "0x3b9aca00",
        "logs": [log_json(5, transactionHash=hash_of(number))],
        **overrides,
    }


async def test_a_block_is_read(node: FakeNode) -> None:
    node.set("eth_getBlockByNumber", block_json(9))
    async with client_of(node) as client:
        block = await client.block(9)
        assert block is not None
        assert (block.number, block.hash, block.parent_hash) == (9, hash_of(9), hash_of(8))
        assert (block.timestamp_s, block.base_fee_wei) == (6, 7)
        assert node.bodies[-1]["params"] == ["0x9", False]
        await client.block(BlockTag.FINALIZED)
        assert node.bodies[-1]["params"] == ["finalized", False]
        # Only the latest block says where the node's head is.
        assert client.health()[0].head is None
        await client.block(BlockTag.LATEST)
        assert client.health()[0].head == 9


async def test_a_missing_block_is_none(node: FakeNode) -> None:
    node.set("eth_getBlockByNumber", None)
    async with client_of(node) as client:
        assert await client.block(9) is None


@pytest.mark.parametrize(
    "answer",
    [
        block_json(8),
        block_json(9, hash=None),
        block_json(9, parentHash="0x12"),
        block_json(9, timestamp=6),
        block_json(9, timestamp=hex(2**63)),
        {**block_json(9), "number": hex(2**63)},
        [],
        "0x9",
    ],
)
async def test_a_wrong_block_is_asked_of_the_next_node(
    node: FakeNode, second: FakeNode, answer: Any
) -> None:
    node.set("eth_getBlockByNumber", answer)
    second.set("eth_getBlockByNumber", block_json(9))
    async with client_of(node, second) as client:
        block = await client.block(9)
        assert block is not None
        assert block.hash == hash_of(9)


@pytest.mark.parametrize(
    ("members", "cost_wei"),
    [
        ({}, 21_000 * 10**9),
        ({"l1Fee": None}, 21_000 * 10**9),
        ({"l1Fee": "0x5"}, 21_000 * 10**9 + 5),
    ],
)
async def test_a_transaction_costs_its_gas_and_its_publication(
    node: FakeNode, members: dict[str, Any], cost_wei: int
) -> None:
    node.set("eth_getTransactionReceipt", mined_json(7, **members))
    async with client_of(node) as client:
        mined = await client.receipt(hash_of(7))
        assert mined is not None
        assert mined.cost_wei == cost_wei


@pytest.mark.parametrize(
    "members",
    [
        {"gasUsed": hex(2**255)},
        {"gasUsed": hex(2**62), "effectiveGasPrice": hex(2**62)},
        {"l1Fee": hex(2**255)},
        {"blockNumber": hex(2**63)},
    ],
)
async def test_a_cost_that_the_books_could_not_hold_is_asked_of_the_next_node(
    node: FakeNode, second: FakeNode, members: dict[str, Any]
) -> None:
    node.set("eth_getTransactionReceipt", mined_json(7, **members))
    second.set("eth_getTransactionReceipt", mined_json(7))
    async with client_of(node, second) as client:
        mined = await client.receipt(hash_of(7))
        assert mined is not None
        assert mined.cost_wei == 21_000 * 10**9


async def test_calls_and_estimates_send_what_they_are_given(node: FakeNode) -> None:
    node.set("eth_call", "0x01ff")
    node.set("eth_estimateGas", "0x5208")
    node.set("eth_getCode", "0x60")
    async with client_of(node) as client:
        assert await client.call(destination=TOKEN, data=b"\x12", block=5, gas=9) == b"\x01\xff"
        request = {"to": TOKEN, "data": "0x12", "gas": "0x9"}
        assert node.bodies[-1]["params"] == [request, "0x5"]
        gas = await client.estimate_gas(source=OTHER, destination=TOKEN, data=b"", value_wei=1)
        assert gas == 21_000
        request = {"to": TOKEN, "data": "0x", "from": OTHER, "value": "0x1"}
        assert node.bodies[-1]["params"] == [request]
        assert await client.code(TOKEN) == b"\x60"


async def test_fees_are_those_of_the_next_block(node: FakeNode) -> None:
    node.set("eth_feeHistory", {"baseFeePerGas": ["0x1", "0x64"], "oldestBlock": "0x1"})
    node.set("eth_maxPriorityFeePerGas", "0x5")
    async with client_of(node) as client:
        assert await client.fees() == FeeQuote(base_fee_wei=100, tip_wei=5)


async def test_results_of_transactions_are_asked_in_batches_and_keep_their_order(
    node: FakeNode,
) -> None:
    def mined(text: str) -> Any:
        number = int(text, 16)
        return None if number == 3 else mined_json(number)

    node.methods["eth_getTransactionReceipt"] = mined
    async with client_of(node, limits=RpcLimits(batch_max=2)) as client:
        found = await client.receipts([hash_of(number) for number in (5, 4, 3, 2, 1)])
    numbers = [each and int(each.transaction_hash, 16) for each in found]
    assert numbers == [5, 4, None, 2, 1]
    # The check of the chain id, two batches, and the last one alone.
    assert [node.calls_of(body) for body in node.bodies] == [1, 2, 2, 1]


async def test_the_result_of_a_transaction_is_read(node: FakeNode) -> None:
    node.set("eth_getTransactionReceipt", mined_json(7, status="0x0"))
    async with client_of(node) as client:
        receipt = await client.receipt(hash_of(7))
    assert receipt is not None
    assert (receipt.is_success, receipt.gas_used, receipt.gas_price_wei) == (False, 21_000, 10**9)
    assert receipt.logs[0].address == TOKEN


@pytest.mark.parametrize(
    "answer",
    [
        mined_json(8),
        mined_json(7, status="0x2"),
        mined_json(7, status=None),
        mined_json(7, blockHash=None),
        mined_json(7, logs=[log_json(5, transactionHash=hash_of(8))]),
        mined_json(7, logs=[log_json(6, transactionHash=hash_of(7))]),
        mined_json(7, gasUsed=21_000),
    ],
)
async def test_the_result_of_another_transaction_is_unusable(node: FakeNode, answer: Any) -> None:
    node.set("eth_getTransactionReceipt", answer)
    async with client_of(node) as client:
        with pytest.raises(NodeUnavailable, match="answered wrongly"):
            await client.receipt(hash_of(7))


async def test_a_batch_has_an_error_in_the_place_of_a_result(node: FakeNode) -> None:
    node.set("eth_blockNumber", "0x1")
    node.refuse("eth_call", -32000, "execution reverted")
    async with client_of(node) as client:
        number, error = await client.batch([RpcCall("eth_blockNumber"), RpcCall("eth_call")])
    assert number == "0x1"
    assert isinstance(error, NodeError)


@pytest.mark.parametrize(
    "text", ["{}", '{"id":null,"error":{"code":-32600,"message":"no"}}', "[5]", "[]", "5"]
)
async def test_a_refused_batch_is_unusable(node: FakeNode, text: str) -> None:
    async with client_of(node) as client:
        node.respond = raw_text(text)
        with pytest.raises(NodeUnavailable, match="batch"):
            await client.batch([RpcCall("eth_blockNumber"), RpcCall("eth_blockNumber")])


def serve_logs(node: FakeNode, *, head: int, logs_max: int) -> None:
    """Let each block from 1 to `head` have one log; more than `logs_max` at once are refused."""

    def logs(request: Any) -> list[Any]:
        first, last = int(request["fromBlock"], 16), int(request["toBlock"], 16)
        if last - first + 1 > logs_max:
            raise RpcRefusal(-32005, "query returned more than 10000 results")
        return [log_json(number) for number in range(first, min(last, head) + 1)]

    node.set("eth_blockNumber", hex(head))
    node.methods["eth_getLogs"] = logs


async def test_a_range_is_halved_until_the_node_answers(node: FakeNode) -> None:
    serve_logs(node, head=100, logs_max=7)
    async with client_of(node) as client:
        logs = await client.logs(first_block=1, last_block=100, addresses=[TOKEN], topics=[TOPIC])
    assert [log.block_number for log in logs] == list(range(1, 101))
    request = node.bodies[-1][1]["params"][0]
    assert (request["address"], request["topics"]) == ([TOKEN], [TOPIC])


async def test_a_range_is_halved_if_its_answer_is_too_large(node: FakeNode) -> None:
    serve_logs(node, head=64, logs_max=64)
    async with client_of(node, limits=RpcLimits(answer_bytes_max=5_000)) as client:
        logs = await client.logs(first_block=1, last_block=64, addresses=[TOKEN])
        assert len(logs) == 64
        assert client.health()[0].last_error is None


async def test_one_block_that_is_too_large_is_an_error(node: FakeNode) -> None:
    serve_logs(node, head=10, logs_max=0)
    async with client_of(node) as client:
        with pytest.raises(NodeUnavailable, match="the logs of block 1 are too many"):
            await client.logs(first_block=1, last_block=4, addresses=[TOKEN])
        assert await client.logs(first_block=5, last_block=4, addresses=[TOKEN]) == []
        assert await client.logs(first_block=1, last_block=4, addresses=[]) == []


async def test_mined_transactions_that_are_too_large_together_are_read_one_by_one(
    node: FakeNode,
) -> None:
    serve_long_logs(node)
    hashes = [hash_of(number) for number in range(1, 11)]
    async with client_of(node, limits=RpcLimits(answer_bytes_max=5_000)) as client:
        found = await client.receipts(hashes)
        assert [each.transaction_hash for each in found if each is not None] == hashes
        assert client.health()[0].last_error is None


async def test_a_mined_transaction_that_is_too_large_alone_is_no_fault_of_its_node(
    node: FakeNode,
) -> None:
    serve_long_logs(node)
    async with client_of(node, limits=RpcLimits(answer_bytes_max=3_000)) as client:
        with pytest.raises(TransactionTooLarge, match="is too large"):
            await client.receipts([hash_of(1)])
        assert client.health()[0].set_aside_until is None


async def test_a_mined_transaction_is_too_large_only_if_all_nodes_say_so(node: FakeNode) -> None:
    serve_long_logs(node)
    async with fake_node() as other:
        other.set("eth_getTransactionReceipt", {"data": "0" * 100_000})
        async with client_of(other, node, limits=RpcLimits(answer_bytes_max=10_000)) as client:
            assert await client.receipt(hash_of(1)) is not None
            node.refuse("eth_getTransactionReceipt", -32_000, "no")
            with pytest.raises(NodeUnavailable) as failure:
                await client.receipt(hash_of(1))
    assert not isinstance(failure.value, TransactionTooLarge)


async def test_mined_transactions_that_a_node_refuses_together_are_read_one_by_one(
    node: FakeNode,
) -> None:
    serve_long_logs(node)

    def respond(calls: list[Any]) -> web.StreamResponse:
        if len(calls) > 1:
            return web.json_response(
                {"jsonrpc": "2.0", "id": None, "error": {"code": -32_000, "message": "too large"}}
            )
        result = node.methods[calls[0]["method"]](*calls[0]["params"])
        return web.json_response({"jsonrpc": "2.0", "id": calls[0]["id"], "result": result})

    node.respond = respond
    hashes = [hash_of(number) for number in range(1, 11)]
    async with client_of(node) as client:
        found = await client.receipts(hashes)
    assert [each.transaction_hash for each in found if each is not None] == hashes


def serve_long_logs(node: FakeNode) -> None:
    """Let every transaction have a receipt of some four kilobytes."""

    def mined(transaction_hash: str) -> dict[str, Any]:
        number = int(transaction_hash, 16)
        log = log_json(5, transactionHash=transaction_hash, data=f"0x{'00' * 1_500}")
        return mined_json(number, logs=[log])

    node.methods["eth_getTransactionReceipt"] = mined


async def test_logs_come_from_a_node_that_has_the_last_block(
    node: FakeNode, second: FakeNode
) -> None:
    serve_logs(node, head=9, logs_max=100)
    serve_logs(second, head=10, logs_max=100)
    async with client_of(node, second) as client:
        logs = await client.logs(first_block=1, last_block=10, addresses=[TOKEN])
        assert len(logs) == 10
        assert client.health()[0].last_error == "answered wrongly: its head is 9, before block 10"
        with pytest.raises(NodeUnavailable, match="before block 11"):
            await client.logs(first_block=1, last_block=11, addresses=[TOKEN])


@pytest.mark.parametrize(
    "log",
    [
        log_json(5, address=OTHER),
        log_json(4),
        log_json(7),
        log_json(5, removed=True),
        log_json(5, topics=[TOPIC] * 5),
        log_json(5, topics=["0x12"]),
        log_json(5, data="0x1"),
        log_json(5, transactionHash=None),
    ],
)
async def test_a_log_that_was_not_asked_for_is_unusable(node: FakeNode, log: Any) -> None:
    node.set("eth_blockNumber", "0x9")
    node.set("eth_getLogs", [log])
    async with client_of(node) as client:
        with pytest.raises(NodeUnavailable, match="answered wrongly"):
            await client.logs(first_block=5, last_block=6, addresses=[TOKEN])


async def test_a_log_that_is_there_twice_is_unusable(node: FakeNode) -> None:
    node.set("eth_blockNumber", "0x9")
    node.set("eth_getLogs", [log_json(5), log_json(5)])
    async with client_of(node) as client:
        with pytest.raises(NodeUnavailable, match="a log is there twice"):
            await client.logs(first_block=5, last_block=6, addresses=[TOKEN])


async def test_logs_are_sorted_as_the_chain_is(node: FakeNode) -> None:
    node.set("eth_blockNumber", "0x9")
    node.set("eth_getLogs", [log_json(6, 1), log_json(5, 10), log_json(5, 9), log_json(6, 0)])
    async with client_of(node) as client:
        logs = await client.logs(first_block=5, last_block=6, addresses=[TOKEN])
    assert [(log.block_number, log.log_index) for log in logs] == [(5, 9), (5, 10), (6, 0), (6, 1)]


async def test_an_error_where_none_is_an_answer_is_asked_of_the_next_node(
    node: FakeNode, second: FakeNode
) -> None:
    node.refuse("eth_getBalance", -32000, "missing trie node")
    second.set("eth_getBalance", "0x5")
    async with client_of(node, second) as client:
        assert await client.balance(OTHER) == 5
        health = client.health()[0]
        assert (health.last_error, health.set_aside_until) == ("answered error -32000", None)


async def test_other_errors_of_logs_are_raised(node: FakeNode) -> None:
    node.set("eth_blockNumber", "0x9")
    node.refuse("eth_getLogs", -32000, "missing trie node")
    async with client_of(node) as client:
        with pytest.raises(NodeError):
            await client.logs(first_block=5, last_block=6, addresses=[TOKEN])
