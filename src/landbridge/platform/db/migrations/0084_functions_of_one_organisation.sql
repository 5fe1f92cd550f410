-- Variants for one organisation of the functions that create, advance, append and place. A distributed
-- database runs them on the organisation's node; one server has no use for them.

create function lock_and_create_3_of_one(
    org uuid,
    org_ids_text text, ids_text text, kinds_text text, user_ids_text text, request_ids_text text,
    requests_text text, statuses_text text, versions_text text, source_assets_text text,
    source_amounts_text text, destination_assets_text text, destination_amounts_text text,
    all_details_text text, due_ats_text text, moments_text text, actors_text text,
    creation_digests_text text,
    step_items_text text, step_seqs_text text, statuses_before_text text, statuses_after_text text,
    settled_steps_text text,
    posting_items_text text, posting_seqs_text text, posting_lines_text text, account_ids_text text,
    roles_text text, assets_text text, available_units_text text, held_units_text text,
    lock_wait text
) returns text[]
language plpgsql volatile
set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off set enable_seqscan = off
as $function$
declare
    org_ids uuid[] := org_ids_text::uuid[];
    ids uuid[] := ids_text::uuid[];
    kinds text[] := kinds_text::text[];
    user_ids uuid[] := user_ids_text::uuid[];
    request_ids uuid[] := request_ids_text::uuid[];
    requests text[] := requests_text::text[];
    statuses text[] := statuses_text::text[];
    versions int[] := versions_text::int[];
    source_assets text[] := source_assets_text::text[];
    source_amounts numeric[] := source_amounts_text::numeric[];
    destination_assets text[] := destination_assets_text::text[];
    destination_amounts numeric[] := destination_amounts_text::numeric[];
    all_details text[] := all_details_text::text[];
    due_ats timestamptz[] := due_ats_text::timestamptz[];
    moments timestamptz[] := moments_text::timestamptz[];
    actors text[] := actors_text::text[];
    creation_digests bytea[] := creation_digests_text::bytea[];
    step_items int[] := step_items_text::int[];
    step_seqs int[] := step_seqs_text::int[];
    statuses_before text[] := statuses_before_text::text[];
    statuses_after text[] := statuses_after_text::text[];
    settled_steps boolean[] := settled_steps_text::boolean[];
    posting_items int[] := posting_items_text::int[];
    posting_seqs int[] := posting_seqs_text::int[];
    posting_lines int[] := posting_lines_text::int[];
    account_ids uuid[] := account_ids_text::uuid[];
    roles text[] := roles_text::text[];
    assets text[] := assets_text::text[];
    available_units numeric[] := available_units_text::numeric[];
    held_units numeric[] := held_units_text::numeric[];
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
begin
if lock_wait is not null then
    lock_wait := set_config('lock_timeout', lock_wait, true);
end if;

outcomes := array_fill('done'::text, array[cardinality(ids)]);

