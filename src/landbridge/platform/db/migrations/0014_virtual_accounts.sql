-- Virtual accounts: bank details of a user's own, where deposits are converted into coins.

-- How deposits are divided. No personal data: addresses and amounts.
create table settlement_rules (
    org_id uuid not null,
    id uuid not null,
    chain text not null,
    -- The client's own flag, stored and returned (docs/reference/virtual-accounts.md).
    includes_fee boolean not null,
    -- The parts in their order, in the format of the API; amounts as strings, so that they stay
    -- exact.
    parts jsonb not null,
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint settlement_rules_pkey primary key (org_id, id),
    constraint settlement_rules_org_id_fkey foreign key (org_id) references orgs (id),
    constraint settlement_rules_chain_check
        check (chain in ('POLYGON', 'ETHEREUM', 'SOLANA', 'BASE')),
    constraint settlement_rules_parts_check
        check (jsonb_typeof(parts) = 'array' and jsonb_array_length(parts) between 1 and 20),
    constraint settlement_rules_version_check check (version > 0)
);

-- Lists, newest first.
create index settlement_rules_created_at_idx
    on settlement_rules (org_id, created_at desc, id desc);

-- Requests by their idempotency key, so that a repeated request does nothing. A row outlives its
-- rule.
create table settlement_rule_requests (
    org_id uuid not null,
    request_id uuid not null,
    rule_id uuid not null,
    action text not null,
    request jsonb not null,
    created_at timestamptz not null,
    constraint settlement_rule_requests_pkey primary key (org_id, request_id),
    constraint settlement_rule_requests_org_id_fkey foreign key (org_id) references orgs (id),
    constraint settlement_rule_requests_action_check check (action in ('create', 'update'))
);

create table virtual_accounts (
    org_id uuid not null,
    id uuid not null,
    user_id uuid not null,
    status text not null,
    source_currency text not null,
    destination_currency text not null,
    destination_chain text not null,
    -- The user's own wallet, or the external wallet below.
    wallet_address text not null,
    external_wallet_id uuid,
    -- Assigned by us, and looked up when a deposit arrives; it reveals nothing about the person.
    -- It never changes, and is not reused after the account is deactivated or its user erased.
    account_number text not null,
    settlement_rule_id uuid,
    -- Number of changes, equal to the last changes.seq.
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint virtual_accounts_pkey primary key (org_id, id),
    constraint virtual_accounts_account_number_key unique (org_id, account_number),
    constraint virtual_accounts_user_id_fkey
        foreign key (org_id, user_id) references users (org_id, id),
    constraint virtual_accounts_external_wallet_id_fkey
        foreign key (org_id, external_wallet_id) references external_wallets (org_id, id),
    -- A rule in use cannot be deleted.
    constraint virtual_accounts_settlement_rule_id_fkey
        foreign key (org_id, settlement_rule_id) references settlement_rules (org_id, id),
    constraint virtual_accounts_status_check check (status in ('activated', 'deactivated')),
    constraint virtual_accounts_destination_chain_check
        check (destination_chain in ('POLYGON', 'ETHEREUM', 'SOLANA', 'BASE')),
    constraint virtual_accounts_version_check check (version > 0)
);

-- Lists, newest first.
create index virtual_accounts_user_id_idx
    on virtual_accounts (org_id, user_id, created_at desc, id desc);

-- The accounts that use a rule.
create index virtual_accounts_settlement_rule_id_idx
    on virtual_accounts (org_id, settlement_rule_id)
    where settlement_rule_id is not null;

-- The accounts that use an external wallet.
create index virtual_accounts_external_wallet_id_idx
    on virtual_accounts (org_id, external_wallet_id)
    where external_wallet_id is not null;

-- Small deposits with which a bank verifies the account's owner: recorded, never converted.
create table micro_deposits (
    org_id uuid not null,
    -- Derived from the incoming payment; also the id of the ledger record.
    id uuid not null,
    account_id uuid not null,
    currency text not null,
    units bigint not null,
    -- The sender, sealed with the data key of the account's user; null once the user is erased.
    sealed_source bytea,
    created_at timestamptz not null,
    constraint micro_deposits_pkey primary key (org_id, id),
    constraint micro_deposits_account_id_fkey
        foreign key (org_id, account_id) references virtual_accounts (org_id, id),
    constraint micro_deposits_units_check check (units > 0)
);

-- Lists, newest first.
create index micro_deposits_account_id_idx
    on micro_deposits (org_id, account_id, created_at desc, id desc);

-- Deposits simulated in the sandbox, once per idempotency key.
create table simulated_deposits (
    org_id uuid not null,
    request_id uuid not null,
    account_id uuid not null,
    -- Sealed with the data key of the account's user; null once the user is erased.
    sealed_request bytea,
    created_at timestamptz not null,
    constraint simulated_deposits_pkey primary key (org_id, request_id),
    constraint simulated_deposits_account_id_fkey
        foreign key (org_id, account_id) references virtual_accounts (org_id, id)
);

-- For erasing a user.
create index simulated_deposits_account_id_idx on simulated_deposits (org_id, account_id);
