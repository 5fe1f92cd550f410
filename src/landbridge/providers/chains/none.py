"""Adapter without a chain: production's default until a chain is connected."""

from datetime import datetime, timedelta
from uuid import UUID

from landbridge.platform.core.errors import Unavailable
from landbridge.platform.core.money import Asset
from landbridge.providers.chains.port import ChainAction, ChainOrder, ChainOrderStatus

_WHY = "no chain is connected"


class NoChains:
    """Refuses every call. Requests that need a chain are refused before they get here."""

    key_lifetime: timedelta | None = None

    def carries(self, chain: str, action: ChainAction) -> bool:
        """Return False: no chain is connected."""
        del chain, action
        return False

    def find_bridge_refusal(self, source: Asset, destination: Asset) -> str | None:
        """Return a refusal: no chain is connected."""
        del source, destination
        return _WHY

    def refunds_burns(self, chain: str) -> bool:
        """Return False: no chain is connected."""
        del chain
        return False

    def holds_coins(self, chain: str) -> bool:
        """Return False: no chain is connected."""
        del chain
        return False

    async def send(self, order: ChainOrder) -> ChainOrderStatus:
        """Raise `Unavailable`: no chain is connected."""
        raise Unavailable(f"{_WHY} that could carry {order.key}")

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> ChainOrderStatus | None:
        """Raise `Unavailable`: no chain is connected."""
        raise Unavailable(f"{_WHY} that knows {key} of {org_id} at {at}")
