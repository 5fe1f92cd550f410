-- Payments at the bank that no statement has yet.
create index bank_payments_written_idx on bank_payments (org_id, account_id)
    where status = 'WRITTEN';
