"""The reads of records and accounts. Nothing here writes, but for making empty accounts."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from landbridge.core.pages import Position
from landbridge.db.pool import Row, Tx
from landbridge.ledger.model import Opening, Outcome, Transfer

GET = """
select i.place, t.org_id, t.id, t.kind, t.user_id, t.request_id, t.request, t.status, t.version,
    t.source_asset, t.source_units, t.destination_asset, t.destination_units, t.details, t.facts,
    t.due_at, t.created_at, t.updated_at
from unnest($1::uuid[], $2::uuid[]) with ordinality as i (org_id, id, place)
join transfers t on t.org_id = i.org_id and t.id = i.id
"""

FIND_REQUEST = """
select org_id, id, kind, user_id, request_id, request, status, version, source_asset, source_units,
    destination_asset, destination_units, details, facts, due_at, created_at, updated_at
from transfers
where org_id = $1 and request_id = $2
"""

LIST = """
select org_id, id, kind, user_id, request_id, request, status, version, source_asset, source_units,
    destination_asset, destination_units, details, facts, due_at, created_at, updated_at
from transfers
where org_id = $1 and kind = $2 and created_at >= $3 and (created_at, id) < ($4, $5)
order by created_at desc, id desc
limit $6
"""

LIST_OF_USER = """
select org_id, id, kind, user_id, request_id, request, status, version, source_asset, source_units,
    destination_asset, destination_units, details, facts, due_at, created_at, updated_at
from transfers
where org_id = $1 and kind = $2 and created_at >= $3 and (created_at, id) < ($4, $5)
    and user_id = $7
order by created_at desc, id desc
limit $6
"""

# The record that came to rest at a moment: such moments are unique in an organisation.
RESTED_AT = """
select t.created_at, t.id
from changes c
join transfers t on t.org_id = c.org_id and t.id = c.object_id
where c.org_id = $1 and c.at = $2 and c.rests
order by t.created_at desc, t.id desc
limit 1
"""

# Each organisation has its own time. The worker reads this without locks: a record that two
# workers read is moved by one of them, the other loses the race.
DUE = """
select t.org_id, t.id, t.kind, t.user_id, t.request_id, t.request, t.status, t.version,
    t.source_asset, t.source_units, t.destination_asset, t.destination_units, t.details, t.facts,
    t.due_at, t.created_at, t.updated_at
from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, now)
cross join lateral (
    select org_id, id, kind, user_id, request_id, request, status, version, source_asset,
        source_units, destination_asset, destination_units, details, facts, due_at, created_at,
        updated_at
    from transfers
    where org_id = o.org_id and due_at <= o.now and id <> all ($4::uuid[])
    order by due_at
    limit $3
) t
order by t.due_at
limit $3
"""

NEXT_DUE = "select min(due_at) from transfers where org_id = $1 and due_at > $2 and due_at <= $3"

IS_OPENED = """
select exists (select from transfers where org_id = $1 and id = $2 and created_at = $3)
"""

OPEN_ACCOUNTS = """
insert into accounts (org_id, id, wallet_id, asset)
select $1, id, wallet_id, asset
from unnest($2::uuid[], $3::uuid[], $4::text[]) as a (id, wallet_id, asset)
on conflict do nothing
"""

FIND_ACCOUNTS = """
select i.place, a.id, a.available, a.held
from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality
    as i (org_id, wallet_id, asset, place)
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

# What waits has a due time or, in review, none: the two indexes that this reads hold no records
# that are at an end, so that it grows with what is under way and not with the years.
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


async def get_batch(tx: Tx, wanted: Sequence[tuple[UUID, UUID]]) -> list[Transfer | None]:
    """The records by (organisation, id), in the order asked."""
    rows = await tx.fetch(GET, [org_id for org_id, _ in wanted], [each for _, each in wanted])
    found: list[Transfer | None] = [None] * len(wanted)
    for row in rows:
        found[row["place"] - 1] = _transfer(row)
    return found


async def find_request(tx: Tx, org_id: UUID, request_id: UUID) -> Transfer | None:
    """The record that this request id made."""
    row = await tx.fetchrow(FIND_REQUEST, org_id, request_id)
    return None if row is None else _transfer(row)


