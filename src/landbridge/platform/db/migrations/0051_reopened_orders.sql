-- Orders on chains that a reorganisation below the final block reopens.
alter table chain_orders
    -- When it was reported as failed, of an order that was reopened since: it stays so.
    add column failed_at timestamptz,
    -- Records of gas from before it was reopened.
    add column gas_records smallint not null default 0;
