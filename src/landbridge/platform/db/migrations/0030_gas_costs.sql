-- The gas of final orders is booked in the ledger, by a record of its own.

alter table chain_orders
    -- Real time at which the ledger had the gas of the final order.
    add column gas_booked_at timestamptz;

-- Finds the few final orders whose gas is not booked.
create index chain_orders_gas_due on chain_orders (updated_at, org_id, key)
    where gas_booked_at is null and state in ('FINAL', 'REVERTED', 'REJECTED');
