-- Payments that a bank gives back after they were settled, and deposits that it takes back.

-- The record that was reopened or reversed when a person resolved a line.
alter table bank_lines add column transfer_id uuid;

-- What users owe waits for a person, without a due time.
create index transfers_open_idx on transfers (org_id)
    where due_at is null and status = 'OPEN';

-- Reports: a record may leave an end now. COMPLETED is left when its payout comes back, and what the
-- views said of that is taken away again by the change that leaves it. The comments of 0036 hold on.

-- What a record is worth (US cents, cut off), and as `usd_cents` if it is COMPLETED; why it ended if
-- it ended in any other way, that is in one of its `failures`. The worth is settled once a record has
-- come to an end; the reason is as long as it stays there.
create or replace view report_records as
select t.org_id, t.id, t.kind, t.user_id, t.created_at, t.status, t.source_asset, t.source_units,
    t.destination_asset, t.destination_units,
    case when t.status = 'COMPLETED' then w.cents else 0 end as usd_cents,
    case
        when t.status = any(f.failures) then left(
            regexp_replace(
                coalesce(t.facts ->> 'failed_reason', t.facts ->> 'error', ''),
                '\m[0-9]+([.,][0-9]+)*\M', '#', 'g'
            ),
            100
        )
        else ''
    end as reason,
    t.version, w.cents as worth_cents, f.failures
from transfers t
cross join lateral (
    select case
        -- What it was worth when it was quoted; else dollars, or coins at par.
        when t.kind = 'ONRAMP' then trunc(coalesce(
            100 * ((t.details || t.facts) ->> 'worth_usd')::numeric,
            case t.source_asset
                when 'usd:BANK' then t.source_units
                else t.destination_units / 10000
            end
        ))
        when t.kind = 'OFFRAMP' then trunc(
            ((t.details || t.facts) ->> 'amount_units')::numeric / 10000
        )
        else trunc(t.source_units / 10000)
    end as cents
) w
cross join lateral (
    select case t.kind
        when 'WALLET.SWAP' then array['FAILED', 'QUOTE_FAILED']
        when 'WALLET.TRANSFER' then array['FAILED', 'NOT_INITIATED', 'REJECTED', 'EXPIRED']
        when 'WALLET.TRANSFER.BATCH' then array['FAILED', 'NOT_INITIATED', 'REJECTED', 'EXPIRED']
        when 'WALLET.BRIDGE' then array[
            'NOT_INITIATED', 'SOURCE_FAILED', 'DESTINATION_FAILED', 'QUOTE_FAILED', 'REJECTED',
            'EXPIRED'
        ]
        when 'ONRAMP' then array['NOT_INITIATED', 'QUOTE_FAILED', 'FIAT_RETURNED']
        when 'OFFRAMP' then array[
            'NOT_INITIATED', 'QUOTE_FAILED', 'CRYPTO_FAILED', 'CRYPTO_RETURNED', 'REJECTED',
            'EXPIRED'
        ]
    end as failures
) f;

-- What each change adds to the sums, and takes away, as in 0036. A row is the same whenever it is
-- read: what it takes from the record is settled by then, but for the reason of an end that was left,
-- which is told by the changes up to that end.
create or replace view report_deltas as
select 'record' as family, c.org_id, c.tx, c.object_id, c.seq, d.measure, r.kind,
    r.created_at as at, r.user_id, d.a, d.b, d.c, d.count, d.units, d.other_units, d.usd_cents
from changes c
cross join lateral (
    select x.kind, x.user_id, x.created_at, x.version, x.source_asset, x.source_units,
        x.destination_asset, x.destination_units, x.reason, x.worth_cents, x.failures
    from report_records x
    where x.org_id = c.org_id and x.id = c.object_id
    limit 1
) r
cross join lateral (
    select 'state' as measure, r.kind as a, c.status_before as b,
        -- An end that is left: why it had ended, as its changes had told until then.
        case
            when c.status_before = any(r.failures) then left(
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
        -- An end is the record's own; one that it has left since is as its changes had told.
        case
            when c.seq = r.version then r.reason
            when c.status_after = any(r.failures) then left(
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
                    ceil(extract(epoch from c.at - r.created_at) * 1000), 0
                )::bigint as ms
                offset 0
            ) i
            offset 0
        ) s
        offset 0
    ) m
    where c.status_after = 'COMPLETED' and c.status_before is distinct from c.status_after
        -- All others are completed as they are made.
        and r.kind in (
            'ONRAMP', 'OFFRAMP', 'WALLET.TRANSFER', 'WALLET.TRANSFER.BATCH', 'WALLET.SWAP',
            'WALLET.BRIDGE'
        )
    union all
    -- Reopened: what took so long is not completed any more.
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
                    ceil(extract(epoch from p.at - r.created_at) * 1000), 0
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
select 'entry', c.org_id, c.tx, c.object_id, c.seq, d.measure, c.kind, e.at, null, d.a, d.b, '',
    d.count, d.units, 0, 0
from changes c
cross join lateral (
    select x.asset, x.role, x.available, x.held, x.at
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
select 'user', c.org_id, c.tx, c.object_id, c.seq, 'user', c.kind, c.at, c.object_id, '', '', '',
    1, 0, 0, 0
from changes c
where c.kind = 'USER' and c.what = 'create'
union all
select 'approval', c.org_id, c.tx, c.object_id, c.seq, 'approval', c.kind, asked.at, null, d.a,
    d.b, '', d.count, 0, 0, 0
from changes c
cross join lateral (
    select x.at
    from changes x
    where x.org_id = c.org_id and x.object_id = c.object_id and x.seq = 1
    limit 1
) asked
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
                    ceil(extract(epoch from c.at - asked.at) * 1000), 0
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
