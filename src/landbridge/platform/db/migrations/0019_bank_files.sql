-- Payments and statements that are exchanged with banks in files.

-- An organisation's own account at its bank, one for each currency. (Bank accounts of users are in
-- bank_accounts.)
create table funding_accounts (
    org_id uuid not null,
    id uuid not null,
    currency text not null,
    -- Account numbers, holder and file transport with its credentials; sealed with the
    -- organisation's key.
    sealed_details bytea not null,
    -- Files are numbered without gaps and ACH entries consecutively: the row is locked to count.
    last_file_number bigint not null,
    last_trace bigint not null,
    version integer not null,
    updated_at timestamptz not null,
    -- Organisation time at which the bank's files were last listed, once all their lines are
    -- applied. Everything that the bank had reported by then is known.
    statements_read_at timestamptz,
    constraint funding_accounts_pkey primary key (org_id, id),
    constraint funding_accounts_currency_key unique (org_id, currency),
    constraint funding_accounts_org_id_fkey foreign key (org_id) references orgs (id),
    constraint funding_accounts_last_file_number_check check (last_file_number >= 0),
    constraint funding_accounts_last_trace_check check (last_trace >= 0),
    constraint funding_accounts_version_check check (version > 0)
);

-- Files for the bank. A file is claimed (it has its number and its payments), written (it has its
-- content, which never changes) and delivered.
create table bank_outbound_files (
    org_id uuid not null,
    id uuid not null,
    account_id uuid not null,
    number bigint not null,
    -- The file name at the bank.
    name text not null,
    format text not null,
    rail text not null,
    is_same_day boolean not null,
    -- The requested execution date.
    execution_date date not null,
    count integer not null,
    units numeric(38, 0) not null,
    -- Sealed with the organisation's key; null before it is written and after its retention.
    sealed_content bytea,
    digest bytea,
    size integer,
    created_at timestamptz not null,
    delivered_at timestamptz,
    -- Lease of one worker, in real time; leased_by is unique to each lease.
    leased_until timestamptz,
    leased_by uuid,
    constraint bank_outbound_files_pkey primary key (org_id, id),
    constraint bank_outbound_files_account_id_number_key unique (org_id, account_id, number),
    constraint bank_outbound_files_name_key unique (org_id, name),
    constraint bank_outbound_files_account_id_fkey
        foreign key (org_id, account_id) references funding_accounts (org_id, id),
    constraint bank_outbound_files_format_check check (format in ('pain.001', 'nacha')),
    constraint bank_outbound_files_number_check check (number > 0),
    constraint bank_outbound_files_count_check check (count > 0),
    constraint bank_outbound_files_units_check check (units >= 0),
    constraint bank_outbound_files_digest_check check ((digest is null) = (size is null)),
    constraint bank_outbound_files_sealed_content_check
        check (sealed_content is null or digest is not null),
    constraint bank_outbound_files_delivered_at_check
        check (delivered_at is null or digest is not null),
    constraint bank_outbound_files_leased_by_check
        check (leased_until is null or leased_by is not null)
);

-- Files to deliver.
create index bank_outbound_files_open_idx on bank_outbound_files (org_id, created_at)
    where delivered_at is null;

-- Files whose content is removed after its retention.
create index bank_outbound_files_kept_idx on bank_outbound_files (org_id, created_at)
    where sealed_content is not null;

-- Payments that go to the bank in files, and prenotes: entries without money that test an account.
create table bank_payments (
    org_id uuid not null,
    -- The key of the order; in hexadecimal it identifies the payment in every file.
    key uuid not null,
    account_id uuid not null,
    -- The record or incoming payment that it belongs to.
    record_id uuid not null,
    -- The incoming payment that it returns, if it is a return.
    returned_payment_id uuid,
    asset text not null,
    units numeric(38, 0) not null,
    rail text not null,
    format text not null,
    is_same_day boolean not null,
    is_prenote boolean not null,
    -- Keyed hash of the payee's account: the same account has the same digest.
    payee_digest bytea not null,
    trace_number text,
    status text not null,
    -- A sentence of our own, without personal data.
    reason text,
    file_id uuid,
    -- Position in the file, from 1.
    file_position integer,
    -- Payee and texts, sealed with the organisation's key; null once the payment is in a written
    -- file or has ended.
    sealed_order bytea,
    version integer not null,
    -- Times are in organisation time. The payment is written at due_at, or once the prenote that it
    -- waits for is closed.
    queued_at timestamptz not null,
    due_at timestamptz not null,
    -- End of the return period of an ACH payment at the bank.
    closes_at timestamptz,
    updated_at timestamptz not null,
    constraint bank_payments_pkey primary key (org_id, key),
    constraint bank_payments_account_id_fkey
        foreign key (org_id, account_id) references funding_accounts (org_id, id),
    constraint bank_payments_file_id_fkey
        foreign key (org_id, file_id) references bank_outbound_files (org_id, id),
    constraint bank_payments_units_check check (units >= 0 and (units = 0) = is_prenote),
    constraint bank_payments_format_check check (format in ('pain.001', 'nacha')),
    constraint bank_payments_trace_number_check
        check ((trace_number is not null) = (format = 'nacha')),
    constraint bank_payments_status_check
        check (status in ('QUEUED', 'WRITTEN', 'SETTLED', 'FAILED')),
    constraint bank_payments_reason_check check ((reason is not null) = (status = 'FAILED')),
    constraint bank_payments_file_id_check check (
        (file_id is null) = (file_position is null)
        and (status <> 'QUEUED' or file_id is null)
        and (status not in ('WRITTEN', 'SETTLED') or file_id is not null)
    ),
    constraint bank_payments_sealed_order_check
        check (sealed_order is not null or status <> 'QUEUED'),
    constraint bank_payments_closes_at_check
        check (closes_at is null or (format = 'nacha' and file_id is not null)),
    constraint bank_payments_version_check check (version > 0)
);

