"""Base class of adapters of the chains port that wrap another adapter and change how it sends."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.platform.core.money import Asset
from landbridge.providers.chains.port import ChainAction, ChainOrder, ChainOrderStatus, Chains


@dataclass(frozen=True, slots=True)
class ForwardingChains:
    """Adapter that forwards every call to another adapter; see the port."""

    chains: Chains

    @property
    def key_lifetime(self) -> timedelta | None:
        """Return how long a key is idempotent; see the port."""
        return self.chains.key_lifetime

    def carries(self, chain: str, action: ChainAction) -> bool:
        """Return whether orders of this kind can be carried out on a chain; see the port."""
        return self.chains.carries(chain, action)

    def find_bridge_refusal(self, source: Asset, destination: Asset) -> str | None:
        """Return why coins can't be bridged; see the port."""
        return self.chains.find_bridge_refusal(source, destination)

    def refunds_burns(self, chain: str) -> bool:
        """Return whether burned coins can be minted back; see the port."""
        return self.chains.refunds_burns(chain)

    def holds_coins(self, chain: str) -> bool:
        """Return whether wallets on a chain hold real coins; see the port."""
        return self.chains.holds_coins(chain)

    async def send(self, order: ChainOrder) -> ChainOrderStatus:
        """Submit an order; see the port."""
        return await self.chains.send(order)

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> ChainOrderStatus | None:
        """Return the status of an order; see the port."""
        return await self.chains.find_status(org_id, key, at)
