-- State of the sandbox's simulated chains and banks. They simulate outside parties, so no other
-- table refers to these. In production they are empty.

-- Orders that the simulated chains and banks accepted: each once.
create table sandbox_orders (
    org_id uuid not null,
    system text not null,
    -- The key of the order.
    key uuid not null,
    -- Amounts and parties, without personal data; a repeated key must carry the same order.
    request jsonb not null,
    -- Transaction hashes or tracking numbers.
    response jsonb not null,
    outcome text not null,
    reason text,
    -- Organisation time; the outcome is not reported before settles_at.
    accepted_at timestamptz not null,
    settles_at timestamptz not null,
    -- Whether status queries before settles_at get no response.
    is_silent boolean not null default false,
    constraint sandbox_orders_pkey primary key (org_id, system, key),
    constraint sandbox_orders_org_id_fkey foreign key (org_id) references orgs (id),
    constraint sandbox_orders_system_check check (system in ('chain', 'bank')),
    constraint sandbox_orders_outcome_check check (outcome in ('DONE', 'FAILED')),
    constraint sandbox_orders_settles_at_check check (settles_at >= accepted_at)
);

-- Simulated latency of an organisation's chains and rails; without a row, instant.
create table sandbox_latencies (
    org_id uuid not null,
    chain_latency text not null,
    rail_latency text not null,
    constraint sandbox_latencies_pkey primary key (org_id),
    constraint sandbox_latencies_org_id_fkey foreign key (org_id) references orgs (id),
    constraint sandbox_latencies_chain_latency_check
        check (chain_latency in ('instant', 'real')),
    constraint sandbox_latencies_rail_latency_check check (rail_latency in ('instant', 'real'))
);

-- Scripted outcomes of later steps of a payment, as its creator requested with the header
-- Landbridge-Sandbox: one row for each record with such a plan.
create table sandbox_outcome_plans (
    org_id uuid not null,
    record_id uuid not null,
    -- Normalised, as in 'chain_send=timeout;payout=return:3d'.
    plan text not null,
    constraint sandbox_outcome_plans_pkey primary key (org_id, record_id),
    constraint sandbox_outcome_plans_org_id_fkey foreign key (org_id) references orgs (id),
    constraint sandbox_outcome_plans_plan_check check (char_length(plan) between 1 and 500)
);

-- Steps that were reached. A scripted outcome applies only to the first order that reaches the
-- step, and one that concerns the first call (no response) only to that call.
create table sandbox_scripted_outcomes (
    org_id uuid not null,
    record_id uuid not null,
    step text not null,
    -- The first order that reached the step, and its call.
    key uuid not null,
    call_id uuid not null,
    -- Organisation time.
    first_reached_at timestamptz not null,
    constraint sandbox_scripted_outcomes_pkey primary key (org_id, record_id, step),
    constraint sandbox_scripted_outcomes_record_id_fkey foreign key (org_id, record_id)
        references sandbox_outcome_plans (org_id, record_id)
);
