-- Roll-ups of the log. Every row here can be made again from it: `landbridge reports rebuild`.

-- A build is one set of roll-ups, folded up to a transaction. Reports read the current one; the
-- newest, if it is another, is folded beside it and takes its place once it has caught up. All
-- others are on their way out.
create table report_builds (
    org_id uuid not null,
    build integer not null,
    -- Days are kept in UTC and in this zone, the organisation's own (IANA's name).
    zone text not null,
    -- All changes of transactions below this one are in the build, and no others.
    folded_to xid8 not null,
    is_current boolean not null,
    created_at timestamptz not null,
    constraint report_builds_pkey primary key (org_id, build),
    constraint report_builds_org_id_fkey foreign key (org_id) references orgs (id),
    constraint report_builds_build_check check (build > 0)
);

create unique index report_builds_current_idx on report_builds (org_id) where is_current;

-- What happened in one hour, day or month, summed. Compared by bytes: it is faster, and nobody
-- reads these in order. What `a`, `b` and `c` are depends on the measure: see the view below.
create table report_cells (
    org_id uuid not null,
    build integer not null,
    measure text collate "C" not null,
    -- 'hour' (of UTC), the zone whose day it is, or 'month:' and the zone whose month it is.
    frame text collate "C" not null,
    -- The hour; or the first midnight, as the database has it where clocks change at midnight.
    start timestamptz not null,
    a text collate "C" not null,
    b text collate "C" not null,
    c text collate "C" not null,
    count bigint not null,
    units numeric(38, 0) not null,
    other_units numeric(38, 0) not null,
    usd_cents numeric(38, 0) not null,
    -- Sums are in the index: whoever reads two years of days finds them in order, and in the table
    -- he would look for each on another page.
    constraint report_cells_pkey primary key (org_id, build, measure, frame, start, a, b, c)
        include (count, units, other_units, usd_cents)
);

-- How long things took that began on one day or in one month (measures time and approval): which
-- durations there were, and how many took each. Packed, since there are so many: that is read in a
-- twentieth of the time that rows would take. In no order; both are empty once nothing is left.
create table report_durations (
    org_id uuid not null,
    build integer not null,
    measure text collate "C" not null,
    -- Both as of cells; there are no hours.
    frame text collate "C" not null,
    start timestamptz not null,
    -- As of cells; of time also '', which has all kinds together: to add them up takes too long.
    a text collate "C" not null,
    -- Milliseconds.
    durations bigint[] not null,
    counts bigint[] not null,
    constraint report_durations_pkey primary key (org_id, build, measure, frame, start, a),
    constraint report_durations_counts_check check (cardinality(counts) = cardinality(durations))
) with (fillfactor = 70);

-- The states of each user's records: apart, since they are many more.
create table report_user_cells (
    org_id uuid not null,
    build integer not null,
    user_id uuid not null,
    -- Both as of cells; there are no hours.
    frame text collate "C" not null,
    start timestamptz not null,
    kind text collate "C" not null,
    status text collate "C" not null,
    count bigint not null,
    usd_cents numeric(38, 0) not null,
    constraint report_user_cells_pkey
        primary key (org_id, build, user_id, frame, start, kind, status) include (count, usd_cents)
);

