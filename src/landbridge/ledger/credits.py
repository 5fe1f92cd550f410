"""Credits: what wallets received, read from entries, so it can't differ from the ledger.

A credit is the amount that one record adds to an account, held or not. It does not count if the
wallet also paid into the same record: its own swap, money returned to it, a fee to itself.
Corrections and released holds are not credits either. A record credits an account at most once.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from landbridge.ledger import corrections
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Database, Row, Tx
from landbridge.platform.db.rows import read_row

# Reads in the order of entries_account_id_idx, so that the scan ends with the page. The record of
# each line is looked up line by line (lateral, with a limit); otherwise PostgreSQL joins and sorts
# everything. The scan also ends after `lines_max` lines, because matching lines may be rare. If a
# record has several lines for the account, the first one represents all.
PAGE = """
select e.account_id, e.transfer_id, e.occurred_at, r.units, r.kind, r.details, r.facts
from (
    select org_id, account_id, transfer_id, seq, line, occurred_at
    from entries
    where org_id = $1 and account_id = $2 and available + held > 0
        and occurred_at >= $6 and (occurred_at, transfer_id) < ($7, $8)
    order by occurred_at desc, transfer_id desc
    limit $10
) e
cross join lateral (
    select t.kind, t.details::text as details, t.facts::text as facts, s.units
    from transfers t
    cross join lateral (
        select sum(q.available + q.held) filter (where q.account_id = e.account_id) as units,
            bool_or(q.account_id = e.account_id and q.available + q.held > 0
                and (q.seq, q.line) < (e.seq, e.line)) as is_repeated,
            bool_or(a.wallet_id = $3 and q.available + q.held < 0) as has_paid
        from entries q
        left join accounts a on a.org_id = q.org_id and a.id = q.account_id
        where q.org_id = t.org_id and q.transfer_id = t.id
    ) s
    where t.org_id = e.org_id and t.id = e.transfer_id and t.kind <> all ($4::text[])
        and not coalesce(s.is_repeated, false) and not coalesce(s.has_paid, false)
        and s.units >= $5
    limit 1
) r
order by e.occurred_at desc, e.transfer_id desc
limit $9
"""

# Time of the last line that `PAGE` scans; no row if the account has fewer lines.
LAST_LINE = """
select occurred_at
from entries
where org_id = $1 and account_id = $2 and available + held > 0
    and occurred_at >= $3 and (occurred_at, transfer_id) < ($4, $5)
order by occurred_at desc, transfer_id desc
offset $6 - 1
limit 1
"""

FIND = """
select i.account_id, i.transfer_id, s.occurred_at, s.units, t.kind, t.details::text as details,
    t.facts::text as facts
from unnest($2::uuid[], $3::uuid[]) as i (account_id, transfer_id)
join transfers t on t.org_id = $1 and t.id = i.transfer_id and t.kind <> all ($4::text[])
join accounts w on w.org_id = t.org_id and w.id = i.account_id
cross join lateral (
    select sum(q.available + q.held) filter (where q.account_id = i.account_id) as units,
        min(q.occurred_at) filter (where q.account_id = i.account_id
        and q.available + q.held > 0) as occurred_at,
        bool_or(a.wallet_id = w.wallet_id and q.available + q.held < 0) as has_paid
    from entries q
    left join accounts a on a.org_id = q.org_id and a.id = q.account_id
    where q.org_id = t.org_id and q.transfer_id = t.id
) s
where s.units > 0 and not coalesce(s.has_paid, false)
"""

# Credits posted by these journals. Lines before them count as in `PAGE`, later lines do not, so the
# result does not depend on when it is read.
RECORDED = """
select e.transfer_id, e.seq, e.account_id, e.asset, e.occurred_at, s.units, t.kind,
    t.details::text as details, t.facts::text as facts
from unnest($2::uuid[], $3::integer[]) as i (transfer_id, seq)
join entries e on e.org_id = $1 and e.transfer_id = i.transfer_id and e.seq = i.seq
    and e.account_id is not null and e.available + e.held > 0