async def list_transfers(
    tx: Tx,
    org_id: UUID,
    kind: str,
    user_id: UUID | None,
    *,
    after: datetime,
    before: Position,
    limit: int,
) -> list[Transfer]:
    """A page, newest first: created at or after `after`, and behind `before`."""
    bounds = (org_id, kind, after, before.created_at, before.id, limit)
    if user_id is None:
        rows = await tx.fetch(LIST, *bounds)
    else:
        rows = await tx.fetch(LIST_OF_USER, *bounds, user_id)
    return [_transfer(row) for row in rows]


async def rested_at(tx: Tx, org_id: UUID, moment: datetime) -> Position | None:
    """The list position of the record whose updatedAt is, or once was, this moment."""
    row = await tx.fetchrow(RESTED_AT, org_id, moment)
    return None if row is None else Position(row["created_at"], row["id"])


async def due(
    tx: Tx, clocks: Mapping[UUID, datetime], *, skip: Collection[UUID], limit: int
) -> list[Transfer]:
    """Records whose time has come, the longest due first, but for those to `skip`.

    `clocks` is the time per organisation.
    """
    rows = await tx.fetch(DUE, list(clocks), list(clocks.values()), limit, list(skip))
    return [_transfer(row) for row in rows]


async def next_due(tx: Tx, org_id: UUID, *, after: datetime, until: datetime) -> datetime | None:
    """The earliest due moment of an organisation's records between these."""
    return await tx.fetchval(NEXT_DUE, org_id, after, until)


async def own_openings(
    tx: Tx, openings: Sequence[Opening], outcomes: Sequence[Outcome]
) -> list[Outcome]:
    """Replace `KNOWN` by `DONE` for records that an attempt with a lost answer has opened."""
    own = list(outcomes)
    for item, each in enumerate(openings):
        is_known = own[item] is Outcome.KNOWN
        if is_known and await tx.fetchval(IS_OPENED, each.org_id, each.id, each.at):
            own[item] = Outcome.DONE
    return own


async def open_accounts(tx: Tx, org_id: UUID, accounts: Sequence[tuple[UUID, UUID, str]]) -> None:
    """Make accounts, each (id, wallet, asset); one that exists is left as it is."""
    await tx.execute(
        OPEN_ACCOUNTS,
        org_id,
        [each for each, _, _ in accounts],
        [wallet_id for _, wallet_id, _ in accounts],
        [asset for _, _, asset in accounts],
    )


async def find_accounts(
    tx: Tx, wanted: Sequence[tuple[UUID, UUID, str]]
) -> list[tuple[UUID, int, int] | None]:
    """(id, available, held) by (organisation, wallet, asset), in the order asked."""
    rows = await tx.fetch(
        FIND_ACCOUNTS,
        [org_id for org_id, _, _ in wanted],
        [wallet_id for _, wallet_id, _ in wanted],
        [asset for _, _, asset in wanted],
    )
    found: list[tuple[UUID, int, int] | None] = [None] * len(wanted)
    for row in rows:
        found[row["place"] - 1] = (row["id"], int(row["available"]), int(row["held"]))
    return found


async def wallet_ids(tx: Tx, org_id: UUID, accounts: Collection[UUID]) -> dict[UUID, UUID]:
    """Wallets by account, of those accounts that there are."""
    rows = await tx.fetch(WALLET_IDS, org_id, list(accounts))
    return {row["id"]: row["wallet_id"] for row in rows}


async def find_held(tx: Tx, org_id: UUID, wallet_ids: Collection[UUID]) -> str | None:
    """The asset of an account of these wallets that is not empty, if there is one."""
    return await tx.fetchval(FIND_HELD, org_id, list(wallet_ids))


async def find_unfinished(
    tx: Tx, org_id: UUID, user_id: UUID, ends: Sequence[tuple[str, str]]
) -> str | None:
    """The kind of a record of this user that is not at an end, each (kind, status), if any."""
    kinds, statuses = [kind for kind, _ in ends], [status for _, status in ends]
    return await tx.fetchval(FIND_UNFINISHED, org_id, user_id, kinds, statuses)


async def find_paying(
    tx: Tx,
    org_id: UUID,
    user_id: UUID,
    wallet_ids: Collection[UUID],
    ends: Sequence[tuple[str, str]],
) -> str | None:
    """The kind of another's record, not at an end, that names this user or one of the accounts."""
    kinds, statuses = [kind for kind, _ in ends], [status for _, status in ends]
    return await tx.fetchval(FIND_PAYING, org_id, user_id, list(wallet_ids), kinds, statuses)


def _transfer(row: Row) -> Transfer:
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
    )
