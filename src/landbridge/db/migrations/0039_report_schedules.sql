-- Reports that are made again and again, each for the period that has just ended.
create table report_schedules (
    org_id uuid not null,
    id uuid not null,
    name text not null,
    -- A saved metric, as it is when a report is made; or else a template with its parameters, as
    -- JSON in the order in which they were told.
    metric_id uuid,
    template text,
    params text,
    every text not null,
    -- When on the day after the period, by the clocks of the zone (IANA's name).
    at_time time not null,
    zone text not null,
    format text not null,
    created_at timestamptz not null,
    -- The first day of the next period that a report is made of, and when that is.
    period date not null,
    next_at timestamptz not null,
    -- When it is tried: later, where it could not be made so often.
    try_at timestamptz not null,
    tries integer not null,
    constraint report_schedules_pkey primary key (org_id, id),
    constraint report_schedules_org_id_fkey foreign key (org_id) references orgs (id),
    constraint report_schedules_every_check check (every in ('day', 'week', 'month')),
    constraint report_schedules_format_check check (format in ('csv', 'parquet')),
    constraint report_schedules_metric_id_check
        check ((metric_id is null) = (template is not null and params is not null)),
    constraint report_schedules_try_at_check check (try_at >= next_at),
    constraint report_schedules_tries_check check (tries >= 0)
);

create index report_schedules_due_idx on report_schedules (org_id, try_at);

-- What was made, or why nothing was; never changed, and swept after some months. A schedule that
-- is deleted leaves its runs.
create table report_runs (
    org_id uuid not null,
    id uuid not null,
    schedule_id uuid not null,
    name text not null,
    -- Its first day, and the one after its last, by the zone.
    period date not null,
    until date not null,
    zone text not null,
    format text not null,
    due_at timestamptz not null,
    created_at timestamptz not null,
    failed_reason text,
    file_name text,
    -- Goes before the run does, if newer ones take its room.
    content bytea,
    -- What the content has or had, which is not read for it.
    bytes integer,
    constraint report_runs_pkey primary key (org_id, id),
    -- One for each period, whoever makes it.
    constraint report_runs_schedule_id_period_key unique (org_id, schedule_id, period),
    constraint report_runs_org_id_fkey foreign key (org_id) references orgs (id),
    constraint report_runs_content_check check (
        (failed_reason is null) = (file_name is not null)
        and (file_name is null) = (bytes is null)
        and (content is null or (file_name is not null and bytes = length(content)))
    )
);

create index report_runs_created_at_idx on report_runs (org_id, created_at);