join accounts w on w.org_id = e.org_id and w.id = e.account_id
join transfers t on t.org_id = e.org_id and t.id = e.transfer_id and t.kind <> all ($4::text[])
cross join lateral (
    select sum(q.available + q.held) filter (where q.account_id = e.account_id) as units,
        bool_or(q.account_id = e.account_id and q.available + q.held > 0
            and (q.seq, q.line) < (e.seq, e.line)) as is_repeated,
        bool_or(a.wallet_id = w.wallet_id and q.available + q.held < 0) as has_paid
    from entries q
    left join accounts a on a.org_id = q.org_id and a.id = q.account_id
    where q.org_id = e.org_id and q.transfer_id = e.transfer_id and q.seq <= e.seq
) s
where s.units > 0 and not coalesce(s.is_repeated, false) and not coalesce(s.has_paid, false)
order by e.transfer_id, e.seq, e.line
"""

# Lines scanned for one page, which takes some tens of milliseconds. The page then ends early, with
# a cursor.
LINES_MAX = 2000

# Lower than any existing id, so that a time bound with this id is exclusive.
_LEAST_ID = UUID(int=0)


@dataclass(frozen=True, slots=True)
class WalletCredit:
    """Amount that a record added to an account, in smallest units.

    `record_data` has the record's details, overridden by its facts.
    """

    account_id: UUID
    transfer_id: UUID
    kind: str
    units: int
    at: datetime
    record_data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RecordedCredit:
    """Credit with the change that posted it; `asset` is the account's asset code."""

    seq: int
    asset: str
    credit: WalletCredit


@dataclass(frozen=True, slots=True)
class CreditPage:
    """Page of credits, newest first; `next_cursor` continues it, None for an empty last page.

    The page has all credits at `complete_to` or later; None if it has all credits of the window.
    """

    credits: Sequence[WalletCredit]
    next_cursor: datetime | None
    complete_to: datetime | None = None


async def credits_of_account(
    database: Database,
    org_id: UUID,
    *,
    account_id: UUID,
    wallet_id: UUID,
    units_min: int,
    window: PageWindow,
    lines_max: int = LINES_MAX,
) -> CreditPage:
    """Return a page of credits of at least `units_min` units to the wallet's account, newest first.

    The page ends early after `lines_max` lines of the account; its cursor continues from there.
    """
    bounds = (window.since, window.position.created_at, _LEAST_ID)

    async def read(tx: Tx) -> CreditPage:
        rows = await tx.fetch(
            PAGE,
            *(org_id, account_id, wallet_id, [corrections.KIND], units_min),
            *(*bounds, window.limit, lines_max),
        )
        found = [_credit(row) for row in rows]
        cursor = found[-1].at if found else None
        complete_to = cursor
        if len(found) < window.limit:
            # The scanned lines have no more credits, but later ones may.
            complete_to = await tx.fetchval(LAST_LINE, org_id, account_id, *bounds, lines_max)
            cursor = complete_to or cursor
        return CreditPage(found, cursor, complete_to)

    return await database.read(read)


async def find_credits(
    database: Database, org_id: UUID, pairs: Collection[tuple[UUID, UUID]]
) -> Sequence[WalletCredit]:
    """Return those of these (account, record) pairs that are credits."""
    ids = [account_id for account_id, _ in pairs], [transfer_id for _, transfer_id in pairs]
    rows = await database.single(lambda tx: tx.fetch(FIND, org_id, *ids, [corrections.KIND]))
    return [_credit(row) for row in rows]


async def find_recorded_credits(
    tx: Tx, org_id: UUID, journals: Collection[tuple[UUID, int]]
) -> Sequence[RecordedCredit]:
    """Return the credits posted by these changes, each given as (record, number of the change).

    Credits of one change are in the order of its journal, independent of when they are read.
    """
    ids = [transfer_id for transfer_id, _ in journals], [seq for _, seq in journals]
    rows = await tx.fetch(RECORDED, org_id, *ids, [corrections.KIND])
    return [RecordedCredit(row["seq"], row["asset"], _credit(row)) for row in rows]


def _credit(row: Row) -> WalletCredit:
    details, facts = (
        msgspec.json.decode(row[name], type=dict[str, Any]) for name in ("details", "facts")
    )
    at, units = row["occurred_at"], int(row["units"])
    return read_row(row, WalletCredit, units=units, at=at, record_data=details | facts)
