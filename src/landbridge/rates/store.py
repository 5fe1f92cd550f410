"""Every statement on prices."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from landbridge.db.pool import Row, Tx
from landbridge.rates.port import Price

_FIND = """
select i.place, p.rate, p.fee_fraction, p.set_at
from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality
    as i (org_id, source_currency, destination_currency, place)
join prices p on p.org_id = i.org_id and p.source_currency = i.source_currency
    and p.destination_currency = i.destination_currency
"""

_SET = """
insert into prices
    (org_id, source_currency, destination_currency, rate, fee_fraction, set_at)
values ($1, $2, $3, $4, $5, $6)
on conflict (org_id, source_currency, destination_currency) do update
set rate = excluded.rate, fee_fraction = excluded.fee_fraction, set_at = excluded.set_at
"""

_LIST = """
select source_currency, destination_currency, rate, fee_fraction, set_at
from prices
where org_id = $1
order by source_currency, destination_currency
"""


async def find(tx: Tx, pairs: Sequence[tuple[UUID, str, str]]) -> dict[int, Row]:
    """Rows by place in `pairs`, each (organisation, source, destination)."""
    rows = await tx.fetch(
        _FIND,
        [org_id for org_id, _, _ in pairs],
        [source for _, source, _ in pairs],
        [destination for _, _, destination in pairs],
    )
    return {row["place"] - 1: row for row in rows}


async def set_price(  # a price is what it is made of
    tx: Tx,
    org_id: UUID,
    *,
    source_currency: str,
    destination_currency: str,
    price: Price,
    at: datetime,
) -> None:
    """Set an organisation's price of one pair."""
    await tx.execute(
        _SET,
        org_id,
        source_currency,
        destination_currency,
        price.rate.value,
        price.fee_fraction,
        at,
    )


async def list_prices(tx: Tx, org_id: UUID) -> Sequence[Row]:
    """An organisation's own prices."""
    return await tx.fetch(_LIST, org_id)
