-- Provable books: an RFC 6962 Merkle tree of each organisation's changes, in the order of the log.

-- SHA-256 of a snapshot that was removed, so that the leaf of its change can still be rebuilt.
alter table changes add column snapshot_digest bytea;

-- One row for each organisation: how far its changes are in the tree.
create table proof_trees (
    org_id uuid not null,
    -- A new epoch begins when a restored backup has made published checkpoints unreachable.
    epoch integer not null,
    -- Number of leaves.
    size bigint not null,
    -- Position in the log of the last leaf's change.
    read_tx xid8 not null,
    read_object_id uuid not null,
    read_seq integer not null,
    constraint proof_trees_pkey primary key (org_id),
    constraint proof_trees_org_id_fkey foreign key (org_id) references orgs (id),
    constraint proof_trees_epoch_check check (epoch > 0),
    constraint proof_trees_size_check check (size >= 0)
);

-- Hashes of the tree, at most 256 in a row. Level 0 has those of leaves; a hash of each further
-- level is the root of a full row below it.
create table proof_tiles (
    org_id uuid not null,
    level smallint not null,
    number bigint not null,
    hashes bytea not null,
    constraint proof_tiles_pkey primary key (org_id, level, number),
    constraint proof_tiles_hashes_check
        check (length(hashes) between 32 and 8192 and length(hashes) % 32 = 0)
);

-- Hashes do not compress.
alter table proof_tiles alter column hashes set storage external;

-- One row for each 256 leaves: where they begin, so that each can be rebuilt without those before.
create table proof_blocks (
    org_id uuid not null,
    number bigint not null,
    -- Position in the log of the first leaf's change.
    first_tx xid8 not null,
    first_object_id uuid not null,
    first_seq integer not null,
    -- Count of entries, available and held units of each account of the block, before its leaves.
    balances jsonb not null,
    constraint proof_blocks_pkey primary key (org_id, number)
);

-- Finds the block of a change.
create index proof_blocks_first_tx_idx
    on proof_blocks (org_id, first_tx, first_object_id, first_seq);

-- Count of entries and balance of each account, after the last leaf.
create table proof_accounts (
    org_id uuid not null,
    -- The id of a wallet's account, or role and asset of a house account.
    account text not null,
    entry_count bigint not null,
    available numeric(38, 0) not null,
    held numeric(38, 0) not null,
    constraint proof_accounts_pkey primary key (org_id, account),
    constraint proof_accounts_entry_count_check check (entry_count > 0)
) with (fillfactor = 70); -- no indexed column ever changes, so updates stay on their page

-- Signed tree heads (C2SP tlog-checkpoint). Stored before they are published.
create table proof_checkpoints (
    org_id uuid not null,
    epoch integer not null,
    -- Number of leaves that the checkpoint covers.
    size bigint not null,
    root bytea not null,
    -- The signed note as published.
    note text not null,
    created_at timestamptz not null,
    constraint proof_checkpoints_pkey primary key (org_id, epoch, size),
    constraint proof_checkpoints_root_check check (length(root) = 32)
);
