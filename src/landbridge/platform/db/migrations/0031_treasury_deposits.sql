-- Coins that arrived at an organisation's own address from outside, on real chains.

create table treasury_deposits (
    org_id uuid not null,
    -- Derived from chain, transaction, asset, source and destination: always the same.
    id uuid not null,
    chain text not null,
    transaction_hash text not null,
    block_number bigint not null,
    asset text not null,
    -- All that the transaction moved from the source to the destination.
    units numeric(38, 0) not null,
    source_address text not null,
    destination_address text not null,
    status text not null,
    -- The payment that the coins are for, once the deposit is final.
    transfer_id uuid,
    -- A reorganisation took its block away after it was final.
    is_lost boolean not null default false,
    -- Organisation time at which it was found.
    found_at timestamptz not null,
    constraint treasury_deposits_pkey primary key (org_id, id),
    constraint treasury_deposits_org_id_fkey foreign key (org_id) references orgs (id),
    -- A payment knows its coins by asset and transaction.
    constraint treasury_deposits_transfer_id_key
        unique (org_id, transfer_id, asset, transaction_hash),
    constraint treasury_deposits_status_check
        check (status in ('CONFIRMED', 'FINAL', 'SETTLED', 'UNMATCHED')),
    constraint treasury_deposits_transfer_id_check
        check (transfer_id is null or status in ('FINAL', 'SETTLED')),
    constraint treasury_deposits_units_check check (units > 0)
);

-- Finds the deposits that wait, of all organisations and of one sender.
create index treasury_deposits_open_idx on treasury_deposits (org_id, source_address, found_at)
    where status in ('CONFIRMED', 'FINAL');

-- Finds the deposits in blocks that became final, or that a reorganisation took away.
create index treasury_deposits_block_number_idx on treasury_deposits (chain, block_number);

-- A chain knows addresses alone: whose coins are awaited at one, and from which sender.
create index transfers_external_source_idx
    on transfers ((details ->> 'destination_address'), (details ->> 'source_address'))
    where kind = 'OFFRAMP' and details ->> 'external_wallet_id' is not null;
