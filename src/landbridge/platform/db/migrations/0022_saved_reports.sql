-- Saved metrics, scheduled reports, and counts of webhook deliveries.

-- Metrics that organisations saved: a template with a name and parameters.
create table report_metrics (
    org_id uuid not null,
    id uuid not null,
    template text not null,
    name text not null,
    -- As received. json keeps the order of the members; jsonb would not.
    params json not null,
    -- Number of changes, equal to the last changes.seq.
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint report_metrics_pkey primary key (org_id, id),
    constraint report_metrics_org_id_fkey foreign key (org_id) references orgs (id),
    constraint report_metrics_name_check check (length(name) between 1 and 100),
    constraint report_metrics_version_check check (version > 0)
);

-- Lists, newest first.
create index report_metrics_created_at_idx on report_metrics (org_id, created_at, id);

-- Outcomes of webhook deliveries, counted in the transaction that records the delivery. Deliveries
-- are dropped after a while; these counts stay.
create table report_delivery_counts (
    org_id uuid not null,
    -- 'quarter' of an hour, since time zones start their days at any; 'hour' and 'day', of UTC.
    granularity text not null,
    -- Organisation time.
    start timestamptz not null,
    endpoint_id uuid not null,
    outcome text not null,
    -- Rounded up: reporting/delivery_counts.py.
    duration_ms integer not null,
    count bigint not null,
    constraint report_delivery_counts_pkey
        primary key (org_id, granularity, start, endpoint_id, outcome, duration_ms),
    constraint report_delivery_counts_granularity_check
        check (granularity in ('quarter', 'hour', 'day')),
    constraint report_delivery_counts_count_check check (count > 0)
) with (fillfactor = 80); -- the latest counts grow on their page: no indexed column changes

-- Reports that are created regularly, each for the period that has just ended.
create table report_schedules (
    org_id uuid not null,
    id uuid not null,
    name text not null,
    -- Either a saved metric, as it is when the report is created, or a template with its
    -- parameters, as JSON in the order in which they were submitted.
    metric_id uuid,
    template text,
    params text,
    cadence text not null,
    -- Local time on the day after the period, in the time zone (IANA name).
    at_time time not null,
    zone text not null,
    format text not null,
    created_at timestamptz not null,
    -- The first day of the next period to report, and when that report is due.
    period date not null,
    next_at timestamptz not null,
    -- When the report is attempted: later than next_at after failures.
    next_attempt_at timestamptz not null,
    attempts integer not null,
    constraint report_schedules_pkey primary key (org_id, id),
    constraint report_schedules_org_id_fkey foreign key (org_id) references orgs (id),
    constraint report_schedules_cadence_check check (cadence in ('day', 'week', 'month')),
    constraint report_schedules_format_check check (format in ('csv', 'parquet')),
    constraint report_schedules_metric_id_check
        check ((metric_id is null) = (template is not null and params is not null)),
    constraint report_schedules_next_attempt_at_check check (next_attempt_at >= next_at),
    constraint report_schedules_attempts_check check (attempts >= 0)
);

create index report_schedules_next_attempt_at_idx on report_schedules (org_id, next_attempt_at);

-- Created reports, or why one failed; never changed, and removed after some months. Runs outlive
-- their schedule.
create table report_runs (
    org_id uuid not null,
    id uuid not null,
    schedule_id uuid not null,
    name text not null,
    -- The first day of the period, and the day after its last, in the time zone.
    period date not null,
    until date not null,
    zone text not null,
    format text not null,
    due_at timestamptz not null,
    created_at timestamptz not null,
    failed_reason text,
    file_name text,
    -- Removed before the run is, if newer runs need the space.
    content bytea,
    -- Size of the content, also after it was removed.
    bytes integer,
    constraint report_runs_pkey primary key (org_id, id),
    -- One run for each period, whichever worker creates it.
    constraint report_runs_schedule_id_period_key unique (org_id, schedule_id, period),
    constraint report_runs_org_id_fkey foreign key (org_id) references orgs (id),
    constraint report_runs_content_check check (
        (failed_reason is null) = (file_name is not null)
        and (file_name is null) = (bytes is null)
        and (content is null or (file_name is not null and bytes = length(content)))
    )
);

create index report_runs_created_at_idx on report_runs (org_id, created_at);
