-- The double-entry ledger. Only landbridge/ledger writes these tables.

-- Balance of a wallet in one asset. Rows are created with the wallet and changed only by the
-- ledger's two statements. The statements refuse to overdraw; these checks are the last guard.
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

-- House accounts (liquidity, fees, outside). A payment only inserts entries here; the balance is
-- rolled up later, so that payments never wait for each other on a busy account.
create table house_accounts (
    org_id uuid not null,
    role text not null,
    asset text not null,
    -- The sum of this account's entries in transactions below house_rollups.rolled_up_to.
    rolled_up_units numeric(38, 0) not null default 0,
    constraint house_accounts_pkey primary key (org_id, role, asset)
);

create table house_rollups (
    org_id uuid not null,
    rolled_up_to xid8 not null,
    constraint house_rollups_pkey primary key (org_id)
);

-- Records: movements of money of every kind, with what all kinds share and the flow's own details.
-- No foreign keys to users and wallets: this is the hot path, and users are never deleted.
create table transfers (
    org_id uuid not null,
    id uuid not null,
    kind text not null,
    user_id uuid not null,
    request_id uuid not null,
    -- The normalised request. A repeated request is compared with it field by field.
    request jsonb not null,
    status text not null,
    -- Number of changes so far. An update applies only to the version that was read.
    version integer not null,
    source_asset text not null,
    source_units numeric(38, 0) not null,
    destination_asset text not null,
    destination_units numeric(38, 0) not null,
    -- As created; never changed afterwards.
    details jsonb not null,
    -- Everything that later changes added.
    facts jsonb not null default '{}',
    -- Organisation time at which the worker processes this record; null: not scheduled.
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
create index transfers_user_id_idx on transfers (org_id, user_id, kind, created_at desc, id desc);
create index transfers_due_at_idx on transfers (org_id, due_at) where due_at is not null;

-- Records in manual review have no due time. With the index above this finds every record that has
-- not ended; a user cannot be erased before that.
create index transfers_review_idx on transfers (org_id)
    where due_at is null and status = 'IN_REVIEW';

-- Open receivables wait for a person, without a due time.
create index transfers_open_idx on transfers (org_id)
    where due_at is null and status = 'OPEN';

-- Corrections are found by the record that they name. There are few.
create index transfers_correction_idx on transfers (org_id, (request ->> 'transfer'))
    where kind = 'LEDGER.CORRECTION';

-- Disbursements name their payment in their details.
create index transfers_payment_idx on transfers (org_id, (details ->> 'payment_id'))
    where details ? 'payment_id';

-- A journal is the set of entries of one change of one record; it sums to zero per asset. Each
-- entry belongs to either a wallet's account or a house account.
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
    -- Organisation time of the change.
    occurred_at timestamptz not null,
    constraint entries_pkey primary key (org_id, transfer_id, seq, line),
    constraint entries_account_id_role_check check (num_nonnulls(account_id, role) = 1),
    constraint entries_held_check check (account_id is not null or held = 0),
    constraint entries_available_held_check check (available <> 0 or held <> 0)
);

-- Entries of an account, newest first. The amounts are included, so that a balance at a past
-- moment is summed from the index alone.
create index entries_account_id_idx
    on entries (org_id, account_id, occurred_at desc, transfer_id desc, seq desc)
    include (available, held)
    where account_id is not null;
