"""Every statement on market rates."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from landbridge.db.pool import Row, Tx

# In one order for everybody, so that no two wait for each other.
_LOCK = """
select currency, usd, observed_at, is_off_peg
from market_rates
where currency = any($1::text[])
order by currency
for update
"""

# An answer that was under way for long never replaces a younger one; but what is from the future
# is no observation.
_PUT = """
insert into market_rates (currency, usd, observed_at, is_off_peg)
select i.currency, i.usd, i.observed_at, i.is_off_peg
from unnest($1::text[], $2::numeric[], $3::timestamptz[], $4::boolean[])
    as i (currency, usd, observed_at, is_off_peg)
on conflict (currency) do update
set usd = excluded.usd, observed_at = excluded.observed_at, is_off_peg = excluded.is_off_peg
where market_rates.observed_at < excluded.observed_at or market_rates.observed_at > $5
"""

# In the order of the locks above.
_FORGET = """
delete from market_rates
where currency in (
    select currency from market_rates where observed_at < $1 order by currency for update
)
"""

_ALL = "select currency, usd, observed_at, is_off_peg from market_rates order by currency"


@dataclass(frozen=True, slots=True)
class Seen:
    """The last observation of a currency: dollars per unit, in real time."""

    currency: str
    usd: Decimal
    at: datetime
    is_off_peg: bool


async def lock(tx: Tx, currencies: Sequence[str]) -> Sequence[Row]:
    """The last observations of these, which nobody else changes now."""
    return await tx.fetch(_LOCK, currencies)


async def put(tx: Tx, rates: Sequence[Seen], *, last_at: datetime) -> None:
    """Keep observations that are younger than what is there, or where that is after `last_at`."""
    await tx.execute(
        _PUT,
        [each.currency for each in rates],
        [each.usd for each in rates],
        [each.at for each in rates],
        [each.is_off_peg for each in rates],
        last_at,
    )


async def forget(tx: Tx, before: datetime) -> None:
    """Remove what was observed before this."""
    await tx.execute(_FORGET, before)


async def every(tx: Tx) -> Sequence[Row]:
    """The last observation of each currency."""
    return await tx.fetch(_ALL)
