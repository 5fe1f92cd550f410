"""The organisation's price table, as a `RateSource`."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from landbridge.core.money import Rate
from landbridge.db.group import Group
from landbridge.db.pool import Database, Row
from landbridge.rates import store
from landbridge.rates.port import Price


class PriceTable:
    """Prices that the organisation has set; `default` for pairs without one (None: no quote)."""

    def __init__(self, database: Database, default: Price | None) -> None:
        self._database = database
        self._default = default
        self._lookups = Group(self._find, lanes=2)

    async def price(
        self, org_id: UUID, *, source_currency: str, destination_currency: str
    ) -> Price | None:
        """The organisation's own price of the pair, else the default."""
        found = await self._lookups.call((org_id, source_currency, destination_currency))
        return found or self._default

    async def set_price(
        self,
        org_id: UUID,
        *,
        source_currency: str,
        destination_currency: str,
        price: Price,
        at: datetime,
    ) -> None:
        """Set a price; the staleness bound counts from `at`, in the organisation's time."""
        await self._database.single(
            lambda tx: store.set_price(
                tx,
                org_id,
                source_currency=source_currency,
                destination_currency=destination_currency,
                price=price,
                at=at,
            )
        )

    async def prices(self, org_id: UUID) -> Sequence[Row]:
        """The prices that the organisation has set."""
        return await self._database.single(lambda tx: store.list_prices(tx, org_id))

    async def _find(self, pairs: list[tuple[UUID, str, str]]) -> list[Price | None]:
        rows = await self._database.single(lambda tx: store.find(tx, pairs))
        return [
            Price(Rate(row["rate"]), row["fee_fraction"], row["set_at"])
            if (row := rows.get(place))
            else None
            for place in range(len(pairs))
        ]
