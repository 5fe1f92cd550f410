"""Reads of records and accounts. The only write creates empty accounts."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from landbridge.ledger.model import AdvanceTransfer, CommitOutcome, CreateTransfer, Transfer
from landbridge.platform.core.pagination import PagePosition, QueueWindow
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.worker_shares import WorkPart

GET = """
select i.position, t.org_id, t.id, t.kind, t.user_id, t.request_id, t.request, t.status, t.version,
    t.source_asset, t.source_units, t.destination_asset, t.destination_units, t.details, t.facts,
    t.due_at, t.created_at, t.updated_at,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = t.org_id and m.object_id = t.id
    ) as metadata
from unnest($1::uuid[], $2::uuid[]) with ordinality as i (org_id, id, position)
join transfers t on t.org_id = i.org_id and t.id = i.id
"""

FIND_REQUEST = """
select t.org_id, t.id, t.kind, t.user_id, t.request_id, t.request, t.status, t.version,
    t.source_asset, t.source_units, t.destination_asset, t.destination_units, t.details, t.facts,
    t.due_at, t.created_at, t.updated_at,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = t.org_id and m.object_id = t.id
    ) as metadata
from transfers t
where t.org_id = $1 and t.request_id = $2
"""

LIST = """
select t.org_id, t.id, t.kind, t.user_id, t.request_id, t.request, t.status, t.version,
    t.source_asset, t.source_units, t.destination_asset, t.destination_units, t.details, t.facts,
    t.due_at, t.created_at, t.updated_at,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = t.org_id and m.object_id = t.id
    ) as metadata
from transfers t
where t.org_id = $1 and t.kind = $2 and t.created_at >= $3 and (t.created_at, t.id) < ($4, $5)
order by t.created_at desc, t.id desc
limit $6
"""

LIST_OF_USER = """
select t.org_id, t.id, t.kind, t.user_id, t.request_id, t.request, t.status, t.version,
    t.source_asset, t.source_units, t.destination_asset, t.destination_units, t.details, t.facts,
    t.due_at, t.created_at, t.updated_at,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = t.org_id and m.object_id = t.id
    ) as metadata
from transfers t
where t.org_id = $1 and t.kind = $2 and t.created_at >= $3 and (t.created_at, t.id) < ($4, $5)
    and t.user_id = $7
order by t.created_at desc, t.id desc
limit $6
"""

# Finds the record with a settled change at a moment: such moments are unique per organisation.
SETTLED_AT = """
select t.created_at, t.id
from changes c
join transfers t on t.org_id = c.org_id and t.id = c.object_id
where c.org_id = $1 and c.occurred_at = $2 and c.is_settled
order by t.created_at desc, t.id desc
limit 1
"""

# Each organisation has its own clock. The worker reads without locks: if two workers read the same
# record, one advances it and the other loses the race. $5 and $6 are the worker's part of all ids
# (platform/db/worker_shares.py). Organisations alternate: the longest due record of each comes
# first, then the second of each, so that an organisation with many due records does not delay the
# others. The skipped ids are looked up by a hash: while a chain does not respond, all due records
# are skipped ones, and comparing each with each would be quadratic.
DUE = """
select t.org_id, t.id, t.kind, t.user_id, t.request_id, t.request, t.status, t.version,
    t.source_asset, t.source_units, t.destination_asset, t.destination_units, t.details, t.facts,
    t.due_at, t.created_at, t.updated_at, null as metadata
from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, now)
cross join lateral (
    select org_id, id, kind, user_id, request_id, request, status, version, source_asset,
        source_units, destination_asset, destination_units, details, facts, due_at, created_at,
        updated_at, row_number() over (order by due_at) as place
    from transfers
    where org_id = o.org_id and due_at <= o.now and id not in (select unnest($4::uuid[]))
        and ($6 = 1 or get_byte(uuid_send(id), 15) % $6::int = $5::int)
    order by due_at
    limit $3
) t
order by t.place, t.due_at
limit $3
"""

NEXT_DUE = "select min(due_at) from transfers where org_id = $1 and due_at > $2 and due_at <= $3"

IS_CREATED = """
select exists (select from transfers where org_id = $1 and id = $2 and created_at = $3)
"""

IS_ADVANCED = """
select exists (
    select from changes
    where org_id = $1 and object_id = $2 and seq = $3 and occurred_at = $4 and actor = $5
)
"""

CREATE_ACCOUNTS = """
insert into accounts (org_id, id, wallet_id, asset)
select $1, id, wallet_id, asset
from unnest($2::uuid[], $3::uuid[], $4::text[]) as a (id, wallet_id, asset)
on conflict do nothing
"""

FIND_ACCOUNTS = """
select i.position, a.id, a.available, a.held
from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality
    as i (org_id, wallet_id, asset, position)