-- Payments that wait for their cut-off.
create index bank_payments_queue_idx on bank_payments (org_id, account_id, due_at)
    where status = 'QUEUED';

-- Whether an account was tested.
create index bank_payments_prenote_idx on bank_payments (org_id, account_id, payee_digest)
    where is_prenote;

-- Returns name a payment by its trace number.
create index bank_payments_trace_number_idx on bank_payments (org_id, trace_number)
    where trace_number is not null;

create index bank_payments_file_id_idx on bank_payments (org_id, file_id, file_position)
    where file_id is not null;

-- Files from the bank. Each is ingested once: its lines go to statement_lines, and the file is
-- moved away.
create table bank_inbound_files (
    org_id uuid not null,
    -- Derived from account and digest.
    id uuid not null,
    -- The account whose directory the file was in.
    account_id uuid not null,
    digest bytea not null,
    -- Sealed with the organisation's key, because a bank may put anything into a file name.
    sealed_name bytea not null,
    format text not null,
    -- Lines ingested; how many of these were known from another file; entries that were omitted
    -- because they are not booked.
    line_count integer not null,
    known_count integer not null,
    omitted_count integer not null,
    credit_units numeric(38, 0) not null,
    debit_units numeric(38, 0) not null,
    started_at timestamptz not null,
    -- When all of its lines were in statement_lines; none is applied before.
    ingested_at timestamptz,
    constraint bank_inbound_files_pkey primary key (org_id, id),
    constraint bank_inbound_files_account_id_digest_key unique (org_id, account_id, digest),
    constraint bank_inbound_files_account_id_fkey
        foreign key (org_id, account_id) references funding_accounts (org_id, id),
    constraint bank_inbound_files_format_check
        check (format in ('camt.053', 'pain.002', 'nacha', 'refused')),
    constraint bank_inbound_files_line_count_check check (line_count >= 0),
    constraint bank_inbound_files_known_count_check check (known_count between 0 and line_count),
    constraint bank_inbound_files_omitted_count_check check (omitted_count >= 0)
);

-- Balances of statements, to detect a gap between two.
create table bank_statements (
    org_id uuid not null,
    account_id uuid not null,
    -- The bank's identifier.
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
        foreign key (org_id, file_id) references bank_inbound_files (org_id, id)
);

-- Lines that a bank reported: each once, however many files contain it.
create table statement_lines (
    org_id uuid not null,
    id uuid not null,
    account_id uuid not null,
    file_id uuid not null,
    -- The same in every report of the line.
    fingerprint bytea not null,
    -- Digest of the statement; lines without a bank reference are compared by it.
    source bytea not null,
    kind text not null,
    asset text not null,
    -- Null for a line without an amount.
    units numeric(38, 0),
    booked_on date,
    status text not null,
    -- Why it waits for a person: a sentence of our own.
    reason text,
    -- The payment or file that it names, and the incoming payment that was created from it.
    payment_key uuid,
    incoming_payment_id uuid,
    -- Names, numbers and texts, and the comment of the person who resolved it; sealed with the
    -- organisation's key. Null once matched, and some time after it was resolved.
    sealed_texts bytea,
    resolution text,
    resolved_by text,
    -- Order of processing: returns come first, because their payment did not succeed.
    priority smallint not null,
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    -- The record that was reopened or reversed when a person resolved the line.
    transfer_id uuid,
    constraint statement_lines_pkey primary key (org_id, id),
    constraint statement_lines_account_id_fingerprint_key unique (org_id, account_id, fingerprint),
    constraint statement_lines_account_id_fkey
        foreign key (org_id, account_id) references funding_accounts (org_id, id),
    constraint statement_lines_file_id_fkey
        foreign key (org_id, file_id) references bank_inbound_files (org_id, id),
    constraint statement_lines_kind_check
        check (kind in ('CREDIT', 'DEBIT', 'STATUS', 'RETURN', 'CHANGE', 'STATEMENT', 'FILE')),
    constraint statement_lines_units_check check (units >= 0),
    constraint statement_lines_status_check
        check (status in ('NEW', 'MATCHED', 'UNMATCHED', 'RESOLVED')),
    constraint statement_lines_reason_check
        check ((reason is not null) = (status in ('UNMATCHED', 'RESOLVED'))),
    constraint statement_lines_resolution_check
        check ((resolution is not null) = (status = 'RESOLVED')),
    constraint statement_lines_resolved_by_check
        check ((resolved_by is null) = (resolution is null)),
    constraint statement_lines_version_check check (version > 0)
);

-- Lines to apply.
create index statement_lines_new_idx on statement_lines (org_id, priority, created_at)
    where status = 'NEW';

-- The queue of unmatched lines, oldest first.
create index statement_lines_unmatched_idx on statement_lines (org_id, created_at, id)
    where status = 'UNMATCHED';

-- All lines of a payment.
create index statement_lines_payment_key_idx on statement_lines (org_id, payment_key)
    where payment_key is not null;

-- All lines of a file.
create index statement_lines_file_id_idx on statement_lines (org_id, file_id);

-- Resolved lines whose texts are removed after some time.
create index statement_lines_resolved_idx on statement_lines (org_id, updated_at)
    where status = 'RESOLVED' and sealed_texts is not null;
