-- Treasury deposits that a chain has lost for good.

-- Once this block is final, or else the deposit's own, a lost deposit is given up, unless its
-- transaction is mined.
alter table treasury_deposits add column returns_by bigint;
-- How often the ledger has taken it back.
alter table treasury_deposits add column reversals integer not null default 0;

alter table treasury_deposits
    drop constraint treasury_deposits_status_check,
    drop constraint treasury_deposits_transfer_id_check,
    add constraint treasury_deposits_status_check
        check (status in ('CONFIRMED', 'FINAL', 'SETTLED', 'UNMATCHED', 'LOST', 'REVERSED')),
    -- A deposit that returns keeps its payment.
    add constraint treasury_deposits_transfer_id_check
        check (transfer_id is null or status <> 'UNMATCHED');

-- Finds the few deposits whose block a reorganisation took away.
create index treasury_deposits_chain_idx on treasury_deposits (chain)
    where is_lost;

-- Finds those that the ledger still has to take back.
create index treasury_deposits_lost_idx on treasury_deposits (org_id) where status = 'LOST';
