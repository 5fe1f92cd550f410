-- People may accept a difference by a journal, so that the ledger has what the source has.
alter table recon_differences
    add column adjusts_ledger boolean not null default false;
