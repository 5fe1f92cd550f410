"""Reading a chain: answers that do not fit together are not believed."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest
from msgspec.structs import replace

from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import TRANSFER_TOPIC, address_topic
from landbridge.providers.evm.configuration import EvmChain, FinalityTag
from landbridge.providers.evm.errors import NodeUnavailable
from landbridge.providers.evm.following.model import BlockRef, ChainUnsettled
from landbridge.providers.evm.following.reader import ChainReader
from landbridge.providers.evm.node_url import NodeUrl
from landbridge.providers.evm.nodes import RpcLimits
from landbridge.providers.evm.token_configuration import EvmToken
from tests.providers.evm.node_server import CHAIN_ID, FakeNode, client_of, fake_node
from tests.providers.evm.test_rpc import OTHER, TOKEN, block_json, hash_of, log_json, mined_json

ALICE, BOB = "0x" + "a1" * 20, "0x" + "b0" * 20
HASH = hash_of(7)
BLOCKS = [BlockRef(number, hash_of(number)) for number in range(4, 7)]


def chain(finality: FinalityTag | int = 6) -> EvmChain:
    return EvmChain(
        name=Network.POLYGON,
        chain_id=CHAIN_ID,
        rpc_urls=(NodeUrl.parse("https://node.example.com"),),
        checkpoint_block=2,
        checkpoint_hash=hash_of(2),
        confirmations=3,
        finality=finality,
        explorer="https://explorer.example.com/tx/{hash}",
        sponsor=(),
        batch_contract=None,
        delegate_contract=None,
        max_fee_cap_wei=None,
        tokens={"usdc": EvmToken(address=TOKEN, decimals=6, eip3009=None)},
    )


def transfer_json(block: int = 5, index: int = 3, **overrides: Any) -> dict[str, Any]:
    topics = [TRANSFER_TOPIC, address_topic(ALICE), address_topic(BOB)]
    fields = {"topics": topics, "data": f"0x{12:064x}", "transactionHash": HASH}
    return log_json(block, index, **fields | overrides)


@pytest.fixture
async def reader(node: FakeNode) -> AsyncGenerator[ChainReader]:
    node.set("eth_blockNumber", "0x9")
    node.set("eth_getLogs", [transfer_json()])
    logs = [log_json(5, 2, address=OTHER, transactionHash=HASH), transfer_json()]
    node.set("eth_getTransactionReceipt", mined_json(7, logs=logs))
    async with client_of(node) as client:
        yield ChainReader(chain(), client)


async def test_a_position_counts_all_logs_of_the_transaction(reader: ChainReader) -> None:
    (transfer,) = await reader.transfers(BLOCKS)
    assert (transfer.source.lower(), transfer.destination.lower()) == (ALICE, BOB)
    assert (transfer.amount_units, transfer.currency, transfer.block) == (12, "usdc", BLOCKS[1])
    assert await reader.positions([transfer]) == {(HASH, 3): 1}


async def test_a_transaction_that_is_too_large_is_left_out(
    reader: ChainReader, node: FakeNode
) -> None:
    (transfer,) = await reader.transfers(BLOCKS)
    huge = hash_of(8)

    def mined(transaction_hash: str) -> dict[str, Any]:
        padding = {"data": "0" * 20_000} if transaction_hash == huge else {}
        return mined_json(int(transaction_hash, 16), logs=[transfer_json(index=0)], **padding)

    node.methods["eth_getTransactionReceipt"] = mined
    async with client_of(node, limits=RpcLimits(answer_bytes_max=10_000)) as client:
        small = ChainReader(chain(), client)
        assert await small.blocks_of([huge, HASH]) == {HASH: 5}
        assert await small.positions([replace(transfer, transaction_hash=huge)]) == {}


async def test_a_log_of_another_block_is_not_believed(reader: ChainReader, node: FakeNode) -> None:
    node.set("eth_getLogs", [transfer_json(blockHash=hash_of(99))])
    with pytest.raises(ChainUnsettled):
        await reader.transfers(BLOCKS)


async def test_a_duplicated_log_is_not_believed(reader: ChainReader, node: FakeNode) -> None:
    node.set("eth_getLogs", [transfer_json(), transfer_json()])
    with pytest.raises(NodeUnavailable):
        await reader.transfers(BLOCKS)


async def test_a_log_that_its_transaction_does_not_have_is_not_believed(
    reader: ChainReader, node: FakeNode
) -> None:
    # The same log once more, under another index.
    node.set("eth_getLogs", [transfer_json(), transfer_json(index=4)])
    with pytest.raises(ChainUnsettled):
        await reader.positions(await reader.transfers(BLOCKS))


@pytest.mark.parametrize(
    "changed",
    [
        {"data": f"0x{13:064x}"},
        {"topics": [TRANSFER_TOPIC, address_topic(BOB), address_topic(ALICE)]},
        {"address": OTHER},
    ],
)
async def test_a_log_that_differs_from_its_transaction_is_not_believed(
    reader: ChainReader, node: FakeNode, changed: dict[str, Any]
) -> None:
    transfers = await reader.transfers(BLOCKS)
    node.set("eth_getTransactionReceipt", mined_json(7, logs=[transfer_json(**changed)]))
    with pytest.raises(ChainUnsettled):
        await reader.positions(transfers)


@pytest.mark.parametrize("receipt", [None, mined_json(7, status="0x0", logs=[])])
async def test_a_log_of_a_transaction_without_success_is_not_believed(
    reader: ChainReader, node: FakeNode, receipt: Any
) -> None:
    transfers = await reader.transfers(BLOCKS)
    node.set("eth_getTransactionReceipt", receipt)
    with pytest.raises(ChainUnsettled):
        await reader.positions(transfers)


async def test_other_events_of_a_token_are_ignored(reader: ChainReader, node: FakeNode) -> None:
    # As NFTs have it: the amount is a topic.
    topics = [TRANSFER_TOPIC, address_topic(ALICE), address_topic(BOB), hash_of(1)]
    node.set("eth_getLogs", [transfer_json(topics=topics, data="0x")])
    assert await reader.transfers(BLOCKS) == []


@pytest.mark.parametrize(
    ("finality", "latest", "confirmed", "final"),
    [(6, 20, 18, 15), (3, 20, 18, 18), (6, 4, 2, None), (6, 5, 3, 0), (3, 1, 0, None)],
)
async def test_depths_count_the_latest_block(
    node: FakeNode, finality: int, latest: int, confirmed: int, final: int | None
) -> None:
    async with client_of(node) as client:
        heads = await ChainReader(chain(finality), client).heads(BlockRef(latest, HASH))
        assert (heads.confirmed, heads.final) == (confirmed, final)


async def test_a_tag_is_never_above_the_confirmed_block(node: FakeNode) -> None:
    async with client_of(node) as client:
        reader = ChainReader(chain(FinalityTag.FINALIZED), client)
        for answered, final in ((12, 12), (20, 18)):
            node.set("eth_getBlockByNumber", block_json(answered))
            assert (await reader.heads(BlockRef(20, HASH))).final == final
        node.set("eth_getBlockByNumber", None)
        assert (await reader.heads(BlockRef(20, HASH))).final is None


async def test_blocks_are_read_as_far_as_they_are_linked() -> None:
    async with fake_node() as node, client_of(node) as client:
        reader = ChainReader(chain(), client)
        changes: dict[int, dict[str, Any]] = {}

        def block(number: str, _is_full: bool) -> Any:  # noqa: FBT001  as the method has it
            return block_json(int(number, 16), **changes.get(int(number, 16), {}))

        node.methods["eth_getBlockByNumber"] = block
        assert await reader.blocks_up_to(6, 3) == BLOCKS
        assert await reader.blocks_after(BLOCKS[0], 6) == BLOCKS[1:]
        assert await reader.has_checkpoint()
        changes |= {6: {"parentHash": hash_of(99)}, 2: {"hash": hash_of(98)}}
        assert await reader.blocks_after(BLOCKS[0], 6) == BLOCKS[1:2]
        assert not await reader.has_checkpoint()
        with pytest.raises(ChainUnsettled):
            await reader.blocks_up_to(6, 3)
