"""Bridges of the connected chains: which tokens they can move between chains."""

from collections.abc import Mapping, Sequence

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.bridge_configuration import BridgeContracts
from landbridge.providers.evm.bridging.attestations import AttestationClient, AttestedMessage
from landbridge.providers.evm.bridging.messages import BurnMessage, burn_message
from landbridge.providers.evm.configuration import EvmChain


class ConnectedBridges:
    """Bridges of all chains in the chains file, with their attestation services."""

    def __init__(self, chains: Mapping[Network, EvmChain], clock: Clock) -> None:
        self._chains = chains
        self._clients = {
            name: AttestationClient(chain.bridge, clock)
            for name, chain in chains.items()
            if chain.bridge is not None
        }

    async def close(self) -> None:
        """Close all connections."""
        for client in self._clients.values():
            await client.close()

    def has_bridge(self, name: Network) -> bool:
        """Return whether a chain has a bridge to another connected chain."""
        return name in self._clients and len(self._clients) > 1

    def find_refusal(self, source: Network, destination: Network, currency: str) -> str | None:
        """Return why a currency can't be bridged between two connected chains; None if it can."""
        for name in (source, destination):
            chain = self._chains.get(name)
            if chain is None or chain.bridge is None:
                return f"no bridge reaches {name}"
            if currency not in chain.tokens or not chain.tokens[currency].is_bridgeable:
                return f"{currency} on {name} can't be bridged"
        return None

    def bridge(self, name: Network) -> BridgeContracts:
        """Return the bridge of a chain; raises `InvariantBroken` if it has none."""
        bridge = self._chains[name].bridge
        if bridge is None:
            raise InvariantBroken(f"{name} has no bridge")
        return bridge

    def message(
        self,
        source: Network,
        destination: Network,
        currency: str,
        *,
        owner: str,
        recipient: str,
        amount_units: int,
    ) -> BurnMessage:
        """Return the expected message of a burn on one chain with a mint on another."""
        return burn_message(
            source=self.bridge(source),
            destination=self.bridge(destination),
            token=self._chains[source].tokens[currency].address,
            recipient=recipient,
            amount_units=amount_units,
            owner=owner,
        )

    async def attested(self, source: Network, transaction_hash: str) -> Sequence[AttestedMessage]:
        """Return the attested burns of a transaction; raises `AttestationsUnavailable`."""
        return await self._clients[source].messages(transaction_hash)
