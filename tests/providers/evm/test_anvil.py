"""The client against a real node: anvil, in the version whose errors the tables have."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from chains.configuration import format_configuration
from chains.deploy import SUPPLY, deploy

from landbridge.platform.core.clock import ReadingClock
from landbridge.providers.chains.tokens import Chain, Network
from landbridge.providers.evm import abi
from landbridge.providers.evm.chain_data import BlockTag
from landbridge.providers.evm.configuration import EvmChain, parse_chains
from landbridge.providers.evm.errors import NodeError
from landbridge.providers.evm.fees import FeePolicy, estimate_fees
from landbridge.providers.evm.node_errors import (
    SendResult,
    SimulationFailureKind,
    simulation_failure,
)
from landbridge.providers.evm.rpc import ChainClient
from landbridge.providers.evm.start_check import check_chain
from landbridge.providers.evm.transport import RpcCall
from tests.providers.evm.anvil import CHAIN_ID, running_anvil

pytestmark = pytest.mark.long

# Anvil's first accounts, whose keys it holds. Alice deploys, and owns all tokens.
ALICE = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
BOB = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
POLICY = FeePolicy(tip_floor_wei=10**9, max_fee_cap_wei=None)
KIND = SimulationFailureKind


@pytest.fixture
async def chain(tmp_path: Path) -> AsyncGenerator[ChainClient]:
    """A new chain, whose blocks the test mines."""
    async with running_anvil(tmp_path) as (rpc, client):
        rpc.call("evm_setAutomine", False)  # noqa: FBT003  parameters of RPC have no names
        yield client


async def result(chain: ChainClient, method: str, *params: Any) -> Any:
    """Return the result of a method that the client has no verb for."""
    (answer,) = await chain.batch([RpcCall(method, params)])
    assert not isinstance(answer, NodeError), (answer.code, answer.text)
    return answer


async def sign(chain: ChainClient, nonce: int, **overrides: Any) -> bytes:
    """Return a transfer of 1 wei from Alice to Bob, signed by the node."""
    quote = await chain.fees()
    fees = estimate_fees(POLICY, base_fee_wei=quote.base_fee_wei, tip_wei=quote.tip_wei)
    request = {
        "from": ALICE,
        "to": BOB,
        "value": "0x1",
        "gas": hex(21_000),
        "nonce": hex(nonce),
        "chainId": hex(CHAIN_ID),
        "maxFeePerGas": hex(fees.max_fee_wei),
        "maxPriorityFeePerGas": hex(fees.tip_wei),
        **overrides,
    }
    return bytes.fromhex((await result(chain, "eth_signTransaction", request))[2:])


async def deploy_code(chain: ChainClient, code: bytes) -> str:
    """Return the address of a new contract with this code."""
    copy = b"\x61" + len(code).to_bytes(2) + b"\x80\x60\x0c\x60\x00\x39\x60\x00\xf3"
    request = {"from": ALICE, "data": f"0x{(copy + code).hex()}", "gas": hex(1_000_000)}
    chain_tx_hash = await result(chain, "eth_sendTransaction", request)
    await result(chain, "evm_mine")
    return (await result(chain, "eth_getTransactionReceipt", chain_tx_hash))["contractAddress"]


def revert_code(data: bytes) -> bytes:
    """Return code that reverts with this data."""
    stores = b"".join(
        b"\x7f" + data[start : start + 32].ljust(32, b"\0") + b"\x60" + bytes([start]) + b"\x52"
        for start in range(0, len(data), 32)
    )
    return stores + b"\x60" + bytes([len(data)]) + b"\x60\x00\xfd"


async def test_a_transaction_from_fees_to_finality(chain: ChainClient) -> None:
    before = await chain.balance(BOB)
    nonce = await chain.nonce(ALICE, BlockTag.LATEST)
    raw = await sign(chain, nonce)
    (sent,) = await chain.send_raw([raw])
    assert sent.result is SendResult.ACCEPTED
    assert await chain.receipt(sent.transaction_hash) is None
    assert await chain.nonce(ALICE, BlockTag.PENDING) == nonce + 1
    assert (await chain.send_raw([raw]))[0].result is SendResult.ALREADY_KNOWN
    await result(chain, "evm_mine")
    receipt = await chain.receipt(sent.transaction_hash)
    assert receipt is not None
    assert (receipt.is_success, receipt.gas_used, receipt.block_number) == (True, 21_000, 1)
    block = await chain.block(1)
    assert block is not None
    assert block.hash == receipt.block_hash
    assert await chain.balance(BOB) == before + 1
    assert (await chain.send_raw([raw]))[0].result is SendResult.NONCE_TOO_LOW
    await result(chain, "anvil_mine", "0x10")
    finalized = await chain.block(BlockTag.FINALIZED)
    assert finalized is not None
    assert 1 <= finalized.number < await chain.block_number()


async def test_refusals_of_a_node_are_understood(chain: ChainClient) -> None:
    async def send(nonce: int, **overrides: Any) -> SendResult:
        return (await chain.send_raw([await sign(chain, nonce, **overrides)]))[0].result

    low = {"maxFeePerGas": hex(2 * 10**9), "maxPriorityFeePerGas": hex(10**9)}
    assert await send(0) is SendResult.ACCEPTED
    assert await send(0, **low) is SendResult.UNDERPRICED
    below_base = {"maxFeePerGas": "0x1", "maxPriorityFeePerGas": "0x1"}
    assert await send(1, **below_base) is SendResult.UNDERPRICED
    assert await send(1, value=hex(10**24)) is SendResult.INSUFFICIENT_FUNDS
    assert await send(1, gas="0x100") is SendResult.REJECTED
    assert await send(1, gas=hex(10**10)) is SendResult.REJECTED
    assert await send(1, maxPriorityFeePerGas=hex(10**15)) is SendResult.REJECTED
    assert (await chain.send_raw([b"\x12\x34"]))[0].result is SendResult.REJECTED


async def test_a_reorg_takes_the_result_back(chain: ChainClient) -> None:
    (sent,) = await chain.send_raw([await sign(chain, 0)])
    await result(chain, "evm_mine")
    first = await chain.receipt(sent.transaction_hash)
    await result(chain, "anvil_reorg", 1, [])
    assert first is not None
    assert await chain.receipt(sent.transaction_hash) is None
    block = await chain.block(first.block_number)
    assert block is None or block.hash != first.block_hash


@pytest.mark.parametrize(
    ("code", "kind", "reason"),
    [
        (revert_code(b""), KIND.REVERTED, None),
        (revert_code(bytes.fromhex("d93c0665")), KIND.PAUSED, "0xd93c0665"),
        (revert_code(bytes.fromhex("e450d38c") + bytes(96)), KIND.INSUFFICIENT_FUNDS, "0xe450d38c"),
        (
            revert_code(
                bytes.fromhex("08c379a0")
                + abi.encode_values(("bytes",), (b"Blacklistable: account is blacklisted",))
            ),
            KIND.BLOCKED,
            "Blacklistable: account is blacklisted",
        ),
        (b"\x5b\x60\x00\x56", KIND.OUT_OF_GAS, None),
        (b"\xfe", KIND.REVERTED, None),
    ],
    ids=["no reason", "paused", "funds", "blocked", "endless", "invalid"],
)
async def test_failures_of_simulations_are_understood(
    chain: ChainClient, code: bytes, kind: SimulationFailureKind, reason: str | None
) -> None:
    contract = await deploy_code(chain, code)
    with pytest.raises(NodeError) as estimated:
        await chain.estimate_gas(source=ALICE, destination=contract, data=b"")
    with pytest.raises(NodeError) as called:
        await chain.call(source=ALICE, destination=contract, data=b"")
    for raised in (estimated, called):
        failure = simulation_failure(raised.value)
        assert (failure.kind, failure.reason) == (kind, reason)


async def test_transfer_logs_are_found_and_decoded(chain: ChainClient) -> None:
    topics = [abi.TRANSFER_TOPIC, abi.address_topic(ALICE), abi.address_topic(BOB)]
    pushes = b"".join(b"\x7f" + bytes.fromhex(topic[2:]) for topic in reversed(topics))
    token = await deploy_code(chain, b"\x60\x2a\x60\x00\x52" + pushes + b"\x60\x20\x60\x00\xa3\x00")
    request = {"from": ALICE, "to": token, "gas": hex(100_000)}
    await result(chain, "eth_sendTransaction", request)
    await result(chain, "evm_mine")
    head = await chain.block_number()
    (log,) = await chain.logs(
        first_block=0, last_block=head, addresses=[token], topics=[abi.TRANSFER_TOPIC]
    )
    transfer = abi.decode_transfer(log.topics, log.data)
    assert transfer == abi.TokenTransfer(source=ALICE, destination=BOB, amount_units=42)
    assert log.block_number == head
    other = await chain.logs(
        first_block=0, last_block=head, addresses=[token], topics=[None, topics[2]]
    )
    assert other == []


async def test_a_local_chain_is_read_checked_and_used(tmp_path: Path) -> None:
    async with running_anvil(tmp_path) as (rpc, client):
        deployed = deploy(rpc, Chain.POLYGON)
        # By itself the node mines a moment after it accepts, and counts the nonce only then.
        rpc.call("evm_setAutomine", False)  # noqa: FBT003  parameters of RPC have no names
        configured = parse_chains(format_configuration({"POLYGON": deployed}))[Network.POLYGON]
        found = await check_chain(configured, ReadingClock())
        assert found.summary == "POLYGON: 1 of 1 nodes passed."
        token = configured.tokens["usdc"].address
        data = await client.call(destination=token, data=abi.encode_balance_of(ALICE))
        assert abi.decode_uint256(data) == SUPPLY * 10**6
        await _check_simulations(client, token)
        await _check_batch(client, configured, token)
        other = msgspec.structs.replace(configured, checkpoint_hash="0x" + "1" * 64)
        found = await check_chain(other, ReadingClock())
        assert "it is another chain, or a new one" in found.summary


async def _check_simulations(chain: ChainClient, token: str) -> None:
    """Check that Bob, who has no tokens, can't transfer any, nor Alice's."""
    transfer = abi.encode_transfer(destination=ALICE, amount_units=1)
    pull = abi.AbiFunction("transferFrom", ("address", "address", "uint256"))
    for data, kind in (
        (transfer, KIND.INSUFFICIENT_FUNDS),
        (pull.encode(ALICE, BOB, 1), KIND.INSUFFICIENT_ALLOWANCE),
    ):
        with pytest.raises(NodeError) as raised:
            await chain.estimate_gas(source=BOB, destination=token, data=data)
        assert simulation_failure(raised.value).kind is kind
    assert await chain.estimate_gas(source=ALICE, destination=token, data=transfer) > 21_000


async def _check_batch(chain: ChainClient, configured: EvmChain, token: str) -> None:
    """Pay a batch, and find its transfers in the logs of the token and of the result."""
    batch = configured.batch_contract
    assert batch is not None
    recipients = ["0x" + f"{number:040x}" for number in range(1, 6)]
    approve = abi.encode_approve(spender=batch, amount_units=15)
    disperse = abi.encode_disperse(
        batch_id=b"1" * 32, token=token, recipients=recipients, amounts_units=[1, 2, 3, 4, 5]
    )
    hashes: list[str] = []
    for destination, data in ((token, approve), (batch, disperse)):
        nonce = await chain.nonce(ALICE, BlockTag.LATEST)
        gas = await chain.estimate_gas(source=ALICE, destination=destination, data=data)
        fields = {"to": destination, "data": f"0x{data.hex()}", "value": "0x0", "gas": hex(gas)}
        (sent,) = await chain.send_raw([await sign(chain, nonce, **fields)])
        assert sent.result is SendResult.ACCEPTED
        await result(chain, "evm_mine")
        hashes.append(sent.transaction_hash)
    approved, paid = await chain.receipts(hashes)
    assert approved is not None
    assert paid is not None
    assert paid.is_success
    logs = await chain.logs(
        first_block=paid.block_number,
        last_block=paid.block_number,
        addresses=[token],
        topics=[abi.TRANSFER_TOPIC],
    )
    assert logs == [log for log in paid.logs if log.address == token]
    transfers = [abi.decode_transfer(log.topics, log.data) for log in logs]
    assert [each and each.amount_units for each in transfers] == [1, 2, 3, 4, 5]
    assert [each and each.source for each in transfers] == [ALICE] * 5
    with pytest.raises(NodeError) as raised:
        await chain.estimate_gas(source=ALICE, destination=batch, data=disperse)
    assert simulation_failure(raised.value).kind is KIND.REVERTED
