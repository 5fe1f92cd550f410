"""SQL statements that read the ledger's OUTSIDE entries, and statements on recon_cursors."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from landbridge.ledger.model import HouseRole
from landbridge.payments.bridges.model import KIND as BRIDGE
from landbridge.payments.offramps.model import KIND as OFFRAMP
from landbridge.payments.receivables.model import KIND as RECEIVABLE
from landbridge.payments.virtual_accounts.model import MICRO_DEPOSIT_KIND
from landbridge.platform.db.pool import Tx
from landbridge.reporting.reconciliation.model import BookedMovement, reference_of

_LAST_PLACE = "select l.last_place from change_logs l where l.org_id = $1"

_OPEN = """
insert into recon_cursors (org_id, opened_place, read_place)
values ($1, $2, 0)
on conflict (org_id) do nothing
"""

_LOCK = """
select opened_place, read_place
from recon_cursors
where org_id = $1
for update
"""

_READ_TO = "select read_place from recon_cursors where org_id = $1"

_MOVE = "update recon_cursors set read_place = $2 where org_id = $1"

# Bridged coins in transit are on no chain: their burn is booked as an arrival on the other chain
# before they are minted there. Other coins in transit are at the organisation's addresses. A
# correction of an adjustment has the adjustment's reference. The lateral join looks up the rows of
# each change by its key, even if the planner expects many changes.
_MOVEMENTS = """
select c.object_id as record_id, c.facts, t.details, t.adjustment, e.asset, e.units
from change_batches b
cross join lateral (
    select x.org_id, x.object_id, x.seq, x.kind, x.facts
    from changes x
    where x.org_id = b.org_id and x.batch = b.number
    offset 0
) c
cross join lateral (
    select x.asset, -sum(x.available) as units
    from entries x
    where x.org_id = c.org_id and x.transfer_id = c.object_id and x.seq = c.seq
        and (x.role = $4 or (x.role = $5 and c.kind = $6)) and x.asset = any($7::text[])
    group by x.asset
    having sum(x.available) <> 0
    offset 0
) e
left join lateral (
    select x.details, y.details as adjustment
    from transfers x
    left join transfers y on y.org_id = x.org_id and y.kind = 'LEDGER.ADJUSTMENT'
        and y.id = case when x.kind = 'LEDGER.CORRECTION' then (x.request ->> 'transfer')::uuid end
    where x.org_id = c.org_id and x.id = c.object_id and c.seq = 1
    offset 0
) t on true
where b.org_id = $1
    and (b.place >= $2 and b.place < coalesce($3, 9223372036854775807)
        or $3::bigint is null and b.place is null)
"""


# Reads movements of one account at a bank, without those of sidecars, which its statements do not
# have. The reference is that of the bank's lines (payments/bank_files/counted_lines.py), or of an
# adjustment. Micro-deposits of earlier versions do not name their incoming payment: they are found
# by its time.
_BANK_MOVEMENTS = """
select c.object_id as record_id, e.asset, e.units,
    coalesce(y.details ->> 'difference_reference', p.reference, d.deposit_id, c.object_id::text)
        as reference,
    coalesce(p.is_alone, true) as is_alone, d.deposit_id
from change_batches b
cross join lateral (
    select x.org_id, x.object_id, x.seq
    from changes x
    where x.org_id = b.org_id and x.batch = b.number
    offset 0
) c
cross join lateral (
    select x.asset, -sum(x.available) as units
    from entries x
    where x.org_id = c.org_id and x.transfer_id = c.object_id and x.seq = c.seq
        and x.role = $4 and x.asset = $5
    group by x.asset
    having sum(x.available) <> 0
    offset 0
) e
left join transfers t on t.org_id = c.org_id and t.id = c.object_id
left join transfers y on y.org_id = c.org_id and y.kind = 'LEDGER.ADJUSTMENT'
    and y.id = case when t.kind = 'LEDGER.CORRECTION' then (t.request ->> 'transfer')::uuid
        else t.id end
