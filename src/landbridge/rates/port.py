"""The port to whatever knows prices."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Protocol
from uuid import UUID

from landbridge.core.money import Rate


@dataclass(frozen=True, slots=True)
class Price:
    """Units of the destination per unit of the source, and the fee as a fraction of what is sent.

    `as_of` is the organisation's time at which this was true; None means always (a fixed price).
    """

    rate: Rate
    fee_fraction: Decimal
    as_of: datetime | None


class RateSource(Protocol):
    """Knows prices; asked in the request, so it answers from memory or our own database."""

    async def price(
        self, org_id: UUID, *, source_currency: str, destination_currency: str
    ) -> Price | None:
        """The present price, or None if the pair has none.

        Fiat that goes to one country's banks at a price of its own has its corridor in place of
        the currency, as in `usd-hka`. Raises `PriceWithheld` while nobody can say what a price is
        worth.
        """
        ...

    async def check_quotable(self, *currencies: str) -> None:
        """Raise `PriceWithheld` while one of these is a stablecoin that is not to be quoted."""
        ...
