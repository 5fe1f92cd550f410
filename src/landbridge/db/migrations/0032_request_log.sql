-- The last requests of each organisation, for the people who integrate: swept after some days.
-- Nothing in here is personal: bodies are redacted before they are written.
create table request_log (
    org_id uuid not null,
    id uuid not null,
    -- In real time, unlike almost everything else: it is about programs, not about money.
    at timestamptz not null,
    -- Whatever the caller sent in its header, so it may stand on several lines.
    x_request_id text not null,
    -- The one in the body; null where there is none.
    request_id uuid,
    method text not null,
    -- The template and the path itself, without parts that are neither ids nor words of ours.
    route text not null,
    path text not null,
    -- JSON texts; what was asked for and answered is null where it was not kept.
    query text not null,
    status smallint not null,
    took_us integer not null,
    -- Null for a member who signed in.
    key_id uuid,
    request_body text,
    answer_body text,
    -- How many requests came right after this one that were too many to keep.
    left_out integer not null,
    constraint request_log_pkey primary key (org_id, id),
    constraint request_log_org_id_fkey foreign key (org_id) references orgs (id),
    constraint request_log_status_check check (status between 100 and 599),
    constraint request_log_took_us_check check (took_us >= 0),
    constraint request_log_left_out_check check (left_out >= 0)
);

-- Lists, and what is swept.
create index request_log_at_idx on request_log (org_id, at);

create index request_log_x_request_id_idx on request_log (org_id, x_request_id, at);
