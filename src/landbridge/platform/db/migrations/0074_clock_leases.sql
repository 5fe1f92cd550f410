-- Clock nodes that a process owns (platform/core/clock.py). It renews its lease every hour, and
-- returns it at its end. Until then no other process gets the node.
create table clock_leases (
    node smallint not null,
    leased_until timestamptz not null,
    constraint clock_leases_pkey primary key (node),
    constraint clock_leases_node_check check (node between 0 and 99)
);
