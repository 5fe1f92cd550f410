"""Reads of statements: balances at both ends, and the lines between them.

Both use one snapshot of the log. A journal is written in one statement with its change. The
snapshot has all places up to the last one, and a list of journals without a place.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row
from landbridge.platform.metadata.model import decoded
from landbridge.reporting.statements.model import (
    AccountMovement,
    Statement,
    StatementDetail,
    StatementRequest,
    StatementSnapshot,
)

_ORG_NAME = "select name from orgs where id = $1"

# Computes balances backwards from the present, because most requests are about recent times. Held
# money is part of a balance, so moves between available and held do not count. A subquery sorts, so
# that the index is used even if the planner has seen few rows.
_BALANCES = """
with view as materialized (
    select coalesce((select l.last_place from change_logs l where l.org_id = $1), 0) as last_place
), account as materialized (
    select h.org_id, h.id, h.wallet_id, h.asset, h.units
    from unnest($2::uuid[]) as w (id)
    cross join lateral (
        select a.org_id, a.id, a.wallet_id, a.asset, a.available + a.held as units
        from accounts a
        where a.org_id = $1 and a.wallet_id = w.id
        order by a.asset
    ) h
    where $3::text is null or split_part(h.asset, ':', 1) = $3
), news as materialized (
    select b.org_id, c.object_id, c.seq
    from change_batches b
    cross join lateral (
        select x.object_id, x.seq
        from changes x
        where x.org_id = b.org_id and x.batch = b.number
        offset 0
    ) c
    where b.org_id = $1 and b.place is null
), fresh as materialized (
    select j.account_id, j.transfer_id, j.seq
    from news n
    cross join lateral (
        select e.account_id, e.transfer_id, e.seq
        from entries e
        where e.org_id = n.org_id and e.transfer_id = n.object_id and e.seq = n.seq
        order by e.line
    ) j
)
select a.id, a.wallet_id, a.asset, v.last_place,
    a.units - later.units - inside.received + inside.spent as opening,
    inside.received, inside.spent, a.units - later.units as closing, inside.lines,
    recent.record_ids, recent.seqs
from account a
cross join view v
cross join lateral (
    select coalesce(sum(e.available + e.held), 0) as units
    from entries e
    where e.org_id = a.org_id and e.account_id = a.id and e.occurred_at >= $5
) later
cross join lateral (
    select coalesce(sum(j.units) filter (where j.units > 0), 0) as received,
        coalesce(-sum(j.units) filter (where j.units < 0), 0) as spent,
        case when $6 then count(distinct j.transfer_id) filter (where j.units <> 0)
            else count(*) filter (where j.units <> 0) end as lines
    from (
        select e.transfer_id, sum(e.available + e.held) as units
        from entries e
        where e.org_id = a.org_id and e.account_id = a.id and e.occurred_at >= $4
            and e.occurred_at < $5
        group by e.occurred_at, e.transfer_id, e.seq
    ) j
) inside
cross join lateral (
    select coalesce(array_agg(f.transfer_id), '{}') as record_ids,
        coalesce(array_agg(f.seq), '{}') as seqs
    from fresh f
    where f.account_id = a.id
) recent
order by a.wallet_id, a.asset
"""

# A journal can have several entries of one account, and a page never ends between two of them. A
# payment has the time of its last journal that moved money; it has few journals.
_JOURNALS = """
select j.occurred_at, j.transfer_id, j.seq, j.entries, c.kind, c.status_after, t.request_id,
    line.received, line.spent, line.seq = j.seq as is_line,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = $1 and m.object_id = t.id
    ) as metadata
