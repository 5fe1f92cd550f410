-- What moves of a market rate within a day are measured from; null before the next observation.
alter table market_rates
    add column anchor_usd numeric(38, 18),
    -- By the database's clock.
    add column anchored_at timestamptz;