if cardinality(account_ids) > 0 then
    select array_agg(d.item) filter (where a.available is null),
        array_agg(d.item) filter (where a.available + d.available < 0 or a.held + d.held < 0),
        array_agg(d.item), array_agg(d.account_id), array_agg(d.available), array_agg(d.held)
    into stray_items, short_items, delta_items, delta_accounts, available_deltas, held_deltas
    from (
        select posting_items[p.n] as item, org as org_id, p.account_id,
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
        where w.org_id = org and w.org_id = d.org_id and w.id = d.account_id and w.asset = d.asset
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

outcomes := array_replace(outcomes, 'done', 'known');
for stored in
    insert into transfers (
        org_id, id, kind, user_id, request_id, request, status, version, source_asset,
        source_units, destination_asset, destination_units, details, due_at, created_at, updated_at
    )
    select org, i.id, kinds[i.item], user_ids[i.item], request_ids[i.item],
        requests[i.item]::jsonb, statuses[i.item], versions[i.item], source_assets[i.item],
        source_amounts[i.item], destination_assets[i.item], destination_amounts[i.item],
        all_details[i.item]::jsonb, due_ats[i.item], moments[i.item], moments[i.item]
    from unnest(ids) with ordinality as i (id, item)
    where outcomes[i.item] = 'known'
    order by org, request_ids[i.item]
    on conflict do nothing
    returning org_id, id
loop
    number := array_position(ids, stored.id);
    while org <> stored.org_id loop
        number := array_position(ids, stored.id, number + 1);
    end loop;
    outcomes[number] := 'done';
end loop;
if short_items is not null or stray_items is not null then
    for stored in
        select i.item
        from unnest(request_ids) with ordinality as i (request_id, item)
        join transfers t on t.org_id = org and t.request_id = i.request_id
        where outcomes[i.item] in ('short', 'stray')
    loop
        outcomes[stored.item] := 'known';
    end loop;
end if;

if not 'done' = any(outcomes) then
    return outcomes;
end if;
if delta_accounts is not null then
    update accounts a
    set available = a.available + available_deltas[d.n], held = a.held + held_deltas[d.n]
    from unnest(delta_accounts) with ordinality as d (account_id, n)
    where outcomes[delta_items[d.n]] = 'done'
        and a.org_id = org and a.id = d.account_id;
end if;
if cardinality(posting_items) > 0 then
    insert into entries
        (org_id, transfer_id, seq, line, account_id, role, asset, available, held, occurred_at)
    select org, ids[p.item], posting_seqs[p.n], posting_lines[p.n], account_ids[p.n],
        roles[p.n], assets[p.n], available_units[p.n], held_units[p.n], moments[p.item]
    from unnest(posting_items) with ordinality as p (item, n)
    where outcomes[p.item] = 'done';
end if;
batch_number := nextval('change_batch_numbers');
insert into change_batches (org_id, number)
select distinct org, batch_number
from unnest(org_ids) with ordinality as i (org_id, item)
where outcomes[i.item] = 'done';

insert into changes (
    org_id, object_id, seq, kind, change_type, status_before, status_after, actor, occurred_at,
    is_settled, batch, creation_digest
)
select org, ids[s.item], step_seqs[s.n], kinds[s.item], 'open', statuses_before[s.n],
    statuses_after[s.n], actors[s.item], moments[s.item], settled_steps[s.n], batch_number,
    case when step_seqs[s.n] = 1 then creation_digests[s.item] end
from unnest(step_items) with ordinality as s (item, n)
where outcomes[s.item] = 'done';
return outcomes;
end
$function$;

create function lock_and_advance_3_of_one(
    org uuid,
    org_ids_text text, ids_text text, versions_before_text text, statuses_text text, versions_text text,
    all_facts_text text, timings_text text, due_ats_text text, moments_text text,
    change_types_text text, actors_text text, source_assets_text text, source_amounts_text text,
    destination_assets_text text, destination_amounts_text text,
    step_items_text text, step_seqs_text text, statuses_before_text text, statuses_after_text text,
    settled_steps_text text,
    posting_items_text text, posting_seqs_text text, posting_lines_text text, account_ids_text text,
    roles_text text, assets_text text, available_units_text text, held_units_text text,
    lock_wait text
) returns text[]
language plpgsql volatile
set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off set enable_seqscan = off
as $function$
declare
    org_ids uuid[] := org_ids_text::uuid[];
    ids uuid[] := ids_text::uuid[];
    versions_before int[] := versions_before_text::int[];
    statuses text[] := statuses_text::text[];
    versions int[] := versions_text::int[];
    all_facts text[] := all_facts_text::text[];
    timings text[] := timings_text::text[];
    due_ats timestamptz[] := due_ats_text::timestamptz[];
    moments timestamptz[] := moments_text::timestamptz[];
    change_types text[] := change_types_text::text[];
    actors text[] := actors_text::text[];
    source_assets text[] := source_assets_text::text[];
    source_amounts numeric[] := source_amounts_text::numeric[];
    destination_assets text[] := destination_assets_text::text[];
    destination_amounts numeric[] := destination_amounts_text::numeric[];
    step_items int[] := step_items_text::int[];
    step_seqs int[] := step_seqs_text::int[];
    statuses_before text[] := statuses_before_text::text[];
    statuses_after text[] := statuses_after_text::text[];
    settled_steps boolean[] := settled_steps_text::boolean[];
    posting_items int[] := posting_items_text::int[];
    posting_seqs int[] := posting_seqs_text::int[];
    posting_lines int[] := posting_lines_text::int[];
    account_ids uuid[] := account_ids_text::uuid[];
    roles text[] := roles_text::text[];
    assets text[] := assets_text::text[];
    available_units numeric[] := available_units_text::numeric[];
    held_units numeric[] := held_units_text::numeric[];
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
    kinds text[];
begin
if lock_wait is not null then
    lock_wait := set_config('lock_timeout', lock_wait, true);
end if;

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
    join transfers t on t.org_id = org and t.id = i.id
    order by t.org_id, t.id
    for update of t
loop
    outcomes[stored.item] := stored.outcome;
    kinds[stored.item] := stored.kind;
end loop;

if cardinality(account_ids) > 0 then
    select array_agg(d.item) filter (where a.available is null),
        array_agg(d.item) filter (where a.available + d.available < 0 or a.held + d.held < 0),
        array_agg(d.item), array_agg(d.account_id), array_agg(d.available), array_agg(d.held)
    into stray_items, short_items, delta_items, delta_accounts, available_deltas, held_deltas
    from (
        select posting_items[p.n] as item, org as org_id, p.account_id,
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
        where w.org_id = org and w.org_id = d.org_id and w.id = d.account_id and w.asset = d.asset
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


if not 'done' = any(outcomes) then
    return outcomes;
end if;
if delta_accounts is not null then
    update accounts a
    set available = a.available + available_deltas[d.n], held = a.held + held_deltas[d.n]
    from unnest(delta_accounts) with ordinality as d (account_id, n)
    where outcomes[delta_items[d.n]] = 'done'
        and a.org_id = org and a.id = d.account_id;
end if;
if cardinality(posting_items) > 0 then
    insert into entries
        (org_id, transfer_id, seq, line, account_id, role, asset, available, held, occurred_at)
    select org, ids[p.item], posting_seqs[p.n], posting_lines[p.n], account_ids[p.n],
        roles[p.n], assets[p.n], available_units[p.n], held_units[p.n], moments[p.item]
    from unnest(posting_items) with ordinality as p (item, n)
    where outcomes[p.item] = 'done';
end if;
batch_number := nextval('change_batch_numbers');
insert into change_batches (org_id, number)
select distinct org, batch_number
from unnest(org_ids) with ordinality as i (org_id, item)
where outcomes[i.item] = 'done';

update transfers t
set status = coalesce(statuses[i.item]), version = coalesce(versions[i.item]),
    facts = t.facts || all_facts[i.item]::jsonb, due_at = coalesce(due_ats[i.item]),
    updated_at = coalesce(moments[i.item]),
    source_asset = coalesce(source_assets[i.item], t.source_asset),
    source_units = coalesce(source_amounts[i.item], t.source_units),
    destination_asset = coalesce(destination_assets[i.item], t.destination_asset),
    destination_units = coalesce(destination_amounts[i.item], t.destination_units)
from unnest(ids) with ordinality as i (id, item)
where outcomes[i.item] = 'done' and t.org_id = org and t.id = i.id;
insert into changes (
    org_id, object_id, seq, kind, change_type, status_before, status_after, actor, facts,
    occurred_at, is_settled, batch
)
select org, ids[s.item], step_seqs[s.n], kinds[s.item], change_types[s.item],
    statuses_before[s.n], statuses_after[s.n], actors[s.item],
    case when settled_steps[s.n] and all_facts[s.item] <> '{}' then all_facts[s.item]::jsonb end,
    moments[s.item], settled_steps[s.n], batch_number
from unnest(step_items) with ordinality as s (item, n)
where outcomes[s.item] = 'done';
return outcomes;
end
$function$;

create function place_changes_of_one_1(org uuid) returns bigint
language plpgsql volatile
set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set enable_seqscan = off
as $function$
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
$function$;

create function append_change_of_one_1(
    org uuid, changed_id uuid, change_seq int, changed_kind text, type_of_change text,
    changed_by text, new_facts text, changed_at timestamptz, owner_id uuid, sealed bytea
) returns int
language plpgsql volatile
as $function$
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
$function$;
