-- What waits for a reviewer has no due time: with transfers_due_idx, all records that are not at an
-- end. Whoever they pay may not be erased before they are.
create index transfers_review_idx on transfers (org_id)
    where due_at is null and status = 'IN_REVIEW';
