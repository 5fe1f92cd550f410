"""Chains on which new orders wait while payments are halted.

They wrap another adapter of the port, so every flow is covered by construction. What the chain has
already is followed. A mint is not new: its coins were burned before.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from landbridge.platform.core.money import Asset
from landbridge.providers.chains.port import (
    ChainAction,
    ChainOrder,
    ChainOrderStatus,
    Chains,
    OrderHalted,
)

# A halted order is sent again after a pause that grows with the halt, between these.
_PAUSE_MIN, _PAUSE_MAX = timedelta(seconds=5), timedelta(minutes=5)


class SendHalts(Protocol):
    """Says which payments are halted."""

    async def halted_since(self, org_id: UUID, chain: str, asset: str) -> datetime | None:
        """Return since when new orders of an asset on a chain wait; None if they do not."""
        ...


@dataclass(frozen=True, slots=True)
class HaltedChains:
    """Chains that send no new order of a halted asset; see the port."""

    chains: Chains
    halts: SendHalts

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
        """Submit an order unless its asset is halted; see the port. Raises `OrderHalted`."""
        since = None if order.action is ChainAction.MINT else await self._halted_since(order)
        if since is not None and await self.find_status(order.org_id, order.key, order.at) is None:
            raise OrderHalted(order.at + min(max(order.at - since, _PAUSE_MIN), _PAUSE_MAX))
        return await self.chains.send(order)

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> ChainOrderStatus | None:
        """Return the status of an order; see the port."""
        return await self.chains.find_status(org_id, key, at)

    async def _halted_since(self, order: ChainOrder) -> datetime | None:
        """Return since when the order waits; its legs are of one asset."""
        asset = order.legs[0].money.asset.code
        return await self.halts.halted_since(order.org_id, order.chain, asset)
