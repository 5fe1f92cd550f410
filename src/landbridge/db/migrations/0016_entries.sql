-- When an entry was made, in the organisation's time: what an account received is read by it.
alter table entries add column at timestamptz;
update entries e
set at = c.at
from changes c
where c.org_id = e.org_id and c.object_id = e.transfer_id and c.seq = e.seq;
alter table entries alter column at set not null;

drop index entries_account_idx;
create index entries_account_idx
    on entries (org_id, account_id, at desc, transfer_id desc, seq desc)
    where account_id is not null;
