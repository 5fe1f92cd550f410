"""Statements of endpoint workers on deliveries. Each concerns one endpoint.

Rows are found by (id, day); without a day, the indexes of all days are searched.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

import msgspec
from msgspec import structs

from landbridge.developers.webhooks.model import RETRY_WINDOW, Delivery
from landbridge.developers.webhooks.rows import as_delivery
from landbridge.platform.changes.model import LogPosition
from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import column_arrays

# Idempotent, since a connection may be lost after the commit.
_ADD = """
insert into webhook_deliveries (
    org_id, id, day, endpoint_id, round, place, object_id, seq, part, event_type, event_at, status,
    due_at, deadline_at, attempt_count, attempts, created_at, updated_at, owner_id, sealed_responses
)
select $1, n.id, n.day, $2, n.round, n.place, n.object_id, n.seq, n.part, n.event_type,
    n.event_at, n.status, n.due_at, n.deadline_at, n.attempt_count, n.attempts::jsonb,
    n.created_at, n.updated_at, n.owner_id, n.sealed_responses
from unnest(
    $3::uuid[], $4::date[], $5::integer[], $6::bigint[], $7::uuid[], $8::integer[],
    $9::smallint[],
    $10::text[], $11::timestamptz[], $12::text[], $13::timestamptz[], $14::timestamptz[],
    $15::integer[], $16::text[], $17::timestamptz[], $18::timestamptz[], $19::uuid[], $20::bytea[]
) as n (
    id, day, round, place, object_id, seq, part, event_type, event_at, status, due_at, deadline_at,
    attempt_count, attempts, created_at, updated_at, owner_id, sealed_responses
)
on conflict (org_id, id, day) do nothing
"""

# A delivery resent during this attempt is tried once more, whatever the outcome, unless it
# succeeded. Its deadline identifies the resend.
_CHANGE = """
update webhook_deliveries d
set status = case when d.deadline_at = n.deadline_at or n.status = 'DELIVERED'
        then n.status else d.status end,
    due_at = case when d.deadline_at = n.deadline_at or n.status = 'DELIVERED'
        then n.due_at else d.due_at end,
    attempt_count = n.attempt_count, attempts = n.attempts::jsonb, updated_at = n.updated_at,
    owner_id = n.owner_id, sealed_responses = n.sealed_responses
from unnest(
    $3::uuid[], $4::date[], $5::text[], $6::timestamptz[], $7::integer[], $8::text[],
    $9::timestamptz[], $10::uuid[], $11::bytea[], $12::timestamptz[]
) as n (
    id, day, status, due_at, attempt_count, attempts, updated_at, owner_id, sealed_responses,
    deadline_at
)
where d.org_id = $1 and d.endpoint_id = $2 and d.id = n.id and d.day = n.day
    and d.status = 'PENDING'
"""

# Only the first row of each object, so that an object with many rows hides no other.
_DUE = """
select d.org_id, d.id, d.day, d.endpoint_id, d.round, d.place, d.object_id, d.seq, d.part,
    d.event_type, d.event_at, d.status, d.due_at, d.deadline_at, d.attempt_count,
    d.attempts::text, d.created_at, d.updated_at, d.owner_id, d.sealed_responses
from webhook_deliveries d
where d.org_id = $1 and d.endpoint_id = $2 and d.status = 'PENDING' and d.due_at <= $3
    and (
        select (b.place, b.seq, b.part) >= (d.place, d.seq, d.part)
        from webhook_deliveries b
        where b.org_id = $1 and b.endpoint_id = $2 and b.object_id = d.object_id
            and b.status = 'PENDING'
        order by b.place, b.seq, b.part
        limit 1
    )
order by d.due_at, d.place, d.object_id, d.seq, d.part
limit $4
"""

_PENDING = """
select object_id, count(*) as rows
from webhook_deliveries
where org_id = $1 and endpoint_id = $2 and status = 'PENDING'
group by object_id
"""

_COUNT = """
select count(*)
from webhook_deliveries
where org_id = $1 and endpoint_id = $2 and status = 'PENDING'
"""

# The first pending row of each object.
_FIRST = """
select o.object_id, p.id, p.day, p.due_at
from unnest($3::uuid[]) as o (object_id)
cross join lateral (
    select d.id, d.day, d.due_at
    from webhook_deliveries d
    where d.org_id = $1 and d.endpoint_id = $2 and d.object_id = o.object_id
        and d.status = 'PENDING'
    order by d.place, d.seq, d.part
    limit 1
) p
"""

# A delivery never attempted and long past its deadline (after a clock advance) gets another day.
_MAKE_DUE = """
update webhook_deliveries d
set due_at = $3, updated_at = $3,
    deadline_at = case when d.attempt_count = 0 and d.deadline_at < $6::timestamptz
        then $7::timestamptz else d.deadline_at end
from unnest($4::uuid[], $5::date[]) as n (id, day)
where d.org_id = $1 and d.endpoint_id = $2 and d.id = n.id and d.day = n.day
    and d.status = 'PENDING'
"""

# Several resent deliveries of one object may be due at once. If the first fails, the others wait.
_WAIT_BEHIND = """
update webhook_deliveries d
set due_at = null
from unnest($3::uuid[], $4::bigint[], $5::integer[], $6::smallint[])
    as n (object_id, place, seq, part)
where d.org_id = $1 and d.endpoint_id = $2 and d.object_id = n.object_id
    and d.status = 'PENDING' and d.due_at is not null
    and (d.place, d.seq, d.part) > (n.place, n.seq, n.part)
