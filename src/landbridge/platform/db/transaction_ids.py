"""Stored transaction ids, compared with those that the PostgreSQL server has assigned.

The order of the log (`changes.tx`) and the position of each of its readers (house rollups, report
builds, webhook endpoints, proof trees, reconciliation) are transaction ids of the server. A dump
keeps their values, but a new server starts counting anew. Stored ids are then ahead of it: new
entries are below the watermark of the rollups, so house balances are wrong, and events are not
read.

Guarantees:
- `check` detects that in one indexed statement, so each start and each `/readyz` can run it.
- `repair` brings every stored id into the server's past. It changes neither the order of an
  organisation's changes nor the positions of readers among them.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.db.pool import Database, Tx

# The first id that a server assigns to a normal transaction.
FIRST_ID = 3
# The server can consume ids, some 150,000 a second. Up to this many take minutes; beyond, the
# stored ids are renumbered.
CONSUMED_MAX = 100_000_000
# PostgreSQL stops at 2^31 ids since the oldest row that it has not frozen.
UNFROZEN_MAX = 1_500_000_000  # For concurrent work on the server: half a minute.
_POLLS, _POLL_EVERY_S = 300, 0.1

# By the index of each organisation's changes, from its end; the other tables are small.
_AHEAD = """
select o.org_id
from (select id as org_id from orgs) o
cross join (
    select pg_snapshot_xmin(s) as oldest, pg_snapshot_xmax(s) as next
    from pg_current_snapshot() as s
) n
where (select c.tx from changes c where c.org_id = o.org_id order by c.tx desc limit 1) >= n.next
    or exists (select from house_rollups h where h.org_id = o.org_id and h.rolled_up_to > n.oldest)
    or exists (select from report_builds b where b.org_id = o.org_id and b.rolled_up_to > n.oldest)
    or exists (select from webhook_endpoints e where e.org_id = o.org_id and e.read_tx > n.oldest)
    or exists (select from proof_trees p where p.org_id = o.org_id and p.read_tx > n.oldest)
    or exists (select from recon_cursors r where r.org_id = o.org_id and r.opened_tx > n.oldest)
    or exists (select from recon_cursors r where r.org_id = o.org_id and r.read_tx > n.oldest)
    or exists (select from recon_sources s where s.org_id = o.org_id and s.read_tx > n.oldest)
limit 1
"""

_STORED = """
select coalesce(max(s.largest), '0'::xid8)::text as largest,
    coalesce(max(s.count), 0) as transactions
from (
    select c.org_id, max(c.tx) as largest, count(distinct c.tx) as count
    from changes c
    group by c.org_id
    union all
    select h.org_id, max(h.rolled_up_to), 0 from house_rollups h group by h.org_id
    union all
    select b.org_id, max(b.rolled_up_to), 0 from report_builds b group by b.org_id
    union all
    select e.org_id, max(e.read_tx), 0 from webhook_endpoints e group by e.org_id
    union all
    select p.org_id, max(p.read_tx), 0 from proof_trees p group by p.org_id
    union all
    select r.org_id, max(greatest(r.opened_tx, r.read_tx)), 0
    from recon_cursors r
    group by r.org_id
    union all
    select q.org_id, max(q.read_tx), 0
    from recon_sources q
    where q.read_tx is not null
    group by q.org_id
) s
"""

_SERVER = """
select pg_snapshot_xmax(pg_current_snapshot())::text as next,
    (select max(age(d.datfrozenxid)) from pg_database d) as unfrozen
"""

# Processes that write on their own. Commands are run by the operator.
_PROCESSES = """
select distinct application_name as name
from pg_stat_activity
where datname = current_database() and application_name in ('landbridge api', 'landbridge worker')
order by name
"""

# Ten thousand ids, in a tenth of a second. Each in a transaction of its own, so none may be open.
_CONSUME = """
do $$
begin
    for number in 1..10000 loop
        perform pg_current_xact_id();
        commit;
    end loop;
