-- Metrics that organisations have saved: a template under a name, and what is asked of it.
create table report_metrics (
    org_id uuid not null,
    id uuid not null,
    template text not null,
    name text not null,
    -- As they came over the wire: json keeps the order in which they were given, jsonb would not.
    params json not null,
    -- Counts the changes, this row's own number in the log.
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint report_metrics_pkey primary key (org_id, id),
    constraint report_metrics_org_id_fkey foreign key (org_id) references orgs (id),
    constraint report_metrics_name_check check (length(name) between 1 and 100),
    constraint report_metrics_version_check check (version > 0)
);

-- Lists are newest first.
create index report_metrics_created_at_idx on report_metrics (org_id, created_at, id);
