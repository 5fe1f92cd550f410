"""Search for records by a part of the id, a reference, a hash or an amount.

Guarantee: every search reads a bounded number of rows through an index.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.ledger.listing_store import TransferListRow, as_list_row
from landbridge.platform.db.pool import Database

# Each part uses its partial index: expression and condition must equal the index definition. $2 has
# the text as written and in lower case. Few changes share a bank's reference, even across
# organisations.
_BY_IDENTIFIER = """
with found as (
    select c.object_id
    from changes c
    where c.org_id = $1 and right(c.object_id::text, 12) = ($2::text[])[2]
        and c.creation_digest is not null
    union
    select c.object_id
    from changes c
    where c.org_id = $1
        and coalesce(
            c.facts ->> 'transaction_hash', c.facts ->> 'mint_transaction_hash',
            c.facts ->> 'return_transaction_hash', c.facts ->> 'deposit_hash'
        ) = any($2::text[])
        and c.facts ?| array[
            'transaction_hash', 'mint_transaction_hash', 'return_transaction_hash', 'deposit_hash'
        ]
    union
    select c.object_id
    from changes c
    where c.org_id = $1
        and coalesce(
            c.facts ->> 'user_op_hash', c.facts ->> 'mint_user_op_hash',
            c.facts ->> 'return_user_op_hash', c.facts ->> 'approve_user_op_hash'
        ) = any($2::text[])
        and c.facts ?| array[
            'user_op_hash', 'mint_user_op_hash', 'return_user_op_hash', 'approve_user_op_hash'
        ]
    union
    select c.object_id
    from changes c
    where c.org_id = $1 and c.facts ? 'tracking' and (
        c.facts -> 'tracking' @> jsonb_build_object('trace_number', ($2::text[])[1])
        or c.facts -> 'tracking' @> jsonb_build_object('imad', ($2::text[])[1])
        or c.facts -> 'tracking' @> jsonb_build_object('omad', ($2::text[])[1])
        or c.facts -> 'tracking' @> jsonb_build_object('fed_batch_id', ($2::text[])[1])
        or c.facts -> 'tracking' @> jsonb_build_object('uetr', ($2::text[])[1])
    )
)
select t.id, t.kind, t.user_id, t.request_id, t.status, t.source_asset, t.source_units,
    t.destination_asset, t.destination_units, t.created_at, t.updated_at
from found f
join transfers t on t.org_id = $1 and t.id = f.object_id
order by t.created_at desc, t.id desc
limit $3
"""

# Finds ended records by two indexes. Of the records under way, it reads those that are due last,
# which changed last.
_BY_AMOUNT = """
select f.id, f.kind, f.user_id, f.request_id, f.status, f.source_asset, f.source_units,
    f.destination_asset, f.destination_units, f.created_at, f.updated_at
from unnest($2::text[], $3::numeric[]) as a (asset, units)
cross join lateral (
    select t.id, t.kind, t.user_id, t.request_id, t.status, t.source_asset, t.source_units,
        t.destination_asset, t.destination_units, t.created_at, t.updated_at
    from transfers t
    where t.org_id = $1 and t.source_units = a.units and t.source_asset = a.asset
        and t.due_at is null
    order by t.created_at desc, t.id desc
    limit $4
) f
union
select f.id, f.kind, f.user_id, f.request_id, f.status, f.source_asset, f.source_units,
    f.destination_asset, f.destination_units, f.created_at, f.updated_at
from unnest($2::text[], $3::numeric[]) as a (asset, units)
cross join lateral (
    select t.id, t.kind, t.user_id, t.request_id, t.status, t.source_asset, t.source_units,
        t.destination_asset, t.destination_units, t.created_at, t.updated_at
    from transfers t
    where t.org_id = $1 and t.destination_units = a.units and t.destination_asset = a.asset
        and t.due_at is null and t.destination_units <> t.source_units
    order by t.created_at desc, t.id desc
    limit $4
) f
union
select o.id, o.kind, o.user_id, o.request_id, o.status, o.source_asset, o.source_units,
    o.destination_asset, o.destination_units, o.created_at, o.updated_at
from (
    select t.id, t.kind, t.user_id, t.request_id, t.status, t.source_asset, t.source_units,
        t.destination_asset, t.destination_units, t.created_at, t.updated_at
    from transfers t
    where t.org_id = $1 and t.due_at is not null
    order by t.due_at desc
    limit $5
) o
join unnest($2::text[], $3::numeric[]) as a (asset, units)
    on a.asset = o.source_asset and a.units = o.source_units
        or a.asset = o.destination_asset and a.units = o.destination_units
order by created_at desc, id desc
limit $4
"""

# Records under way that a search by amount scans.
_OPEN_SCANNED_MAX = 2_000


@dataclass(frozen=True, slots=True)
class TransferSearch:
    """Finds at most `limit` records of an organisation, newest first."""

    database: Database
    limit: int

    async def by_identifier(self, org_id: UUID, text: str) -> Sequence[TransferListRow]:
        """Return the records with this short id, hash or bank reference.

        Hashes are those of chain transactions and user operations. Short ids (`core.ids.short_id`)
        and hexadecimal hashes match in upper and lower case.
        """
        rows = await self.database.read_on_replica(
            lambda tx: tx.fetch(_BY_IDENTIFIER, org_id, [text, text.lower()], self.limit)
        )
        return [as_list_row(row) for row in rows]

    async def by_amount(
        self, org_id: UUID, amounts: Mapping[str, int]
    ) -> Sequence[TransferListRow]:
        """Return records with a source or destination of one of these amounts, in units by asset.

        All ended records are searched; of those under way, the 2,000 that are due last.
        """
        assets, units = list(amounts), list(amounts.values())
        rows = await self.database.read_on_replica(
            lambda tx: tx.fetch(_BY_AMOUNT, org_id, assets, units, self.limit, _OPEN_SCANNED_MAX)
        )
        return [as_list_row(row) for row in rows]
