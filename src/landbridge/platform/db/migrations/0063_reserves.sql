-- Reserves: at the cut of each day, what the ledger owes to wallets of each asset of a source, as a
-- Merkle tree with sums, and the addresses that hold the coins. Written once with the
-- positions of the day (recon_cutoffs), and never changed.

create table reserve_trees (
    org_id uuid not null,
    day date not null,
    asset text not null,
    source text not null,
    -- What wallets have, and what is owed to others: in open payments, deposits that wait, and fees.
    owed_units numeric(38, 0) not null,
    open_units numeric(38, 0) not null,
    -- Number of pieces into which the balances are split, and the hash above all of them.
    piece_count integer not null,
    root bytea not null,
    -- The node above each row of reserve_pieces: 32 bytes of hash and 16 of units.
    row_nodes bytea not null,
    constraint reserve_trees_pkey primary key (org_id, day, asset),
    constraint reserve_trees_org_id_fkey foreign key (org_id) references orgs (id),
    constraint reserve_trees_owed_units_check check (owed_units >= 0),
    constraint reserve_trees_open_units_check check (open_units >= 0),
    constraint reserve_trees_piece_count_check check (piece_count >= 0),
    constraint reserve_trees_root_check check (length(root) = 32)
);

-- Pieces in the order of their hashes, 256 in a row: 32 bytes of hash and 16 of units each.
create table reserve_pieces (
    org_id uuid not null,
    day date not null,
    asset text not null,
    number integer not null,
    first_hash bytea not null,
    nodes bytea not null,
    constraint reserve_pieces_pkey primary key (org_id, day, asset, number),
    constraint reserve_pieces_nodes_check
        check (length(nodes) between 48 and 12288 and length(nodes) % 48 = 0)
);

-- Finds the row of a piece.
create index reserve_pieces_first_hash_idx on reserve_pieces (org_id, day, asset, first_hash);

-- Hashes do not compress.
alter table reserve_pieces alter column nodes set storage external;

-- Balances by wallet, 256 in a row: 16 bytes of the wallet's id and 16 of units each.
create table reserve_balances (
    org_id uuid not null,
    day date not null,
    asset text not null,
    first_wallet_id uuid not null,
    balances bytea not null,
    constraint reserve_balances_pkey primary key (org_id, day, asset, first_wallet_id),
    constraint reserve_balances_balances_check
        check (length(balances) between 32 and 8192 and length(balances) % 32 = 0)
);

create table reserve_addresses (
    org_id uuid not null,
    day date not null,
    source text not null,
    -- In sorted order, one a line.
    addresses text not null,
    address_count integer not null,
    -- SHA-256 of a salt and the addresses.
    digest bytea not null,
    constraint reserve_addresses_pkey primary key (org_id, day, source),
    constraint reserve_addresses_org_id_fkey foreign key (org_id) references orgs (id),
    constraint reserve_addresses_digest_check check (length(digest) = 32)
);
