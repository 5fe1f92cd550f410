"""Port to price sources."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Protocol
from uuid import UUID

from landbridge.platform.core.money import Rate


@dataclass(frozen=True, slots=True)
class Price:
    """Price: destination units per source unit, and the fee as a fraction of the sent amount.

    `as_of` is the organisation's time of the price; None means a fixed price, always valid.
    """

    rate: Rate
    fee_fraction: Decimal
    as_of: datetime | None


class RateSource(Protocol):
    """Source of prices. Requests wait for it, so it answers from memory or from our database."""

    async def price(
        self, org_id: UUID, *, source_currency: str, destination_currency: str
    ) -> Price | None:
        """Return the current price; None if the pair has none.

        Payouts to a country with its own price have a corridor in place of the currency, for
        example `usd-hka`. Raises `PriceUnavailable` while the pair can't be priced.
        """
        ...

    async def check_quotable(self, *currencies: str) -> None:
        """Raise `PriceUnavailable` while one of these is a stablecoin that must not be quoted."""
        ...
