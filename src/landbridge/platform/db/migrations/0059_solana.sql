-- Transactions and token accounts of Solana. Its orders are in chain_orders, its relayers in
-- chain_accounts, its deposits in chain_deposits and treasury_deposits.

-- Signed transactions. A step of an order has one: another step follows only when the transaction
-- of the one before can't be on the chain any more. The message has no nonce: its blockhash ends it.
create table solana_attempts (
    org_id uuid not null,
    -- Of the order.
    key uuid not null,
    step smallint not null,
    signature text not null,
    relayer text not null,
    raw bytea not null,
    -- Height of the last block that can have it.
    last_valid_height bigint not null,
    -- Slot before it was signed: a node that has not kept it can't say whether the chain has it.
    signed_slot bigint not null,
    -- Price per compute unit, in micro-lamports.
    unit_price bigint not null,
    created_at timestamptz not null,
    sent_at timestamptz,
    -- Once it is final.
    slot bigint,
    is_success boolean,
    -- Lamports that the relayer has paid: fees, and rent of token accounts.
    paid_lamports bigint,
    constraint solana_attempts_pkey primary key (org_id, key, step),
    constraint solana_attempts_signature_key unique (org_id, signature),
    constraint solana_attempts_key_fkey foreign key (org_id, key)
        references chain_orders (org_id, key),
    constraint solana_attempts_slot_check check ((slot is null) = (is_success is null))
);

-- Token accounts of users' wallets and of organisations' own addresses, as they were last read.
create table solana_token_accounts (
    org_id uuid not null,
    address text not null,
    -- The last transaction that was read; null before the first one.
    last_signature text,
    -- Units then: what was read has to explain the difference to the next reading.
    units numeric(38, 0) not null,
    slot bigint not null,
    constraint solana_token_accounts_pkey primary key (org_id, address),
    constraint solana_token_accounts_org_id_fkey foreign key (org_id) references orgs (id),
    constraint solana_token_accounts_units_check check (units >= 0)
);
