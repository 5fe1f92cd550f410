"""Adapter of the chains port that holds back new orders while payments are halted.

It wraps another adapter, so it covers every kind of payment. Orders that the chain already has are
followed as before. A mint does not count as new, because its coins were burned before.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from landbridge.providers.chains.forwarding import ForwardingChains
from landbridge.providers.chains.port import ChainAction, ChainOrder, ChainOrderStatus, OrderHalted

# A halted order is sent again after a pause between these, which grows with the age of the halt.
_PAUSE_MIN, _PAUSE_MAX = timedelta(seconds=5), timedelta(minutes=5)


class SendHalts(Protocol):
    """Knows which payments are halted."""

    async def halted_since(self, org_id: UUID, chain: str, asset: str) -> datetime | None:
        """Return since when new orders of an asset on a chain are halted; None if they are not."""
        ...


@dataclass(frozen=True, slots=True)
class HaltedChains(ForwardingChains):
    """Chains port that sends no new order of a halted asset."""

    halts: SendHalts

    async def send(self, order: ChainOrder) -> ChainOrderStatus:
        """Submit an order unless its asset is halted; see the port. Raises `OrderHalted`."""
        since = None if order.action is ChainAction.MINT else await self._halted_since(order)
        if since is not None and await self.find_status(order.org_id, order.key, order.at) is None:
            raise OrderHalted(order.at + min(max(order.at - since, _PAUSE_MIN), _PAUSE_MAX))
        return await self.chains.send(order)

    async def _halted_since(self, order: ChainOrder) -> datetime | None:
        """Return since when the order is halted, None if it is not; all legs have one asset."""
        asset = order.legs[0].money.asset.code
        return await self.halts.halted_since(order.org_id, order.chain, asset)
