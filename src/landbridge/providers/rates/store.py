"""Statements on prices and fees."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx
from landbridge.providers.rates.port import Price

_FIND = """
select i.place, p.rate, p.fee_fraction, p.set_at, f.fraction as own_fee
from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality
    as i (org_id, source_currency, destination_currency, place)
left join prices p on p.org_id = i.org_id and p.source_currency = i.source_currency
    and p.destination_currency = i.destination_currency
left join fees f on f.org_id = i.org_id and f.source_currency = i.source_currency
    and f.destination_currency = i.destination_currency
"""

_SET = """
insert into prices
    (org_id, source_currency, destination_currency, rate, fee_fraction, set_at)
values ($1, $2, $3, $4, $5, $6)
on conflict (org_id, source_currency, destination_currency) do update
set rate = excluded.rate, fee_fraction = excluded.fee_fraction, set_at = excluded.set_at
where (prices.rate, prices.fee_fraction, prices.set_at)
    <> (excluded.rate, excluded.fee_fraction, excluded.set_at)
returning true
"""

_REMOVE = """
delete from prices
where org_id = $1 and source_currency = $2 and destination_currency = $3
returning true
"""

_LIST = """
select source_currency, destination_currency, rate, fee_fraction, set_at
from prices
where org_id = $1
order by source_currency, destination_currency
"""

_SET_FEE = """
insert into fees (org_id, source_currency, destination_currency, fraction, set_at)
values ($1, $2, $3, $4, $5)
on conflict (org_id, source_currency, destination_currency) do update
set fraction = excluded.fraction, set_at = excluded.set_at
where fees.fraction <> excluded.fraction
returning true
"""

_REMOVE_FEE = """
delete from fees
where org_id = $1 and source_currency = $2 and destination_currency = $3
returning true
"""

_LIST_FEES = """
select source_currency, destination_currency, fraction, set_at
from fees
where org_id = $1
order by source_currency, destination_currency
"""


async def find(tx: Tx, pairs: Sequence[tuple[UUID, str, str]]) -> dict[int, Row]:
    """Return rows by position in `pairs`, each (organisation, source, destination).

    The rate is null if the organisation has no price, `own_fee` is null if it has no fee.
    """
    rows = await tx.fetch(
        _FIND,
        [org_id for org_id, _, _ in pairs],
        [source for _, source, _ in pairs],
        [destination for _, _, destination in pairs],
    )
    return {row["place"] - 1: row for row in rows}


async def set_price(  # all parts of a price
    tx: Tx,
    org_id: UUID,
    *,
    source_currency: str,
    destination_currency: str,
    price: Price,
    at: datetime,
) -> bool:
    """Set an organisation's price of a pair; return False if rate and time are unchanged."""
    is_new = await tx.fetchval(
        _SET,
        org_id,
        source_currency,
        destination_currency,
        price.rate.value,
        price.fee_fraction,
        at,
    )
    return is_new is not None


async def remove_price(
    tx: Tx, org_id: UUID, *, source_currency: str, destination_currency: str
) -> bool:
    """Remove an organisation's price of a pair; return False if there is none."""
    removed = await tx.fetchval(_REMOVE, org_id, source_currency, destination_currency)
    return removed is not None


async def list_prices(tx: Tx, org_id: UUID) -> Sequence[Row]:
    """Return an organisation's own prices."""
    return await tx.fetch(_LIST, org_id)


async def set_fee(
    tx: Tx, org_id: UUID, source: str, destination: str, *, fraction: Decimal, at: datetime
) -> bool:
    """Set an organisation's fee of a pair; return False if it is unchanged."""
    return await tx.fetchval(_SET_FEE, org_id, source, destination, fraction, at) is not None


async def remove_fee(tx: Tx, org_id: UUID, source: str, destination: str) -> bool:
    """Remove an organisation's fee of a pair; return False if there is none."""
    return await tx.fetchval(_REMOVE_FEE, org_id, source, destination) is not None


async def list_fees(tx: Tx, org_id: UUID) -> Sequence[Row]:
    """Return an organisation's own fees."""
    return await tx.fetch(_LIST_FEES, org_id)
