-- Fiat that arrived at the bank: each credit once, however often its statements are read. An
-- incoming payment is matched with what it pays, or returned.
create table incoming_payments (
    org_id uuid not null,
    id uuid not null,
    -- The bank's unique reference of the credit.
    bank_reference text not null,
    -- Our account that was credited.
    account_number text not null,
    asset text not null,
    units numeric(38, 0) not null,
    rail text not null,
    status text not null,
    -- The record that it pays and that record's user; null while unmatched.
    transfer_id uuid,
    -- The foreign key makes a match and the erasure of its user wait for each other.
    user_id uuid,
    -- Sender, reference, description and a reviewer's comment. Sealed with the data key of the
    -- user, or of the organisation while unmatched. Null once erased.
    sealed_texts bytea,
    version integer not null,
    -- Times are in organisation time. A bank may report a credit before its money is available.
    received_at timestamptz not null,
    clears_at timestamptz not null,
    updated_at timestamptz not null,
    -- When the worker processes it; null: it has ended or waits for a person.
    due_at timestamptz,
    -- How often the bank refused the return for good; each new attempt has a key of its own.
    return_attempts integer not null default 0,
    -- The actor who decided, as in the log of changes.
    decided_by text,
    -- When the bank received it, if earlier than it was reported (received_at).
    arrived_at timestamptz,
    constraint incoming_payments_pkey primary key (org_id, id),
    constraint incoming_payments_bank_reference_key unique (org_id, bank_reference),
    constraint incoming_payments_org_id_fkey foreign key (org_id) references orgs (id),
    constraint incoming_payments_user_id_fkey
        foreign key (org_id, user_id) references users (org_id, id),
    constraint incoming_payments_units_check check (units > 0),
    constraint incoming_payments_status_check
        check (status in ('NEW', 'MATCHED', 'UNMATCHED', 'RETURNING', 'RETURNED')),
    constraint incoming_payments_transfer_id_check
        check ((transfer_id is not null) = (status = 'MATCHED')),
    constraint incoming_payments_due_at_check
        check ((due_at is null) = (status in ('MATCHED', 'UNMATCHED', 'RETURNED'))),
    constraint incoming_payments_return_attempts_check check (return_attempts >= 0),
    constraint incoming_payments_version_check check (version > 0)
);

-- The worker's queue, the longest due first.
create index incoming_payments_due_at_idx on incoming_payments (org_id, due_at)
    where due_at is not null;

-- For erasing a user.
create index incoming_payments_user_id_idx on incoming_payments (org_id, user_id)
    where user_id is not null;

-- Whether an account has unprocessed deposits; what waits for them must not expire before.
create index incoming_payments_new_idx
    on incoming_payments (org_id, account_number, received_at)
    where status = 'NEW';

-- Returned payments whose texts are removed after some time.
create index incoming_payments_returned_idx on incoming_payments (org_id, updated_at)
    where status = 'RETURNED' and sealed_texts is not null;

-- The queue of unmatched deposits, oldest first.
create index incoming_payments_unmatched_idx on incoming_payments (org_id, received_at, id)
    where status = 'UNMATCHED';
