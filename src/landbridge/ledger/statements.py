"""The bodies of the two database functions that create and advance records, in PL/pgSQL.

All money and all states go through them. They take flat arrays: one element for each item, for each
status of an item's path, and for each posting; `step_items` and `posting_items` number the item
that a status or a posting belongs to. The package docstring lists their guarantees.

Values of an item are read by array subscripts rather than a join: an `unnest` of ten arrays costs
as much as inserting a row. Each statement of a body has a snapshot of its own, and no statement
writes to two tables, so that a server with the rows of an organisation on one of several nodes can
run the functions there.
"""

from typing import Final

# Arguments of both functions: the statuses of the paths, the postings, and the lock timeout of the
# whole transaction, such as `250ms`; null keeps the timeout of the connection.
_PATHS_AND_POSTINGS: Final = """
    step_items int[], step_seqs int[], statuses_before text[], statuses_after text[],
    settled_steps boolean[],
    posting_items int[], posting_seqs int[], posting_lines int[], account_ids uuid[],
    roles text[], assets text[], available_units numeric[], held_units numeric[],
    lock_wait text
"""
CREATE_ARGUMENTS: Final = f"""
    org_ids uuid[], ids uuid[], kinds text[], user_ids uuid[], request_ids uuid[],
    requests text[], statuses text[], versions int[], source_assets text[],
    source_amounts numeric[], destination_assets text[], destination_amounts numeric[],
    all_details text[], due_ats timestamptz[], moments timestamptz[], actors text[],
    creation_digests bytea[],{_PATHS_AND_POSTINGS}"""
ADVANCE_ARGUMENTS: Final = f"""
    org_ids uuid[], ids uuid[], versions_before int[], statuses text[], versions int[],
    all_facts text[], timings text[], due_ats timestamptz[], moments timestamptz[],
    change_types text[], actors text[], source_assets text[], source_amounts numeric[],
    destination_assets text[], destination_amounts numeric[],{_PATHS_AND_POSTINGS}"""

_VARIABLES: Final = """
    outcomes text[];
    stray_items int[];
    short_items int[];
    delta_items int[];
    delta_accounts uuid[];
    available_deltas numeric[];
    held_deltas numeric[];
    stored record;
    number int;
    batch_number bigint;
"""

_SET_TIMEOUT: Final = """
if lock_wait is not null then
    lock_wait := set_config('lock_timeout', lock_wait, true);
end if;
"""

# Locks in sorted order. After a wait for its lock, a row is read as the other transaction left it.
# Balances are checked per item, because no two items of a batch touch the same wallet.
_LOCK_WALLETS: Final = """
if cardinality(account_ids) > 0 then
    select array_agg(d.item) filter (where a.available is null),
        array_agg(d.item) filter (where a.available + d.available < 0 or a.held + d.held < 0),
        array_agg(d.item), array_agg(d.account_id), array_agg(d.available), array_agg(d.held)
    into stray_items, short_items, delta_items, delta_accounts, available_deltas, held_deltas
    from (
        select posting_items[p.n] as item, org_ids[posting_items[p.n]] as org_id, p.account_id,
            assets[p.n] as asset, sum(available_units[p.n]) as available,
            sum(held_units[p.n]) as held
        from unnest(account_ids) with ordinality as p (account_id, n)
        where p.account_id is not null
        group by 1, 2, 3, 4
        order by 2, 3
    ) d
    left join lateral (
        select w.available, w.held
        from accounts w
        where w.org_id = d.org_id and w.id = d.account_id and w.asset = d.asset
        for update
    ) a on true;
    foreach number in array coalesce(short_items, '{}') loop
        if outcomes[number] = 'done' then
            outcomes[number] := 'short';
        end if;
    end loop;
    foreach number in array coalesce(stray_items, '{}') loop
        if outcomes[number] in ('done', 'short') then
            outcomes[number] := 'stray';
        end if;
    end loop;
end if;
"""

# The number of the batch is drawn after the locks, so that later changes of a record have larger
# numbers.
_WRITE_JOURNALS: Final = """
if not 'done' = any(outcomes) then
    return outcomes;
end if;
if delta_accounts is not null then
    update accounts a
    set available = a.available + available_deltas[d.n], held = a.held + held_deltas[d.n]
    from unnest(delta_accounts) with ordinality as d (account_id, n)
    where outcomes[delta_items[d.n]] = 'done'
        and a.org_id = org_ids[delta_items[d.n]] and a.id = d.account_id;
end if;
if cardinality(posting_items) > 0 then
    insert into entries
        (org_id, transfer_id, seq, line, account_id, role, asset, available, held, occurred_at)
    select org_ids[p.item], ids[p.item], posting_seqs[p.n], posting_lines[p.n], account_ids[p.n],
        roles[p.n], assets[p.n], available_units[p.n], held_units[p.n], moments[p.item]
    from unnest(posting_items) with ordinality as p (item, n)
    where outcomes[p.item] = 'done';
end if;
batch_number := nextval('change_batch_numbers');
insert into change_batches (org_id, number)
select distinct i.org_id, batch_number
from unnest(org_ids) with ordinality as i (org_id, item)
where outcomes[i.item] = 'done';
"""

