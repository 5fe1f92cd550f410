"""Deployment: what the platform's token list has, once."""

from pathlib import Path

import pytest
from chains.artifacts import load_artifact
from chains.deploy import FUNDING, SUPPLY, deploy, fund, is_deployed
from chains.nodes import CHAIN_IDS, Node, NodeError, NodeOptions, check_port, run_nodes, watch
from chains.packages import MissingRequirement
from chains.rpc import Rpc

from landbridge.providers.chains.tokens import Chain, tokens_on
from tests.chains.conftest import free_ports
from tests.chains.contracts import Contract

UNIT = 10**6


def test_every_evm_chain_has_a_chain_id() -> None:
    assert CHAIN_IDS.keys() == {chain for chain in Chain if chain.is_evm}


@pytest.mark.parametrize("chain", CHAIN_IDS)
def test_deployment_has_every_token_of_the_chain(rpc: Rpc, owner: str, chain: Chain) -> None:
    configuration = deploy(rpc, chain)
    assert list(configuration.tokens) == [each.asset.currency for each in tokens_on(chain)]
    for token in tokens_on(chain):
        configured = configuration.tokens[token.asset.currency]
        is_tether = token.asset.currency == "usdt"
        artifact = load_artifact("TestTether" if is_tether else "TestDollar")
        contract = Contract(rpc, artifact, configured.address)
        assert contract.read("symbol") == token.symbol
        assert contract.read("decimals") == configured.decimals
        assert contract.read("balanceOf", owner) == SUPPLY * UNIT
        assert (configured.eip3009 is None) == is_tether
    block = rpc.block(configuration.checkpoint_block)
    assert block is not None
    assert block["hash"] == configuration.checkpoint_hash
    assert rpc.code(configuration.delegate_contract) != "0x"


def test_deployment_is_recognised(rpc: Rpc) -> None:
    configuration = deploy(rpc, Chain.BASE)
    assert is_deployed(rpc, Chain.BASE, configuration)
    # Another list of tokens, another block, and other contracts are another deployment.
    assert not is_deployed(rpc, Chain.POLYGON, configuration)
    rpc.call("anvil_setCode", configuration.batch_contract, "0x00")
    assert not is_deployed(rpc, Chain.BASE, configuration)
    other = deploy(rpc, Chain.BASE)
    # The latest block is the one that was mined after the checkpoint.
    rpc.call("anvil_reorg", 2, [])
    assert not is_deployed(rpc, Chain.BASE, other)


def test_funded_account_has_coins_and_native_coins(rpc: Rpc) -> None:
    configuration = deploy(rpc, Chain.POLYGON)
    account = "0x" + "12" * 20
    fund(rpc, configuration, account)
    assert int(rpc.call("eth_getBalance", account, "latest"), 16) == 1_000 * 10**18
    for configured in configuration.tokens.values():
        token = Contract(rpc, load_artifact("TestTether"), configured.address)
        assert token.read("balanceOf", account) == FUNDING * UNIT


def test_port_in_use_is_named(node: Node) -> None:
    with pytest.raises(MissingRequirement, match=f"Port {node.options.port} is in use"):
        check_port(node.options.port)


def test_node_that_ends_is_named_with_its_reason(tmp_path: Path) -> None:
    binary = tmp_path / "anvil"
    binary.write_text(
        "#!/bin/sh\necho no room >&2; echo see --help >&2; exit 3\n", encoding="utf-8"
    )
    binary.chmod(0o755)
    options = NodeOptions(Chain.BASE, free_ports(1))
    with (
        pytest.raises(NodeError, match=r"^The node of BASE ended with code 3: no room[.]$"),
        run_nodes(binary, [options], logs=tmp_path),
    ):
        pytest.fail("the node is not ready")


def test_watch_ends_with_a_node(anvil: Path, tmp_path: Path) -> None:
    options = NodeOptions(Chain.BASE, free_ports(1))
    with run_nodes(anvil, [options], logs=tmp_path) as nodes:
        nodes[0].process.kill()
        with pytest.raises(NodeError, match=r"^The node of BASE ended"):
            watch(nodes, interval_s=0.01)
