-- Finds the newest blocks that have transactions of final orders, to notice that a chain has lost
-- them.
create index chain_attempts_block_idx on chain_attempts (chain, block_number, block_hash)
    where block_number is not null;