"""

_LAST = """
select place, object_id, seq
from webhook_deliveries
where org_id = $1 and endpoint_id = $2 and place >= $4 and round = $3
order by place desc, object_id desc, seq desc
limit 1
"""

# The same with replay rounds: an index skips the rows of earlier rounds.
_LAST_OF_ROUND = """
select place, object_id, seq
from webhook_deliveries
where org_id = $1 and endpoint_id = $2 and round = $3 and round > 1 and place >= $4
order by place desc, object_id desc, seq desc
limit 1
"""

_LATEST = """
select distinct on (object_id) object_id, seq, part
from webhook_deliveries
where org_id = $1 and endpoint_id = $2 and round = $3
    and (place, object_id, seq) > ($4, $5, $6)
order by object_id, seq desc, part desc
"""

# Earlier rows were dropped with their day.
_RELEASE_WAITING = """
update webhook_deliveries d
set due_at = d.created_at
from (
    select distinct on (p.object_id) p.id, p.day, p.due_at
    from webhook_deliveries p
    where p.org_id = $1 and p.endpoint_id = $2 and p.status = 'PENDING'
    order by p.object_id, p.place, p.seq, p.part
) first
where d.org_id = $1 and d.id = first.id and d.day = first.day and first.due_at is null
"""


@dataclass(frozen=True, slots=True)
class FirstPending:
    """First pending delivery of an object; `due_at` is None if it only waited."""

    object_id: UUID
    id: UUID
    day: date
    due_at: datetime | None


async def add(tx: Tx, org_id: UUID, endpoint_id: UUID, rows: Sequence[Delivery]) -> None:
    """Insert deliveries without a row, as returned by `receiver_responses.seal`."""
    await tx.execute(
        _ADD,
        org_id,
        endpoint_id,
        *column_arrays(
            _ADD,
            rows,
            object_id=[each.key.object_id for each in rows],
            seq=[each.key.seq for each in rows],
            part=[each.key.part for each in rows],
            attempts=[_json(each) for each in rows],
        ),
    )


async def change(tx: Tx, org_id: UUID, endpoint_id: UUID, rows: Sequence[Delivery]) -> None:
    """Store the outcomes of pending deliveries, as returned by `receiver_responses.seal`."""
    await tx.execute(
        _CHANGE,
        org_id,
        endpoint_id,
        *column_arrays(_CHANGE, rows, attempts=[_json(each) for each in rows]),
    )


async def due(
    tx: Tx, org_id: UUID, endpoint_id: UUID, now: datetime, *, limit: int
) -> Sequence[Delivery]:
    """Return the first delivery of each object that is due for a retry, the longest due first."""
    return [as_delivery(row) for row in await tx.fetch(_DUE, org_id, endpoint_id, now, limit)]


async def pending(tx: Tx, org_id: UUID, endpoint_id: UUID) -> dict[UUID, int]:
    """Return the number of pending deliveries by object."""
    return {row["object_id"]: row["rows"] for row in await tx.fetch(_PENDING, org_id, endpoint_id)}


async def count(tx: Tx, org_id: UUID, endpoint_id: UUID) -> int:
    """Return the number of pending deliveries."""
    return await tx.fetchval(_COUNT, org_id, endpoint_id)


async def first(
    tx: Tx, org_id: UUID, endpoint_id: UUID, object_ids: Collection[UUID]
) -> Sequence[FirstPending]:
    """Return the first pending delivery of each of these objects."""
    rows = await tx.fetch(_FIRST, org_id, endpoint_id, list(object_ids))
    return [FirstPending(row["object_id"], row["id"], row["day"], row["due_at"]) for row in rows]


async def make_due(
    tx: Tx, org_id: UUID, endpoint_id: UUID, rows: Collection[FirstPending], at: datetime
) -> None:
    """Make deliveries due that waited behind an earlier one."""
    ids, days = [each.id for each in rows], [each.day for each in rows]
    bounds = (at - RETRY_WINDOW, at + RETRY_WINDOW)
    await tx.execute(_MAKE_DUE, org_id, endpoint_id, at, ids, days, *bounds)


async def wait_behind(tx: Tx, org_id: UUID, endpoint_id: UUID, rows: Sequence[Delivery]) -> None:
    """Make later deliveries of the same objects wait until these are finished."""
    await tx.execute(
        _WAIT_BEHIND,
        org_id,
        endpoint_id,
        [each.key.object_id for each in rows],
        [each.place for each in rows],
        [each.key.seq for each in rows],
        [each.key.part for each in rows],
    )


async def last(
    tx: Tx, org_id: UUID, endpoint_id: UUID, *, round_: int, after: LogPosition
) -> LogPosition | None:
    """Return the last change with a row of this round after `after`, if any."""
    sql = _LAST if round_ == 1 else _LAST_OF_ROUND
    row = await tx.fetchrow(sql, org_id, endpoint_id, round_, after.place)
    if row is None:
        return None
    found = LogPosition(row["place"], row["object_id"], row["seq"])
    return found if found > after else None


async def latest(
    tx: Tx, org_id: UUID, endpoint_id: UUID, *, round_: int, after: LogPosition
) -> dict[UUID, tuple[int, int]]:
    """Return each object's latest (seq, part) with a row of this round after a position."""
    rows = await tx.fetch(
        _LATEST, org_id, endpoint_id, round_, after.place, after.object_id, after.seq
    )
    return {row["object_id"]: (row["seq"], row["part"]) for row in rows}


async def release_waiting(tx: Tx, org_id: UUID, endpoint_id: UUID) -> None:
    """Release deliveries that no longer wait for an earlier one."""
    await tx.execute(_RELEASE_WAITING, org_id, endpoint_id)


def _json(row: Delivery) -> str:
    """Encode the attempts without their responses, which are sealed."""
    attempts = [
        structs.replace(each, answer=None) if each.answer else each for each in row.attempts
    ]
    return msgspec.json.encode(attempts).decode()
