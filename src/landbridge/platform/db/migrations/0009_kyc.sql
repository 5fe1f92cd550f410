-- Know your customer: submitted data, verification cases and hosted forms.

-- Everything a user submitted for verification: data, owners, documents. One row, read and written
-- as a whole, so that a submission never mixes two changes.
create table kyc_profiles (
    org_id uuid not null,
    user_id uuid not null,
    -- Number of changes, equal to the last changes.seq.
    version integer not null,
    -- Sealed with the user's data key; null once the user is erased.
    sealed_content bytea,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint kyc_profiles_pkey primary key (org_id, user_id),
    constraint kyc_profiles_user_id_fkey
        foreign key (org_id, user_id) references users (org_id, id),
    constraint kyc_profiles_version_check check (version >= 0)
);

-- The user whose documents a file was used in. A file shows one person and is erased with them.
create table kyc_files (
    org_id uuid not null,
    -- Not a foreign key: the row of an erased file is removed, and its id must not be reused.
    file_id text not null,
    user_id uuid not null,
    constraint kyc_files_pkey primary key (org_id, file_id),
    constraint kyc_files_user_id_fkey
        foreign key (org_id, user_id) references users (org_id, id)
);

create index kyc_files_user_id_idx on kyc_files (org_id, user_id);

-- Verification of a user for one rail, created by the first submission. The row is also the job:
-- the worker processes it at due_at.
create table kyc_cases (
    org_id uuid not null,
    -- Derived from user and rail.
    id uuid not null,
    user_id uuid not null,
    rail text not null,
    status text not null,
    -- Number of status changes, equal to the last changes.seq.
    version integer not null,
    -- Number of submissions; part of our key at the identity provider.
    round integer not null,
    -- Fencing token: number of steps started. A step writes its result only if no later step has
    -- started since.
    claims integer not null default 0,
    -- Consecutive steps that did not finish; the delay before the next one grows with it.
    failures integer not null default 0,
    -- The identity provider's reference for this round; null until it was submitted there.
    reference text,
    -- The submitted data and the findings, sealed with the user's data key; null once erased.
    sealed_snapshot bytea,
    sealed_findings bytea,
    submitted_at timestamptz not null,
    -- Organisation time; null: waits for a person.
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

create index kyc_cases_due_at_idx on kyc_cases (org_id, due_at) where due_at is not null;
create index kyc_cases_created_at_idx on kyc_cases (org_id, created_at desc, id desc);

-- The review queue, oldest first.
create index kyc_cases_status_idx on kyc_cases (org_id, status, created_at, id);

-- Links to the hosted form on which a person becomes a user or submits what rails still need. The
-- submitted data are stored in the user's KYC profile, so that the person can leave and come back.
create table kyc_links (
    org_id uuid not null,
    id uuid not null,
    -- SHA-256 of the token in the link. The token is 32 random bytes and is not stored.
    token_hash bytea not null,
    user_type text not null,
    -- Whether the link creates a user; otherwise it was created for an existing one.
    creates_user boolean not null,
    -- Null until the user is created.
    user_id uuid,
    -- None: the user gets wallets only.
    rails text[] not null,
    -- E-mail address, redirect and template, sealed with the link's own data key. The key is
    -- destroyed when the link has expired.
    sealed_details bytea,
    -- Field names, owner ids and document ids that were submitted through this link. Its holder
    -- sees these in full and everything else masked.
    entered text[] not null default '{}',
    created_at timestamptz not null,
    expires_at timestamptz not null,
    -- When the person submitted; the link accepts nothing afterwards.
    completed_at timestamptz,
    constraint kyc_links_pkey primary key (org_id, id),
    constraint kyc_links_org_id_fkey foreign key (org_id) references orgs (id),
    constraint kyc_links_user_id_fkey
        foreign key (org_id, user_id) references users (org_id, id),
    constraint kyc_links_token_hash_key unique (token_hash),
    constraint kyc_links_user_type_check check (user_type in ('individual', 'business')),
    constraint kyc_links_user_id_check check (creates_user or user_id is not null),
    constraint kyc_links_rails_check check (creates_user or cardinality(rails) > 0),
    constraint kyc_links_completed_at_check check (completed_at is null or user_id is not null)
);

create index kyc_links_user_id_idx on kyc_links (org_id, user_id) where user_id is not null;

-- Finds links whose data key is to be destroyed.
create index kyc_links_expires_at_idx
    on kyc_links (org_id, expires_at) where sealed_details is not null;
