"""Database functions that run on the node of one organisation, in a distributed database.

The number of a batch is drawn on the node that has the rows, so that all batches of an organisation
have numbers of one sequence. Each function takes one organisation, by which the coordinator finds
the node, and has no statement that writes to two tables: see ledger/statements.py.
"""

from typing import Final

# A changed body needs a new migration and a new version: see ledger/functions.py.
PLACE_NAME: Final = "place_changes_of_one_1"
PLACE_BODY: Final = """
declare
    placed bigint;
begin
if not exists (select from change_batches b where b.org_id = org and b.place is null) then
    return 0;
end if;
insert into change_logs (org_id, last_place) values (org, 0) on conflict (org_id) do nothing;
perform from change_logs l where l.org_id = org for update;
update change_batches b
set place = u.place
from (
    select n.number, l.last_place + row_number() over (order by n.number) as place
    from change_batches n
    join change_logs l on l.org_id = org
    where n.org_id = org and n.place is null
) u
where b.org_id = org and b.number = u.number;
get diagnostics placed = row_count;
update change_logs l set last_place = l.last_place + placed where l.org_id = org;
return placed;
end
"""
PLACE_DEFINITION: Final = f"""create function {PLACE_NAME}(org uuid) returns bigint
language plpgsql volatile
set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set enable_seqscan = off
as $function${PLACE_BODY}$function$;
"""
PLACE: Final = "select place_changes_of_one_1($1::uuid)"

# Without a change number in the arguments, the function takes the object's next number; the caller
# has locked the object's row.
APPEND_NAME: Final = "append_change_of_one_1"
APPEND_BODY: Final = """
declare
    batch_number bigint := nextval('change_batch_numbers');
begin
if change_seq is null then
    select 1 + coalesce(max(c.seq), 0) into change_seq
    from changes c
    where c.org_id = org and c.object_id = changed_id;
end if;
insert into change_batches (org_id, number) values (org, batch_number);
insert into changes (
    org_id, object_id, seq, kind, change_type, actor, facts, occurred_at, is_settled, batch,
    snapshot_owner_id, sealed_snapshot
)
values (
    org, changed_id, change_seq, changed_kind, type_of_change, changed_by, new_facts::jsonb,
    changed_at, true, batch_number, owner_id, sealed
);
return change_seq;
end
"""
APPEND_DEFINITION: Final = f"""create function {APPEND_NAME}(
    org uuid, changed_id uuid, change_seq int, changed_kind text, type_of_change text,
    changed_by text, new_facts text, changed_at timestamptz, owner_id uuid, sealed bytea
) returns int
language plpgsql volatile
as $function${APPEND_BODY}$function$;
"""
APPEND: Final = """
select append_change_of_one_1($1::uuid, $2::uuid, $3::int, $4::text, $5::text, $6::text, $7::text,
    $8::timestamptz, $9::uuid, $10::bytea)
"""
