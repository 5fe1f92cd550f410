"""No chain at all: what production has until one is connected."""

from datetime import datetime, timedelta
from uuid import UUID

from landbridge.chains.port import Order, Sent
from landbridge.core.errors import Unavailable

_WHY = "no chain is connected"


class NoChains:
    """Does nothing, and says so; what would need a chain is refused before it comes here."""

    remembers: timedelta | None = None

    async def send(self, order: Order) -> Sent:
        """Raise `Unavailable`."""
        raise Unavailable(f"{_WHY} that could carry {order.key}")

    async def look(self, org_id: UUID, key: UUID, at: datetime) -> Sent | None:
        """Raise `Unavailable`."""
        raise Unavailable(f"{_WHY} that knows {key} of {org_id} at {at}")
