"""The statements that lock, create and advance: all money and all states go through them.

`CREATE` and `ADVANCE` take flat arrays: one row per item, one per status of an item's path, one
per posting; `item` numbers join them. The package docstring lists their guarantees. Each draws the
number of its change batch after `LOCK`, so that later changes of a record have larger numbers.
"""

# Records before wallets, each in sorted order: every transaction that moves money takes its locks
# here and in this order, so no deadlock is possible. The second part waits for the first. $5 is the
# lock timeout of the whole transaction; null keeps the connection's own. It is set here because a
# separate statement would cost another round trip.
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

# A record is identified by its request id or, if its flow derives it, by its own id. Balances are
# checked per item, because no two items of a batch touch the same wallet. $31 is the lock timeout,
# as $5 of `LOCK`: the insert waits for a concurrent one with the same request id.
CREATE = """
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
        source_units, destination_asset, destination_units, details, due_at, occurred_at, actor,
        creation_digest, item
    )
), step as (
    select *
    from unnest($18::int[], $19::int[], $20::text[], $21::text[], $22::boolean[])
        as s (item, seq, status_before, status_after, is_settled)
), posting as (
    select *
    from unnest(
        $23::int[], $24::int[], $25::int[], $26::uuid[], $27::text[], $28::text[],
        $29::numeric[], $30::numeric[]
    ) as p (item, seq, line, account_id, role, asset, available, held)
), duplicate as (
    select i.item
    from item i
    join transfers t on t.org_id = i.org_id and t.request_id = i.request_id
), delta as (
    select p.item, i.org_id, p.account_id, p.asset,
        sum(p.available) as available, sum(p.held) as held
    from posting p
    join item i on i.item = p.item
    where p.account_id is not null
    group by p.item, i.org_id, p.account_id, p.asset
), violation as (
    select t.item, bool_or(a.id is null) as is_unknown_account
    from delta t
    left join accounts a on a.org_id = t.org_id and a.id = t.account_id and a.asset = t.asset
    where a.id is null or a.available + t.available < 0 or a.held + t.held < 0
    group by t.item
), created as (
    insert into transfers (
        org_id, id, kind, user_id, request_id, request, status, version, source_asset,
        source_units, destination_asset, destination_units, details, due_at, created_at, updated_at
    )
    select org_id, id, kind, user_id, request_id, request::jsonb, status, version, source_asset,
        source_units, destination_asset, destination_units, details::jsonb, due_at, occurred_at,
        occurred_at
    from item
    where item not in (select item from duplicate) and item not in (select item from violation)
        and (select count(*) from timeout) >= 0
    order by org_id, request_id
    on conflict do nothing
    returning org_id, id
), done as (
    select i.item, i.org_id, i.id, i.kind, i.occurred_at, i.actor, i.creation_digest
    from created o
    join item i on i.org_id = o.org_id and i.id = o.id
), balances as (
    update accounts a
    set available = a.available + t.available, held = a.held + t.held
    from delta t
    join done d on d.item = t.item
    where a.org_id = t.org_id and a.id = t.account_id
), new_entries as (
    insert into entries
        (org_id, transfer_id, seq, line, account_id, role, asset, available, held, occurred_at)
    select d.org_id, d.id, p.seq, p.line, p.account_id, p.role, p.asset, p.available, p.held,
        d.occurred_at
    from posting p
    join done d on d.item = p.item
), batch as materialized (
    select nextval('change_batch_numbers') as number
), new_batches as (
    insert into change_batches (org_id, number)
    select distinct d.org_id, b.number
    from done d
    cross join batch b
), new_changes as (
    insert into changes (
        org_id, object_id, seq, kind, change_type, status_before, status_after, actor,
        occurred_at, is_settled, batch, creation_digest
    )
    select d.org_id, d.id, s.seq, d.kind, 'open', s.status_before, s.status_after, d.actor,
        d.occurred_at, s.is_settled, b.number,
        case when s.seq = 1 then d.creation_digest end
    from step s
    join done d on d.item = s.item
    cross join batch b
)
select case
        when d.item is not null then 'done'
        when k.item is not null or r.item is null then 'known'
        when r.is_unknown_account then 'stray'
        else 'short'
    end as outcome
from item i
left join done d on d.item = i.item
left join duplicate k on k.item = i.item
left join violation r on r.item = i.item
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
        org_id, id, version_before, status, version, facts, timing, due_at, occurred_at,
        change_type, actor, source_asset, source_units, destination_asset, destination_units, item
    )
), step as (
    select *
    from unnest($16::int[], $17::int[], $18::text[], $19::text[], $20::boolean[])
        as s (item, seq, status_before, status_after, is_settled)
), posting as (
    select *
    from unnest(
        $21::int[], $22::int[], $23::int[], $24::uuid[], $25::text[], $26::text[],
        $27::numeric[], $28::numeric[]
    ) as p (item, seq, line, account_id, role, asset, available, held)
), delta as (
    select p.item, i.org_id, p.account_id, p.asset,
        sum(p.available) as available, sum(p.held) as held
    from posting p
    join item i on i.item = p.item
    where p.account_id is not null
    group by p.item, i.org_id, p.account_id, p.asset
), violation as (
    select t.item, bool_or(a.id is null) as is_unknown_account
    from delta t
    left join accounts a on a.org_id = t.org_id and a.id = t.account_id and a.asset = t.asset
    where a.id is null or a.available + t.available < 0 or a.held + t.held < 0
    group by t.item
), decision as (
    select i.*, t.kind, case
            when t.version is distinct from i.version_before then 'lost'
            when i.timing = 'in time' and i.occurred_at >= t.due_at then 'late'
            when i.timing = 'overdue' and (t.due_at is null or i.occurred_at < t.due_at)
                then 'early'
            when r.is_unknown_account then 'stray'
            when r.item is not null then 'short'
            else 'done'
        end as outcome
    from item i
    left join transfers t on t.org_id = i.org_id and t.id = i.id
    left join violation r on r.item = i.item
), advanced as (
    update transfers t
    set status = v.status, version = v.version, facts = t.facts || v.facts::jsonb,
        due_at = v.due_at, updated_at = v.occurred_at,
        source_asset = coalesce(v.source_asset, t.source_asset),
        source_units = coalesce(v.source_units, t.source_units),
        destination_asset = coalesce(v.destination_asset, t.destination_asset),
        destination_units = coalesce(v.destination_units, t.destination_units)
    from decision v
    where v.outcome = 'done' and t.org_id = v.org_id and t.id = v.id
), balances as (
    update accounts a
    set available = a.available + t.available, held = a.held + t.held
    from delta t
    join decision v on v.item = t.item and v.outcome = 'done'
    where a.org_id = t.org_id and a.id = t.account_id
), new_entries as (
    insert into entries
        (org_id, transfer_id, seq, line, account_id, role, asset, available, held, occurred_at)
    select v.org_id, v.id, p.seq, p.line, p.account_id, p.role, p.asset, p.available, p.held,
        v.occurred_at
    from posting p
    join decision v on v.item = p.item and v.outcome = 'done'
), batch as materialized (
    select nextval('change_batch_numbers') as number
), new_batches as (
    insert into change_batches (org_id, number)
    select distinct v.org_id, b.number
    from decision v
    cross join batch b
    where v.outcome = 'done'
), new_changes as (
    insert into changes (
        org_id, object_id, seq, kind, change_type, status_before, status_after, actor, facts,
        occurred_at, is_settled, batch
    )
    select v.org_id, v.id, s.seq, v.kind, v.change_type, s.status_before, s.status_after, v.actor,
        case when s.is_settled and v.facts <> '{}' then v.facts::jsonb end, v.occurred_at,
        s.is_settled, b.number
    from step s
    join decision v on v.item = s.item and v.outcome = 'done'
    cross join batch b
)
select outcome from decision order by item
"""
