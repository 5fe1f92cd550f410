-- What the sandbox's chains and banks remember of what they were asked to do: each order once. They
-- play outside parties, so nothing of ours refers to these rows. In production there are none.
create table sandbox_operations (
    org_id uuid not null,
    part text not null,
    -- The key that came with the order.
    key uuid not null,
    -- How much of what went where, without personal data; the same key never carries another order.
    ordered jsonb not null,
    -- Transaction hashes or tracking numbers.
    reply jsonb not null,
    outcome text not null,
    reason text,
    -- Both in the organisation's time; the outcome is not told before settles_at.
    accepted_at timestamptz not null,
    settles_at timestamptz not null,
    constraint sandbox_operations_pkey primary key (org_id, part, key),
    constraint sandbox_operations_org_id_fkey foreign key (org_id) references orgs (id),
    constraint sandbox_operations_part_check check (part in ('chain', 'bank')),
    constraint sandbox_operations_outcome_check check (outcome in ('DONE', 'FAILED')),
    constraint sandbox_operations_settles_at_check check (settles_at >= accepted_at)
);

-- How fast they are for an organisation; without a row, instant.
create table sandbox_paces (
    org_id uuid not null,
    chains text not null,
    rails text not null,
    constraint sandbox_paces_pkey primary key (org_id),
    constraint sandbox_paces_org_id_fkey foreign key (org_id) references orgs (id),
    constraint sandbox_paces_chains_check check (chains in ('instant', 'real')),
    constraint sandbox_paces_rails_check check (rails in ('instant', 'real'))
);
