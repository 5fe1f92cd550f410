-- Deposits that are looked at late, users who are erased just then, banks that refuse to give back,
-- and words that are kept no longer than needed.

-- How often the bank has refused for good to give it back: the next try has a key of its own.
alter table receipts add column return_tries integer not null default 0;
alter table receipts add constraint receipts_return_tries_check check (return_tries >= 0);

-- A match holds its user until it is written: who is being erased was so before, or waits for it.
alter table receipts add constraint receipts_user_id_fkey
    foreign key (org_id, user_id) references users (org_id, id);

-- Whether a deposit is still to be looked at, before what waits for it is ended.
create index receipts_new_idx on receipts (org_id, account_number, received_at)
    where status = 'NEW';

-- Whose words go some time after it went back.
create index receipts_returned_idx on receipts (org_id, updated_at)
    where status = 'RETURNED' and sealed_words is not null;
