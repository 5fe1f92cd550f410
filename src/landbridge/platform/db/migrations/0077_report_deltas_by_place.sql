-- The view of 0021, with the place of each change's batch instead of its transaction id.

-- What each change adds to the sums or subtracts from them; `occurred_at` is the moment to which
-- the row belongs. A row is the same whenever it is read, because everything that it reads from the
-- record is final by then. The reason of an end that was left comes from the changes up to that
-- end. So a sum of these rows is exact, whichever of them were summed before. A record can leave
-- COMPLETED, when its payout is returned: that change subtracts what the completion added.
--
-- measure   occurred_at         a         b             c       rows
-- state     record created      kind      status        reason  each record, in its status
-- time      record created      kind      duration, ms          records that COMPLETED later
-- swap      record created      source    destination           swaps that COMPLETED
-- fee       journal             kind      asset                 fees charged
-- balance   journal             asset     holder                additions to balances
-- user      user created                                        each user
-- approval  approval requested  status    duration, ms          each approval; 0 while PENDING
--
-- A reason belongs to a status that ends a record and is not COMPLETED. Its numbers are removed,
-- because amounts would make each reason unique. A refunded fee counts as one fee less. Durations
-- are rounded up to 1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8 or 8.2 times a power of ten
-- (the E12 series: steps of about 20 %); below 10 ms they are exact.
--
-- `family` is 'record' (state, time, swap), 'entry' (fee, balance), 'user' or 'approval'. A query
-- for one measure names its family, so that the tables of other families are not read. `place` is null
-- for changes that have none yet. Joined rows are looked up batch by batch and change by change
-- (`limit`, `offset 0`), whatever row counts the planner estimates.
create view report_deltas as
select 'record' as family, b.org_id, b.place, c.object_id, c.seq, d.measure, r.kind,
    r.created_at as occurred_at, r.user_id, d.a, d.b, d.c, d.count, d.units, d.other_units,
    d.usd_cents
from change_batches b
cross join lateral (
    select x.org_id, x.object_id, x.seq, x.status_before, x.status_after, x.occurred_at
    from changes x
    where x.org_id = b.org_id and x.batch = b.number
    offset 0
) c
cross join lateral (
    select x.kind, x.user_id, x.created_at, x.version, x.source_asset, x.source_units,
        x.destination_asset, x.destination_units, x.reason, x.worth_cents, x.failure_statuses
    from report_records x
    where x.org_id = c.org_id and x.id = c.object_id
    limit 1
) r
cross join lateral (
    select 'state' as measure, r.kind as a, c.status_before as b,
        -- The record leaves an end: the reason of that end, from the changes up to it.
        case
            when c.status_before = any(r.failure_statuses) then left(
                regexp_replace(
                    coalesce(
                        (
                            select p.facts ->> 'failed_reason'
                            from changes p
                            where p.org_id = c.org_id and p.object_id = c.object_id
                                and p.seq < c.seq and p.facts ? 'failed_reason'
                            order by p.seq desc
                            limit 1
                        ),
                        (
                            select p.facts ->> 'error'
                            from changes p
                            where p.org_id = c.org_id and p.object_id = c.object_id
                                and p.seq < c.seq and p.facts ? 'error'
                            order by p.seq desc
                            limit 1
                        ),
                        ''
                    ),
                    '\m[0-9]+([.,][0-9]+)*\M', '#', 'g'
                ),
                100
            )
            else ''
        end as c,
        -1 as count, 0 as units, 0 as other_units,
        case c.status_before when 'COMPLETED' then -r.worth_cents else 0 end as usd_cents
    where c.status_before <> c.status_after
    union all
    select 'state', r.kind, c.status_after,
        -- The record's own reason; for an end that it left since, from the changes up to it.
        case
            when c.seq = r.version then r.reason
            when c.status_after = any(r.failure_statuses) then left(
                regexp_replace(
                    coalesce(
                        (
                            select p.facts ->> 'failed_reason'
                            from changes p
                            where p.org_id = c.org_id and p.object_id = c.object_id
                                and p.seq <= c.seq and p.facts ? 'failed_reason'
                            order by p.seq desc
                            limit 1
                        ),
                        (
                            select p.facts ->> 'error'
                            from changes p
                            where p.org_id = c.org_id and p.object_id = c.object_id
                                and p.seq <= c.seq and p.facts ? 'error'
                            order by p.seq desc
                            limit 1
                        ),
                        ''
                    ),
                    '\m[0-9]+([.,][0-9]+)*\M', '#', 'g'
                ),
                100
            )
            else ''
        end,
        1, 0, 0, case c.status_after when 'COMPLETED' then r.worth_cents else 0 end
    where c.status_after is not null and c.status_before is distinct from c.status_after
    union all
    select 'time', r.kind, m.duration::text, '', 1, 0, 0, 0
    from (
        select case
                when s.ms < 10 then s.ms
                else (array[10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82, 100])[1 + width_bucket(
                    (s.ms + s.scale - 1) / s.scale - 1,
                    array[10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82]::bigint[]
                )] * s.scale
            end as duration
        from (
            select i.ms, rpad('1', greatest(length(i.ms::text) - 1, 1), '0')::bigint as scale
            from (
                select greatest(
                    ceil(extract(epoch from c.occurred_at - r.created_at) * 1000), 0
                )::bigint as ms
                offset 0
            ) i
            offset 0
        ) s
        offset 0
    ) m
    where c.status_after = 'COMPLETED' and c.status_before is distinct from c.status_after
        -- All other kinds complete when they are created.
        and r.kind in (
            'ONRAMP', 'OFFRAMP', 'WALLET.TRANSFER', 'WALLET.TRANSFER.BATCH', 'WALLET.SWAP',
            'WALLET.BRIDGE'
        )
    union all
    -- Reopened: takes back the duration that was counted at completion.
    select 'time', r.kind, m.duration::text, '', -1, 0, 0, 0
    from (
        select case
                when s.ms < 10 then s.ms
                else (array[10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82, 100])[1 + width_bucket(
                    (s.ms + s.scale - 1) / s.scale - 1,
                    array[10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82]::bigint[]
                )] * s.scale
            end as duration
        from (
            select i.ms, rpad('1', greatest(length(i.ms::text) - 1, 1), '0')::bigint as scale
            from (
                select greatest(
                    ceil(extract(epoch from p.occurred_at - r.created_at) * 1000), 0
                )::bigint as ms
                from changes p
                where p.org_id = c.org_id and p.object_id = c.object_id and p.seq = c.seq - 1
                offset 0
            ) i
            offset 0
        ) s
        offset 0
    ) m
    where c.status_before = 'COMPLETED' and c.status_after <> 'COMPLETED'
        and r.kind in (
            'ONRAMP', 'OFFRAMP', 'WALLET.TRANSFER', 'WALLET.TRANSFER.BATCH', 'WALLET.SWAP',
            'WALLET.BRIDGE'
        )
    union all
    select 'swap', r.source_asset, r.destination_asset, '', 1, r.source_units,
        r.destination_units, r.worth_cents
    where c.status_after = 'COMPLETED' and c.status_before is distinct from c.status_after
        and r.kind = 'WALLET.SWAP'
) d
union all
select 'entry', b.org_id, b.place, c.object_id, c.seq, d.measure, c.kind, e.occurred_at, null, d.a,
    d.b, '', d.count, d.units, 0, 0
