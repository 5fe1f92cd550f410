-- Wallets of users, and external addresses that users registered.

-- One encrypted seed per organisation; the key of every wallet is derived from it.
create table wallet_seeds (
    org_id uuid not null,
    sealed_seed bytea not null,
    -- The derivation index of the next owner.
    next_index integer not null default 0,
    created_at timestamptz not null,
    constraint wallet_seeds_pkey primary key (org_id),
    constraint wallet_seeds_org_id_fkey foreign key (org_id) references orgs (id),
    constraint wallet_seeds_next_index_check check (next_index >= 0)
);

-- A user's wallet on one chain. The address is derived from the key and stored for lookups.
create table wallets (
    org_id uuid not null,
    id uuid not null,
    user_id uuid not null,
    chain text not null,
    address text not null,
    derivation_index integer not null,
    created_at timestamptz not null,
    constraint wallets_pkey primary key (org_id, id),
    constraint wallets_user_id_chain_key unique (org_id, user_id, chain),
    constraint wallets_chain_address_key unique (org_id, chain, address),
    constraint wallets_org_id_fkey foreign key (org_id) references wallet_seeds (org_id)
);

-- Addresses outside the platform that a user registered.
create table external_wallets (
    org_id uuid not null,
    id uuid not null,
    user_id uuid not null,
    chain text not null,
    address text not null,
    is_active boolean not null default true,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    -- The client's name and reference, sealed with the user's data key; null once erased.
    sealed_label bytea,
    constraint external_wallets_pkey primary key (org_id, id),
    constraint external_wallets_user_id_chain_address_key
        unique (org_id, user_id, chain, address)
);

create index external_wallets_user_id_idx
    on external_wallets (org_id, user_id, created_at desc, id desc);

-- Finds the owner of a registered address.
create index external_wallets_address_idx on external_wallets (org_id, address);
