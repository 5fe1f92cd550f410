-- Signed transactions that no block can have any more: another party has used their nonce.
alter table chain_attempts add column is_taken boolean not null default false;
