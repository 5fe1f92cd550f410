-- True from the moment when a list that was loaded later names the holder or the bank of an active
-- account, until a reviewer approves it again. A payout to it is put into no bank file meanwhile,
-- also if the account is rejected or deleted instead.
alter table bank_accounts add column is_suspended boolean not null default false;