join accounts a on a.org_id = i.org_id and a.wallet_id = i.wallet_id and a.asset = i.asset
"""

FIND_HELD = """
select asset
from accounts
where org_id = $1 and wallet_id = any($2::uuid[]) and (available <> 0 or held <> 0)
limit 1
"""

WALLET_IDS = """
select id, wallet_id
from accounts
where org_id = $1 and id = any($2::uuid[])
"""

FIND_UNFINISHED = """
select t.kind
from transfers t
where t.org_id = $1 and t.user_id = $2
    and not exists (
        select from unnest($3::text[], $4::text[]) as e (kind, status)
        where e.kind = t.kind and e.status = t.status
    )
limit 1
"""

# Records that wait have a due time or are in review. Both indexes used here exclude terminal
# records, so the cost grows with the records in progress and not with their history.
FIND_PAYING = """
with payee as (
    select jsonb_build_object('ids', jsonb_agg(e.id::text)) as vars
    from (
        select a.id
        from accounts a
        where a.org_id = $1 and a.wallet_id = any($3::uuid[])
        union all
        select $2::uuid
    ) e
), waiting as (
    select w.kind, w.status, w.user_id, w.details, w.facts
    from transfers w
    where w.org_id = $1 and w.due_at is not null
    union all
    select w.kind, w.status, w.user_id, w.details, w.facts
    from transfers w
    where w.org_id = $1 and w.due_at is null and w.status = 'IN_REVIEW'
)
select w.kind
from waiting w, payee p
where w.user_id <> $2
    and not exists (
        select from unnest($4::text[], $5::text[]) as e (kind, status)
        where e.kind = w.kind and e.status = w.status
    )
    and (
        jsonb_path_exists(w.details, '$.** ? (@ == $ids[*])', p.vars)
        or jsonb_path_exists(w.facts, '$.** ? (@ == $ids[*])', p.vars)
    )
limit 1
"""

# Reads the index of records by kind backwards.
OLDEST = """
select id
from transfers
where org_id = $1 and kind = $2 and status = any($3::text[])
    and (created_at, id) > ($4, $5) and created_at < $6
order by created_at, id
limit $7
"""


async def get_batch(tx: Tx, keys: Sequence[tuple[UUID, UUID]]) -> list[Transfer | None]:
    """Return records by (organisation, id), in the order of the keys; None for unknown ones."""
    rows = await tx.fetch(GET, [org_id for org_id, _ in keys], [each for _, each in keys])
    found: list[Transfer | None] = [None] * len(keys)
    for row in rows:
        found[row["position"] - 1] = as_transfer(row)
    return found


async def find_request(tx: Tx, org_id: UUID, request_id: UUID) -> Transfer | None:
    """Return the record with this request id; None if there is none."""
    row = await tx.fetchrow(FIND_REQUEST, org_id, request_id)
    return None if row is None else as_transfer(row)


async def list_transfers(
    tx: Tx,
    org_id: UUID,
    kind: str,
    user_id: UUID | None,
    *,
    after: datetime,
    before: PagePosition,
    limit: int,
) -> list[Transfer]:
    """Return a page, newest first, created at or after `after` and listed after `before`."""
    bounds = (org_id, kind, after, before.created_at, before.id, limit)
    if user_id is None:
        rows = await tx.fetch(LIST, *bounds)
    else:
        rows = await tx.fetch(LIST_OF_USER, *bounds, user_id)
    return [as_transfer(row) for row in rows]


async def find_settled_at(tx: Tx, org_id: UUID, moment: datetime) -> PagePosition | None:
    """Return the position of the record that has or had this moment as updatedAt, or None."""
    row = await tx.fetchrow(SETTLED_AT, org_id, moment)
    return None if row is None else PagePosition(row["created_at"], row["id"])


async def due(
    tx: Tx,
    clocks: Mapping[UUID, datetime],
    *,
    skip: Collection[UUID],
    limit: int,
    part: WorkPart,
) -> list[Transfer]:
    """Return due records of a part, the longest due of each organisation first, without `skip`.

    `clocks` has the current time of each organisation.
    """
    orgs, times = list(clocks), list(clocks.values())
    rows = await tx.fetch(DUE, orgs, times, limit, list(skip), part.index, part.count)
    return [as_transfer(row) for row in rows]


async def next_due(tx: Tx, org_id: UUID, *, after: datetime, until: datetime) -> datetime | None:
    """Return the earliest due time of an organisation's records in this interval; None without."""
    return await tx.fetchval(NEXT_DUE, org_id, after, until)


