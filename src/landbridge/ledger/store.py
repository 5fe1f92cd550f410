"""The two statements that move all money and all states, and one that only puts off.

`OPEN` and `ADVANCE` take flat arrays: one row per item, one per station of an item's path, one
per posting; `item` numbers tie them together. See the package's docstring for what they promise.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from landbridge.changes.service import prove_change
from landbridge.core.money import Money
from landbridge.db.pool import Tx
from landbridge.ledger.digests import digest_of_opening
from landbridge.ledger.model import Move, Opening, Outcome, Posting, Role, Transfer

# Records before wallets, each in sorted order: every transaction that moves money takes its locks
# here and in this order, so no two can wait for each other. The second part waits for the first.
# $5 is the lock timeout of the whole transaction; null keeps the connection's own. It is set here
# because a statement of its own would be another round trip.
LOCK = """
with timeout as materialized (
    select set_config('lock_timeout', $5, true) where $5::text is not null
), locked as materialized (
    select 1
    from transfers
    where (org_id, id) in (select * from unnest($1::uuid[], $2::uuid[]))
      and (select count(*) from timeout) >= 0
    order by org_id, id
    for update
)
select 1
from accounts
where (org_id, id) in (select * from unnest($3::uuid[], $4::uuid[]))
  and (select count(*) from locked) >= 0
order by org_id, id
for update
"""

# A record is known by its request id or, if its flow derives that, by its own id.
# Taken from a wallet is judged per item, because no two items of a batch touch the same wallet.
# $31 is the lock timeout, as $5 of `LOCK`: the insert waits for another one of the same request id.
OPEN = """
with timeout as materialized (
    select set_config('lock_timeout', $31, true) where $31::text is not null
), item as (
    select *
    from unnest(
        $1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::text[], $7::text[],
        $8::int[], $9::text[], $10::numeric[], $11::text[], $12::numeric[], $13::text[],
        $14::timestamptz[], $15::timestamptz[], $16::text[], $17::bytea[]
    ) with ordinality as i (
        org_id, id, kind, user_id, request_id, request, status, version, source_asset,
        source_units, destination_asset, destination_units, details, due_at, at, actor,
        opened_digest, item
    )
), station as (
    select *
    from unnest($18::int[], $19::int[], $20::text[], $21::text[], $22::boolean[])
        as s (item, seq, status_before, status_after, rests)
), posting as (
    select *
    from unnest(
        $23::int[], $24::int[], $25::int[], $26::uuid[], $27::text[], $28::text[],
        $29::numeric[], $30::numeric[]
    ) as p (item, seq, line, account_id, role, asset, available, held)
), known as (
    select i.item
    from item i
    join transfers t on t.org_id = i.org_id and t.request_id = i.request_id
), taken as (
    select p.item, i.org_id, p.account_id, p.asset,
        sum(p.available) as available, sum(p.held) as held
    from posting p
    join item i on i.item = p.item
    where p.account_id is not null
    group by p.item, i.org_id, p.account_id, p.asset
), refused as (
    select t.item, bool_or(a.id is null) as is_stray
    from taken t
    left join accounts a on a.org_id = t.org_id and a.id = t.account_id and a.asset = t.asset
    where a.id is null or a.available + t.available < 0 or a.held + t.held < 0
    group by t.item
), opened as (
    insert into transfers (
        org_id, id, kind, user_id, request_id, request, status, version, source_asset,
        source_units, destination_asset, destination_units, details, due_at, created_at, updated_at
    )
    select org_id, id, kind, user_id, request_id, request::jsonb, status, version, source_asset,
        source_units, destination_asset, destination_units, details::jsonb, due_at, at, at
    from item
    where item not in (select item from known) and item not in (select item from refused)
        and (select count(*) from timeout) >= 0
    order by org_id, request_id
    on conflict do nothing
    returning org_id, id
), done as (
    select i.item, i.org_id, i.id, i.kind, i.at, i.actor, i.opened_digest
    from opened o
    join item i on i.org_id = o.org_id and i.id = o.id
), paid as (
    update accounts a
    set available = a.available + t.available, held = a.held + t.held
    from taken t
    join done d on d.item = t.item
    where a.org_id = t.org_id and a.id = t.account_id
), written as (
    insert into entries
        (org_id, transfer_id, seq, line, account_id, role, asset, available, held, at)
    select d.org_id, d.id, p.seq, p.line, p.account_id, p.role, p.asset, p.available, p.held, d.at
    from posting p
    join done d on d.item = p.item
), told as (
    insert into changes (
        org_id, object_id, seq, kind, what, status_before, status_after, actor, at, rests, tx,
        opened_digest
    )
    select d.org_id, d.id, s.seq, d.kind, 'open', s.status_before, s.status_after, d.actor, d.at,
        s.rests, pg_current_xact_id(), case when s.seq = 1 then d.opened_digest end
    from station s
    join done d on d.item = s.item
)
select case
        when d.item is not null then 'done'
        when k.item is not null or r.item is null then 'known'
        when r.is_stray then 'stray'
        else 'short'
    end as outcome
