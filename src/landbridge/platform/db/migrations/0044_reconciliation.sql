-- Reconciliation: what the ledger says is outside, compared with what chains record. And the record
-- of the sandbox's own chains, which only landbridge/providers/simulation reads and writes.

-- How far the organisation's log was read. Changes before opened_tx are counted in total only.
create table recon_cursors (
    org_id uuid not null,
    opened_tx xid8 not null,
    read_tx xid8 not null,
    constraint recon_cursors_pkey primary key (org_id),
    constraint recon_cursors_org_id_fkey foreign key (org_id) references orgs (id)
);

-- Outside systems that hold money of an organisation. All times are organisation time.
create table recon_sources (
    org_id uuid not null,
    -- Name of the chain.
    source text not null,
    -- Up to this block, which is final, movements were read.
    block_number bigint not null,
    block_hash text not null,
    opened_at timestamptz not null,
    last_run_at timestamptz not null,
    -- The last run that compared all of it; null before the first. Payments from before that one
    -- are compared in total only.
    last_good_at timestamptz,
    -- Why the last run failed.
    failure text,
    constraint recon_sources_pkey primary key (org_id, source),
    constraint recon_sources_org_id_fkey foreign key (org_id) references orgs (id)
);

-- The last comparison of each source and asset.
create table recon_positions (
    org_id uuid not null,
    source text not null,
    asset text not null,
    -- Outside by the ledger, up to recon_cursors.read_tx.
    ledger_units numeric(38, 0) not null default 0,
    -- By the source, at its block. Null until it was read.
    outside_units numeric(38, 0),
    -- outside_units less ledger_units and less all movements that do not match.
    unexplained_units numeric(38, 0) not null default 0,
    -- Part of the unexplained units that an operator has accepted.
    accepted_units numeric(38, 0) not null default 0,
    compared_at timestamptz,
    constraint recon_positions_pkey primary key (org_id, source, asset),
    constraint recon_positions_org_id_fkey foreign key (org_id) references orgs (id)
);

-- Sums by reference: a transaction of the chain, or a record that names none. Equal sums match.
create table recon_matches (
    org_id uuid not null,
    source text not null,
    reference text not null,
    asset text not null,
    -- The ledger's record; null while only the source has the movement.
    record_id uuid,
    ledger_units numeric(38, 0) not null,
    outside_units numeric(38, 0) not null,
    accepted_units numeric(38, 0) not null default 0,
    first_seen_at timestamptz not null,
    constraint recon_matches_pkey primary key (org_id, source, reference, asset),
    constraint recon_matches_org_id_fkey foreign key (org_id) references orgs (id)
);

create index recon_matches_open_idx on recon_matches (org_id, source, reference, asset)
    where ledger_units <> outside_units;

-- Differences that people have to explain, and those that were.
create table recon_differences (
    org_id uuid not null,
    id uuid not null,
    source text not null,
    kind text not null,
    status text not null,
    -- Empty if the whole source is concerned.
    asset text not null,
    -- Of recon_matches; empty for a position or a source.
    reference text not null,
    record_id uuid,
    ledger_units numeric(38, 0) not null,
    outside_units numeric(38, 0) not null,
    since timestamptz not null,
    -- When a TIMING difference becomes OPEN.
    due_at timestamptz not null,
    resolution text,
    resolved_at timestamptz,
    constraint recon_differences_pkey primary key (org_id, id),
    constraint recon_differences_org_id_fkey foreign key (org_id) references orgs (id),
    constraint recon_differences_kind_check check (kind in (
        'MISSING_OUTSIDE', 'UNKNOWN_OUTSIDE', 'AMOUNT', 'DUPLICATE', 'POSITION', 'REORGED',
        'SOURCE_SILENT'
    )),
    constraint recon_differences_status_check
        check (status in ('TIMING', 'OPEN', 'RESOLVED')),
    constraint recon_differences_resolution_check
        check ((resolution is not null) = (status = 'RESOLVED')),
    constraint recon_differences_resolved_at_check
        check ((resolved_at is not null) = (status = 'RESOLVED'))
);

create unique index recon_differences_open_key
    on recon_differences (org_id, source, asset, reference) where status <> 'RESOLVED';

-- Finds the organisations to compare again because a difference is no longer explained by timing.
create index recon_differences_due_at_idx on recon_differences (org_id, due_at)
    where status = 'TIMING';

-- Blocks of the sandbox's chains. A chain of one organisation has no blocks of another one.
create table sandbox_blocks (
    org_id uuid not null,
    chain text not null,
    number bigint not null,
    hash text not null,
    constraint sandbox_blocks_pkey primary key (org_id, chain, number),
    constraint sandbox_blocks_org_id_fkey foreign key (org_id) references orgs (id)
);

-- Coins that moved on the sandbox's chains, as token contracts log them.
create table sandbox_movements (
    org_id uuid not null,
    chain text not null,
    transaction_hash text not null,
    log_index integer not null,
    asset text not null,
    units numeric(38, 0) not null,
    -- Null for coins that are created, or burned.
    source text,
    destination text,
    -- Organisation time from which a block can have it.
    settles_at timestamptz not null,
    block_number bigint,
    constraint sandbox_movements_pkey primary key (org_id, chain, transaction_hash, log_index),
    constraint sandbox_movements_org_id_fkey foreign key (org_id) references orgs (id),
    constraint sandbox_movements_units_check check (units > 0)
);

create index sandbox_movements_pending_idx on sandbox_movements (org_id, chain, settles_at)
    where block_number is null;
create index sandbox_movements_block_number_idx
    on sandbox_movements (org_id, chain, block_number) where block_number is not null;

-- Balances of addresses at the last block, as token contracts keep them. An organisation's own
-- address may be below zero: the sandbox lends it what it pays out.
create table sandbox_balances (
    org_id uuid not null,
    chain text not null,
    address text not null,
    asset text not null,
    units numeric(38, 0) not null,
    constraint sandbox_balances_pkey primary key (org_id, chain, address, asset),
    constraint sandbox_balances_org_id_fkey foreign key (org_id) references orgs (id)
);
