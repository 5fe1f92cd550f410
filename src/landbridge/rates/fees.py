"""The organisation's own fees: what it keeps of what is sent, pair by pair and way by way.

An operator says at which rate money is changed; what an organisation keeps for itself beside that
is for its admins to say. A fee counts for quotes from then on; open ones keep theirs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from landbridge.changes.service import tell_next
from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import derived_id
from landbridge.core.money import AmountError, parse_units, units_as_decimal
from landbridge.db.pool import Database, Tx
from landbridge.rates import store
from landbridge.web.caller import Caller, check_admin

CHANGE_KIND = "FEE"

# What the table keeps of a fraction, numeric(9,8), as digits of its per cent.
_DECIMALS = 6
# More is a slip of the pen, as with spreads.
PERCENT_MAX = 10


@dataclass(frozen=True, slots=True)
class Way:
    """A pair of currencies, in one direction; the second may be a corridor, as in `usd-hka`."""

    source: str
    destination: str


@dataclass(frozen=True, slots=True)
class Fee:
    """What is kept of one pair: a fraction of what is sent."""

    way: Way
    fraction: Decimal
    set_at: datetime

    @property
    def percent(self) -> Decimal:
        """The same per hundred, without zeros behind it."""
        return as_percent(self.fraction)


class Fees:
    """Fees of all organisations; `is_pair` says which pairs there are."""

    def __init__(self, database: Database, is_pair: Callable[[str, str], bool]) -> None:
        self._database = database
        self._is_pair = is_pair

    async def all(self, org_id: UUID) -> Sequence[Fee]:
        """What the organisation has set, by pair."""
        rows = await self._database.single(lambda tx: store.list_fees(tx, org_id))
        return [
            Fee(
                Way(row["source_currency"], row["destination_currency"]),
                row["fraction"],
                row["set_at"],
            )
            for row in rows
        ]

    async def set_for(self, caller: Caller, way: Way, percent: str, *, at: datetime) -> bool:
        """As `set`; raises `RoleNotAllowed` for all but admins."""
        check_admin(caller)
        return await self.set(caller.org_id, way, percent, actor=caller.actor, at=at)

    async def set(self, org_id: UUID, way: Way, percent: str, *, actor: str, at: datetime) -> bool:
        """Keep so much per cent of a pair from now on; False if that is so already.

        Raises `FieldInvalid` for what is no pair, and for a fee below 0 or above `PERCENT_MAX`.
        """
        self._check(way)
        fraction = _fraction(percent)

        async def work(tx: Tx) -> bool:
            is_new = await store.set_fee(
                tx, org_id, way.source, way.destination, fraction=fraction, at=at
            )
            if is_new:
                await _tell(tx, org_id, way, what="set", fee=fraction, actor=actor, at=at)
            return is_new

        return await self._database.transact(work)

    async def remove_for(self, caller: Caller, way: Way, *, at: datetime) -> bool:
        """As `remove`; raises `RoleNotAllowed` for all but admins."""
        check_admin(caller)
        return await self.remove(caller.org_id, way, actor=caller.actor, at=at)

    async def remove(self, org_id: UUID, way: Way, *, actor: str, at: datetime) -> bool:
        """Let the fee that comes with the rate count again; False if none was set."""
        self._check(way)

        async def work(tx: Tx) -> bool:
            is_gone = await store.remove_fee(tx, org_id, way.source, way.destination)
            if is_gone:
                await _tell(tx, org_id, way, what="remove", fee=None, actor=actor, at=at)
            return is_gone

        return await self._database.transact(work)

    def _check(self, way: Way) -> None:
        if not self._is_pair(way.source, way.destination):
            pair = f"{way.source[:20]!r} to {way.destination[:20]!r}"
            raise FieldInvalid(
                f"destination: {pair} is no pair; it is two currencies, one of them a stablecoin",
                field="destination",
            )


def as_percent(fraction: Decimal) -> Decimal:
    """A fraction per hundred, without zeros behind it."""
    return units_as_decimal(int(fraction.scaleb(_DECIMALS + 2)), _DECIMALS)


def _fraction(percent: str) -> Decimal:
    try:
        units = parse_units(percent, _DECIMALS)
    except AmountError as error:
        raise FieldInvalid(f"fee, in per cent, {error}", field="fee") from error
    if not 0 <= units <= PERCENT_MAX * 10**_DECIMALS:
        raise FieldInvalid(f"fee must be from 0 to {PERCENT_MAX} per cent", field="fee")
    return units_as_decimal(units, _DECIMALS + 2)


async def _tell(
    tx: Tx, org_id: UUID, way: Way, *, what: str, fee: Decimal | None, actor: str, at: datetime
) -> None:
    facts = {"source_currency": way.source, "destination_currency": way.destination}
    await tell_next(
        tx,
        org_id=org_id,
        object_id=derived_id(org_id, f"fee/{way.source}/{way.destination}"),
        kind=CHANGE_KIND,
        what=what,
        actor=actor,
        at=at,
        facts=facts if fee is None else {**facts, "fee": f"{fee:f}"},
    )