from item i
left join done d on d.item = i.item
left join known k on k.item = i.item
left join refused r on r.item = i.item
order by i.item
"""

ADVANCE = """
with item as (
    select *
    from unnest(
        $1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::int[], $6::text[], $7::text[],
        $8::timestamptz[], $9::timestamptz[], $10::text[], $11::text[], $12::text[],
        $13::numeric[], $14::text[], $15::numeric[]
    ) with ordinality as i (
        org_id, id, version_before, status, version, facts, timing, due_at, at, what, actor,
        source_asset, source_units, destination_asset, destination_units, item
    )
), station as (
    select *
    from unnest($16::int[], $17::int[], $18::text[], $19::text[], $20::boolean[])
        as s (item, seq, status_before, status_after, rests)
), posting as (
    select *
    from unnest(
        $21::int[], $22::int[], $23::int[], $24::uuid[], $25::text[], $26::text[],
        $27::numeric[], $28::numeric[]
    ) as p (item, seq, line, account_id, role, asset, available, held)
), taken as (
    select p.item, i.org_id, p.account_id, p.asset,
        sum(p.available) as available, sum(p.held) as held
    from posting p
    join item i on i.item = p.item
    where p.account_id is not null
    group by p.item, i.org_id, p.account_id, p.asset
), refused as (
    select t.item, bool_or(a.id is null) as is_stray
    from taken t
    left join accounts a on a.org_id = t.org_id and a.id = t.account_id and a.asset = t.asset
    where a.id is null or a.available + t.available < 0 or a.held + t.held < 0
    group by t.item
), verdict as (
    select i.*, t.kind, case
            when t.version is distinct from i.version_before then 'lost'
            when i.timing = 'in time' and i.at >= t.due_at then 'late'
            when i.timing = 'overdue' and (t.due_at is null or i.at < t.due_at) then 'early'
            when r.is_stray then 'stray'
            when r.item is not null then 'short'
            else 'done'
        end as outcome
    from item i
    left join transfers t on t.org_id = i.org_id and t.id = i.id
    left join refused r on r.item = i.item
), moved as (
    update transfers t
    set status = v.status, version = v.version, facts = t.facts || v.facts::jsonb,
        due_at = v.due_at, updated_at = v.at,
        source_asset = coalesce(v.source_asset, t.source_asset),
        source_units = coalesce(v.source_units, t.source_units),
        destination_asset = coalesce(v.destination_asset, t.destination_asset),
        destination_units = coalesce(v.destination_units, t.destination_units)
    from verdict v
    where v.outcome = 'done' and t.org_id = v.org_id and t.id = v.id
), paid as (
    update accounts a
    set available = a.available + t.available, held = a.held + t.held
    from taken t
    join verdict v on v.item = t.item and v.outcome = 'done'
    where a.org_id = t.org_id and a.id = t.account_id
), written as (
    insert into entries
        (org_id, transfer_id, seq, line, account_id, role, asset, available, held, at)
    select v.org_id, v.id, p.seq, p.line, p.account_id, p.role, p.asset, p.available, p.held, v.at
    from posting p
    join verdict v on v.item = p.item and v.outcome = 'done'
), told as (
    insert into changes (
        org_id, object_id, seq, kind, what, status_before, status_after, actor, facts, at, rests,
        tx
    )
    select v.org_id, v.id, s.seq, v.kind, v.what, s.status_before, s.status_after, v.actor,
        case when s.rests and v.facts <> '{}' then v.facts::jsonb end, v.at, s.rests,
        -- A transaction that began first may move a record last; see changes/store.py.
        greatest(pg_current_xact_id(), p.tx)
    from station s
    join verdict v on v.item = s.item and v.outcome = 'done'
    left join changes p
        on p.org_id = v.org_id and p.object_id = v.id and p.seq = v.version_before
)
select outcome from verdict order by item
"""

# Nothing has happened, so there is no change to tell of: the version stays, and with it who wins.
# Run again after a commit that was not acknowledged, it finds the new due time.
POSTPONE = """
update transfers
set due_at = $5, facts = facts || $6::jsonb
where org_id = $1 and id = $2 and version = $3 and due_at in ($4, $5)
returning 1
"""

_encode = msgspec.json.Encoder().encode


async def open_batch(
    tx: Tx, openings: Sequence[Opening], *, lock_timeout: str | None = None
) -> list[Outcome]:
    """Run `OPEN`; the caller holds the locks if there are postings."""
    rows = await tx.fetch(
        OPEN,
        [each.org_id for each in openings],
        [each.id for each in openings],
        [each.kind for each in openings],
        [each.user_id for each in openings],
        [each.request_id for each in openings],
        [_json(each.request) for each in openings],
        [each.path[-1] for each in openings],
        [len(each.path) for each in openings],
        [each.source.asset.code for each in openings],
        [each.source.units for each in openings],
        [each.destination.asset.code for each in openings],
        [each.destination.units for each in openings],
        [_json(each.details) for each in openings],
        [each.due_at for each in openings],
        [each.at for each in openings],
        [each.actor for each in openings],
        [digest_of_opening(each) for each in openings],
        *_stations((0, None, each.path) for each in openings),
        *_postings((0, each.journals) for each in openings),
        lock_timeout,
    )
    outcomes = [Outcome(row["outcome"]) for row in rows]
    for opening, outcome in zip(openings, outcomes, strict=True):
        if outcome is Outcome.DONE:
            prove_change(opening.org_id, opening.id, len(opening.path), opening.at)
    return outcomes


async def advance_batch(tx: Tx, moves: Sequence[Move]) -> list[Outcome]:
    """Run `ADVANCE`; the caller holds the locks."""
    rows = await tx.fetch(
        ADVANCE,
        [each.transfer.org_id for each in moves],
        [each.transfer.id for each in moves],
        [each.transfer.version for each in moves],
        [each.path[-1] for each in moves],
        [each.transfer.version + len(each.path) for each in moves],
        [_json(each.facts) for each in moves],
        [each.timing.value for each in moves],
        [each.due_at for each in moves],
        [each.at for each in moves],
        [each.what for each in moves],
        [each.actor for each in moves],
        *_amounts([each.source for each in moves]),
        *_amounts([each.destination for each in moves]),
        *_stations((each.transfer.version, each.transfer.status, each.path) for each in moves),
        *_postings((each.transfer.version, each.journals) for each in moves),
    )
    outcomes = [Outcome(row["outcome"]) for row in rows]
    for move, outcome in zip(moves, outcomes, strict=True):
        if outcome is Outcome.DONE:
            seq = move.transfer.version + len(move.path)
            prove_change(move.transfer.org_id, move.transfer.id, seq, move.at)
    return outcomes


async def postpone(tx: Tx, record: Transfer, due_at: datetime, facts: Mapping[str, Any]) -> bool:
    """Run `POSTPONE`; whether the record was still as it was read."""
    done = await tx.fetchval(
        POSTPONE,
        record.org_id,
        record.id,
        record.version,
        record.due_at,
        due_at,
        _json(facts),
    )
    return done is not None


async def lock(
    tx: Tx,
    *,
    transfers: Iterable[tuple[UUID, UUID]],
    accounts: Iterable[tuple[UUID, UUID]],
    lock_timeout: str | None = None,
) -> None:
    """Take the locks of a batch; each is (organisation, id).

    `lock_timeout`, as in `250ms`, holds until the transaction ends.
    """
    records, wallets = list(transfers), list(accounts)
    await tx.execute(
        LOCK,
        [org_id for org_id, _ in records],
        [each for _, each in records],
        [org_id for org_id, _ in wallets],
        [each for _, each in wallets],
        lock_timeout,
    )


def _amounts(new: Sequence[Money | None]) -> tuple[list[str | None], list[int | None]]:
    """Assets and units, where they are replaced."""
    return (
        [None if each is None else each.asset.code for each in new],
        [None if each is None else each.units for each in new],
    )


def _stations(
    paths: Iterable[tuple[int, str | None, tuple[str, ...]]],
) -> tuple[list[Any], ...]:
    """Flat arrays of (item, seq, status before, status after, rests)."""
    flat: list[tuple[Any, ...]] = []
    for item, (version, before, path) in enumerate(paths, start=1):
        here = before
        for place, status in enumerate(path, start=1):
            flat.append((item, version + place, here, status, place == len(path)))
            here = status
    return _columns(flat, 5)


def _postings(
    journals: Iterable[tuple[int, Mapping[int, Sequence[Posting]]]],
) -> tuple[list[Any], ...]:
    """Flat arrays of (item, seq, line, account, role, asset, available, held)."""
    flat: list[tuple[Any, ...]] = []
    for item, (version, of_item) in enumerate(journals, start=1):
        for place, postings in of_item.items():
            for line, posting in enumerate(postings, start=1):
                is_house = isinstance(posting.account, Role)
                flat.append(
                    (
                        item,
                        version + place + 1,
                        line,
                        None if is_house else posting.account,
                        posting.account if is_house else None,
                        posting.available.asset.code,
                        posting.available.units,
                        posting.held_units,
                    )
                )
    return _columns(flat, 8)


def _columns(rows: list[tuple[Any, ...]], width: int) -> tuple[list[Any], ...]:
    if not rows:
        return tuple([] for _ in range(width))
    return tuple(list(column) for column in zip(*rows, strict=True))


def _json(value: Mapping[str, Any]) -> str:
    return _encode(value).decode()
