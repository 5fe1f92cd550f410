-- What a record was opened as, so that `landbridge check` notices when it was altered afterwards:
-- the SHA-256 of its kind, owner, request id, amounts and details (ledger/digests.py). It stands in
-- the record's first change; null in all others, in changes of objects that are no records, and in
-- those that were written before this column existed.
alter table changes add column opened_digest bytea;

-- The corrections of a record, which are found by the record that they name. There are few.
create index transfers_correction_idx on transfers (org_id, (request ->> 'transfer'))
    where kind = 'LEDGER.CORRECTION';
