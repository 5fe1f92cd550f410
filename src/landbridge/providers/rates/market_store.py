"""Statements on market_rates."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import column_arrays

# All callers lock rows in the same order, so that they do not deadlock.
_LOCK = """
select currency, usd, observed_at, is_off_peg, anchor_usd, anchored_at
from market_rates
where currency = any($1::text[])
order by currency
for update
"""

# A delayed response never replaces a newer observation. An observation from the future is invalid
# and can be replaced.
_PUT = """
insert into market_rates (currency, usd, observed_at, is_off_peg, anchor_usd, anchored_at)
select i.currency, i.usd, i.observed_at, i.is_off_peg, i.anchor_usd, i.anchored_at
from unnest(
    $1::text[], $2::numeric[], $3::timestamptz[], $4::boolean[], $5::numeric[], $6::timestamptz[]
) as i (currency, usd, observed_at, is_off_peg, anchor_usd, anchored_at)
on conflict (currency) do update
set usd = excluded.usd, observed_at = excluded.observed_at, is_off_peg = excluded.is_off_peg,
    anchor_usd = excluded.anchor_usd, anchored_at = excluded.anchored_at
where market_rates.observed_at < excluded.observed_at or market_rates.observed_at > $7
"""

# Locks rows in the same order as the statements above, to prevent deadlocks.
_FORGET = """
delete from market_rates
where currency in (
    select currency from market_rates where observed_at < $1 order by currency for update
)
"""

_ALL = """
select currency, usd, observed_at, is_off_peg, anchor_usd, anchored_at
from market_rates
order by currency
"""


@dataclass(frozen=True, slots=True)
class RateAnchor:
    """Rate from which moves within a day are measured; `at` is when it was observed."""

    usd: Decimal
    at: datetime


@dataclass(frozen=True, slots=True)
class StoredObservation:
    """Last observation of a currency: dollars per unit; `at` is real time."""

    currency: str
    usd: Decimal
    at: datetime
    is_off_peg: bool
    anchor: RateAnchor | None = None


async def lock(tx: Tx, currencies: Sequence[str]) -> Sequence[Row]:
    """Lock and return the last observations of these currencies."""
    return await tx.fetch(_LOCK, currencies)


async def put(tx: Tx, rates: Sequence[StoredObservation], *, last_at: datetime) -> None:
    """Store observations newer than the stored one, or replace one later than `last_at`."""
    await tx.execute(
        _PUT,
        *column_arrays(
            _PUT,
            rates,
            observed_at=[each.at for each in rates],
            anchor_usd=[None if each.anchor is None else each.anchor.usd for each in rates],
            anchored_at=[None if each.anchor is None else each.anchor.at for each in rates],
        ),
        last_at,
    )


async def forget(tx: Tx, before: datetime) -> None:
    """Delete observations before this time."""
    await tx.execute(_FORGET, before)


async def every(tx: Tx) -> Sequence[Row]:
    """Return the last observation of each currency."""
    return await tx.fetch(_ALL)
