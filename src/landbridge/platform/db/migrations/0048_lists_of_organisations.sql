-- Indexes of the lists across all users of an organisation, and of the list of users. A page takes
-- the newest rows of each combination of the filtered columns, so every filter is served by one
-- index.

create index bank_accounts_list_idx
    on bank_accounts (org_id, status, ramp, type, created_at desc, id desc);

create index virtual_accounts_list_idx
    on virtual_accounts (org_id, status, destination_chain, created_at desc, id desc);

create index external_wallets_list_idx
    on external_wallets (org_id, is_active, chain, created_at desc, id desc);

-- Deposits on real chains, of all users and of one.
create index chain_deposits_list_idx
    on chain_deposits (org_id, asset, status, found_at desc, id desc);
create index chain_deposits_user_id_idx
    on chain_deposits (org_id, user_id, found_at desc, id desc);

-- Simulated deposits, which are records alone: those of real chains have `found_at`.
create index transfers_deposits_list_idx
    on transfers (org_id, source_asset, created_at desc, id desc)
    where kind = 'WALLET.DEPOSIT' and not details ? 'found_at';
create index transfers_deposits_of_user_idx
    on transfers (org_id, user_id, created_at desc, id desc)
    where kind = 'WALLET.DEPOSIT' and not details ? 'found_at';

-- The few users that are frozen.
create index users_frozen_idx on users (org_id, created_at desc, id desc)
    where frozen_at is not null and erased_at is null;
