-- The books. Only landbridge/ledger writes these tables.

-- What a wallet holds of one asset. Rows are made with the wallet; only `open` and `advance`
-- change them. The checks are the last guard: the statements refuse before they fire.
create table accounts (
    org_id uuid not null,
    id uuid not null,
    wallet_id uuid not null,
    asset text not null,
    available numeric(38, 0) not null default 0,
    held numeric(38, 0) not null default 0,
    constraint accounts_pkey primary key (org_id, id),
    constraint accounts_wallet_id_asset_key unique (org_id, wallet_id, asset),
    constraint accounts_available_check check (available >= 0),
    constraint accounts_held_check check (held >= 0)
) with (fillfactor = 70); -- no indexed column ever changes, so updates stay on their page

-- House accounts (liquidity, fees, outside): insert-only on the hot path. Their entries are
-- written at once, their balance is rolled up later, so that a busy one never queues its payers.
create table house_accounts (
    org_id uuid not null,
    role text not null,
    asset text not null,
    -- The sum of this account's entries in transactions below house_rolls.rolled_to.
    rolled_units numeric(38, 0) not null default 0,
    constraint house_accounts_pkey primary key (org_id, role, asset)
);

create table house_rolls (
    org_id uuid not null,
    rolled_to xid8 not null,
    constraint house_rolls_pkey primary key (org_id)
);

-- One movement of money of any kind: what all kinds share, and the flow's own details.
-- No foreign keys to users and wallets: this is the hot path, and users are never deleted.
create table transfers (
    org_id uuid not null,
    id uuid not null,
    kind text not null,
    user_id uuid not null,
    request_id uuid not null,
    -- What was asked, normalised: a replay is compared with it, field by field.
    request jsonb not null,
    status text not null,
    -- Number of changes so far; `advance` moves a record only from the version it was read at.
    version integer not null,
    source_asset text not null,
    source_units numeric(38, 0) not null,
    destination_asset text not null,
    destination_units numeric(38, 0) not null,
    -- As opened; never changed afterwards.
    details jsonb not null,
    -- What the changes since have added.
    facts jsonb not null default '{}',
    -- Organisation time at which the worker looks at this record; null: it waits for nobody.
    due_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint transfers_pkey primary key (org_id, id),
    constraint transfers_request_id_key unique (org_id, request_id),
    constraint transfers_version_check check (version > 0),
    constraint transfers_source_units_check check (source_units > 0),
    constraint transfers_destination_units_check check (destination_units > 0)
);

create index transfers_kind_idx on transfers (org_id, kind, created_at desc, id desc);
create index transfers_user_idx on transfers (org_id, user_id, kind, created_at desc, id desc);
create index transfers_due_idx on transfers (org_id, due_at) where due_at is not null;

-- A journal is the entries of one change of one transfer, and sums to zero per asset. Either a
-- wallet's account or a house role is moved.
create table entries (
    org_id uuid not null,
    transfer_id uuid not null,
    -- The change (changes.seq) that this journal belongs to.
    seq integer not null,
    line smallint not null,
    account_id uuid,
    role text,
    asset text not null,
    available numeric(38, 0) not null,
    held numeric(38, 0) not null,
    constraint entries_pkey primary key (org_id, transfer_id, seq, line),
    constraint entries_account_id_role_check check (num_nonnulls(account_id, role) = 1),
    constraint entries_held_check check (account_id is not null or held = 0),
    constraint entries_available_held_check check (available <> 0 or held <> 0)
);

create index entries_account_idx on entries (org_id, account_id) where account_id is not null;
