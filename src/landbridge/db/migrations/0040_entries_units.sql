-- What entries add stands in their index, so that a balance at a past moment is summed without
-- looking up each of them. The order is as before.
create index entries_account_units_idx
    on entries (org_id, account_id, at desc, transfer_id desc, seq desc)
    include (available, held)
    where account_id is not null;
drop index entries_account_idx;
