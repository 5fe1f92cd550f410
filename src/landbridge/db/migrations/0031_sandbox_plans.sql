-- What later steps of a payment are to come to, as its creator asked with the header
-- Landbridge-Sandbox: one row per record that has such a plan. In production there are none.
create table sandbox_plans (
    org_id uuid not null,
    record_id uuid not null,
    -- In one spelling, as in 'chain_send=timeout;payout=return:3d'.
    plan text not null,
    constraint sandbox_plans_pkey primary key (org_id, record_id),
    constraint sandbox_plans_org_id_fkey foreign key (org_id) references orgs (id),
    constraint sandbox_plans_plan_check check (char_length(plan) between 1 and 500)
);

-- Steps that were reached, and by which order: an outcome happens to the first one alone, and what
-- happens on the first call (no answer) happens on one.
create table sandbox_forced (
    org_id uuid not null,
    record_id uuid not null,
    step text not null,
    -- The key of the order that reached the step first.
    key uuid not null,
    -- The call of it that did.
    call_id uuid not null,
    -- In the organisation's time.
    first_at timestamptz not null,
    constraint sandbox_forced_pkey primary key (org_id, record_id, step),
    constraint sandbox_forced_record_id_fkey foreign key (org_id, record_id)
        references sandbox_plans (org_id, record_id)
);

-- Nobody answers questions about it before settles_at.
alter table sandbox_operations add column is_silent boolean not null default false;