end
$$
"""

# Nothing reads or writes the log meanwhile.
_LOCK = """
lock table changes, house_rollups, report_builds, webhook_endpoints, webhook_deliveries,
    proof_trees, proof_blocks, recon_cursors, recon_sources
in access exclusive mode
"""

# A change gets 3 plus the number of transactions before its own, in its organisation; a position in
# the log, which may lie between two transactions, 3 plus the number of those before it. So what was
# before a position stays before it. The object of an endpoint's position counts only among
# the changes of its transaction: where there are none, it is taken away.
_RENUMBER = """
with stored (org_id, tx, is_change) as (
    select c.org_id, c.tx, true from changes c
    union all
    select d.org_id, d.tx, false from webhook_deliveries d
    union all
    select h.org_id, h.rolled_up_to, false from house_rollups h
    union all
    select b.org_id, b.rolled_up_to, false from report_builds b
    union all
    select e.org_id, e.read_tx, false from webhook_endpoints e
    union all
    select p.org_id, p.read_tx, false from proof_trees p
    union all
    select r.org_id, r.opened_tx, false from recon_cursors r
    union all
    select r.org_id, r.read_tx, false from recon_cursors r
    union all
    select s.org_id, s.read_tx, false from recon_sources s where s.read_tx is not null
), numbered as materialized (
    select org_id, tx, is_change,
        (3 + sum(is_change::integer) over (partition by org_id order by tx) - is_change::integer)
            ::text::xid8 as number
    from (
        select org_id, tx, bool_or(is_change) as is_change
        from stored
        group by org_id, tx
    ) as ids
), rolls as (
    update house_rollups h set rolled_up_to = n.number
    from numbered n
    where h.org_id = n.org_id and h.rolled_up_to = n.tx
), builds as (
    update report_builds b set rolled_up_to = n.number
    from numbered n
    where b.org_id = n.org_id and b.rolled_up_to = n.tx
), endpoints as (
    update webhook_endpoints e
    set read_tx = n.number,
        read_object_id = case when n.is_change then e.read_object_id else $1 end,
        read_seq = case when n.is_change then e.read_seq else 0 end
    from numbered n
    where e.org_id = n.org_id and e.read_tx = n.tx
), trees as (
    update proof_trees p set read_tx = n.number
    from numbered n
    where p.org_id = n.org_id and p.read_tx = n.tx
), blocks as (
    update proof_blocks b set first_tx = n.number
    from numbered n
    where b.org_id = n.org_id and b.first_tx = n.tx
), cursors as (
    update recon_cursors r set opened_tx = o.number, read_tx = n.number
    from numbered o
    cross join numbered n
    where r.org_id = o.org_id and r.opened_tx = o.tx and r.org_id = n.org_id and r.read_tx = n.tx
), sources as (
    update recon_sources s set read_tx = n.number
    from numbered n
    where s.org_id = n.org_id and s.read_tx = n.tx
), deliveries as (
    update webhook_deliveries d set tx = n.number
    from numbered n
    where d.org_id = n.org_id and d.tx = n.tx
)
update changes c set tx = n.number
from numbered n
where c.org_id = n.org_id and c.tx = n.tx
"""

_NO_OBJECT = UUID(int=0)


class TransactionIdsAhead(LandbridgeError):
    """Stored transaction ids are ahead of the server's."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(
            message
            or "Transaction ids in this database are ahead of its server: a dump was restored "
            "into a new server. House balances, reports and webhooks would be wrong. Stop all "
            "processes and run `landbridge repair-transaction-ids`."
        )


@dataclass(frozen=True, slots=True)
class TransactionIds:
    """Stored transaction ids, and the server's counters that they are compared with."""

    # The largest id that is stored.
    largest: int
    # Transactions with changes, of the organisation that has most.
    transactions: int
    # The id of the server's next transaction.
    next: int
    # Ids since the oldest row of the server that is not frozen.
    unfrozen: int


