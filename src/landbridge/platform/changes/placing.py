"""Places of change batches: the order of an organisation's log.

Each statement that writes changes draws the number of its batch while it holds the locks of the
objects. A batch gets its place after its commit, by the function of this module. Guarantees:

- Places are given by one transaction at a time, under the lock of the organisation's `change_logs`
  row, and above all earlier places. So nothing ever appears before a place that was read, and
  nobody waits for a transaction that is still open.
- Batches placed together keep the order of their numbers. A snapshot with a later change of an
  object has the earlier ones too, so places keep the order of each object's changes.
"""

from collections.abc import Collection
from typing import Final
from uuid import UUID

from landbridge.platform.changes import node_functions
from landbridge.platform.db.pool import Database

# A changed body needs a new migration and a new version: see ledger/functions.py.
NAME: Final = "place_changes_1"
# The lock and the numbering are separate statements, so the second one has a snapshot that includes
# what the previous holder of the lock has committed. The settings keep the planner on nested loops
# over the indexes: a plan made while the table was empty took 15 ms for each batch.
BODY: Final = """
declare
    placed_org_id uuid;
begin
for placed_org_id in
    select b.org_id
    from change_batches b
    where b.org_id = any(org_ids) and b.place is null
    group by b.org_id
    order by b.org_id
loop
    insert into change_logs (org_id, last_place) values (placed_org_id, 0)
    on conflict (org_id) do nothing;
    perform from change_logs l where l.org_id = placed_org_id for update;
    with unplaced as materialized (
        select b.number, row_number() over (order by b.number) as rank
        from change_batches b
        where b.org_id = placed_org_id and b.place is null
    ), log as (
        update change_logs l
        set last_place = l.last_place + (select count(*) from unplaced)
        where l.org_id = placed_org_id
        returning l.last_place
    )
    update change_batches b
    set place = l.last_place - (select count(*) from unplaced) + u.rank
    from log l
    cross join unplaced u
    where b.org_id = placed_org_id and b.number = u.number;
end loop;
end
"""
DEFINITION: Final = f"""create function {NAME}(org_ids uuid[]) returns void
language plpgsql volatile
set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set enable_seqscan = off
as $function${BODY}$function$;
"""

# A replica or standby can't give places: reads there end at the last place from the primary.
PLACE: Final = """
select place_changes_1($1::uuid[]) where current_setting('transaction_read_only') = 'off'
"""


async def place_changes(database: Database, org_ids: Collection[UUID]) -> None:
    """Give a place in the log to every committed change of these organisations that has none.

    This runs in a transaction of its own, so that the lock on a log is held only for that time.
    """
    if not database.is_distributed:
        await database.rows(PLACE, list(org_ids))
        return
    for org_id in org_ids:
        await database.rows(node_functions.PLACE, org_id)
