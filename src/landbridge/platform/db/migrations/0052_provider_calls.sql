-- A person settles a return outside only while no call to its provider can be running.

alter table provider_orders
    -- Organisation time at which the last call was begun; null for orders of the version before.
    add column called_at timestamptz;