@dataclass(frozen=True, slots=True)
class TransactionIdRepair:
    """How to bring the stored ids into the past: ids to use up first, and whether to renumber."""

    consumed: int
    is_renumbered: bool


async def check(database: Database) -> None:
    """Raise `TransactionIdsAhead` if a stored id is ahead of the server's."""
    if await database.rows(_AHEAD):
        raise TransactionIdsAhead


async def largest_id(tx: Tx) -> int:
    """Return the largest id that is stored, 0 if there is none. Reads all changes."""
    largest, _ = await _stored(tx)
    return largest


def plan(ids: TransactionIds) -> TransactionIdRepair:
    """Decide how to repair.

    Using up ids changes nothing that is stored, so cursors of events stay valid; it is chosen where
    it takes minutes. Raises `TransactionIdsAhead` if the server's rows must be frozen first.
    """
    consumed = max(ids.largest + 1 - ids.next, 0)
    if consumed <= CONSUMED_MAX and ids.unfrozen + consumed <= UNFROZEN_MAX:
        return TransactionIdRepair(consumed, is_renumbered=False)
    renumbered = max(FIRST_ID + ids.transactions + 1 - ids.next, 0)
    if ids.unfrozen + renumbered > UNFROZEN_MAX:
        raise TransactionIdsAhead(
            f"The repair of transaction ids uses up {renumbered:,} ids, and rows of this server "
            f"are unfrozen for {ids.unfrozen:,} already. As its administrator run `vacuumdb --all "
            "--freeze`, then run `landbridge repair-transaction-ids`."
        )
    return TransactionIdRepair(renumbered, is_renumbered=True)


async def survey(database: Database) -> TransactionIds:
    """Return what is stored and where the server stands. Reads all changes."""
    stored = await database.transact(_stored)
    return await _ids(database, stored)


async def repair(database: Database, print_line: Callable[[str], None]) -> TransactionIdRepair:
    """Bring all stored ids into the server's past by statements; does nothing where they are.

    Needs patient connections, and no other process of Landbridge at work on this database. Broken
    off, it may be run again.
    """
    if rows := await database.rows(_PROCESSES):
        names = ", ".join(row["name"] for row in rows)
        raise TransactionIdsAhead(f"Processes are at work on this database: stop them ({names}).")
    ids = await survey(database)
    chosen = plan(ids)
    until = ids.next + chosen.consumed
    if chosen.consumed:
        print_line(f"Using up {chosen.consumed:,} transaction ids of the server ...")
    while ids.next < until:
        await database.single(lambda tx: tx.execute(_CONSUME))
        ids = await _ids(database, (ids.largest, ids.transactions))
    if chosen.is_renumbered:
        print_line("Numbering the log of changes anew ...")
        await database.transact(_renumber)
    if not await _is_behind(database):
        raise TransactionIdsAhead(
            "A transaction that began before the repair still runs on this server. Once it has "
            "ended, run `landbridge repair-transaction-ids` again."
        )
    return chosen


async def _is_behind(database: Database) -> bool:
    """Wait until no transaction that began before runs any more, but not for long."""
    for _ in range(_POLLS):
        if not await database.rows(_AHEAD):
            return True
        await asyncio.sleep(_POLL_EVERY_S)
    return False


async def _renumber(tx: Tx) -> None:
    await tx.execute(_LOCK)
    await tx.execute(_RENUMBER, _NO_OBJECT)


async def _stored(tx: Tx) -> tuple[int, int]:
    row = await tx.fetchrow(_STORED)
    assert row is not None
    return int(row["largest"]), row["transactions"]


async def _ids(database: Database, stored: tuple[int, int]) -> TransactionIds:
    (row,) = await database.rows(_SERVER)
    return TransactionIds(*stored, next=int(row["next"]), unfrozen=row["unfrozen"])
