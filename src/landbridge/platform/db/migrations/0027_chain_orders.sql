-- Orders that leave through real chains, the transactions signed for them, and the accounts that
-- send those. Times are real time: a chain has no test clock.

-- Secrets of the installation itself, such as the seed of the relayers' keys, sealed with a master
-- key. The foreign key prevents retiring a master key that is still needed.
create table installation_secrets (
    name text not null,
    master_key_id smallint not null,
    sealed_secret bytea not null,
    constraint installation_secrets_pkey primary key (name),
    constraint installation_secrets_master_key_id_fkey
        foreign key (master_key_id) references master_keys (id)
);

-- Accounts that send transactions: relayers, and wallets that send their own.
create table chain_accounts (
    chain text not null,
    address text not null,
    -- Of a relayer: the index of its key.
    relayer_index integer,
    -- Nonce of the next transaction that is signed.
    next_nonce bigint not null,
    -- Set when a transaction that we did not sign has used a nonce: nothing is sent any more.
    stopped_at timestamptz,
    stopped_reason text,
    -- Native coins at the last check.
    balance_wei numeric(78, 0),
    checked_at timestamptz,
    constraint chain_accounts_pkey primary key (chain, address),
    constraint chain_accounts_next_nonce_check check (next_nonce >= 0)
);

-- One order of a payment: one transaction, or several where the wallet first needs native coins.
create table chain_orders (
    org_id uuid not null,
    -- The key of the order.
    key uuid not null,
    record_id uuid not null,
    chain text not null,
    currency text not null,
    -- The paying address, and its wallet; null for the organisation's own address.
    source text not null,
    wallet_id uuid,
    destinations text[] not null,
    units numeric(38, 0)[] not null,
    -- How gas is paid, once it is chosen.
    method text,
    step smallint not null default 0,
    state text not null,
    -- Why it failed, or what it waits for.
    reason text,
    -- Of the transaction that carries the last step; another one if it is replaced.
    transaction_hash text,
    -- When it first had the confirmations of its chain: reported as paid from then on.
    confirmed_at timestamptz,
    -- Native coins paid for gas, once it is final.
    gas_wei numeric(78, 0),
    created_at timestamptz not null,
    updated_at timestamptz not null,
    due_at timestamptz not null,
    constraint chain_orders_pkey primary key (org_id, key),
    constraint chain_orders_org_id_fkey foreign key (org_id) references orgs (id),
    constraint chain_orders_state_check check (
        state in ('CREATED', 'SIGNED', 'SENT', 'MINED', 'CONFIRMED', 'FINAL', 'REVERTED', 'REJECTED')
    ),
    constraint chain_orders_method_check check (method in ('eip3009', 'eip7702', 'top-up')),
    constraint chain_orders_legs_check check (
        cardinality(destinations) = cardinality(units) and cardinality(units) > 0
    )
);

create index chain_orders_open on chain_orders (chain, due_at)
    where state not in ('FINAL', 'REVERTED', 'REJECTED');
create index chain_orders_record on chain_orders (org_id, record_id);

-- Signed transactions. All of one account and nonce serve one step of one order.
create table chain_attempts (
    org_id uuid not null,
    -- Of the order.
    key uuid not null,
    chain text not null,
    hash text not null,
    account text not null,
    nonce bigint not null,
    step smallint not null,
    kind text not null,
    -- False for what only prepares the payment, such as native coins for the wallet.
    is_payment boolean not null,
    raw bytea not null,
    -- What a replacement signs again, with other fees.
    request bytea not null,
    max_fee_wei bigint not null,
    tip_wei bigint not null,
    created_at timestamptz not null,
    sent_at timestamptz,
    -- Block that has it; null again if a reorganisation removes the block.
    block_number bigint,
    block_hash text,
    is_success boolean,
    gas_wei numeric(78, 0),
    constraint chain_attempts_pkey primary key (org_id, hash),
    constraint chain_attempts_fees_key unique (chain, account, nonce, max_fee_wei),
    constraint chain_attempts_account_fkey foreign key (chain, account)
        references chain_accounts (chain, address),
    constraint chain_attempts_key_fkey foreign key (org_id, key) references chain_orders (org_id, key),
    constraint chain_attempts_kind_check check (kind in ('original', 'replacement', 'cancellation'))
);

-- For the gas of the last day.
create index chain_attempts_created_at_idx on chain_attempts (org_id, chain, created_at)
    where gas_wei is not null;

create index chain_attempts_order on chain_attempts (org_id, key);

-- Which worker works on a chain's orders, and until when.
create table chain_leases (
    chain text not null,
    owner uuid not null,
    expires_at timestamptz not null,
    constraint chain_leases_pkey primary key (chain)
);