from (
    select r.occurred_at, r.transfer_id, r.seq, count(*) as entries
    from (
        select e.occurred_at, e.transfer_id, e.seq
        from entries e
        where e.org_id = $1 and e.account_id = $2 and e.occurred_at < $3
            and (e.occurred_at, e.transfer_id, e.seq) > ($4, $5, $6)
        order by e.occurred_at, e.transfer_id, e.seq
        fetch first ($7) rows with ties
    ) r
    group by r.occurred_at, r.transfer_id, r.seq
) j
join changes c on c.org_id = $1 and c.object_id = j.transfer_id and c.seq = j.seq
join transfers t on t.org_id = $1 and t.id = j.transfer_id
cross join lateral (
    select coalesce(sum(s.units) filter (where s.units > 0), 0) as received,
        coalesce(-sum(s.units) filter (where s.units < 0), 0) as spent, max(s.seq) as seq
    from (
        select e.seq, sum(e.available + e.held) as units
        from entries e
        join changes h on h.org_id = e.org_id and h.object_id = e.transfer_id and h.seq = e.seq
        join change_batches b on b.org_id = h.org_id and b.number = h.batch
        where e.org_id = $1 and e.transfer_id = j.transfer_id and e.account_id = $2
            and e.occurred_at >= $11 and e.occurred_at < $3 and ($12 or e.seq = j.seq)
            and (b.place <= $8 or (e.transfer_id, e.seq) in (
                select f.transfer_id, f.seq
                from unnest($9::uuid[], $10::integer[]) as f (transfer_id, seq)
            ))
        group by e.seq
        having sum(e.available + e.held) <> 0
    ) s
) line
order by j.occurred_at, j.transfer_id, j.seq
"""


class JournalPosition(NamedTuple):
    """Position right after a journal of an account."""

    at: datetime
    record_id: UUID
    seq: int


class AccountJournal(NamedTuple):
    """One change of a record with entries of an account.

    `is_line` is False if it moved nothing or is after the snapshot or, where a line is a payment,
    if a later journal of the record is its line.
    """

    place: JournalPosition
    entries: int
    received: int
    spent: int
    kind: str
    status: str
    request_id: UUID
    metadata: dict[str, str]
    is_line: bool


async def org_name(tx: Tx, org_id: UUID) -> str:
    """Return the organisation's name."""
    return await tx.fetchval(_ORG_NAME, org_id)


async def balances(
    tx: Tx, org_id: UUID, wallet_ids: Collection[UUID], request: StatementRequest
) -> tuple[list[AccountMovement], StatementSnapshot]:
    """Return the requested accounts of these wallets, and the snapshot of the log."""
    rows = await tx.fetch(
        _BALANCES,
        *(org_id, list(wallet_ids), request.currency, request.after, request.before),
        request.detail is StatementDetail.PAYMENTS,
    )
    fresh = [pair for row in rows for pair in zip(row["record_ids"], row["seqs"], strict=True)]
    # Without accounts no entries are read, so any snapshot will do.
    return [_balances(row) for row in rows], StatementSnapshot(
        rows[0]["last_place"] if rows else 0, fresh
    )


async def journals(
    tx: Tx,
    statement: Statement,
    account_id: UUID,
    *,
    after: JournalPosition,
    limit: int,
) -> Sequence[AccountJournal]:
    """Return about `limit` entries after a position, journal by journal, oldest first."""
    request, view = statement.request, statement.view
    rows = await tx.fetch(
        _JOURNALS,
        *(statement.org_id, account_id, request.before, *after, limit, view.last_place),
        [record_id for record_id, _ in view.fresh],
        [seq for _, seq in view.fresh],
        *(request.after, request.detail is StatementDetail.PAYMENTS),
    )
    return [_journal(row) for row in rows]


def _balances(row: Row) -> AccountMovement:
    return read_row(row, AccountMovement, account_id=row["id"])


def _journal(row: Row) -> AccountJournal:
    return AccountJournal(
        place=JournalPosition(row["occurred_at"], row["transfer_id"], row["seq"]),
        entries=row["entries"],
        received=int(row["received"]),
        spent=int(row["spent"]),
        kind=row["kind"],
        status=row["status_after"],
        request_id=row["request_id"],
        metadata=decoded(row["metadata"]),
        # The column is null if nothing was moved.
        is_line=bool(row["is_line"]),
    )
