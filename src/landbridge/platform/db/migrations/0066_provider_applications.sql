-- Verification of users by connected providers: which provider has an application, and what it said.

create table provider_applications (
    org_id uuid not null,
    -- Our key, the same for every call about this application.
    key uuid not null,
    -- The case, the same for all applications of a user and rail.
    case_id uuid not null,
    -- Name in the providers file.
    provider text not null,
    state text not null,
    provider_reference text,
    -- What the provider said that can't be acted on.
    problem text,
    -- Whether a person has cleared the problem up.
    is_closed boolean not null default false,
    -- Real times, as all of this table.
    created_at timestamptz not null,
    answered_at timestamptz,
    -- When the provider is queried because of a webhook.
    recheck_at timestamptz,
    constraint provider_applications_pkey primary key (org_id, key),
    constraint provider_applications_org_id_fkey foreign key (org_id) references orgs (id),
    -- A provider names an application by key alone.
    constraint provider_applications_key_key unique (key),
    constraint provider_applications_state_check check (
        state in (
            'ASKED', 'CREATED', 'PENDING', 'APPROVED', 'RETRY', 'DECLINED', 'INFORMATION', 'REVIEW',
            'REFUSED'
        )
    ),
    constraint provider_applications_problem_check
        check (problem in ('ANSWER_INVALID', 'KEY_CONFLICT', 'CONTRADICTION'))
);

create index provider_applications_recheck_at_idx on provider_applications (recheck_at)
    where recheck_at is not null;
create index provider_applications_problem_idx on provider_applications (org_id, created_at)
    where problem is not null and not is_closed;
create index provider_applications_case_id_idx on provider_applications (org_id, case_id);
create index provider_applications_waiting_idx on provider_applications (org_id, case_id)
    where state in ('ASKED', 'CREATED', 'PENDING');
