-- How deliveries of webhooks went: counted by the courier, in the transaction that writes them down,
-- since the rows of deliveries go after a while and these stay.
create table report_deliveries (
    org_id uuid not null,
    -- 'quarter' of an hour, since zones begin their days at any; 'hour' and 'day', of UTC.
    frame text not null,
    -- In the organisation's time.
    start timestamptz not null,
    endpoint_id uuid not null,
    outcome text not null,
    -- How long it took, rounded up: reporting/deliveries.py.
    took_ms integer not null,
    count bigint not null,
    constraint report_deliveries_pkey
        primary key (org_id, frame, start, endpoint_id, outcome, took_ms),
    constraint report_deliveries_frame_check check (frame in ('quarter', 'hour', 'day')),
    constraint report_deliveries_count_check check (count > 0)
) with (fillfactor = 80); -- the latest ones grow, on their page: no indexed column changes