left join lateral (
    select case when f.name is not null and (
            b.format = 'nacha' or exists (
                select from statement_lines l
                where l.org_id = b.org_id and l.payment_key = b.file_id
            )
        ) then f.name else b.record_id::text end as reference,
        coalesce(f.count, 1) = 1 as is_alone
    from bank_payments b
    left join bank_outbound_files f on f.org_id = b.org_id and f.id = b.file_id
    where b.org_id = c.org_id and b.record_id = c.object_id
        and b.returned_payment_id is null and not b.is_prenote
    order by b.queued_at desc
    limit 1
) p on true
cross join lateral (
    select coalesce(
        t.facts ->> 'incoming_payment_id',
        t.details ->> 'incoming_payment_id',
        t.details ->> 'deposit_id',
        case when t.kind = $6 then (
            select coalesce(
                x.facts ->> 'incoming_payment_id', x.details ->> 'incoming_payment_id'
            )
            from transfers x
            where x.org_id = c.org_id and x.id = (t.details ->> 'payment_id')::uuid
        ) end,
        case when t.kind = $8 then (
            select i.id::text from incoming_payments i
            where i.org_id = c.org_id and i.transfer_id = (t.details ->> 'virtual_account_id')::uuid
                and i.received_at = t.created_at
            limit 1
        ) end
    ) as deposit_id
) d
where b.org_id = $1
    and (b.place >= $2 and b.place < coalesce($3, 9223372036854775807)
        or $3::bigint is null and b.place is null)
    and (t.kind <> $7 or p.reference is not null)
"""

_CREDITED = """
select incoming_payment_id::text as deposit_id
from provider_credits
where org_id = $1 and incoming_payment_id = any($2::uuid[])
"""


async def lock_cursor(tx: Tx, org_id: UUID) -> tuple[int, int]:
    """Return where the organisation was opened and how far it was read; lock both."""
    row = await tx.fetchrow(_LOCK, org_id)
    if row is None:
        last_place = await tx.fetchval(_LAST_PLACE, org_id)
        await tx.execute(_OPEN, org_id, (last_place or 0) + 1)
        row = await tx.fetchrow(_LOCK, org_id)
    assert row is not None
    return row["opened_place"], row["read_place"]


async def read_to(tx: Tx, org_id: UUID) -> int:
    """Return the place up to which the log was read; the organisation must have a cursor."""
    return await tx.fetchval(_READ_TO, org_id)


async def move_cursor(tx: Tx, org_id: UUID, read_place: int) -> None:
    """Store the place up to which the log was read; the caller has locked the cursor."""
    await tx.execute(_MOVE, org_id, read_place)


async def booked(
    tx: Tx, org_id: UUID, assets: Sequence[str], *, since: int, until: int | None
) -> list[BookedMovement]:
    """Return the OUTSIDE movements of changes from the place `since` on.

    These are changes below the place `until` or, if it is None, all others, even without a place.
    """
    rows = await tx.fetch(
        _MOVEMENTS,
        org_id,
        since,
        until,
        HouseRole.OUTSIDE.value,
        HouseRole.IN_TRANSIT.value,
        BRIDGE,
        list(assets),
    )
    return [
        BookedMovement(
            row["record_id"],
            reference_of(
                row["record_id"],
                _json(row["details"]) | _json(row["adjustment"]) | _json(row["facts"]),
            ),
            row["asset"],
            int(row["units"]),
        )
        for row in rows
    ]


async def bank_booked(
    tx: Tx, org_id: UUID, asset: str, *, since: int, until: int | None
) -> list[BookedMovement]:
    """Return the ledger's movements of these changes into and out of a bank account."""
    rows = await tx.fetch(
        _BANK_MOVEMENTS,
        org_id,
        since,
        until,
        HouseRole.OUTSIDE.value,
        asset,
        RECEIVABLE,
        OFFRAMP,
        MICRO_DEPOSIT_KIND,
    )
    deposits = [row["deposit_id"] for row in rows if row["deposit_id"] is not None]
    credited = await tx.fetch(_CREDITED, org_id, deposits) if deposits else []
    by_sidecars = {row["deposit_id"] for row in credited}
    return [
        BookedMovement(
            row["record_id"] if row["is_alone"] else None,
            row["reference"],
            row["asset"],
            int(row["units"]),
        )
        for row in rows
        if row["deposit_id"] not in by_sidecars
    ]


def _json(text: str | None) -> dict[str, object]:
    return {} if text is None else msgspec.json.decode(text, type=dict[str, object])
