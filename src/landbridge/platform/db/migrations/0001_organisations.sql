-- Organisations, their API keys, and what this installation is.

-- An organisation is a tenant: the key of every tenant's table starts with org_id.
create table orgs (
    id uuid not null,
    name text not null,
    -- Sandbox only: how far the organisation's clock is ahead of real time. It only grows.
    clock_offset interval not null default '0',
    created_at timestamptz not null,
    -- A frozen organisation can read but cannot move money.
    frozen_at timestamptz,
    -- The operator's note.
    freeze_reason text,
    constraint orgs_pkey primary key (id),
    constraint orgs_name_check check (length(name) between 1 and 200),
    constraint orgs_clock_offset_check check (clock_offset >= '0'),
    constraint orgs_freeze_reason_check
        check (freeze_reason is null or (frozen_at is not null and length(freeze_reason) <= 200))
);

-- A key is found by the hash of its secret before the organisation is known, so this lookup is one
-- of the few that do not start with org_id.
create table api_keys (
    org_id uuid not null,
    id uuid not null,
    name text not null,
    -- The last characters of the secret, for display. Never enough to use the key.
    hint text not null,
    secret_hash bytea not null,
    created_at timestamptz not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    -- Whether the key may decide identity reviews.
    can_review boolean not null default false,
    -- Whether the key may vote on approvals. In a sandbox every key may.
    can_approve boolean not null default false,
    -- The team member who created the key; null if a command did. A vote by the key counts as a
    -- vote by this person. No foreign key, because another package owns team members.
    created_by uuid,
    constraint api_keys_pkey primary key (org_id, id),
    constraint api_keys_secret_hash_key unique (secret_hash),
    constraint api_keys_org_id_fkey foreign key (org_id) references orgs (id),
    constraint api_keys_name_check check (length(name) between 1 and 200),
    constraint api_keys_secret_hash_check check (length(secret_hash) = 32)
);

-- One row: how many clock nodes were assigned to processes (platform/core/clock.py). Each process
-- takes the next number at its start; the numbers repeat after one hundred.
create table clock_nodes (
    singleton boolean not null default true,
    assigned_count bigint not null default 0,
    constraint clock_nodes_pkey primary key (singleton),
    constraint clock_nodes_singleton_check check (singleton)
);

insert into clock_nodes default values;

-- One row, written at the first start: the mode of this database. A sandbox holds simulated money
-- and shifted clocks, so a process of the other mode must never use it.
create table installation (
    singleton boolean not null default true,
    mode text not null,
    constraint installation_pkey primary key (singleton),
    constraint installation_singleton_check check (singleton),
    constraint installation_mode_check check (mode in ('sandbox', 'production'))
);
