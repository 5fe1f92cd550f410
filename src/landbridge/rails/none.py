"""No bank at all: what production has until one is connected."""

from datetime import datetime, timedelta
from uuid import UUID

from landbridge.core.errors import Unavailable
from landbridge.rails.port import Coordinates, Paid, Payment

_WHY = "no bank is connected"


class NoRails:
    """Does nothing, and says so; what would need a bank is refused before it comes here."""

    remembers: timedelta | None = None

    async def pay(self, payment: Payment) -> Paid:
        """Raise `Unavailable`."""
        raise Unavailable(f"{_WHY} that could pay {payment.key}")

    async def look(self, org_id: UUID, key: UUID, at: datetime) -> Paid | None:
        """Raise `Unavailable`."""
        raise Unavailable(f"{_WHY} that knows {key} of {org_id} at {at}")

    async def why_not(self, payment: Payment) -> str | None:
        """That there is none."""
        del payment
        return _WHY

    async def coordinates(
        self, org_id: UUID, currency: str, account_number: str
    ) -> Coordinates | None:
        """Nowhere."""
        del org_id, currency, account_number

    async def new_account_number(self, org_id: UUID, currency: str, seed: UUID) -> str:
        """Raise `Unavailable`."""
        raise Unavailable(f"{_WHY} that could give {org_id} a {currency} account for {seed}")
