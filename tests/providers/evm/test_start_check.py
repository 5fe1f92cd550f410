"""Check at the start: one clear sentence for each fault of a node."""

from typing import Any

import msgspec
import pytest

from landbridge.platform.core.clock import FrozenClock
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import (
    LOCAL_DOMAIN,
    LOCAL_MESSAGE_TRANSMITTER,
    MESSAGE_BODY_VERSION,
    MESSAGE_VERSION,
)
from landbridge.providers.evm.configuration import EvmChain, parse_chains
from landbridge.providers.evm.node_url import NodeUrl
from landbridge.providers.evm.start_check import ChainCheck, check_chain
from tests.providers.evm.node_server import NOW, FakeNode
from tests.providers.evm.test_configuration import (
    CHAIN,
    HASH,
    MESSENGER,
    TRANSMITTER,
    USDC,
    bridged,
)
from tests.providers.evm.test_rpc import block_json, hash_of

CONFIGURED = parse_chains(CHAIN)[Network.POLYGON]


def chain_on(*nodes: FakeNode) -> EvmChain:
    """Return the configured chain with these nodes, which answer as they should."""
    for node in nodes:
        node.set("eth_getBlockByNumber", block_json(3, hash=HASH))
        node.set("eth_getCode", "0x60")
        node.set("eth_call", f"0x{6:064x}")
    urls = tuple(NodeUrl.parse(f"{node.url}/secret-key") for node in nodes)
    return msgspec.structs.replace(CONFIGURED, rpc_urls=urls)


async def check(chain: EvmChain) -> ChainCheck:
    return await check_chain(chain, FrozenClock(NOW))


async def test_a_chain_as_configured_passes(node: FakeNode, second: FakeNode) -> None:
    chain = chain_on(node, second)
    found = await check_chain(chain, FrozenClock(NOW))
    assert found.is_usable
    assert found.summary == "POLYGON: 2 of 2 nodes passed."


@pytest.mark.parametrize(
    ("method", "answer", "sentence"),
    [
        ("eth_chainId", "0x1", "is on the chain with id 1, not 137."),
        ("eth_getBlockByNumber", None, "it does not have block 3, the checkpoint."),
        ("eth_getBlockByNumber", block_json(3), f"block 3 has the hash {hash_of(3)}, but"),
        ("eth_getCode", "0x", f"token usdc has no code at {USDC}."),
        ("eth_call", f"0x{18:064x}", f"token usdc at {USDC} has 18 decimals, not 6."),
        ("eth_call", "0x", f"token usdc at {USDC} does not answer its decimals."),
    ],
)
async def test_a_fault_has_a_sentence(
    node: FakeNode, method: str, answer: Any, sentence: str
) -> None:
    chain = chain_on(node)
    node.set(method, answer)
    found = await check(chain)
    assert not found.is_usable
    assert sentence in found.summary
    assert found.summary.startswith("POLYGON: 0 of 1 nodes passed. Node 127.0.0.1:")
    assert "secret-key" not in found.summary


@pytest.mark.parametrize("name", ["batch_contract", "delegate_contract"])
async def test_missing_contracts_are_named(node: FakeNode, name: str) -> None:
    chain = chain_on(node)
    address = getattr(chain, name)

    def code(asked: str, tag: str) -> str:
        return "0x" if asked == address else "0x60"

    node.methods["eth_getCode"] = code
    found = await check(chain)
    assert found.problems[0].endswith(f"{name} {address} has no code.")
    assert len(found.problems) == 1


async def test_a_token_that_reverts_does_not_answer_its_decimals(node: FakeNode) -> None:
    chain = chain_on(node)
    node.refuse("eth_call", 3, "execution reverted", "0x")
    found = await check(chain)
    assert "does not answer its decimals" in found.summary


async def test_one_good_node_makes_a_chain_usable(node: FakeNode, second: FakeNode) -> None:
    chain = chain_on(node, second)
    node.set("eth_chainId", "0x1")
    found = await check(chain)
    assert found.is_usable
    assert found.summary.startswith("POLYGON: 1 of 2 nodes passed. Node 127.0.0.1:")


async def test_a_node_that_does_not_run_has_a_sentence() -> None:
    urls = (NodeUrl.parse("http://127.0.0.1:1/secret-key"),)
    found = await check(msgspec.structs.replace(CONFIGURED, rpc_urls=urls))
    assert found.problems == ("Node 127.0.0.1:1 could not be connected (ClientConnectorError).",)


async def test_an_error_of_a_node_has_a_sentence(node: FakeNode) -> None:
    chain = chain_on(node)
    node.refuse("eth_getCode", -32601, "Method not found")
    found = await check(chain)
    assert "answered error -32601." in found.summary


@pytest.mark.parametrize(
    ("missing", "domain", "transmitter", "sentence"),
    [
        (None, 7, TRANSMITTER, "1 of 1 nodes passed."),
        ("version", 7, TRANSMITTER, f"{MESSENGER} has messages of another version."),
        (MESSENGER, 7, TRANSMITTER, f"bridge.token_messenger {MESSENGER} has no code."),
        (TRANSMITTER, 7, TRANSMITTER, f"bridge.message_transmitter {TRANSMITTER} has no code."),
        (None, 6, TRANSMITTER, "has the domain 6, but bridge.domain is 7."),
        (None, None, TRANSMITTER, "does not answer its domain, but bridge.domain is 7."),
        (None, 7, USDC, f"bridge.token_messenger {MESSENGER} uses another transmitter"),
    ],
)
async def test_a_bridge_is_checked(
    node: FakeNode, missing: str | None, domain: int | None, transmitter: str, sentence: str
) -> None:
    configured = parse_chains(bridged(CHAIN))[Network.POLYGON]
    chain = msgspec.structs.replace(configured, rpc_urls=chain_on(node).rpc_urls)

    def code(asked: str, tag: str) -> str:
        return "0x" if asked == missing else "0x60"

    def call(request: dict[str, str], tag: str) -> str:
        answers = {
            LOCAL_DOMAIN.encode(): "0x" if domain is None else f"0x{domain:064x}",
            LOCAL_MESSAGE_TRANSMITTER.encode(): f"0x{int(transmitter, 16):064x}",
            MESSAGE_VERSION.encode(): f"0x{0 if missing == 'version' else 1:064x}",
            MESSAGE_BODY_VERSION.encode(): f"0x{1:064x}",
        }
        return answers.get(bytes.fromhex(request["data"][2:]), f"0x{6:064x}")

    node.methods["eth_getCode"] = code
    node.methods["eth_call"] = call
    assert sentence in (await check(chain)).summary
