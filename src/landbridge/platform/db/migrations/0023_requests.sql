-- API requests: their log and their rate limits.

-- The latest requests of each organisation, for its developers; removed after some days. It holds
-- no personal data: bodies are redacted before they are written.
create table request_log (
    org_id uuid not null,
    id uuid not null,
    -- Real time, unlike most tables: the log is about programs, not about money.
    occurred_at timestamptz not null,
    -- The client's header, so it need not be unique.
    x_request_id text not null,
    -- The one in the body; null without one.
    request_id uuid,
    method text not null,
    -- The route template, and the path with redacted parts.
    route text not null,
    path text not null,
    -- JSON texts; the bodies are null where they were not recorded.
    query text not null,
    status smallint not null,
    duration_us integer not null,
    -- Null for a signed-in team member.
    key_id uuid,
    request_body text,
    response_body text,
    -- Number of requests right after this one that were omitted, because there were too many.
    omitted_count integer not null,
    constraint request_log_pkey primary key (org_id, id),
    constraint request_log_org_id_fkey foreign key (org_id) references orgs (id),
    constraint request_log_status_check check (status between 100 and 599),
    constraint request_log_duration_us_check check (duration_us >= 0),
    constraint request_log_omitted_count_check check (omitted_count >= 0)
);

-- Lists, and the cleanup.
create index request_log_occurred_at_idx on request_log (org_id, occurred_at);

create index request_log_x_request_id_idx on request_log (org_id, x_request_id, occurred_at);

-- Rate limits: what all processes together used of a token bucket, once one of them used much of
-- it. Unlogged: after a crash all buckets are full.
create unlogged table rate_limit_usage (
    org_id uuid not null,
    -- An API key, or the organisation itself.
    bucket_id uuid not null,
    -- When the bucket is full again, in real time.
    full_at timestamptz not null,
    constraint rate_limit_usage_pkey primary key (org_id, bucket_id),
    constraint rate_limit_usage_org_id_fkey foreign key (org_id) references orgs (id)
) with (fillfactor = 50);
