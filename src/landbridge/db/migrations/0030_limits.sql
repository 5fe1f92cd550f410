-- What an organisation lets its users pay: its rules, and what was used of them. Without a row
-- there are no rules.
create table limit_rules (
    org_id uuid not null,
    -- The document as it was set, in one spelling; figures as strings, so that they stay exact.
    document jsonb not null,
    version integer not null,
    set_at timestamptz not null,
    -- Whether payments of before, and those that were under way, are counted under this version.
    is_counted boolean not null,
    constraint limit_rules_pkey primary key (org_id),
    constraint limit_rules_org_id_fkey foreign key (org_id) references orgs (id),
    constraint limit_rules_version_check check (version > 0),
    constraint limit_rules_document_check check (jsonb_typeof(document) = 'object')
);

-- The organisations whose payments are still to be counted.
create index limit_rules_uncounted_idx on limit_rules (org_id) where not is_counted;

-- What was used in one period: one row that every payment of the same counter adds to.
create table limit_counters (
    org_id uuid not null,
    -- Derived from what is counted (per whom, in which time, which payments), so that rules that
    -- count the same share it, and a new maximum begins with what was used before.
    counter_id uuid not null,
    -- The organisation, a user, or a destination.
    subject_id uuid not null,
    -- The day, the first of the month, or the day since which a destination is known.
    period date not null,
    usd numeric(56, 18) not null,
    payment_count integer not null,
    touched_at timestamptz not null,
    constraint limit_counters_pkey primary key (org_id, counter_id, subject_id, period),
    constraint limit_counters_org_id_fkey foreign key (org_id) references orgs (id),
    -- A counter that gave back more than it had taken would be a bug.
    constraint limit_counters_usd_check check (usd >= 0),
    constraint limit_counters_payment_count_check check (payment_count >= 0)
);

-- What is swept.
create index limit_counters_touched_at_idx on limit_counters (org_id, touched_at);

-- What each payment uses: that is counted once, and given back once.
create table limit_uses (
    org_id uuid not null,
    record_id uuid not null,
    counter_id uuid not null,
    subject_id uuid not null,
    period date not null,
    usd numeric(56, 18) not null,
    -- When the payment was asked for.
    at timestamptz not null,
    -- Whether the payment is through, so that this stays used.
    is_final boolean not null default false,
    -- When it is looked next whether the payment has come to an end: the older, the more rarely.
    look_at timestamptz not null,
    constraint limit_uses_pkey primary key (org_id, record_id, counter_id, subject_id, period),
    constraint limit_uses_record_id_fkey
        foreign key (org_id, record_id) references transfers (org_id, id),
    constraint limit_uses_usd_check check (usd >= 0)
);

-- Those whose end is waited for.
create index limit_uses_look_at_idx on limit_uses (org_id, look_at) where not is_final;

-- What is swept.
create index limit_uses_at_idx on limit_uses (org_id, at) where is_final;
