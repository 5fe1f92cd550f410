-- How what arrives on virtual accounts is divided. No personal data: addresses and figures.
create table settlement_rules (
    org_id uuid not null,
    id uuid not null,
    chain text not null,
    -- The caller's own word, kept and told back (docs/reference/virtual-accounts.md).
    includes_fee boolean not null,
    -- The parts in their order, as the contract spells them; figures as strings, so that they stay
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

-- What was asked under each request id, of creations and updates alike, so that one that is sent
-- again late does nothing. Outlives its rule.
create table settlement_rule_requests (
    org_id uuid not null,
    request_id uuid not null,
    rule_id uuid not null,
    -- Which verb it was.
    action text not null,
    request jsonb not null,
    created_at timestamptz not null,
    constraint settlement_rule_requests_pkey primary key (org_id, request_id),
    constraint settlement_rule_requests_org_id_fkey foreign key (org_id) references orgs (id),
    constraint settlement_rule_requests_action_check check (action in ('create', 'update'))
);

-- Bank details that are a user's own: what arrives there becomes coins by itself.
create table virtual_accounts (
    org_id uuid not null,
    id uuid not null,
    user_id uuid not null,
    status text not null,
    source_currency text not null,
    destination_currency text not null,
    destination_chain text not null,
    -- Of the user's own wallet, or of the external wallet beside it.
    wallet_address text not null,
    external_wallet_id uuid,
    -- Of our making, and found by it when a deposit arrives; it says nothing about the person. It
    -- never changes, and stays taken when the account is deactivated or its user erased.
    account_number text not null,
    settlement_rule_id uuid,
    -- Counts what was told of it in `changes`, under the same numbers.
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint virtual_accounts_pkey primary key (org_id, id),
    constraint virtual_accounts_account_number_key unique (org_id, account_number),
    constraint virtual_accounts_user_id_fkey
        foreign key (org_id, user_id) references users (org_id, id),
    constraint virtual_accounts_external_wallet_id_fkey
        foreign key (org_id, external_wallet_id) references external_wallets (org_id, id),
    -- A rule that is applied can't be deleted.
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

-- Where a rule is applied.
create index virtual_accounts_settlement_rule_id_idx
    on virtual_accounts (org_id, settlement_rule_id)
    where settlement_rule_id is not null;

-- A foreign key is looked at from this side when an external wallet is.
create index virtual_accounts_external_wallet_id_idx
    on virtual_accounts (org_id, external_wallet_id)
    where external_wallet_id is not null;

-- Cents with which a bank checks whose account this is: kept, and never converted.
create table micro_deposits (
    org_id uuid not null,
    -- Derived from the receipt; also that of the record in the books.
    id uuid not null,
    account_id uuid not null,
    currency text not null,
    units bigint not null,
    -- Who sent it, sealed under the account's user's data key; null once that user was erased.
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

-- Deposits that were made up in the sandbox, once per request id.
create table simulated_deposits (
    org_id uuid not null,
    request_id uuid not null,
    account_id uuid not null,
    -- What was asked, sealed under the account's user's data key; null once that user was erased.
    sealed_request bytea,
    created_at timestamptz not null,
    constraint simulated_deposits_pkey primary key (org_id, request_id),
    constraint simulated_deposits_account_id_fkey
        foreign key (org_id, account_id) references virtual_accounts (org_id, id)
);

-- What is blanked when a user is erased.
create index simulated_deposits_account_id_idx on simulated_deposits (org_id, account_id);