from change_batches b
cross join lateral (
    select x.org_id, x.object_id, x.seq, x.kind
    from changes x
    where x.org_id = b.org_id and x.batch = b.number
    offset 0
) c
cross join lateral (
    select x.asset, x.role, x.available, x.held, x.occurred_at
    from entries x
    where x.org_id = c.org_id and x.transfer_id = c.object_id and x.seq = c.seq
    offset 0
) e
cross join lateral (
    select 'fee' as measure, c.kind as a, e.asset as b, sign(e.available)::int as count,
        e.available as units
    where e.role = 'fees'
    union all
    select 'balance', e.asset, coalesce(e.role, 'customers'), 0, e.available + e.held
) d
union all
select 'user', b.org_id, b.place, c.object_id, c.seq, 'user', c.kind, c.occurred_at, c.object_id, '',
    '', '', 1, 0, 0, 0
from change_batches b
cross join lateral (
    select x.org_id, x.object_id, x.seq, x.kind, x.change_type, x.occurred_at
    from changes x
    where x.org_id = b.org_id and x.batch = b.number
    offset 0
) c
where c.kind = 'USER' and c.change_type = 'create'
union all
select 'approval', b.org_id, b.place, c.object_id, c.seq, 'approval', c.kind, requested.occurred_at,
    null, d.a, d.b, '', d.count, 0, 0, 0
from change_batches b
cross join lateral (
    select x.org_id, x.object_id, x.seq, x.kind, x.facts, x.occurred_at
    from changes x
    where x.org_id = b.org_id and x.batch = b.number
    offset 0
) c
cross join lateral (
    select x.occurred_at
    from changes x
    where x.org_id = c.org_id and x.object_id = c.object_id and x.seq = 1
    limit 1
) requested
left join lateral (
    select x.facts
    from changes x
    where x.org_id = c.org_id and x.object_id = c.object_id and x.seq = c.seq - 1
    limit 1
) before on true
cross join lateral (
    select before.facts ->> 'status' as a, '0' as b, -1 as count
    where before.facts ->> 'status' = 'PENDING'
    union all
    select c.facts ->> 'status', '0', 1
    where c.facts ->> 'status' = 'PENDING'
    union all
    select c.facts ->> 'status', m.duration::text, 1
    from (
        select case
                when s.ms < 10 then s.ms
                else (array[10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82, 100])[1 + width_bucket(
                    (s.ms + s.scale - 1) / s.scale - 1,
                    array[10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82]::bigint[]
                )] * s.scale
            end as duration
        from (
            select i.ms, rpad('1', greatest(length(i.ms::text) - 1, 1), '0')::bigint as scale
            from (
                select greatest(
                    ceil(extract(epoch from c.occurred_at - requested.occurred_at) * 1000), 0
                )::bigint as ms
                offset 0
            ) i
            offset 0
        ) s
        offset 0
    ) m
    where c.facts ->> 'status' <> 'PENDING'
        and coalesce(before.facts ->> 'status', 'PENDING') = 'PENDING'
) d
where c.kind = 'APPROVAL';
