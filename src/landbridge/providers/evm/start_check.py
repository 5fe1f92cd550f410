"""Check of chains at start: each node is on the configured chain, and the contracts exist.

Nodes are checked one by one. A chain is usable if one node passes; problems of the others are
reported.
"""

import asyncio

import msgspec

from landbridge.platform.core.clock import Clock
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import (
    DECIMALS,
    LOCAL_DOMAIN,
    LOCAL_MESSAGE_TRANSMITTER,
    MESSAGE_BODY_VERSION,
    MESSAGE_VERSION,
    decode_uint256,
)
from landbridge.providers.evm.bridge_configuration import MESSAGE_VERSIONS, BridgeContracts
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.contract_numbers import read_number
from landbridge.providers.evm.errors import NodeError, NodeUnavailable
from landbridge.providers.evm.markets.contract_check import market_problems
from landbridge.providers.evm.node_url import NodeUrl
from landbridge.providers.evm.nodes import RpcLimits
from landbridge.providers.evm.quantities import AnswerInvalid
from landbridge.providers.evm.rpc import ChainClient
from landbridge.providers.evm.token_configuration import EvmToken


class ChainCheck(msgspec.Struct, frozen=True, kw_only=True):
    """Result of the check of one chain; `problems` has a sentence for each fault of a node."""

    chain: Network
    nodes: int
    nodes_passed: int
    problems: tuple[str, ...]

    @property
    def is_usable(self) -> bool:
        """Return whether at least one node passed."""
        return self.nodes_passed > 0

    @property
    def summary(self) -> str:
        """Return one sentence for operators."""
        found = f"{self.chain}: {self.nodes_passed} of {self.nodes} nodes passed"
        return f"{found}. {' '.join(self.problems)}" if self.problems else f"{found}."


async def check_chain(chain: EvmChain, clock: Clock, limits: RpcLimits | None = None) -> ChainCheck:
    """Check one chain; nothing that a node answers raises an error."""
    found = await asyncio.gather(
        *(_node_problems(chain, url, clock, limits) for url in chain.rpc_urls)
    )
    return ChainCheck(
        chain=chain.name,
        nodes=len(found),
        nodes_passed=sum(1 for problems in found if not problems),
        problems=tuple(problem for problems in found for problem in problems),
    )


async def _node_problems(
    chain: EvmChain, url: NodeUrl, clock: Clock, limits: RpcLimits | None
) -> list[str]:
    async with ChainClient([url], chain_id=chain.chain_id, clock=clock, limits=limits) as client:
        try:
            problems = await _checkpoint_problems(client, chain)
            if not problems:
                problems = await _contract_problems(client, chain)
        except NodeUnavailable as unavailable:
            # The error already names the node. The first request has checked the chain id.
            return [f"Node {unavailable}."]
    return [f"Node {url}: {problem}." for problem in problems]


async def _checkpoint_problems(client: ChainClient, chain: EvmChain) -> list[str]:
    block = await client.block(chain.checkpoint_block)
    if block is None:
        return [f"it does not have block {chain.checkpoint_block}, the checkpoint"]
    if block.hash != chain.checkpoint_hash:
        problem = (
            f"block {chain.checkpoint_block} has the hash {block.hash}, "
            f"but checkpoint_hash is {chain.checkpoint_hash}: it is another chain, or a new one"
        )
        return [problem]
    return []


async def _contract_problems(client: ChainClient, chain: EvmChain) -> list[str]:
    problems: list[str] = []
    for currency, token in chain.tokens.items():
        problem = await _token_problem(client, token)
        if problem is not None:
            problems.append(f"token {currency} {problem}")
    contracts = {
        "batch_contract": chain.batch_contract,
        "delegate_contract": chain.delegate_contract,
    }
    for name, address in contracts.items():
        if address is not None and not await client.code(address):
            problems.append(f"{name} {address} has no code")
    if chain.bridge is not None:
        problems += await _bridge_problems(client, chain.bridge)
    if chain.market is not None:
        problems += await market_problems(client, chain, chain.market)
    return problems


async def _bridge_problems(client: ChainClient, bridge: BridgeContracts) -> list[str]:
    """Return problems with the domain, the messenger's transmitter, and the message format."""
    transmitter, messenger = bridge.message_transmitter, bridge.token_messenger
    problems = [
        f"bridge.{name} {address} has no code"
        for name, address in (("message_transmitter", transmitter), ("token_messenger", messenger))
        if not await client.code(address)
    ]
    if problems:
        return problems
    domain = await read_number(client, transmitter, LOCAL_DOMAIN)
    if domain != bridge.domain:
        answer = "does not answer its domain" if domain is None else f"has the domain {domain}"
        problems.append(
            f"bridge.message_transmitter {transmitter} {answer}, but bridge.domain is "
            f"{bridge.domain}"
        )
    if await read_number(client, messenger, LOCAL_MESSAGE_TRANSMITTER) != int(transmitter, 16):
        problems.append(
            f"bridge.token_messenger {messenger} uses another transmitter than {transmitter}"
        )
    versions = (
        await read_number(client, transmitter, MESSAGE_VERSION),
        await read_number(client, messenger, MESSAGE_BODY_VERSION),
    )
    if versions != MESSAGE_VERSIONS:
        problems.append(f"bridge.token_messenger {messenger} has messages of another version")
    return problems


async def _token_problem(client: ChainClient, token: EvmToken) -> str | None:
    if not await client.code(token.address):
        return f"has no code at {token.address}"
    try:
        data = await client.call(destination=token.address, data=DECIMALS.encode())
        decimals = decode_uint256(data)
    except (AnswerInvalid, NodeError):
        return f"at {token.address} does not answer its decimals"
    if decimals != token.decimals:
        return f"at {token.address} has {decimals} decimals, not {token.decimals}"
    return None
