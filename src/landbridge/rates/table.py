"""The organisation's price table and its own fees, as a `RateSource`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from landbridge.changes.service import tell_next
from landbridge.core.ids import derived_id
from landbridge.core.money import Rate
from landbridge.db.group import Group
from landbridge.db.pool import Database, Row, Tx
from landbridge.rates import store
from landbridge.rates.port import Price

# Prices are set by commands alone.
_ACTOR = "cli"


def no_price(source: str, destination: str) -> Price | None:
    """The default where every price has to be set."""
    del source, destination
    return None


@dataclass(frozen=True, slots=True)
class Own:
    """What an organisation has set of one pair: a price, a fee, both or neither."""

    price: Price | None = None
    fee: Decimal | None = None

    def of(self, other: Price | None) -> Price | None:
        """Its own price, else this one; with its own fee, if it has one, in place of any other."""
        price = self.price or other
        return price if price is None or self.fee is None else replace(price, fee_fraction=self.fee)


class PriceTable:
    """Prices that the organisation has set; `default(source, destination)` for other pairs.

    Where that is None, too, the pair is not quoted.
    """

    def __init__(self, database: Database, default: Callable[[str, str], Price | None]) -> None:
        self._database = database
        self._default = default
        self._lookups = Group(self._find, lanes=2)

    async def price(
        self, org_id: UUID, *, source_currency: str, destination_currency: str
    ) -> Price | None:
        """The organisation's own price of the pair, else the default."""
        own = await self.own(org_id, source_currency, destination_currency)
        return own.of(self._default(source_currency, destination_currency))

    async def own(self, org_id: UUID, source_currency: str, destination_currency: str) -> Own:
        """What the organisation has set of a pair, without the default."""
        return await self._lookups.call((org_id, source_currency, destination_currency))

    async def check_quotable(self, *currencies: str) -> None:
        """Nothing is withheld where no market is known."""

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
        facts = {"rate": str(price.rate), "fee": f"{price.fee_fraction:f}"}

        async def work(tx: Tx) -> None:
            is_new = await store.set_price(
                tx,
                org_id,
                source_currency=source_currency,
                destination_currency=destination_currency,
                price=price,
                at=at,
            )
            if is_new:
                pair = (source_currency, destination_currency)
                await _tell(tx, org_id, pair, what="set", facts=facts, at=at)

        await self._database.transact(work)

    async def remove_price(
        self, org_id: UUID, *, source_currency: str, destination_currency: str, at: datetime
    ) -> None:
        """Remove a price if there is one, so that the default counts again."""

        async def work(tx: Tx) -> None:
            is_gone = await store.remove_price(
                tx,
                org_id,
                source_currency=source_currency,
                destination_currency=destination_currency,
            )
            if is_gone:
                pair = (source_currency, destination_currency)
                await _tell(tx, org_id, pair, what="remove", facts={}, at=at)

        await self._database.transact(work)

    async def prices(self, org_id: UUID) -> Sequence[Row]:
        """The prices that the organisation has set."""
        return await self._database.single(lambda tx: store.list_prices(tx, org_id))

    async def _find(self, pairs: list[tuple[UUID, str, str]]) -> list[Own]:
        rows = await self._database.single(lambda tx: store.find(tx, pairs))
        return [_own(rows[place]) for place in range(len(pairs))]


def _own(row: Row) -> Own:
    price = (
        None
        if row["rate"] is None
        else Price(Rate(row["rate"]), row["fee_fraction"], row["set_at"])
    )
    return Own(price, row["own_fee"])


async def _tell(
    tx: Tx,
    org_id: UUID,
    pair: tuple[str, str],
    *,
    what: str,
    facts: Mapping[str, str],
    at: datetime,
) -> None:
    source, destination = pair
    await tell_next(
        tx,
        org_id=org_id,
        object_id=derived_id(org_id, f"price/{source}/{destination}"),
        kind="PRICE",
        what=what,
        actor=_ACTOR,
        at=at,
        facts={"source_currency": source, "destination_currency": destination, **facts},
    )
