-- Screening of deposits from outside: what providers have answered, and which deposits wait.

create table provider_screenings (
    org_id uuid not null,
    -- Our key: the record of the screening, the same for every call about this deposit.
    key uuid not null,
    -- Name in the providers file.
    provider text not null,
    state text not null,
    -- What a hit is about: codes of ours.
    categories text[] not null default '{}',
    provider_reference text,
    -- What the provider said that can't be acted on.
    problem text,
    -- Whether a person has cleared the problem up.
    is_closed boolean not null default false,
    created_at timestamptz not null,
    answered_at timestamptz,
    -- When the provider expects another answer; organisation time.
    expected_at timestamptz,
    -- Real time at which the provider is queried because of a webhook.
    recheck_at timestamptz,
    constraint provider_screenings_pkey primary key (org_id, key),
    constraint provider_screenings_org_id_fkey foreign key (org_id) references orgs (id),
    -- A provider names a screening by key alone.
    constraint provider_screenings_key_key unique (key),
    constraint provider_screenings_state_check
        check (state in ('ASKED', 'PENDING', 'CLEAR', 'HIT')),
    constraint provider_screenings_problem_check
        check (problem in ('ANSWER_INVALID', 'KEY_CONFLICT', 'CONTRADICTION'))
);

create index provider_screenings_recheck_at_idx on provider_screenings (recheck_at)
    where recheck_at is not null;
create index provider_screenings_problem_idx on provider_screenings (org_id, created_at)
    where problem is not null and not is_closed;

-- Credited to the suspense account: the wallet gets the coins once the screening allows it.
alter table chain_deposits add column is_suspended boolean not null default false;
create index chain_deposits_suspended_idx on chain_deposits (org_id, wallet_id)
    where is_suspended;
-- The same for coins at an organisation's own address: no payment gets them before.
alter table treasury_deposits add column is_suspended boolean not null default false;

-- What waits for a screened deposit must not expire before.
create index incoming_payments_screening_idx
    on incoming_payments (org_id, account_number, received_at)
    where status = 'SCREENING';

alter table incoming_payments drop constraint incoming_payments_status_check;
alter table incoming_payments add constraint incoming_payments_status_check
    check (status in ('SCREENING', 'NEW', 'MATCHED', 'UNMATCHED', 'RETURNING', 'RETURNED'));
alter table incoming_payments drop constraint incoming_payments_due_at_check;
alter table incoming_payments add constraint incoming_payments_due_at_check
    check ((due_at is null) = (status in ('SCREENING', 'MATCHED', 'UNMATCHED', 'RETURNED')));