-- What a record was worth (US cents, cut off) if it COMPLETED, and why it ended if it ended in any
-- other way. Both are settled once it has ended.
create view report_records as
select t.org_id, t.id, t.kind, t.user_id, t.created_at, t.status, t.source_asset, t.source_units,
    t.destination_asset, t.destination_units,
    case
        when t.status <> 'COMPLETED' then 0
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
    end as usd_cents,
    case
        when t.status <> 'COMPLETED' and (t.kind, t.status) in (
            ('WALLET.SWAP', 'FAILED'), ('WALLET.SWAP', 'QUOTE_FAILED'),
            ('WALLET.TRANSFER', 'FAILED'), ('WALLET.TRANSFER', 'NOT_INITIATED'),
            ('WALLET.TRANSFER', 'REJECTED'), ('WALLET.TRANSFER', 'EXPIRED'),
            ('WALLET.TRANSFER.BATCH', 'FAILED'), ('WALLET.TRANSFER.BATCH', 'NOT_INITIATED'),
            ('WALLET.TRANSFER.BATCH', 'REJECTED'), ('WALLET.TRANSFER.BATCH', 'EXPIRED'),
            ('WALLET.BRIDGE', 'NOT_INITIATED'), ('WALLET.BRIDGE', 'SOURCE_FAILED'),
            ('WALLET.BRIDGE', 'DESTINATION_FAILED'), ('WALLET.BRIDGE', 'QUOTE_FAILED'),
            ('WALLET.BRIDGE', 'REJECTED'), ('WALLET.BRIDGE', 'EXPIRED'),
            ('ONRAMP', 'NOT_INITIATED'), ('ONRAMP', 'QUOTE_FAILED'), ('ONRAMP', 'FIAT_RETURNED'),
            ('OFFRAMP', 'NOT_INITIATED'), ('OFFRAMP', 'QUOTE_FAILED'),
            ('OFFRAMP', 'CRYPTO_FAILED'), ('OFFRAMP', 'CRYPTO_RETURNED'),
            ('OFFRAMP', 'REJECTED'), ('OFFRAMP', 'EXPIRED')
        ) then left(
            regexp_replace(
                coalesce(t.facts ->> 'failed_reason', t.facts ->> 'error', ''),
                '\m[0-9]+([.,][0-9]+)*\M', '#', 'g'
            ),
            100
        )
        else ''
    end as reason
from transfers t;

-- What each change adds to the sums, and takes away; `at` is the moment that the row belongs to.
-- A row is the same whenever it is read: whatever it takes from the record is settled by then. So
-- a sum of these rows is exact, whichever of them are summed before.
--
-- measure   at                a          b            c       of
-- state     record created    kind       status       reason  each record, in its status
-- time      record created    kind       duration, ms         records that COMPLETED later
-- swap      record created    source     destination          swaps that COMPLETED
-- fee       journal           kind       asset                what went to the fees
-- balance   journal           asset      whose                what was added to it
-- user      user created                                      each user
-- approval  asked             status     duration, ms         each approval; 0 while PENDING
--
-- A reason stands beside statuses that are an end and not COMPLETED, without its numbers: amounts
-- would make each one another. What went to the fees and was given back is one fee less. Durations are rounded up to
-- 1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8 or 8.2 times a power of ten (E12, as
-- resistors are made: steps of some 20 %, a dozen for each power); below 10 ms they stay.
--
-- `family` is 'record' (state, time, swap), 'entry' (fee, balance), 'user' or 'approval': whoever
-- reads one measure names its family, and the tables of others are not looked at. What is joined is
-- looked up change by change (`limit`, `offset 0`), whatever is thought of how many there are.
create view report_deltas as
select 'record' as family, c.org_id, c.tx, c.object_id, c.seq, d.measure, r.kind,
    r.created_at as at, r.user_id, d.a, d.b, d.c, d.count, d.units, d.other_units, d.usd_cents
from changes c
cross join lateral (
    select x.kind, x.user_id, x.created_at, x.status, x.source_asset, x.source_units,
        x.destination_asset, x.destination_units, x.usd_cents, x.reason
    from report_records x
    where x.org_id = c.org_id and x.id = c.object_id
    limit 1
) r
cross join lateral (
    select 'state' as measure, r.kind as a, c.status_before as b, '' as c, -1 as count,
        0 as units, 0 as other_units, 0 as usd_cents
    where c.status_before <> c.status_after
    union all
    select 'state', r.kind, c.status_after,
        -- A status that is an end is the record's own from then on.
        case c.status_after when r.status then r.reason else '' end,
        1, 0, 0, case c.status_after when 'COMPLETED' then r.usd_cents else 0 end
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
    select 'swap', r.source_asset, r.destination_asset, '', 1, r.source_units,
        r.destination_units, r.usd_cents
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
