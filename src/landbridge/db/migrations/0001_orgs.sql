-- Organisations are the tenants: every other table's key starts with org_id.

create table orgs (
    id uuid not null,
    name text not null,
    -- Sandbox only: how far this organisation's time is ahead of real time. Only grows.
    clock_offset interval not null default '0',
    created_at timestamptz not null,
    constraint orgs_pkey primary key (id),
    constraint orgs_name_check check (length(name) between 1 and 200),
    constraint orgs_clock_offset_check check (clock_offset >= '0')
);

-- Keys are found by the hash of what the caller sends, before the organisation is known; so this
-- table's lookup is the one place where org_id does not come first.
create table api_keys (
    org_id uuid not null,
    id uuid not null,
    name text not null,
    -- The last characters, so that a person can tell keys apart. Never enough to use one.
    hint text not null,
    secret_hash bytea not null,
    created_at timestamptz not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    constraint api_keys_pkey primary key (org_id, id),
    constraint api_keys_secret_hash_key unique (secret_hash),
    constraint api_keys_org_id_fkey foreign key (org_id) references orgs (id),
    constraint api_keys_name_check check (length(name) between 1 and 200),
    constraint api_keys_secret_hash_check check (length(secret_hash) = 32)
);

-- One row: the lane of the next process to start (see core/clock.py). A hundred lanes in turn.
create table clock_lanes (
    single boolean not null default true,
    taken bigint not null default 0,
    constraint clock_lanes_pkey primary key (single),
    constraint clock_lanes_single_check check (single)
);

insert into clock_lanes default values;
