"""Bridge contracts of the local chains: deployment, and what each knows of the other chains.

Each chain has a transmitter and a messenger. Tokens with a counterpart on another chain can be
bridged: the messenger mints and burns them.
"""

from collections.abc import Mapping

from chains.artifacts import encode_call, encode_values, load_artifact
from chains.attestations import ATTESTERS, AttestedChain
from chains.configuration import BridgeConfiguration, ChainConfiguration
from chains.rpc import Rpc
from landbridge.platform.formats.evm_addresses import checked_evm_address
from landbridge.providers.chains.tokens import Chain

# Numbers of the chains in messages, as Circle has assigned them.
# Source: developers.circle.com/cctp/concepts/supported-chains-and-domains.
DOMAINS = {Chain.ETHEREUM: 0, Chain.BASE: 6, Chain.POLYGON: 7}
# Coins that bridges carry between chains; their tokens exist on several.
BRIDGEABLE = frozenset({"usdc", "usdt"})


def deploy_bridge(rpc: Rpc, chain: Chain, attestation_url: str) -> BridgeConfiguration:
    """Deploy transmitter and messenger from the node's first account."""
    deployer, domain = rpc.accounts()[0], DOMAINS[chain]
    transmitter = _deploy(rpc, deployer, "LocalMessageTransmitter", domain, *ATTESTERS)
    messenger = _deploy(rpc, deployer, "LocalTokenMessenger", transmitter)
    return BridgeConfiguration(domain, messenger, transmitter, attestation_url)


def connect_bridges(chains: Mapping[str, ChainConfiguration]) -> None:
    """Let the messenger of each chain mint and burn, and know those of the others.

    What is so already is left as it is.
    """
    bridged = {name: chain for name, chain in chains.items() if chain.bridge is not None}
    for name, chain in bridged.items():
        rpc, bridge = Rpc(chain.rpc_urls[0]), chain.bridge
        assert bridge is not None
        calls: list[tuple[str, str, str, int]] = []
        for token in chain.tokens.values():
            if token.bridgeable:
                read = encode_call("isMinter(address)", bridge.token_messenger)
                call = encode_call("setMinter(address,bool)", bridge.token_messenger, 1)
                calls.append((token.address, read, call, 1))
        for other, remote in bridged.items():
            if other != name:
                calls += _calls_about(chain, remote)
        deployer = rpc.accounts()[0]
        sent = [
            rpc.send(deployer, call, to=address)
            for address, read, call, expected in calls
            if int(rpc.read(address, read), 16) != expected
        ]
        if sent:
            rpc.mine()
        for each in sent:
            rpc.await_receipt(each)


def attested_chains(chains: Mapping[str, ChainConfiguration]) -> dict[int, AttestedChain]:
    """Return what the attestation service signs for, by domain."""
    return {
        chain.bridge.domain: AttestedChain(
            Rpc(chain.rpc_urls[0]), chain.bridge.message_transmitter, chain.finality
        )
        for chain in chains.values()
        if chain.bridge is not None
    }


def _calls_about(
    chain: ChainConfiguration, remote: ChainConfiguration
) -> list[tuple[str, str, str, int]]:
    """Return what a messenger must know of another chain: contract, read, write and value."""
    assert chain.bridge is not None
    assert remote.bridge is not None
    messenger, domain = chain.bridge.token_messenger, remote.bridge.domain
    theirs = int(remote.bridge.token_messenger, 16)
    calls = [
        (
            messenger,
            encode_call("remoteTokenMessengers(uint32)", domain),
            encode_call("setRemoteTokenMessenger(uint32,bytes32)", domain, theirs),
            theirs,
        )
    ]
    for currency, token in chain.tokens.items():
        other = remote.tokens.get(currency)
        if token.bridgeable and other is not None and other.bridgeable:
            theirs = int(other.address, 16)
            calls.append(
                (
                    messenger,
                    encode_call("localTokens(uint32,bytes32)", domain, theirs),
                    encode_call(
                        "setLocalToken(uint32,bytes32,address)", domain, theirs, token.address
                    ),
                    int(token.address, 16),
                )
            )
    return calls


def _deploy(rpc: Rpc, deployer: str, name: str, *arguments: int | str) -> str:
    sent = rpc.send(deployer, load_artifact(name).bytecode + encode_values(*arguments))
    rpc.mine()
    return checked_evm_address(rpc.await_receipt(sent)["contractAddress"])
