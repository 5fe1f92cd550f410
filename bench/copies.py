"""Copies of a seeded history, written by set-based SQL: large organisations in minutes.

`landbridge seed` writes a part of the history as the ledger does. Each copy has the same records
under other ids, some microseconds later, of other users: user n of copy k is user n + 37 k. So an
organisation of copies has the sums of its part, times the copies, and all users are busy; that is
the heavier case for breakdowns by user. Roll-ups are those of the part, times the copies
(`copied_rollups`), and `landbridge check` finds nothing.

What differs from records that the ledger wrote: journals and JSON columns name the accounts, ids
and hashes of the part, a copy has no creation digest (the check skips it then), and references and
incoming payments, which no report reads, are not copied.
"""

import asyncio
import time
from collections.abc import Callable
from uuid import UUID

from bench import copied_rollups, databases
from landbridge.platform.db.pool import Database, Tx

# Built again after the copies. Each insertion writes a page of its own into most of them, and they
# grow larger than PostgreSQL's memory.
_INDEXES_LAST = (
    "changes_occurred_at_idx",
    "entries_account_id_idx",
    "entries_house_time_idx",
    "transfers_destination_units_idx",
    "transfers_kind_idx",
    "transfers_source_amount_idx",
    "transfers_user_id_idx",
)

# Copies in one transaction, each of the thousand records of one batch of changes of the part.
_AT_ONCE = 5
WRITERS = 2

_BATCHES = """
select b.number, b.place
from change_batches b
where b.org_id = $1 and exists (
    select from changes c
    join transfers t on t.org_id = c.org_id and t.id = c.object_id
    where c.org_id = b.org_id and c.batch = b.number and c.seq = 1
)
order by b.place
"""

# Users in each copy.
_IDS = """
create unlogged table bench_ids as
with person as (
    select u.id, row_number() over (order by u.id) - 1 as place, count(*) over () as people
    from users u
    where u.org_id = $1
)
select k.copy, p.id as old, n.id as new
from person p
cross join generate_series(1, $2::int) as k (copy)
join person n on n.place = (p.place + 37 * k.copy) % p.people
"""

# The id of a copy of an object: of version 8, which no other id has, and with the copy's number as
# its fourth group of digits.
_ADD_FUNCTION = """
create function bench_id(uuid, integer) returns uuid language sql immutable
return overlay(
    overlay($1::text placing '8' from 15 for 1)
    placing '8' || lpad(to_hex($2), 3, '0') from 20 for 4
)::uuid
"""

# Copies $3 to $4 of the records that batch $2 has.
_COPY = (
    """
insert into transfers (
    org_id, id, kind, user_id, request_id, request, status, version, source_asset, source_units,
    destination_asset, destination_units, details, facts, due_at, created_at, updated_at
)
select t.org_id, bench_id(t.id, k.copy), t.kind, m.new, bench_id(t.request_id, k.copy), t.request,
    t.status, t.version, t.source_asset, t.source_units, t.destination_asset, t.destination_units,
    t.details, t.facts, t.due_at, t.created_at + k.copy * interval '1 microsecond',
    t.updated_at + k.copy * interval '1 microsecond'
from transfers t
cross join generate_series($3::int, $4::int) as k (copy)
join bench_ids m on m.copy = k.copy and m.old = t.user_id
where t.org_id = $1 and t.id in (
    select object_id from changes where org_id = $1 and batch = $2 and seq = 1
)
order by k.copy, t.id
""",
    """
with batch as (
    insert into change_batches (org_id, number)
    values ($1, nextval('change_batch_numbers'))
    returning number
)
insert into changes (
    org_id, object_id, seq, kind, change_type, status_before, status_after, actor, facts,
    occurred_at, is_settled, batch
)
select c.org_id, bench_id(c.object_id, k.copy), c.seq, c.kind, c.change_type, c.status_before,
    c.status_after, c.actor, c.facts, c.occurred_at + k.copy * interval '1 microsecond',
    c.is_settled, b.number
from changes c
cross join batch b
cross join generate_series($3::int, $4::int) as k (copy)
where c.org_id = $1 and c.batch = $2 and c.kind <> 'INCOMING_PAYMENT'
order by k.copy, c.object_id, c.seq
""",
    """
insert into entries (
    org_id, transfer_id, seq, line, account_id, role, asset, available, held, occurred_at
)
select e.org_id, bench_id(e.transfer_id, k.copy), e.seq, e.line, e.account_id, e.role, e.asset,
    e.available, e.held, e.occurred_at + k.copy * interval '1 microsecond'
from entries e
cross join generate_series($3::int, $4::int) as k (copy)
where e.org_id = $1 and e.transfer_id in (
    select object_id from changes where org_id = $1 and batch = $2 and seq = 1
)
order by k.copy, e.transfer_id, e.seq, e.line
""",
    """
insert into approvals (
    org_id, id, transfer_id, transfer_kind, user_id, status, digest, threshold, needs_second,
    initiator_id, is_from_dashboard, expires_at, version, created_at, updated_at
)
select a.org_id, bench_id(a.id, k.copy), bench_id(a.transfer_id, k.copy), a.transfer_kind, m.new,
    a.status, a.digest, a.threshold, a.needs_second, a.initiator_id, a.is_from_dashboard,
    a.expires_at, a.version, a.created_at + k.copy * interval '1 microsecond',
    a.updated_at + k.copy * interval '1 microsecond'
from approvals a
cross join generate_series($3::int, $4::int) as k (copy)
join bench_ids m on m.copy = k.copy and m.old = a.user_id
where a.org_id = $1 and a.id in (
    select object_id from changes where org_id = $1 and batch = $2 and seq = 1
)
""",
    """
insert into approval_votes (
    org_id, approval_id, approver_id, choice, sealed_comment, occurred_at
)
select v.org_id, bench_id(v.approval_id, k.copy), v.approver_id, v.choice, v.sealed_comment,
    v.occurred_at + k.copy * interval '1 microsecond'
from approval_votes v
cross join generate_series($3::int, $4::int) as k (copy)
where v.org_id = $1 and v.approval_id in (
    select object_id from changes where org_id = $1 and batch = $2 and seq = 1
)
""",
)

