-- Blocks of real chains as they are followed, and the deposits that were found in them.

-- Position on each chain. A chain belongs to no organisation: its blocks pay all of them.
create table chain_cursors (
    chain text not null,
    -- Transfers up to here are not read.
    start_number bigint not null,
    start_hash text not null,
    -- Up to here transfers were found at the chain's depth of confirmation.
    confirmed_number bigint not null,
    confirmed_hash text not null,
    -- Up to here they are final, and credited.
    final_number bigint not null,
    final_hash text not null,
    -- Of several workers one follows the chain, until this moment in real time. A second one would
    -- only lose the race for this row.
    leased_to uuid,
    leased_until timestamptz,
    constraint chain_cursors_pkey primary key (chain),
    constraint chain_cursors_final_number_check
        check (start_number <= final_number and final_number <= confirmed_number)
);

-- Recent blocks. After a reorganisation the latest one that the chain still has is found by hash.
create table chain_blocks (
    chain text not null,
    number bigint not null,
    hash text not null,
    constraint chain_blocks_pkey primary key (chain, number)
);

-- Coins that arrived in users' wallets on real chains. The ledger has the money; this table has
-- what it knows nothing of: deposits that are not final, and the blocks of those that are.
create table chain_deposits (
    org_id uuid not null,
    -- Derived from chain, transaction and position; the record of the first credit has it too.
    id uuid not null,
    chain text not null,
    transaction_hash text not null,
    -- Of the log within its transaction: the index within the block changes in a reorganisation.
    position integer not null,
    block_number bigint not null,
    block_hash text not null,
    wallet_id uuid not null,
    user_id uuid not null,
    asset text not null,
    units numeric(38, 0) not null,
    source_address text not null,
    contract_address text not null,
    status text not null,
    -- How often it was credited: again if a reorganisation took it back, and it returned.
    credits integer not null default 0,
    -- Of an orphaned one: once this block is final, it is taken back unless it has returned.
    returns_by bigint,
    -- Organisation time at which it was found.
    found_at timestamptz not null,
    constraint chain_deposits_pkey primary key (org_id, id),
    constraint chain_deposits_transaction_hash_position_key
        unique (org_id, chain, transaction_hash, position),
    constraint chain_deposits_org_id_fkey foreign key (org_id) references orgs (id),
    constraint chain_deposits_status_check
        check (status in ('CONFIRMED', 'COMPLETED', 'ORPHANED', 'REVERSED')),
    constraint chain_deposits_units_check check (units > 0),
    constraint chain_deposits_credits_check check (credits >= 0),
    constraint chain_deposits_returns_by_check
        check (status <> 'ORPHANED' or returns_by is not null)
);

-- Lists the deposits of a wallet that are not credited yet.
create index chain_deposits_wallet_id_idx
    on chain_deposits (org_id, wallet_id, asset, found_at desc) where status = 'CONFIRMED';

-- Finds the deposits in blocks that became final, or that a reorganisation took away.
create index chain_deposits_block_number_idx on chain_deposits (chain, block_number);

-- Finds the few deposits whose block a reorganisation took away.
create index chain_deposits_returns_by_idx on chain_deposits (chain, returns_by)
    where status = 'ORPHANED';

-- A chain knows addresses alone: it pays wallets of all organisations.
create index wallets_address_idx on wallets (address, chain);
