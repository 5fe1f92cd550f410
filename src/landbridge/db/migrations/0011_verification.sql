-- A key may decide reviews of people only if it was made for that.
alter table api_keys add column can_review boolean not null default false;

-- How far the verification of a user for one rail is. Made by the first submission; without a row
-- nothing was ever submitted. The row is the job: `due_at` says when somebody looks at it.
create table kyc_cases (
    org_id uuid not null,
    -- Derived from user and rail.
    id uuid not null,
    user_id uuid not null,
    rail text not null,
    status text not null,
    -- Counts changes of status, which are told in `changes` under the same numbers.
    version integer not null,
    -- Counts submissions; part of our key at the identity provider.
    round integer not null,
    -- Counts the times that a step began. Whoever writes a result names the claim that they hold,
    -- so a step that comes back late changes nothing.
    claims integer not null default 0,
    -- Steps in a row that did not end; the pause before the next grows with it.
    failures integer not null default 0,
    -- The identity provider's name for this round; null until it has been handed over.
    reference text,
    -- What was submitted, and what was found; sealed with the user's data key, gone when the
    -- user is erased.
    sealed_snapshot bytea,
    sealed_findings bytea,
    submitted_at timestamptz not null,
    -- Organisation time; null: it waits for a person.
    due_at timestamptz,
    -- The first submission.
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint kyc_cases_pkey primary key (org_id, id),
    constraint kyc_cases_user_id_fkey
        foreign key (org_id, user_id) references users (org_id, id),
    constraint kyc_cases_user_id_rail_key unique (org_id, user_id, rail),
    constraint kyc_cases_version_check check (version > 0),
    constraint kyc_cases_round_check check (round > 0),
    constraint kyc_cases_status_check check (
        status in (
            'CREATED', 'PENDING', 'MANUAL_REVIEW', 'RFI_PENDING', 'INCOMPLETE', 'ACTIVE',
            'REJECTED', 'CONTACT_SUPPORT'
        )
    )
);

create index kyc_cases_due_idx on kyc_cases (org_id, due_at) where due_at is not null;
create index kyc_cases_created_idx on kyc_cases (org_id, created_at desc, id desc);

-- The queue of reviews: the longest waiting first.
create index kyc_cases_status_idx on kyc_cases (org_id, status, created_at, id);