# A record is identified by its request id or, if its flow derives it, by its own id. An item that
# can't be paid is a duplicate if its request id exists: the first request may have emptied the
# wallet.
CREATE_BODY: Final = f"""
declare{_VARIABLES}begin{_SET_TIMEOUT}
outcomes := array_fill('done'::text, array[cardinality(ids)]);
{_LOCK_WALLETS}
outcomes := array_replace(outcomes, 'done', 'known');
for stored in
    insert into transfers (
        org_id, id, kind, user_id, request_id, request, status, version, source_asset,
        source_units, destination_asset, destination_units, details, due_at, created_at, updated_at
    )
    select org_ids[i.item], i.id, kinds[i.item], user_ids[i.item], request_ids[i.item],
        requests[i.item]::jsonb, statuses[i.item], versions[i.item], source_assets[i.item],
        source_amounts[i.item], destination_assets[i.item], destination_amounts[i.item],
        all_details[i.item]::jsonb, due_ats[i.item], moments[i.item], moments[i.item]
    from unnest(ids) with ordinality as i (id, item)
    where outcomes[i.item] = 'known'
    order by org_ids[i.item], request_ids[i.item]
    on conflict do nothing
    returning org_id, id
loop
    number := array_position(ids, stored.id);
    while org_ids[number] <> stored.org_id loop
        number := array_position(ids, stored.id, number + 1);
    end loop;
    outcomes[number] := 'done';
end loop;
if short_items is not null or stray_items is not null then
    for stored in
        select i.item
        from unnest(request_ids) with ordinality as i (request_id, item)
        join transfers t on t.org_id = org_ids[i.item] and t.request_id = i.request_id
        where outcomes[i.item] in ('short', 'stray')
    loop
        outcomes[stored.item] := 'known';
    end loop;
end if;
{_WRITE_JOURNALS}
insert into changes (
    org_id, object_id, seq, kind, change_type, status_before, status_after, actor, occurred_at,
    is_settled, batch, creation_digest
)
select org_ids[s.item], ids[s.item], step_seqs[s.n], kinds[s.item], 'open', statuses_before[s.n],
    statuses_after[s.n], actors[s.item], moments[s.item], settled_steps[s.n], batch_number,
    case when step_seqs[s.n] = 1 then creation_digests[s.item] end
from unnest(step_items) with ordinality as s (item, n)
where outcomes[s.item] = 'done';
return outcomes;
end
"""  # noqa: S608  constants

# Records before wallets, each in sorted order: every transaction that moves money takes its locks
# here and in this order, so no deadlock is possible.
ADVANCE_BODY: Final = f"""
declare{_VARIABLES}    kinds text[];
begin{_SET_TIMEOUT}
outcomes := array_fill('lost'::text, array[cardinality(ids)]);
kinds := array_fill(null::text, array[cardinality(ids)]);
for stored in
    select i.item, t.kind, case
            when t.version <> versions_before[i.item] then 'lost'
            when timings[i.item] = 'in time' and moments[i.item] >= t.due_at then 'late'
            when timings[i.item] = 'overdue' and (t.due_at is null or moments[i.item] < t.due_at)
                then 'early'
            else 'done'
        end as outcome
    from unnest(ids) with ordinality as i (id, item)
    join transfers t on t.org_id = org_ids[i.item] and t.id = i.id
    order by t.org_id, t.id
    for update of t
loop
    outcomes[stored.item] := stored.outcome;
    kinds[stored.item] := stored.kind;
end loop;
{_LOCK_WALLETS}
{_WRITE_JOURNALS}
update transfers t
set status = statuses[i.item], version = versions[i.item],
    facts = t.facts || all_facts[i.item]::jsonb, due_at = due_ats[i.item],
    updated_at = moments[i.item],
    source_asset = coalesce(source_assets[i.item], t.source_asset),
    source_units = coalesce(source_amounts[i.item], t.source_units),
    destination_asset = coalesce(destination_assets[i.item], t.destination_asset),
    destination_units = coalesce(destination_amounts[i.item], t.destination_units)
from unnest(ids) with ordinality as i (id, item)
where outcomes[i.item] = 'done' and t.org_id = org_ids[i.item] and t.id = i.id;
insert into changes (
    org_id, object_id, seq, kind, change_type, status_before, status_after, actor, facts,
    occurred_at, is_settled, batch
)
select org_ids[s.item], ids[s.item], step_seqs[s.n], kinds[s.item], change_types[s.item],
    statuses_before[s.n], statuses_after[s.n], actors[s.item],
    case when settled_steps[s.n] and all_facts[s.item] <> '{{}}' then all_facts[s.item]::jsonb end,
    moments[s.item], settled_steps[s.n], batch_number
from unnest(step_items) with ordinality as s (item, n)
where outcomes[s.item] = 'done';
return outcomes;
end
"""  # noqa: S608  constants

# Planner settings with which rows are found by key, however few rows the tables had when the
# statements were planned.
SETTINGS: Final = ("enable_hashjoin", "enable_mergejoin", "enable_bitmapscan", "enable_seqscan")
