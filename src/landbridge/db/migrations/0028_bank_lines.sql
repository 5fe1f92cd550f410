-- What a bank tells us in files: deposits that wait for a person, and every line of a statement.

-- What nobody takes may be held for a person, who matches it or sends it back. It has no due time.
alter table receipts drop constraint receipts_status_check;
alter table receipts add constraint receipts_status_check
    check (status in ('NEW', 'MATCHED', 'UNMATCHED', 'RETURNING', 'RETURNED'));
alter table receipts drop constraint receipts_due_at_check;
alter table receipts add constraint receipts_due_at_check
    check ((due_at is null) = (status in ('MATCHED', 'UNMATCHED', 'RETURNED')));
-- Who decided, as the log of changes names them; their comment is among the sealed words.
alter table receipts add column decided_by text;
-- By when the bank had it, where that was before it was told to us (received_at); null: then.
alter table receipts add column arrived_at timestamptz;

-- The queue, the longest waiting first.
create index receipts_unmatched_idx on receipts (org_id, received_at, id)
    where status = 'UNMATCHED';

-- Files that a bank gave us. Each is taken once: what it says stands in bank_lines, and it is moved
-- out of the way.
create table bank_answers (
    org_id uuid not null,
    -- Derived from account and digest.
    id uuid not null,
    -- At whose place it lay.
    account_id uuid not null,
    digest bytea not null,
    -- Under the organisation's key: a bank may name its files as it likes.
    sealed_name bytea not null,
    format text not null,
    -- What it says, but for entries that are not booked (left_out_count); of these lines, how many
    -- were known from another file.
    line_count integer not null,
    known_count integer not null,
    left_out_count integer not null,
    credit_units numeric(38, 0) not null,
    debit_units numeric(38, 0) not null,
    began_at timestamptz not null,
    -- When all of its lines stood in bank_lines; none is applied before.
    taken_at timestamptz,
    constraint bank_answers_pkey primary key (org_id, id),
    constraint bank_answers_digest_key unique (org_id, account_id, digest),
    constraint bank_answers_account_id_fkey
        foreign key (org_id, account_id) references funding_accounts (org_id, id),
    constraint bank_answers_format_check
        check (format in ('camt.053', 'pain.002', 'nacha', 'refused')),
    constraint bank_answers_line_count_check check (line_count >= 0),
    constraint bank_answers_known_count_check check (known_count between 0 and line_count),
    constraint bank_answers_left_out_count_check check (left_out_count >= 0)
);

-- Balances of statements, so that a gap between two is seen.
create table bank_statements (
    org_id uuid not null,
    account_id uuid not null,
    -- The bank's name for it.
    statement_id text not null,
    file_id uuid not null,
    number bigint,
    opening_units numeric(38, 0),
    closing_units numeric(38, 0),
    created_at timestamptz not null,
    constraint bank_statements_pkey primary key (org_id, account_id, statement_id),
    constraint bank_statements_account_id_fkey
        foreign key (org_id, account_id) references funding_accounts (org_id, id),
    constraint bank_statements_file_id_fkey
        foreign key (org_id, file_id) references bank_answers (org_id, id)
);

-- Everything that a bank told us: each once, however many of its files tell of it.
create table bank_lines (
    org_id uuid not null,
    id uuid not null,
    account_id uuid not null,
    file_id uuid not null,
    -- What is the same each time that the bank tells of it.
    fingerprint bytea not null,
    -- Of the statement that it stands in: lines without a reference of the bank's are compared by it.
    source bytea not null,
    kind text not null,
    asset text not null,
    -- Null for what tells of no money.
    units numeric(38, 0),
    booked_on date,
    status text not null,
    -- Why it waits for a person: a sentence of ours.
    reason text,
    -- The payment or file that it names, and the receipt that was made of it.
    payment_key uuid,
    receipt_id uuid,
    -- Names, numbers and texts, and the comment of who resolved it; under the organisation's key.
    -- Null once it is matched, and some time after it was resolved.
    sealed_words bytea,
    resolution text,
    resolved_by text,
    -- What comes back is looked at first: its payment did not go through.
    rank smallint not null,
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint bank_lines_pkey primary key (org_id, id),
    constraint bank_lines_fingerprint_key unique (org_id, account_id, fingerprint),
    constraint bank_lines_account_id_fkey
        foreign key (org_id, account_id) references funding_accounts (org_id, id),
    constraint bank_lines_file_id_fkey
        foreign key (org_id, file_id) references bank_answers (org_id, id),
    constraint bank_lines_kind_check
        check (kind in ('CREDIT', 'DEBIT', 'STATUS', 'RETURN', 'CHANGE', 'STATEMENT', 'FILE')),
    constraint bank_lines_units_check check (units >= 0),
    constraint bank_lines_status_check
        check (status in ('NEW', 'MATCHED', 'UNMATCHED', 'RESOLVED')),
    constraint bank_lines_reason_check
        check ((reason is not null) = (status in ('UNMATCHED', 'RESOLVED'))),
    constraint bank_lines_resolution_check check ((resolution is not null) = (status = 'RESOLVED')),
    constraint bank_lines_resolved_by_check check ((resolved_by is null) = (resolution is null)),
    constraint bank_lines_version_check check (version > 0)
);

-- What is still to be applied.
create index bank_lines_new_idx on bank_lines (org_id, rank, created_at) where status = 'NEW';

-- The queue, the longest waiting first.
create index bank_lines_unmatched_idx on bank_lines (org_id, created_at, id)
    where status = 'UNMATCHED';

-- What else told of a payment.
create index bank_lines_payment_key_idx on bank_lines (org_id, payment_key)
    where payment_key is not null;

-- What a file came to.
create index bank_lines_file_id_idx on bank_lines (org_id, file_id);

-- Whose words go some time after it was resolved.
create index bank_lines_resolved_idx on bank_lines (org_id, updated_at)
    where status = 'RESOLVED' and sealed_words is not null;
