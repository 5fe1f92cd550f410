-- Banks as sources of reconciliation: an account with statements is compared like a chain.

alter table recon_sources
    -- How far the organisation's log was read for this account at a bank; null for a chain.
    add column read_tx xid8;

alter table recon_matches
    -- When a movement of the source was last counted; null if none was since this column exists.
    add column outside_moved_at timestamptz;

alter table recon_differences
    drop constraint recon_differences_kind_check,
    add constraint recon_differences_kind_check check (kind in (
        'MISSING_OUTSIDE', 'UNKNOWN_OUTSIDE', 'AMOUNT', 'DUPLICATE', 'POSITION', 'REORGED',
        'SOURCE_SILENT', 'STATEMENT_GAP'
    ));

alter table bank_statements
    -- Booking day of the closing balance; null if the statement does not say, or was read before.
    add column closing_on date;

alter table statement_lines
    -- Version with which reconciliation has counted the line, and the reference that it was counted
    -- for: null if for none, as a line that repeats another one.
    add column counted_version integer,
    add column counted_reference text;

-- Lines to count, or to count for another reference.
create index statement_lines_uncounted_idx on statement_lines (org_id, account_id, created_at)
    where kind in ('DEBIT', 'CREDIT') and counted_version is distinct from version;

-- The file that paid a record, and the deposit that a record is about.
create index bank_payments_record_id_idx on bank_payments (org_id, record_id);
create index incoming_payments_transfer_id_idx on incoming_payments (org_id, transfer_id)
    where transfer_id is not null;
