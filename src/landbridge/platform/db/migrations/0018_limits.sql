-- Spending limits: an organisation's rules and their usage. Without a row there are no rules.
create table limit_rules (
    org_id uuid not null,
    -- The document as it was set, normalised; amounts as strings, so that they stay exact.
    document jsonb not null,
    version integer not null,
    set_at timestamptz not null,
    -- Whether earlier payments, and those in progress at that time, are counted under this version.
    is_counted boolean not null,
    constraint limit_rules_pkey primary key (org_id),
    constraint limit_rules_org_id_fkey foreign key (org_id) references orgs (id),
    constraint limit_rules_version_check check (version > 0),
    constraint limit_rules_document_check check (jsonb_typeof(document) = 'object')
);

-- Organisations with payments still to be counted.
create index limit_rules_uncounted_idx on limit_rules (org_id) where not is_counted;

-- Usage in one period: every payment of the same counter adds to one row.
create table limit_counters (
    org_id uuid not null,
    -- Derived from what is counted (per whom, in which period, which payments). Rules that count
    -- the same share it, and a new maximum starts with the usage so far.
    counter_id uuid not null,
    -- The organisation, a user, or a destination.
    subject_id uuid not null,
    -- The day, the first of the month, or the day since which a destination is known.
    period date not null,
    usd numeric(56, 18) not null,
    payment_count integer not null,
    updated_at timestamptz not null,
    constraint limit_counters_pkey primary key (org_id, counter_id, subject_id, period),
    constraint limit_counters_org_id_fkey foreign key (org_id) references orgs (id),
    -- Releasing more than was used would be a bug.
    constraint limit_counters_usd_check check (usd >= 0),
    constraint limit_counters_payment_count_check check (payment_count >= 0)
);

-- For the cleanup.
create index limit_counters_updated_at_idx on limit_counters (org_id, updated_at);

-- Usage of each payment, so that it is counted once and released once.
create table limit_usage (
    org_id uuid not null,
    record_id uuid not null,
    counter_id uuid not null,
    subject_id uuid not null,
    period date not null,
    usd numeric(56, 18) not null,
    -- When the payment was requested.
    occurred_at timestamptz not null,
    -- Whether the payment succeeded, so that its usage stays.
    is_final boolean not null default false,
    -- When the outcome of the payment is checked next: the older the payment, the less often.
    next_check_at timestamptz not null,
    constraint limit_usage_pkey primary key (org_id, record_id, counter_id, subject_id, period),
    constraint limit_usage_record_id_fkey
        foreign key (org_id, record_id) references transfers (org_id, id),
    constraint limit_usage_usd_check check (usd >= 0)
);

-- Payments whose outcome is still open.
create index limit_usage_next_check_at_idx on limit_usage (org_id, next_check_at)
    where not is_final;

-- For the cleanup.
create index limit_usage_occurred_at_idx on limit_usage (org_id, occurred_at) where is_final;
