-- Rates of requests: what all processes together have taken of a bucket that one of them has taken
-- much of. Not logged, and lost in a crash: then all buckets are full.
create unlogged table request_rates (
    org_id uuid not null,
    -- An API key, or the organisation itself.
    share_id uuid not null,
    -- When the bucket is full again, by real time.
    full_at timestamptz not null,
    constraint request_rates_pkey primary key (org_id, share_id),
    constraint request_rates_org_id_fkey foreign key (org_id) references orgs (id)
) with (fillfactor = 50);
