-- An organisation's own account at its bank, one for each currency. (Accounts that users are paid
-- on are bank_accounts.)
create table funding_accounts (
    org_id uuid not null,
    id uuid not null,
    currency text not null,
    -- Numbers, holder, and how files are exchanged, with its secrets; under the organisation's key.
    sealed_details bytea not null,
    -- Files are numbered without gaps, and entries of ACH one after the other: who counts holds
    -- this row.
    last_file_number bigint not null,
    last_trace bigint not null,
    version integer not null,
    updated_at timestamptz not null,
    -- When the bank's files were last looked through, of which every line has been applied since; in
    -- the organisation's time. What the bank had told by then is known.
    read_at timestamptz,
    constraint funding_accounts_pkey primary key (org_id, id),
    constraint funding_accounts_currency_key unique (org_id, currency),
    constraint funding_accounts_org_id_fkey foreign key (org_id) references orgs (id),
    constraint funding_accounts_last_file_number_check check (last_file_number >= 0),
    constraint funding_accounts_last_trace_check check (last_trace >= 0),
    constraint funding_accounts_version_check check (version > 0)
);

-- Files that go to the bank. A file is claimed (it has its number and its payments), written
-- (it has its content, which never changes) and delivered.
create table bank_files (
    org_id uuid not null,
    id uuid not null,
    account_id uuid not null,
    number bigint not null,
    -- What it is called at the bank.
    name text not null,
    format text not null,
    rail text not null,
    is_same_day boolean not null,
    -- The day on which the bank shall carry it out.
    runs_on date not null,
    count integer not null,
    units numeric(38, 0) not null,
    -- Under the organisation's key; null before it is written, and once it was kept long enough.
    sealed_content bytea,
    digest bytea,
    size integer,
    created_at timestamptz not null,
    delivered_at timestamptz,
    -- In real time: until then one worker has it in its hands, by a mark of that turn's own.
    leased_until timestamptz,
    leased_by uuid,
    constraint bank_files_pkey primary key (org_id, id),
    constraint bank_files_number_key unique (org_id, account_id, number),
    constraint bank_files_name_key unique (org_id, name),
    constraint bank_files_account_id_fkey
        foreign key (org_id, account_id) references funding_accounts (org_id, id),
    constraint bank_files_format_check check (format in ('pain.001', 'nacha')),
    constraint bank_files_number_check check (number > 0),
    constraint bank_files_count_check check (count > 0),
    constraint bank_files_units_check check (units >= 0),
    constraint bank_files_digest_check check ((digest is null) = (size is null)),
    constraint bank_files_sealed_content_check check (sealed_content is null or digest is not null),
    constraint bank_files_delivered_at_check check (delivered_at is null or digest is not null),
    constraint bank_files_leased_by_check check (leased_until is null or leased_by is not null)
);

-- What still has to get to the bank.
create index bank_files_open_idx on bank_files (org_id, created_at) where delivered_at is null;

-- Whose content goes when it was kept long enough.
create index bank_files_kept_idx on bank_files (org_id, created_at) where sealed_content is not null;

-- Payments that go to the bank in files, and prenotes: entries without money that try an account.
create table bank_payments (
    org_id uuid not null,
    -- The key of the order: in hexadecimal, it is the payment's name in every file.
    key uuid not null,
    account_id uuid not null,
    -- The record or receipt that it is of; the receipt once more if it gives that back.
    record_id uuid not null,
    returns uuid,
    asset text not null,
    units numeric(38, 0) not null,
    rail text not null,
    format text not null,
    is_same_day boolean not null,
    is_prenote boolean not null,
    -- The same for the same payee's account, and says nothing without the organisation's key.
    payee_digest bytea not null,
    trace_number text,
    status text not null,
    -- A sentence of ours, without personal data.
    reason text,
    file_id uuid,
    -- Its place in the file, from 1.
    place integer,
    -- Whom it pays and with which words, under the organisation's key; null once that is in a
    -- written file, or at an end.
    sealed_order bytea,
    version integer not null,
    -- All in the organisation's time. It is written at due_at, or once the prenote that it waits
    -- for is closed.
    queued_at timestamptz not null,
    due_at timestamptz not null,
    -- When the time for returns is over, for ACH that is at the bank.
    closes_at timestamptz,
    updated_at timestamptz not null,
    constraint bank_payments_pkey primary key (org_id, key),
    constraint bank_payments_account_id_fkey
        foreign key (org_id, account_id) references funding_accounts (org_id, id),
    constraint bank_payments_file_id_fkey
        foreign key (org_id, file_id) references bank_files (org_id, id),
    constraint bank_payments_units_check check (units >= 0 and (units = 0) = is_prenote),
    constraint bank_payments_format_check check (format in ('pain.001', 'nacha')),
    constraint bank_payments_trace_number_check
        check ((trace_number is not null) = (format = 'nacha')),
    constraint bank_payments_status_check
        check (status in ('QUEUED', 'WRITTEN', 'SETTLED', 'FAILED')),
    constraint bank_payments_reason_check check ((reason is not null) = (status = 'FAILED')),
    constraint bank_payments_file_id_check check (
        (file_id is null) = (place is null)
        and (status <> 'QUEUED' or file_id is null)
        and (status not in ('WRITTEN', 'SETTLED') or file_id is not null)
    ),
    constraint bank_payments_sealed_order_check
        check (sealed_order is not null or status <> 'QUEUED'),
    constraint bank_payments_closes_at_check
        check (closes_at is null or (format = 'nacha' and file_id is not null)),
    constraint bank_payments_version_check check (version > 0)
);

-- What waits for its cut-off.
create index bank_payments_queue_idx on bank_payments (org_id, account_id, due_at)
    where status = 'QUEUED';

-- Whether an account was tried.
create index bank_payments_prenote_idx on bank_payments (org_id, account_id, payee_digest)
    where is_prenote;

-- By what a return names it.
create index bank_payments_trace_number_idx on bank_payments (org_id, trace_number)
    where trace_number is not null;

create index bank_payments_file_id_idx on bank_payments (org_id, file_id, place)
    where file_id is not null;
