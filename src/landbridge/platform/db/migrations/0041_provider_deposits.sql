-- Deposits at connected providers: the accounts that they gave us, and the credits that they report.

create table provider_accounts (
    org_id uuid not null,
    -- Our key: the provider answers it with this account, for ever.
    key uuid not null,
    -- Name in the providers file.
    provider text not null,
    currency text not null,
    account_number text not null,
    -- What payers need to know; under the organisation's data key.
    sealed_coordinates bytea not null,
    created_at timestamptz not null,
    constraint provider_accounts_pkey primary key (org_id, key),
    constraint provider_accounts_org_id_fkey foreign key (org_id) references orgs (id),
    constraint provider_accounts_account_number_key unique (org_id, account_number),
    -- A credit names its account by provider and number alone.
    constraint provider_accounts_provider_key unique (provider, account_number)
);

create table provider_cursors (
    provider text not null,
    -- Behind the last credit that was stored; null before the first one.
    cursor text,
    -- Real time of the next poll.
    poll_at timestamptz not null,
    -- Real time of the last poll that was answered; at first, of the first poll.
    answered_at timestamptz not null,
    -- Whether the last answer could not be used.
    is_unusable boolean not null default false,
    constraint provider_cursors_pkey primary key (provider)
);

create table provider_credits (
    -- Null for a credit of no known account.
    org_id uuid,
    provider text not null,
    -- The provider's own id.
    credit_id text not null,
    -- What was credited; null if nothing was.
    incoming_payment_id uuid,
    account_number text,
    asset text,
    units numeric(38, 0),
    problem text,
    -- Whether a person has cleared the problem up.
    is_closed boolean not null default false,
    received_at timestamptz not null,
    constraint provider_credits_pkey primary key (provider, credit_id),
    constraint provider_credits_org_id_fkey foreign key (org_id) references orgs (id),
    constraint provider_credits_incoming_payment_id_key unique (org_id, incoming_payment_id),
    constraint provider_credits_problem_check
        check (problem in ('MALFORMED', 'UNKNOWN_ACCOUNT', 'UNKNOWN_CURRENCY', 'CHANGED',
            'REVERSED')),
    -- A credit is an incoming payment, or it has a problem.
    constraint provider_credits_incoming_payment_id_check
        check (case when incoming_payment_id is null then problem is not null
            else num_nulls(org_id, account_number, asset, units) = 0 end)
);

create index provider_credits_problem_idx on provider_credits (org_id, received_at)
    where problem is not null and not is_closed;

