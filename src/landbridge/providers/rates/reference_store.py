"""Statements on reference rates."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

from landbridge.platform.db.commit_proofs import register_commit_proof
from landbridge.platform.db.pool import Row, Tx

# Last rate of each currency on or before one day, and not before another day.
_BEFORE = """
select i.place, (
    select r.per_eur
    from reference_rates r
    where r.currency = i.currency and r.set_on between i.oldest_on and i.set_on
    order by r.set_on desc
    limit 1
) as per_eur
from unnest($1::text[], $2::date[], $3::date[]) with ordinality
    as i (currency, set_on, oldest_on, place)
"""

_PUT = """
insert into reference_rates (currency, set_on, per_eur)
select i.currency, i.set_on, i.per_eur
from unnest($1::text[], $2::date[], $3::numeric[]) as i (currency, set_on, per_eur)
on conflict (currency, set_on) do update
set per_eur = excluded.per_eur
where reference_rates.per_eur <> excluded.per_eur
returning currency, set_on, per_eur
"""

_PROOF = """
select 1 from reference_rates where currency = $1 and set_on = $2 and per_eur = $3
"""

# Both rates of a cross rate are from the same day.
_CROSS = """
select i.currency, c.per_eur, c.usd_per_eur
from unnest($1::text[]) as i (currency)
cross join lateral (
    select r.per_eur, d.per_eur as usd_per_eur
    from reference_rates r
    join reference_rates d on d.currency = 'usd' and d.set_on = r.set_on
    where r.currency = i.currency and r.set_on between $3 and $2
    order by r.set_on desc
    limit 1
) c
"""

_LAST = "select max(set_on) from reference_rates where currency = 'eur'"

_SPAN = """
select min(set_on) as first_on, max(set_on) as last_on, count(*) as days
from reference_rates
where currency = 'eur'
"""


async def before(tx: Tx, keys: Sequence[tuple[str, date, date]]) -> list[Decimal | None]:
    """Return for each (currency, day, oldest day) the last rate between these days, or None."""
    rows = await tx.fetch(_BEFORE, *map(list, zip(*keys, strict=True)))
    found = {row["place"] - 1: row["per_eur"] for row in rows}
    return [found.get(index) for index in range(len(keys))]


async def put(tx: Tx, rates: Sequence[tuple[str, date, Decimal]]) -> int:
    """Store rates; return the number of new or changed ones."""
    changed = await tx.fetch(_PUT, *map(list, zip(*rates, strict=True)))
    if changed:
        # The stored rate was different, so the new row proves the commit.
        register_commit_proof(
            _PROOF, changed[0]["currency"], changed[0]["set_on"], changed[0]["per_eur"]
        )
    return len(changed)


async def cross(
    tx: Tx, currencies: Sequence[str], *, on: date, oldest_on: date
) -> Mapping[str, Row]:
    """Return the rates of each currency and of the dollar on the last day that has both."""
    return {row["currency"]: row for row in await tx.fetch(_CROSS, currencies, on, oldest_on)}


async def last_on(tx: Tx) -> date | None:
    """Return the last day with rates; None without rates."""
    found: date | None = await tx.fetchval(_LAST)
    return found


async def span(tx: Tx) -> Row | None:
    """Return the first and the last day, and the number of days."""
    return await tx.fetchrow(_SPAN)
