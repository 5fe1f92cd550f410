-- Fiat that arrived at the bank: each credit once, whoever reads the bank's statements and however
-- often. It is matched with what it pays, or given back.
create table receipts (
    org_id uuid not null,
    id uuid not null,
    -- By what the bank tells its credits apart.
    bank_reference text not null,
    -- Ours: on which account it arrived.
    account_number text not null,
    asset text not null,
    units numeric(38, 0) not null,
    rail text not null,
    status text not null,
    -- What it pays, and whose that is; null while nobody's.
    transfer_id uuid,
    user_id uuid,
    -- Sender, reference and description, under the data key of the user whose it is, of the
    -- organisation while nobody's. Null once the user was erased.
    sealed_words bytea,
    version integer not null,
    -- All in the organisation's time. A bank may tell of a credit before the money can be used.
    received_at timestamptz not null,
    clears_at timestamptz not null,
    updated_at timestamptz not null,
    -- When the worker has to look at it; null once it is at an end.
    due_at timestamptz,
    constraint receipts_pkey primary key (org_id, id),
    constraint receipts_bank_reference_key unique (org_id, bank_reference),
    constraint receipts_org_id_fkey foreign key (org_id) references orgs (id),
    constraint receipts_units_check check (units > 0),
    constraint receipts_status_check
        check (status in ('NEW', 'MATCHED', 'RETURNING', 'RETURNED')),
    constraint receipts_transfer_id_check check ((transfer_id is not null) = (status = 'MATCHED')),
    constraint receipts_due_at_check check ((due_at is null) = (status in ('MATCHED', 'RETURNED'))),
    constraint receipts_version_check check (version > 0)
);

-- What the worker has to look at, the longest due first.
create index receipts_due_idx on receipts (org_id, due_at) where due_at is not null;

-- Whose words go when a user is erased.
create index receipts_user_id_idx on receipts (org_id, user_id) where user_id is not null;
