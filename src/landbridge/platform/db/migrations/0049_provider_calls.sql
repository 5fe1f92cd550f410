-- Calls to connected providers, counted by the hour, so that every process sees what all have found.

create table provider_calls (
    -- Name in the providers file.
    provider text not null,
    -- Real time, cut to the hour.
    hour timestamptz not null,
    calls integer not null,
    -- Calls without a valid answer.
    failures integer not null,
    answered_at timestamptz,
    failed_at timestamptz,
    -- Why the last failed call of this hour failed.
    failure text,
    constraint provider_calls_pkey primary key (provider, hour),
    constraint provider_calls_failures_check check (failures >= 0 and failures <= calls),
    constraint provider_calls_failure_check
        check (failure in ('UNREACHABLE', 'NO_ANSWER', 'ANSWER_INVALID', 'NOT_NOW')
            and failed_at is not null or failure is null and failed_at is null)
);

-- Finds what waits for a provider, and whether it has ever carried out a payout.
create index provider_orders_waiting_idx on provider_orders (org_id, created_at)
    where state in ('ASSIGNED', 'PENDING');
create index provider_orders_settled_idx on provider_orders (org_id, provider)
    where state = 'SETTLED';
