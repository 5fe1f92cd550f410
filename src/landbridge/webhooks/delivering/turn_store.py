"""Who delivers to an endpoint: a turn is one worker's, by a mark of its own, and ends by itself.

Until when a turn lasts is real time; whose it is, is decided by the mark alone.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.changes.model import Place
from landbridge.db.pool import Row, Tx
from landbridge.webhooks.model import Status

# Where the log goes on behind what was read; also at endpoints whose turn is one of ours. Ordered
# within, so that each goes by the index of that order, however few rows there were when planned.
_WITH_NEWS = """
select e.org_id, e.id
from unnest($1::uuid[]) as o (org_id)
cross join lateral (
    select w.org_id, w.id, w.read_tx, w.read_object_id, w.read_seq
    from webhook_endpoints w
    where w.org_id = o.org_id and w.status = 'ACTIVE' and w.deleted_at is null
        and (w.leased_until is null or w.leased_until <= $2 or w.leased_by = any($3::uuid[]))
    order by w.id
) e
cross join lateral (
    select c.tx
    from changes c
    where c.org_id = e.org_id and c.tx >= e.read_tx
        and c.tx < pg_snapshot_xmin(pg_current_snapshot())
        and (c.tx, c.object_id, c.seq) > (e.read_tx, e.read_object_id, e.read_seq)
    order by c.tx
    limit 1
) news
"""

_WITH_DUE = """
select e.org_id, e.id
from unnest($1::uuid[], $4::timestamptz[]) as o (org_id, now)
cross join lateral (
    select w.org_id, w.id
    from webhook_endpoints w
    where w.org_id = o.org_id and w.status = 'ACTIVE' and w.deleted_at is null
        and (w.leased_until is null or w.leased_until <= $2 or w.leased_by = any($3::uuid[]))
    order by w.id
) e
cross join lateral (
    select d.due_at
    from webhook_deliveries d
    where d.org_id = e.org_id and d.endpoint_id = e.id and d.status = 'PENDING'
        and d.due_at is not null
    order by d.due_at
    limit 1
) first
where first.due_at <= o.now
"""

# Nobody waits for one that is locked: others have their turns meanwhile. Run again after a commit
# that was not acknowledged, it finds its own mark.
_TAKE = """
update webhook_endpoints e
set leased_by = $3, leased_until = $4
from (
    select w.org_id, w.id
    from webhook_endpoints w
    where w.org_id = $1 and w.id = $2 and w.status = 'ACTIVE' and w.deleted_at is null
        and (w.leased_until is null or w.leased_until <= $5 or w.leased_by = $3)
    for no key update skip locked
) free
where e.org_id = $1 and e.org_id = free.org_id and e.id = free.id
returning e.id
"""

# A place that somebody else set meanwhile stays: the version has changed with it.
_HOLD = """
update webhook_endpoints
set leased_until = $5,
    read_tx = case when version = $6 then $7::text::xid8 else read_tx end,
    read_object_id = case when version = $6 then $8 else read_object_id end,
    read_seq = case when version = $6 then $9 else read_seq end
where org_id = $1 and id = $2 and leased_by = $3 and round = $4
returning version, status, deleted_at is not null as is_deleted
"""

_LOOK = """
select version, status, deleted_at is not null as is_deleted
from webhook_endpoints
where org_id = $1 and id = $2 and leased_by = $3
"""

# Also one that was taken away, and nobody's since: until then nobody else begins. One that is
# locked ends by itself.
_GIVE_BACK = """
update webhook_endpoints e
set leased_by = null, leased_until = null
from (
    select w.org_id, w.id
    from webhook_endpoints w
    where w.org_id = $1 and w.id = $2
        and (w.leased_by = $3 or (w.leased_by is null and w.leased_until = $4))
    for no key update skip locked
) ours
where e.org_id = $1 and e.org_id = ours.org_id and e.id = ours.id
"""

# Paused ones are not tried.
_PENDING = """
select count(*)
from unnest($1::uuid[]) as o (org_id)
join webhook_endpoints e on e.org_id = o.org_id and e.status = 'ACTIVE' and e.deleted_at is null
join webhook_deliveries d
    on d.org_id = e.org_id and d.endpoint_id = e.id and d.status = 'PENDING'
"""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn at an endpoint; `until` is in real time."""

    org_id: UUID
    endpoint_id: UUID
    mark: UUID
    until: datetime


@dataclass(frozen=True, slots=True)
class Standing:
    """What an endpoint is when a turn is held on to."""

    version: int
    is_served: bool


async def with_news(
    tx: Tx, org_ids: Collection[UUID], now: datetime, marks: Collection[UUID]
) -> Sequence[tuple[UUID, UUID]]:
    """(organisation, endpoint) where the log goes on, and whose turn is free or one of these."""
    rows = await tx.fetch(_WITH_NEWS, list(org_ids), now, list(marks))
    return [(row["org_id"], row["id"]) for row in rows]


async def with_due(
    tx: Tx, clocks: Mapping[UUID, datetime], now: datetime, marks: Collection[UUID]
) -> Sequence[tuple[UUID, UUID]]:
    """(organisation, endpoint) where something is to be tried again by these clocks; likewise."""
    rows = await tx.fetch(_WITH_DUE, list(clocks), now, list(marks), list(clocks.values()))
    return [(row["org_id"], row["id"]) for row in rows]


async def take(tx: Tx, turn: Turn, now: datetime) -> bool:
    """Begin a turn; False if somebody else has, or the endpoint is locked, or not to be served."""
    taken = await tx.fetchval(_TAKE, turn.org_id, turn.endpoint_id, turn.mark, turn.until, now)
    return taken is not None


async def hold(
    tx: Tx, turn: Turn, *, round_: int, version: int, until: datetime, read_to: Place
) -> Standing | None:
    """Go on with a turn, and say how far the log was read; None if the turn is lost.

    Locks the endpoint, so that nobody takes the turn before this transaction is committed.
    """
    row = await tx.fetchrow(
        _HOLD,
        *(turn.org_id, turn.endpoint_id, turn.mark, round_, until, version),
        *(str(read_to.tx), read_to.object_id, read_to.seq),
    )
    return _standing(row)


async def look(tx: Tx, turn: Turn) -> Standing | None:
    """What the endpoint is at present; None if the turn is lost."""
    return _standing(await tx.fetchrow(_LOOK, turn.org_id, turn.endpoint_id, turn.mark))


async def give_back(tx: Tx, turn: Turn) -> None:
    """End a turn that nothing is done in any more; nothing if it is somebody else's by now."""
    await tx.execute(_GIVE_BACK, turn.org_id, turn.endpoint_id, turn.mark, turn.until)


async def pending(tx: Tx, org_ids: Collection[UUID]) -> int:
    """How many deliveries are pending at active endpoints, of all these organisations."""
    return await tx.fetchval(_PENDING, list(org_ids))


def _standing(row: Row | None) -> Standing | None:
    if row is None:
        return None
    is_served = row["status"] == Status.ACTIVE and not row["is_deleted"]
    return Standing(row["version"], is_served)
