"""The organisation's price table and its own fees, as a `RateSource`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from landbridge.platform.changes.service import append_next_change
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.money import Rate
from landbridge.platform.db.group_commit import GroupCommit
from landbridge.platform.db.organisation_groups import grouped
from landbridge.platform.db.pool import Database, Row, Tx
from landbridge.providers.rates import store
from landbridge.providers.rates.port import Price

# Actor of changes: prices are set only by commands.
_ACTOR = "cli"


def no_price(source: str, destination: str) -> Price | None:
    """Return None: the default of an installation where every price has to be set."""
    del source, destination
    return None


@dataclass(frozen=True, slots=True)
class OrganisationPrice:
    """An organisation's settings of one pair: a price, a fee, both or neither."""

    price: Price | None = None
    fee: Decimal | None = None

    def of(self, other: Price | None) -> Price | None:
        """Return the organisation's price, else `other`; its own fee replaces any other."""
        price = self.price or other
        return price if price is None or self.fee is None else replace(price, fee_fraction=self.fee)


class PriceTable:
    """Prices set by the organisation; `default(source, destination)` for other pairs.

    A pair for which `default` has no price either is not quoted.
    """

    def __init__(self, database: Database, default: Callable[[str, str], Price | None]) -> None:
        self._database = database
        self._default = default
        self._lookups = grouped(database, lambda: GroupCommit(self._find, concurrency=2))

    async def price(
        self, org_id: UUID, *, source_currency: str, destination_currency: str
    ) -> Price | None:
        """Return the organisation's own price of a pair, otherwise the default."""
        own = await self.own(org_id, source_currency, destination_currency)
        return own.of(self._default(source_currency, destination_currency))

    async def own(
        self, org_id: UUID, source_currency: str, destination_currency: str
    ) -> OrganisationPrice:
        """Return the organisation's settings of a pair, without the default."""
        return await self._lookups.call((org_id, source_currency, destination_currency))

    async def check_quotable(self, *currencies: str) -> None:
        """Accept every currency: there is no market to check."""

    async def set_price(
        self,
        org_id: UUID,
        *,
        source_currency: str,
        destination_currency: str,
        price: Price,
        at: datetime,
    ) -> None:
        """Set a price; its maximum age counts from `at`, in the organisation's time."""
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
                await _record_change(tx, org_id, pair, change_type="set", facts=facts, at=at)

        await self._database.transact(work)

    async def remove_price(
        self, org_id: UUID, *, source_currency: str, destination_currency: str, at: datetime
    ) -> None:
        """Remove a price, if there is one, so that the default applies again."""

        async def work(tx: Tx) -> None:
            is_gone = await store.remove_price(
                tx,
                org_id,
                source_currency=source_currency,
                destination_currency=destination_currency,
            )
            if is_gone:
                pair = (source_currency, destination_currency)
                await _record_change(tx, org_id, pair, change_type="remove", facts={}, at=at)

        await self._database.transact(work)

    async def prices(self, org_id: UUID) -> Sequence[Row]:
        """Return the prices that the organisation has set."""
        return await self._database.single(lambda tx: store.list_prices(tx, org_id))

    async def _find(self, pairs: list[tuple[UUID, str, str]]) -> list[OrganisationPrice]:
        rows = await self._database.single(lambda tx: store.find(tx, pairs))
        return [_own(rows[index]) for index in range(len(pairs))]


def _own(row: Row) -> OrganisationPrice:
    price = (
        None
        if row["rate"] is None
        else Price(Rate(row["rate"]), row["fee_fraction"], row["set_at"])
    )
    return OrganisationPrice(price, row["own_fee"])


async def _record_change(
    tx: Tx,
    org_id: UUID,
    pair: tuple[str, str],
    *,
    change_type: str,
    facts: Mapping[str, str],
    at: datetime,
) -> None:
    source, destination = pair
    await append_next_change(
        tx,
        org_id=org_id,
        object_id=derived_id(org_id, f"price/{source}/{destination}"),
        kind="PRICE",
        change_type=change_type,
        actor=_ACTOR,
        at=at,
        facts={"source_currency": source, "destination_currency": destination, **facts},
    )