_PAY = "update accounts set available = available * ($2::int + 1) where org_id = $1"

_IS_FOLDED = """
select coalesce((
    select r.rolled_up_to > l.last_place and not exists (
        select from change_batches b where b.org_id = $1 and b.place is null
    )
    from report_builds r
    join change_logs l on l.org_id = r.org_id
    where r.org_id = $1 and r.is_current
), false) as is_folded
"""


async def add_copies(database: Database, org_id: UUID, count: int) -> None:
    """Add this many copies, at most 4,095, of everything that an organisation has paid.

    Nobody else may pay at the same time, and all of it is rolled up.
    """
    await database.rows(_ADD_FUNCTION)
    await database.rows(_IDS, org_id, count)
    await database.rows("create index on bench_ids (copy, old)")
    await database.rows("analyze bench_ids")
    part = await database.rows(_BATCHES, org_id)
    waiting = iter([row["number"] for row in part])
    await copied_rollups.suspend(database, org_id)

    async def write() -> None:
        for number in waiting:
            for first in range(1, count + 1, _AT_ONCE):
                last = min(first + _AT_ONCE - 1, count)
                await _copy(database, org_id, number, first, last)

    definitions = [await _drop_index(database, name) for name in _INDEXES_LAST]
    await asyncio.gather(*(write() for _ in range(WRITERS)))
    await database.rows(_PAY, org_id, count)
    for definition in definitions:
        await _build_index(database, definition)
    await copied_rollups.add(database, org_id, [row["place"] for row in part], count)
    await database.rows("drop table bench_ids")
    await database.rows("drop function bench_id")


async def _drop_index(database: Database, name: str) -> str:
    """Drop an index; return the statement that builds it."""
    (found,) = await database.rows(
        "select indexdef as definition from pg_indexes where indexname = $1", name
    )
    await database.rows(f"drop index {name}")
    return str(found["definition"])


async def _build_index(database: Database, definition: str) -> None:
    async def work(tx: Tx) -> None:
        await tx.execute("set local maintenance_work_mem = '1GB'")
        await tx.execute(definition)

    await database.transact(work)


async def _copy(database: Database, org_id: UUID, number: int, first: int, last: int) -> None:
    async def work(tx: Tx) -> None:
        await tx.execute("set local synchronous_commit = off")
        for statement in _COPY:
            await tx.execute(statement, org_id, number, first, last)

    await database.transact(work)


def multiply(dsn: str, org_id: str, count: int, print_line: Callable[[str], None]) -> None:
    """Add copies once a running worker has rolled up what there is."""

    async def work() -> None:
        database = await Database.connect(dsn, name="bench", size_max=WRITERS, is_patient=True)
        try:
            await add_copies(database, UUID(org_id), count)
        finally:
            await database.close()

    while not databases.read(dsn, _IS_FOLDED, org_id)[0][0]:
        time.sleep(1)
    began = time.perf_counter()
    asyncio.run(work())
    print_line(f"  wrote {count} copies in {time.perf_counter() - began:,.0f} s")