async def mark_own_creations(
    tx: Tx, creations: Sequence[CreateTransfer], outcomes: Sequence[CommitOutcome]
) -> list[CommitOutcome]:
    """Replace `DUPLICATE` by `DONE` for records that an earlier, unacknowledged attempt created."""
    own = list(outcomes)
    for item, each in enumerate(creations):
        is_known = own[item] is CommitOutcome.DUPLICATE
        if is_known and await tx.fetchval(IS_CREATED, each.org_id, each.id, each.at):
            own[item] = CommitOutcome.DONE
    return own


async def mark_own_moves(
    tx: Tx, moves: Sequence[AdvanceTransfer], outcomes: Sequence[CommitOutcome]
) -> list[CommitOutcome]:
    """Replace `STALE` by `DONE` for records that an earlier, unacknowledged attempt advanced."""
    own = list(outcomes)
    for item, each in enumerate(moves):
        record, seq = each.transfer, each.transfer.version + len(each.path)
        is_stale = own[item] is CommitOutcome.STALE
        if is_stale and await tx.fetchval(
            IS_ADVANCED, record.org_id, record.id, seq, each.at, each.actor
        ):
            own[item] = CommitOutcome.DONE
    return own


async def open_accounts(tx: Tx, org_id: UUID, accounts: Sequence[tuple[UUID, UUID, str]]) -> None:
    """Create accounts, each given as (id, wallet, asset); existing ones stay unchanged."""
    await tx.execute(
        CREATE_ACCOUNTS,
        org_id,
        [each for each, _, _ in accounts],
        [wallet_id for _, wallet_id, _ in accounts],
        [asset for _, _, asset in accounts],
    )


async def find_accounts(
    tx: Tx, keys: Sequence[tuple[UUID, UUID, str]]
) -> list[tuple[UUID, int, int] | None]:
    """Return (id, available, held) of these accounts in order; None for a missing account."""
    rows = await tx.fetch(
        FIND_ACCOUNTS,
        [org_id for org_id, _, _ in keys],
        [wallet_id for _, wallet_id, _ in keys],
        [asset for _, _, asset in keys],
    )
    found: list[tuple[UUID, int, int] | None] = [None] * len(keys)
    for row in rows:
        found[row["position"] - 1] = (row["id"], int(row["available"]), int(row["held"]))
    return found


async def wallet_ids(tx: Tx, org_id: UUID, accounts: Collection[UUID]) -> dict[UUID, UUID]:
    """Return the wallet of each of these accounts that exists."""
    rows = await tx.fetch(WALLET_IDS, org_id, list(accounts))
    return {row["id"]: row["wallet_id"] for row in rows}


async def find_held_asset(tx: Tx, org_id: UUID, wallet_ids: Collection[UUID]) -> str | None:
    """Return the asset of a non-empty account of these wallets; None if all are empty."""
    return await tx.fetchval(FIND_HELD, org_id, list(wallet_ids))


async def find_unfinished_kind(
    tx: Tx, org_id: UUID, user_id: UUID, terminal: Sequence[tuple[str, str]]
) -> str | None:
    """Return the kind of a non-terminal record of this user; None if there is none.

    `terminal` lists the terminal (kind, status) pairs.
    """
    kinds, statuses = [kind for kind, _ in terminal], [status for _, status in terminal]
    return await tx.fetchval(FIND_UNFINISHED, org_id, user_id, kinds, statuses)


async def find_incoming_kind(
    tx: Tx,
    org_id: UUID,
    user_id: UUID,
    wallet_ids: Collection[UUID],
    terminal: Sequence[tuple[str, str]],
) -> str | None:
    """Return the kind of another user's non-terminal record that references this user, or None.

    A reference is the user's id, or the id of an account of these wallets.
    """
    kinds, statuses = [kind for kind, _ in terminal], [status for _, status in terminal]
    return await tx.fetchval(FIND_PAYING, org_id, user_id, list(wallet_ids), kinds, statuses)


async def oldest(
    tx: Tx, org_id: UUID, kind: str, statuses: Collection[str], window: QueueWindow
) -> Sequence[UUID]:
    """Return the ids of records of a kind and of these statuses, the oldest first."""
    rows = await tx.fetch(OLDEST, org_id, kind, list(statuses), *window.bounds)
    return [row["id"] for row in rows]


def as_transfer(row: Row) -> Transfer:
    """Convert a row to a record."""
    metadata = row["metadata"]
    return Transfer(
        org_id=row["org_id"],
        id=row["id"],
        kind=row["kind"],
        user_id=row["user_id"],
        request_id=row["request_id"],
        request=msgspec.json.decode(row["request"]),
        status=row["status"],
        version=row["version"],
        source_asset=row["source_asset"],
        source_units=int(row["source_units"]),
        destination_asset=row["destination_asset"],
        destination_units=int(row["destination_units"]),
        details=msgspec.json.decode(row["details"]),
        facts=msgspec.json.decode(row["facts"]),
        due_at=row["due_at"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        metadata=None if metadata is None else msgspec.json.decode(metadata),
    )
