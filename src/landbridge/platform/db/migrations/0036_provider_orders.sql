-- Payouts ordered from connected providers. Nothing about the payee is here.

create table provider_orders (
    org_id uuid not null,
    -- Our idempotency key: the same for every call about this payout.
    key uuid not null,
    record_id uuid not null,
    -- Name in the providers file.
    provider text not null,
    asset text not null,
    units numeric(38, 0) not null,
    rail text not null,
    is_same_day boolean not null,
    state text not null,
    -- Calls that the provider may have carried out, or still may.
    open_calls integer not null default 0,
    tracking jsonb,
    provider_reference text,
    -- Sentence of ours about a failure.
    reason text,
    -- What the provider said that can't be acted on.
    problem text,
    created_at timestamptz not null,
    answered_at timestamptz,
    -- When the provider expects the next change; organisation time.
    expected_at timestamptz,
    -- Real time at which the provider is queried because of a webhook.
    recheck_at timestamptz,
    -- The latest webhooks about it, to ignore repeated ones.
    webhook_ids text[] not null default '{}',
    constraint provider_orders_pkey primary key (org_id, key),
    constraint provider_orders_org_id_fkey foreign key (org_id) references orgs (id),
    -- A provider names an order by key alone.
    constraint provider_orders_key_key unique (key),
    constraint provider_orders_units_check check (units > 0),
    constraint provider_orders_open_calls_check check (open_calls >= 0),
    constraint provider_orders_state_check
        check (state in ('ASSIGNED', 'PENDING', 'SETTLED', 'FAILED')),
    constraint provider_orders_problem_check
        check (problem in ('ANSWER_INVALID', 'KEY_CONFLICT', 'AMOUNT_DIFFERS', 'CONTRADICTION',
            'RETURNED_LATE')),
    constraint provider_orders_reason_check check ((reason is not null) = (state = 'FAILED'))
);

-- Finds what webhooks have announced, and what needs a person.
create index provider_orders_recheck_at_idx on provider_orders (recheck_at)
    where recheck_at is not null;
create index provider_orders_problem_idx on provider_orders (org_id, created_at)
    where problem is not null;
