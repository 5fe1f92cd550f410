"""Adapter without a bank: production's default until a bank is connected."""

from datetime import datetime, timedelta
from uuid import UUID

from landbridge.platform.core.errors import Unavailable
from landbridge.providers.rails.port import (
    DepositCoordinates,
    PayeeMatch,
    PayeeVerification,
    PayoutDestination,
    RailPayment,
    RailPaymentStatus,
)

_WHY = "no bank is connected"


class NoRails:
    """Refuses every call. Requests that need a bank are refused before they get here."""

    key_lifetime: timedelta | None = None

    async def pay(self, payment: RailPayment) -> RailPaymentStatus:
        """Raise `Unavailable`: no bank is connected."""
        raise Unavailable(f"{_WHY} that could pay {payment.key}")

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> RailPaymentStatus | None:
        """Raise `Unavailable`: no bank is connected."""
        raise Unavailable(f"{_WHY} that knows {key} of {org_id} at {at}")

    async def rejection_reason(self, payment: RailPayment) -> str | None:
        """Return that no bank is connected."""
        del payment
        return _WHY

    async def verify_payee(self, destination: PayoutDestination) -> PayeeVerification:
        """Return that no bank can answer; see the port."""
        del destination
        return PayeeVerification(match=PayeeMatch.UNAVAILABLE)

    async def coordinates(
        self, org_id: UUID, currency: str, account_number: str
    ) -> DepositCoordinates | None:
        """Return None: no bank is connected."""
        del org_id, currency, account_number

    async def takes_deposits(self, org_id: UUID, currency: str) -> bool:
        """Return False: no bank is connected."""
        del org_id, currency
        return False

    async def new_account_number(self, org_id: UUID, currency: str, seed: UUID) -> str:
        """Raise `Unavailable`: no bank is connected."""
        raise Unavailable(f"{_WHY} that could give {org_id} a {currency} account for {seed}")
