-- Bank accounts of users. Everything about the holder and the bank is sealed with the user's data
-- key; only what lists and flows filter by is in plain text.
create table bank_accounts (
    org_id uuid not null,
    id uuid not null,
    user_id uuid not null,
    -- The client's idempotency key, if it sent one: the same request creates one account.
    request_id uuid,
    ramp text not null,
    type text not null,
    currency text not null,
    status text not null,
    version integer not null,
    -- Null once the user is erased. The request is kept only to compare a repeated one with it.
    sealed_details bytea,
    sealed_request bytea,
    -- HMAC-SHA256, under a key of the organisation, of each identifier that reaches the account, so
    -- that a list of destinations recognises an account that is registered again
    -- (customers/bank_accounts/coordinates.py). Null once the user is erased, unless the account is
    -- on a list.
    coordinate_hashes bytea[],
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint bank_accounts_pkey primary key (org_id, id),
    constraint bank_accounts_request_id_key unique (org_id, request_id),
    constraint bank_accounts_user_id_fkey
        foreign key (org_id, user_id) references users (org_id, id),
    constraint bank_accounts_ramp_check check (ramp in ('onramp', 'offramp')),
    constraint bank_accounts_status_check
        check (status in ('PENDING', 'ACTIVE', 'REJECTED', 'INACTIVE')),
    constraint bank_accounts_version_check check (version > 0),
    -- An account without details cannot be used.
    constraint bank_accounts_sealed_details_check
        check (sealed_details is not null or (status = 'INACTIVE' and sealed_request is null))
);

-- Lists, newest first.
create index bank_accounts_user_id_idx
    on bank_accounts (org_id, user_id, created_at desc, id desc);

-- The review queue, oldest first.
create index bank_accounts_pending_idx
    on bank_accounts (org_id, created_at, id)
    where status = 'PENDING';
