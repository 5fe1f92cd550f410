"""The organisation's own fees: its share of the sent amount, by pair and direction.

An operator sets the exchange rate; the organisation's admins set its own fee on top. A new fee
applies to quotes created after that; open quotes keep their fee.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from landbridge.platform.changes.service import append_next_change
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.money import AmountError, parse_units, units_as_decimal
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import Caller, check_admin
from landbridge.providers.rates import store

CHANGE_KIND = "FEE"

# Decimals of a percentage, so that the column numeric(9,8) can store its fraction.
_DECIMALS = 6
# A higher fee is assumed to be a typing error, as with spreads.
PERCENT_MAX = 10


@dataclass(frozen=True, slots=True)
class CurrencyPair:
    """Pair of currencies, in one direction; the second may be a corridor, for example `usd-hka`."""

    source: str
    destination: str


@dataclass(frozen=True, slots=True)
class PairFee:
    """Fee of one pair: a fraction of the sent amount."""

    way: CurrencyPair
    fraction: Decimal
    set_at: datetime

    @property
    def percent(self) -> Decimal:
        """Return the fee as a percentage, without trailing zeros."""
        return as_percent(self.fraction)


class PairFees:
    """Fees of all organisations; the function `is_pair` decides which pairs exist."""

    def __init__(self, database: Database, is_pair: Callable[[str, str], bool]) -> None:
        self._database = database
        self._is_pair = is_pair

    async def all(self, org_id: UUID) -> Sequence[PairFee]:
        """Return the organisation's fees by pair."""
        rows = await self._database.single(lambda tx: store.list_fees(tx, org_id))
        return [
            PairFee(
                CurrencyPair(row["source_currency"], row["destination_currency"]),
                row["fraction"],
                row["set_at"],
            )
            for row in rows
        ]

    async def set_for(
        self, caller: Caller, pair: CurrencyPair, percent: str, *, at: datetime
    ) -> bool:
        """Set a fee for a caller; raises `RoleNotAllowed` unless it is an admin."""
        check_admin(caller)
        return await self.set(caller.org_id, pair, percent, actor=caller.actor, at=at)

    async def set(
        self, org_id: UUID, pair: CurrencyPair, percent: str, *, actor: str, at: datetime
    ) -> bool:
        """Set the percentage of a pair from `at` on; return False if nothing changed.

        Raises `FieldInvalid` for an unknown pair, and for a fee below 0 or above `PERCENT_MAX`.
        """
        self._check(pair)
        fraction = _fraction(percent)

        async def work(tx: Tx) -> bool:
            is_new = await store.set_fee(
                tx, org_id, pair.source, pair.destination, fraction=fraction, at=at
            )
            if is_new:
                await _record_change(
                    tx, org_id, pair, change_type="set", fee=fraction, actor=actor, at=at
                )
            return is_new

        return await self._database.transact(work)

    async def remove_for(self, caller: Caller, pair: CurrencyPair, *, at: datetime) -> bool:
        """Remove a fee for a caller; raises `RoleNotAllowed` unless it is an admin."""
        check_admin(caller)
        return await self.remove(caller.org_id, pair, actor=caller.actor, at=at)

    async def remove(self, org_id: UUID, pair: CurrencyPair, *, actor: str, at: datetime) -> bool:
        """Remove a fee, so that the price's own fee applies; return False if none was set."""
        self._check(pair)

        async def work(tx: Tx) -> bool:
            is_gone = await store.remove_fee(tx, org_id, pair.source, pair.destination)
            if is_gone:
                await _record_change(
                    tx, org_id, pair, change_type="remove", fee=None, actor=actor, at=at
                )
            return is_gone

        return await self._database.transact(work)

    def _check(self, way: CurrencyPair) -> None:
        if not self._is_pair(way.source, way.destination):
            pair = f"{way.source[:20]!r} to {way.destination[:20]!r}"
            raise FieldInvalid(
                f"destination: {pair} is no pair; it is two currencies, one of them a stablecoin",
                field="destination",
            )


def as_percent(fraction: Decimal) -> Decimal:
    """Format a fraction as a percentage, without trailing zeros."""
    return units_as_decimal(int(fraction.scaleb(_DECIMALS + 2)), _DECIMALS)


def _fraction(percent: str) -> Decimal:
    try:
        units = parse_units(percent, _DECIMALS)
    except AmountError as error:
        raise FieldInvalid(f"fee, in per cent, {error}", field="fee") from error
    if not 0 <= units <= PERCENT_MAX * 10**_DECIMALS:
        raise FieldInvalid(f"fee must be from 0 to {PERCENT_MAX} per cent", field="fee")
    return units_as_decimal(units, _DECIMALS + 2)


async def _record_change(
    tx: Tx,
    org_id: UUID,
    pair: CurrencyPair,
    *,
    change_type: str,
    fee: Decimal | None,
    actor: str,
    at: datetime,
) -> None:
    facts = {"source_currency": pair.source, "destination_currency": pair.destination}
    await append_next_change(
        tx,
        org_id=org_id,
        object_id=derived_id(org_id, f"fee/{pair.source}/{pair.destination}"),
        kind=CHANGE_KIND,
        change_type=change_type,
        actor=actor,
        at=at,
        facts=facts if fee is None else {**facts, "fee": f"{fee:f}"},
    )
